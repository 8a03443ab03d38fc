from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import fsspec
import numpy as np
import pandas as pd
import pytest

from pacecar.archive.bucket import Bucket
from pacecar.archive.runs import RunDirectory
from pacecar.archive.shared import Shared
from pacecar.model.experiment import Side
from pacecar.model.recording import (
    BuiltSide,
    Fingerprint,
    ForkData,
    ForkRecord,
    Manifest,
    Pair,
    PairRecord,
    ProfileQuality,
    RunKind,
    RunState,
    Window,
)
from pacecar.model.tables import TABLES, empty_table
from support.recordings import fresh

RUN_ID = "20250301-101500-9f3a"


@pytest.fixture(scope="session")
def manifest() -> Manifest:
    built = BuiltSide(label="main", kind="ref", value="main", commit="abc", artifact_sha256="0" * 64, patch="--- ü\n")
    return Manifest(
        run_id=RUN_ID,
        kind=RunKind.PAIRED,
        state=RunState.OPEN,
        created="2025-03-01T10:15:00+00:00",
        repeat=("pacecar", "compare"),
        builds={Side.BASELINE: built, Side.CANDIDATE: built},
        machine=Fingerprint(cpu_model="c", cores=2, memory_bytes=1, kernel="k", jvm="17", os="Debian"),
        tools={"gatling": "3"},
        configuration='[target]\nname = "orders"\n',
        configuration_sha256="1" * 64,
        phases_s={"load": 12.5},
    )


@cache
def table(name: str, rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    makers = {
        "str": lambda: [f"GET /örders/{i}" for i in rng.integers(0, 9, rows)],
        "bool": lambda: rng.random(rows) < 0.5,
        "float64": lambda: np.where(rng.random(rows) < 0.1, np.nan, rng.random(rows)),
    }
    columns = {
        column: makers.get(dtype, lambda: rng.integers(0, 100, rows))() for column, dtype in TABLES[name].items()
    }
    return pd.DataFrame(columns).astype(TABLES[name])


@pytest.fixture(scope="session")
def make_pair() -> Callable[..., Pair]:
    """A pair with random values in every table but `series`, which was not measured."""

    def make(number: int, *, rows: int = 50) -> Pair:
        forks = {}
        for index, side in enumerate(Side):
            quality = ProfileQuality(
                chunks=3,
                unreadable=0,
                samples=rows,
                failed_stacks=1,
                truncated_stacks=0,
                sampled_cpu_s=1.5,
                accounted_cpu_s=1.6,
            )
            record = ForkRecord(side=side, command=("java", "-jar"), ready_s=1.25, cpus=(0,), profile=quality)
            tables = {name: table(name, rows, seed=10 * number + index) for name in TABLES}
            forks[side] = fresh(ForkData(record=record, tables={**tables, "series": empty_table("series")}))
        windows = tuple(Window(index=i, side=side, start_ns=i, end_ns=i + 1) for i, side in enumerate(Side))
        recorded = PairRecord(
            number=number,
            first=Side.BASELINE,
            windows=windows,
            forks={side: fork.record for side, fork in forks.items()},
            notes=("a chunk never came",),
        )
        return Pair(record=recorded, forks=forks)

    return make


@pytest.fixture
def run(tmp_path: Path, manifest: Manifest) -> RunDirectory:
    return RunDirectory.create(tmp_path / ".pacecar", manifest)


@pytest.fixture
def raw(tmp_path: Path) -> dict[Side, Path]:
    """Raw files of both sides, with a link, a socket's kind of file and a folder among them."""
    folders = {}
    for side in Side:
        folder = tmp_path / "raw" / side.value
        (folder / "chunks").mkdir(parents=True)
        (folder / "chunks" / "1.jfr").write_bytes(b"FLR\0")
        (folder / "service.log").write_text(f"{side} is up\n")
        (folder / "passwd").symlink_to("/etc/passwd")
        folders[side] = folder
    return folders


@pytest.fixture(params=["file", "memory"])
def bucket(request: pytest.FixtureRequest, tmp_path: Path) -> Bucket:
    if request.param == "memory":
        fsspec.filesystem("memory").store.clear()
        return Bucket("memory://pacecar/orders", {})
    return Bucket(f"file://{tmp_path}/store", {})


@pytest.fixture
def here(bucket: Bucket, tmp_path: Path) -> Shared:
    return Shared(bucket=bucket, root=tmp_path / ".pacecar")


@pytest.fixture
def elsewhere(bucket: Bucket, tmp_path: Path) -> Shared:
    """The same store as another machine sees it."""
    return Shared(bucket=bucket, root=tmp_path / "elsewhere" / ".pacecar")


@pytest.fixture
def record(
    here: Shared, manifest: Manifest, make_pair: Callable[..., Pair], raw: dict[Side, Path]
) -> Callable[[str], RunDirectory]:
    def make(run_id: str) -> RunDirectory:
        run = RunDirectory.create(here.root, replace(manifest, run_id=run_id))
        run.write_pair(make_pair(1, rows=3), raw)
        run.set_state(RunState.COMPLETE)
        return run

    return make
