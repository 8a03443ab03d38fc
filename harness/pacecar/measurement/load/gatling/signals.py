"""What a Gatling process is told while it runs: files beside its plan, for which the kit looks."""

from __future__ import annotations

import os
from pathlib import Path

from pacecar.measurement.load.gatling.plan import BEGIN_FILE, BURST_END_FILE, GO_FILE

_MS = 1_000_000
#: Instead of a number of blocks: no more will be asked for.
_END = -1


def begin(folder: Path, at_ns: int) -> None:
    """Let the load begin at `at_ns`, nanoseconds since the epoch."""
    _write(folder / BEGIN_FILE, at_ns // _MS)


def end_burst(folder: Path, at_ns: int) -> None:
    """End the burst at `at_ns`, if it may end early and lasts longer. The first time that is said counts."""
    if not (folder / BURST_END_FILE).exists():
        _write(folder / BURST_END_FILE, at_ns // _MS)


def open_blocks(folder: Path, count: int) -> None:
    """Let the kit send the first `count` blocks."""
    _write(folder / GO_FILE, count)


def end_blocks(folder: Path) -> None:
    """Have the kit end."""
    _write(folder / GO_FILE, _END)


def _write(file: Path, number: int) -> None:
    partial = file.with_name(f"{file.name}.partial")
    partial.write_text(f"{number}\n")
    os.replace(partial, file)  # noqa: PTH105  the kit must never see half a number
