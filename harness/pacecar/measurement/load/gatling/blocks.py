"""Blocks of the quick tier: which may be sent, and which were. Files beside the plan; the kit is their other end."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.gatling.plan import DONE_FILE, GO_FILE
from pacecar.measurement.load.load_run import Blocks
from pacecar.system.foreign import files

#: Ample for thousands of blocks; a simulation may have written anything.
_LARGEST_FILE = 4 << 20
_LONGEST_NAME = 200
#: Instead of a number of blocks: no more will be asked for.
_END = -1


def open_blocks(folder: Path, count: int) -> None:
    """Let the kit send the first `count` blocks."""
    _write(folder, count)


def end_blocks(folder: Path) -> None:
    """Have the kit end."""
    _write(folder, _END)


def read_blocks(folder: Path) -> Blocks:
    """What the kit has noted by now. The last line may be in the making: it is left out.

    Raises:
        LoadError: when a line is not what the kit writes.
    """
    path = folder / DONE_FILE
    try:
        text = files.beginning(path, most=_LARGEST_FILE).decode()
        lines = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        if not lines:
            return Blocks()
        return Blocks(
            operations=len(lines[0]["operations"]),
            answered=tuple(_endpoint(line, number) for number, line in enumerate(lines[1:])),
        )
    except FileNotFoundError:
        return Blocks()
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise LoadError(
            f"The file of blocks {path} is not what Pacecar's kit writes ({error}).",
            hint="Build the simulation against the kit that comes with this Pacecar.",
        ) from error


def _endpoint(line: Mapping[str, Any], number: int) -> str:
    name = line["endpoint"]
    if line["block"] != number or not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
        raise ValueError(f"block {number} is not there")
    return name


def _write(folder: Path, count: int) -> None:
    partial = folder / f"{GO_FILE}.partial"
    partial.write_text(f"{count}\n")
    os.replace(partial, folder / GO_FILE)  # noqa: PTH105  the kit must never see half a number
