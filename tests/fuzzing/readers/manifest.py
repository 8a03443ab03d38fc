# ruff: noqa: E501  seeds are lines of other formats
"""The manifest of a run, of any version."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from fuzzing import scratch
from pacecar.archive import RunError
from pacecar.archive.listing import local_runs
from pacecar.archive.records import read_manifest


def parse(data: bytes) -> None:
    root = scratch.path("archive")
    run = root / "runs" / "20250301-101500-9f3a"
    run.mkdir(parents=True, exist_ok=True)
    (run / "manifest.json").write_bytes(data)
    assert len(local_runs(root)) == 1
    with contextlib.suppress(RunError):
        read_manifest(run / "manifest.json")


def seeds() -> Iterator[bytes]:
    yield b'{"schema_version": 1, "configuration": "[builds.named.a]\\njvm_args = []", "builds": {"baseline": {"label": "a"}}}'
    yield b'{"schema_version": 2, "run_id": "a", "kind": "paired", "state": "open", "builds": {}, "phases_s": {"load": 1}}'
