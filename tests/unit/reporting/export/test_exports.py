"""Profiles for other tools, read back by programs that are not ours."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from pathlib import Path

import pytest

from pacecar.model.experiment import Side
from pacecar.model.profiles import ProfileKind
from pacecar.reporting.export import ExportError
from pacecar.reporting.export.folded import folded
from pacecar.reporting.export.pprof import pprof
from pacecar.reporting.export.stacks import StackSums, stack_sums

PRICE = "java.lang.Thread.run\nshop.Orders.price\nodd;name.run"
WRITE = "java.lang.Thread.run\nshop.Api.write"


@pytest.fixture
def sums(make_pairs, truth) -> StackSums:
    pairs = make_pairs(2, candidate=truth(stacks_ms={PRICE: 1.0, WRITE: 2.0}))
    return stack_sums(pairs, side=Side.CANDIDATE, event=ProfileKind.CPU, application=("shop.",))


def test_folded_stacks_have_a_line_per_stack_below_its_pool(sums: StackSums) -> None:
    lines = folded(sums).splitlines()
    assert [line.rpartition(" ")[0] for line in lines] == [
        "[http-nio-exec];java.lang.Thread.run;shop.Api.write",
        "[http-nio-exec];java.lang.Thread.run;shop.Orders.price;odd:name.run",
    ]
    total_ms = sum(int(line.rpartition(" ")[2]) for line in lines) / 1e6
    assert total_ms / sums.requests == pytest.approx(3.0, rel=0.1)


def test_pprof_is_what_gos_own_tool_reads(sums: StackSums, tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("no Go: apt-get install golang-go")
    path = tmp_path / "cpu.pprof.gz"
    path.write_bytes(pprof(sums, comment="a run"))
    shown = subprocess.run(["go", "tool", "pprof", "-top", "-unit=ms", str(path)], capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert "Type: cpu" in shown.stdout
    assert "shop.Api.write" in shown.stdout
    tags = subprocess.run(["go", "tool", "pprof", "-tags", str(path)], capture_output=True, text=True)
    assert "http-nio-exec" in tags.stdout
    assert "shop.Orders.price" in tags.stdout


def test_pprof_is_the_same_for_the_same_profile(sums: StackSums) -> None:
    assert pprof(sums) == pprof(sums)
    assert b"odd;name.run" in gzip.decompress(pprof(sums))


def test_a_side_without_such_samples_is_said(make_pairs, truth) -> None:
    pairs = make_pairs(2, candidate=truth(stacks_ms={PRICE: 1.0}))
    with pytest.raises(ExportError, match="no lock samples of the candidate"):
        stack_sums(pairs, side=Side.CANDIDATE, event=ProfileKind.LOCK, application=())
    with pytest.raises(ExportError, match="of the baseline"):
        stack_sums(pairs, side=Side.BASELINE, event=ProfileKind.CPU, application=())
