"""Profiles forwarded to a real Pyroscope server, and asked for again by its API."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd
import pytest

from pacecar.archive.runs import RunDirectory
from pacecar.measurement.deploy.ports import free_port
from pacecar.model.experiment import Side
from pacecar.model.options import RunOptions
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import BuiltSide, Fingerprint, Manifest, Pair, RunKind, RunState, Window
from pacecar.reporting.diff_view import diff_view
from pacecar.workflow.evaluating import pyroscope_links_of
from support.servers import pyroscope
from support.servers.flames import total, values

CPU = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
TYPES = {
    "cpu": CPU,
    "wall": "wall:wall:nanoseconds:wall:nanoseconds",
    "alloc": "memory:alloc_space:bytes:space:bytes",
    "lock": "mutex:delay:nanoseconds:mutex:count",
}
STACKS = {
    "cpu": "java.lang.Thread.run\nshop.Orders.price",
    "wall": "java.lang.Thread.run\nshop.Orders.find",
    "lock": "java.lang.Thread.run\nshop.Orders.store",
}
CONFIGURATION = """
[target]
name = "orders"
command = ["{java}", "-jar", "{artifact}", "{port}"]
ready = "/"
"""
SECOND = 10**9

Stored = Callable[..., RunDirectory]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with pyroscope(tmp_path_factory.mktemp("pyroscope")) as url:
        yield url


@pytest.fixture
def stored(make_pair, truth, tmp_path: Path) -> Stored:
    """A run with one pair more than a minute long, whose first window began `ago_s` before now."""

    def store(*, ago_s: float, pairs: int = 1) -> RunDirectory:
        (tmp_path / "pacecar.toml").write_text(CONFIGURATION)
        built = BuiltSide(label="a jar, {patched}", kind="jar", value="x", commit="", artifact_sha256="0")
        manifest = Manifest(
            run_id=f"20260101-{time.time_ns() % 10**6:06d}-aaaa",
            kind=RunKind.PAIRED,
            state=RunState.COMPLETE,
            created="2026-01-01T00:00:00+00:00",
            repeat=("pacecar", "compare"),
            builds={Side.BASELINE: replace(built, label="main"), Side.CANDIDATE: built},
            machine=Fingerprint(cpu_model="m", cores=2, memory_bytes=1, kernel="k", jvm="17", os="o"),
            tools={},
            configuration=CONFIGURATION,
            configuration_sha256="0",
            options=RunOptions(config=str(tmp_path / "pacecar.toml"), baseline="jar:x", candidate="jar:x"),
        )
        (tmp_path / "x").touch()
        run = RunDirectory.create(tmp_path / ".pacecar", manifest)
        for number in range(1, pairs + 1):
            made = make_pair(
                number,
                baseline=truth(stacks_ms={STACKS["cpu"]: 1.0}),
                candidate=truth(
                    stacks_ms={STACKS["cpu"]: 2.0},
                    waits_ms={STACKS["wall"]: 8.0},
                    locks_ms={STACKS["lock"]: 3.0},
                ),
            )
            began = time.time_ns() - int(ago_s * SECOND) + number * 100 * SECOND
            run.write_pair(_moved(made, began), {})
        return run

    return store


def _moved(pair: Pair, began_ns: int) -> Pair:
    """`pair` at another time, with allocation too, and half of the candidate's samples with a span's name.

    Nobody counted the allocated bytes, so its samples stand for what they weigh.
    """

    def later(window: Window) -> Window:
        return replace(window, start_ns=window.start_ns + began_ns, end_ns=window.end_ns + began_ns)

    candidate = pair.forks[Side.CANDIDATE]
    samples = candidate.tables["samples"]
    allocated = samples[samples["event"] == "wall"].assign(event="alloc", weight=4096.0)
    samples = pd.concat([samples, allocated], ignore_index=True)
    named = samples["label"].where(samples["window"] % 4 != 1, "GET /price")
    counters = candidate.tables["counters"].assign(allocated_bytes=float("nan"))
    tables = {**candidate.tables, "samples": samples.assign(label=named), "counters": counters}
    labelled = replace(candidate, tables=tables)
    return replace(
        pair,
        record=replace(pair.record, windows=tuple(map(later, pair.record.windows))),
        forks={**pair.forks, Side.CANDIDATE: labelled},
    )


def _forward(run: RunDirectory, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pacecar", "forward", run.path.name, *arguments],
        cwd=run.path.parents[2],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def _weight(
    pair: Pair, event: str, *, side: Side = Side.CANDIDATE, window: int | None = None, label: str = ""
) -> float:
    rows = pair.forks[side].tables["samples"]
    rows = rows[rows["event"] == event]
    rows = rows if window is None else rows[rows["window"] == window]
    rows = rows[rows["label"] == label] if label else rows
    return float(rows["weight"].sum())


def test_labels_times_and_totals_are_ours(stored: Stored, server: str) -> None:
    run = stored(ago_s=600, pairs=2)
    sent = _forward(run, "--to", server)
    assert (sent.returncode, sent.stderr) == (0, "")
    assert sent.stdout == f"16 windows sent to {server} as orders; it already had the others.\n"
    pairs = list(run.pairs())
    span = pairs[0].record.windows[0].start_ns, pairs[-1].record.windows[-1].end_ns
    name = run.manifest.run_id
    for side in Side:
        ours = sum(_weight(pair, "cpu", side=side) for pair in pairs)
        assert total(server, CPU, f'{{run="{name}",side="{side}"}}', span=span) == pytest.approx(ours, rel=1e-6)
    for event in TYPES:
        ours = _weight(pairs[1], event)
        labels = f'{{service_name="orders",run="{name}",side="candidate",pair="2"}}'
        assert total(server, TYPES[event], labels, span=span) == pytest.approx(ours, rel=1e-6)
    window = pairs[0].record.windows[5]
    ours = _weight(pairs[0], "wall", window=window.index)
    assert total(server, TYPES["wall"], f'{{run="{name}",pair="1",window="5"}}', span=span) == pytest.approx(ours)
    # By time alone: a window's profile bears the time of its start.
    within = (window.start_ns, window.end_ns)
    assert total(server, TYPES["wall"], f'{{run="{name}"}}', span=within) == pytest.approx(ours)
    endpoint = total(server, CPU, f'{{run="{name}",endpoint="GET /price"}}', span=span)
    assert endpoint == pytest.approx(sum(_weight(pair, "cpu", label="GET /price") for pair in pairs))
    assert {"main", "a jar, {patched}"} <= set(values(server, "build"))
    _check_the_links(run, pairs)


def _check_the_links(run: RunDirectory, pairs: list[Pair]) -> None:
    elsewhere = pyroscope_links_of(run, None)
    assert elsewhere is not None
    for event in ProfileKind:
        link = diff_view(elsewhere, event)
        with urllib.request.urlopen(link, timeout=20) as answer:  # a page that the server knows
            assert answer.status == 200
        # What that page asks the server for is what stands in its own address.
        asked = f"{elsewhere.url}/pyroscope/render-diff?{urlsplit(link).query}"
        with urllib.request.urlopen(asked, timeout=20) as answer:
            diff = json.load(answer)
        shown = {Side.BASELINE: diff.get("leftTicks", 0), Side.CANDIDATE: diff.get("rightTicks", 0)}
        ours = {side: sum(_weight(pair, event, side=side) for pair in pairs) for side in Side}
        assert shown == pytest.approx(ours, rel=1e-6), event


def test_nothing_is_sent_twice(stored: Stored, server: str) -> None:
    run = stored(ago_s=600)
    assert _forward(run, "--to", server).returncode == 0
    assert _forward(run, "--to", server).stdout.startswith("0 windows sent")
    (pair,) = run.pairs()
    span = pair.record.windows[0].start_ns, pair.record.windows[-1].end_ns
    sent = total(server, CPU, f'{{run="{run.manifest.run_id}",side="candidate"}}', span=span)
    assert sent == pytest.approx(_weight(pair, "cpu"), rel=1e-6)


def test_what_the_server_finds_too_old_is_said(stored: Stored, server: str) -> None:
    refused = _forward(stored(ago_s=7200), "--to", server)
    assert refused.returncode == 3
    assert f"Pyroscope at {server} took 0 of 8 windows: it answered 400:" in refused.stderr
    assert "ingestion window" in refused.stderr
    assert "reject-older-than" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_tenant_is_told_by_the_environment(stored: Stored, tmp_path: Path) -> None:
    run = stored(ago_s=600)
    with pyroscope(tmp_path / "tenants", "-auth.multitenancy-enabled=true") as strict:
        refused = _forward(run, "--to", strict)
        assert refused.returncode == 3
        assert "it answered 401" in refused.stderr
        accepted = _forward(run, "--to", strict, PACECAR_PYROSCOPE_TENANT="team-a", PACECAR_PYROSCOPE_TOKEN="s3cret")
        assert accepted.returncode == 0, accepted.stderr
    assert not any(b"s3cret" in path.read_bytes() for path in run.path.rglob("*") if path.is_file())


def test_nobody_there(stored: Stored) -> None:
    gone = _forward(stored(ago_s=600), "--to", f"http://127.0.0.1:{free_port()}")
    assert gone.returncode == 3
    assert "took 0 of 8 windows: it cannot be reached" in gone.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "No Pyroscope server is named."),
        (("--to", "localhost:4040"), "is not the address of a server"),
        (("--to", "http://ada:s3cret@x"), "give credentials by environment variables"),
    ],
)
def test_no_address(stored: Stored, arguments: tuple[str, ...], said: str) -> None:
    refused = _forward(stored(ago_s=600), *arguments)
    assert refused.returncode == 2
    assert said in refused.stderr
    assert "s3cret" not in refused.stderr
