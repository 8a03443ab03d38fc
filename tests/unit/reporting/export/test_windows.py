"""Profiles of single windows, read back by Go's own tool."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.reporting.export.windows import window_profiles

STACK = "java.lang.Thread.run\nshop.Orders.price"


@pytest.fixture
def pair(make_pair, truth) -> Pair:
    return make_pair(candidate=truth(stacks_ms={STACK: 1.0}, waits_ms={f"{STACK}.wait": 4.0}))


def test_each_window_has_its_own_with_all_of_its_weight(pair: Pair) -> None:
    found = dict(window_profiles(pair))
    assert [window.index for window in found] == [1, 3, 5, 7]  # the baseline was not profiled
    samples = MeasuredFork.of(pair, Side.CANDIDATE).samples
    for window, profiles in found.items():
        weights = samples[samples["window"] == window.index].groupby("event")["weight"].sum()
        assert {each.event: each.weight for each in profiles} == pytest.approx(weights.to_dict())


def test_go_reads_type_time_and_endpoint(pair: Pair, tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("no Go: apt-get install golang-go")
    fork = pair.forks[Side.CANDIDATE]
    samples = fork.tables["samples"].assign(label="GET /price")
    pair = replace(pair, forks={Side.CANDIDATE: replace(fork, tables={**fork.tables, "samples": samples})})
    window, profiles = next(window_profiles(pair))
    path = tmp_path / "profile.pb.gz"
    path.write_bytes(profiles[0].content)
    raw = subprocess.run(["go", "tool", "pprof", "-raw", str(path)], capture_output=True, text=True).stdout
    assert f"PeriodType: {profiles[0].event} nanoseconds" in raw
    assert f"{profiles[0].event}/nanoseconds[dflt]" in raw
    assert "samples/count" not in raw
    assert f"Duration: {window.seconds:g}" in raw
    assert "endpoint:[GET /price]" in raw
    assert "pool" not in raw


def test_endpoints_beyond_a_few_are_one(pair: Pair) -> None:
    fork = pair.forks[Side.CANDIDATE]
    one = fork.tables["samples"].iloc[[0]]
    many = [one.assign(label=f"GET /{n}", weight=float(1000 - n)) for n in range(200)]
    samples = pd.concat(many, ignore_index=True)
    changed = replace(pair, forks={Side.CANDIDATE: replace(fork, tables={**fork.tables, "samples": samples})})
    ((_, profiles),) = window_profiles(changed)
    content = gzip.decompress(profiles[0].content)
    assert b"GET /0" in content
    assert b"GET /150" not in content
    assert b"other" in content
    assert profiles[0].weight == pytest.approx(samples["weight"].sum())
