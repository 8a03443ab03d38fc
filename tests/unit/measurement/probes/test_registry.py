"""Probes and the tables that they fill."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pacecar.measurement import probes
from pacecar.measurement.deploy.fork import Containers
from pacecar.measurement.probes.counters import JvmProbe
from pacecar.measurement.probes.probe import Probe, ProbeFailed
from pacecar.measurement.probes.registry import PROBES
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.measurement.watch.watch import Watched
from pacecar.model.experiment import Side
from pacecar.model.tables import TABLES
from support.watched_forks import ourselves

#: What the reader adds by itself.
ADDED = {"window", "edge", "time_ns", "generator_cpu_ns"}


@pytest.mark.parametrize("table", sorted({probe.name for probe in PROBES}))
def test_every_column_is_read_by_one_probe(table: str) -> None:
    read = Counter(name for probe in PROBES if probe.name == table for name in probe.columns)
    assert set(read) - ADDED == set(TABLES[table]) - ADDED
    assert set(read.values()) == {1}


def test_every_probe_of_the_folder_is_read_each_in_its_place() -> None:
    (folder,) = map(Path, probes.__path__)
    files = [path for path in folder.glob("*.py") if "\nPROBE: " in path.read_text(encoding="utf-8")]
    assert len(PROBES) == len(files) >= 6
    assert len({probe.order for probe in PROBES}) == len(PROBES)
    assert [probe.name for probe in PROBES][-1] == "host"


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: type(probe).__name__)
def test_a_probe_reads_its_columns_or_says_that_it_cannot(probe: Probe, tmp_path: Path) -> None:
    containers = Containers(service=os.getpid())
    fork: Any = SimpleNamespace(pid=os.getpid(), socket=tmp_path / "none", containers=containers)
    if isinstance(probe, JvmProbe):
        with pytest.raises(ProbeFailed, match="none"):
            probe.read(fork)
    else:
        assert tuple(probe.read(fork) or ()) == probe.columns


def test_tables_of_a_plain_process_without_an_agent(tmp_path: Path) -> None:
    reader = EdgeReader(forks={Side.BASELINE: ourselves(tmp_path)}, watched=Watched(), check=lambda: None)
    for edge in ("start", "end"):
        reader.read(0, Side.BASELINE, edge)
    found = reader.tables(Side.BASELINE)
    assert {name: list(table.columns) for name, table in found.items()} == {name: list(TABLES[name]) for name in found}
    assert found.pop("pool_cpu")["threads"].sum() >= 1
    assert {name: len(table) for name, table in found.items()} == {
        "counters": 2,
        "containers": 0,
        "host": 2,
        "peers": 0,
        "dependencies": 0,
        "calls": 0,
        "scrapes": 0,
        "series": 0,
    }
    assert found["counters"]["gc_ms"].isna().all()
    assert (found["counters"]["cpu_ns"] > 0).all()
    assert (found["host"]["time_ns"] >= found["counters"]["time_ns"]).all()
    assert "counter agent" in reader.notes[Side.BASELINE]
