"""Every benchmark is a program that can be started from the checkout and says what it is for."""

from __future__ import annotations

import runpy
import sys

import pytest

from benchmarks.verdict.kept import kept
from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.model.comparison import Verdict
from support.checkout import CHECKOUT

_ROOT = CHECKOUT / "benchmarks"
PROGRAMS = sorted(
    ".".join(path.relative_to(CHECKOUT).with_suffix("").parts)
    for path in _ROOT.rglob("*.py")
    if '__name__ == "__main__"' in path.read_text()
)


def test_there_are_benchmarks() -> None:
    assert len(PROGRAMS) > 15
    assert all((path.parent / "__init__.py").exists() for path in _ROOT.rglob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_benchmark_answers_help(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [program, "--help"])
    monkeypatch.delitem(sys.modules, program, raising=False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    assert ended.value.code in (None, 0)
    assert "usage:" in capsys.readouterr().out


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_benchmark_names_the_command_that_starts_it(program: str) -> None:
    text = (CHECKOUT / program.replace(".", "/")).with_suffix(".py").read_text()
    started_by_another = program == "benchmarks.containers.owner"
    assert (f"python -m {program}" in text) is not started_by_another


def test_recorded_pairs_are_judged_like_any_run() -> None:
    """Five pairs of identical builds, recorded before some of today's columns were."""
    pairs = [each.pair for each in kept("longer-gaps")]
    found = compare_pairs(pairs, Criteria())
    assert (found.pairs, found.verdict) == (5, Verdict.PASSED), found.reason
