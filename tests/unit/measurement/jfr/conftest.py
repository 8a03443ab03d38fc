from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pacecar.measurement.jfr import Folded, Intervals, fold
from pacecar.model.experiment import Side
from pacecar.model.recording import Window

INTERVALS = Intervals(cpu_ns=10e6, wall_ns=20e6, lock_ns=1e6, allocation_bytes=524_288)
ALWAYS = Window(index=0, side=Side.BASELINE, start_ns=0, end_ns=1 << 61)


@pytest.fixture
def fold_bytes(tmp_path: Path) -> Callable[..., Folded]:
    """`fold` for the content of one file; by default one window that takes everything."""

    def run(content: bytes, windows: Sequence[Window] = (ALWAYS,), intervals: Intervals = INTERVALS) -> Folded:
        path = tmp_path / "0001.jfr"
        path.write_bytes(content)
        return fold([path], windows, intervals)

    return run
