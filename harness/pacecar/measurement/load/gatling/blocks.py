"""Which blocks of the quick tier were sent: the file in which the kit notes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.gatling.plan import DONE_FILE
from pacecar.measurement.load.injector import BlockProgress
from pacecar.system.foreign import files

#: Ample for thousands of blocks; a simulation may have written anything.
_LARGEST_FILE = 4 << 20
_LONGEST_NAME = 200


def read_blocks(folder: Path) -> BlockProgress:
    """What the kit has noted by now. The last line may be in the making: it is left out.

    Raises:
        LoadError: when a line is not what the kit writes.
    """
    path = folder / DONE_FILE
    try:
        text = files.beginning(path, most=_LARGEST_FILE).decode()
        lines = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
        if not lines:
            return BlockProgress()
        return BlockProgress(
            operations=len(lines[0]["operations"]),
            answered=tuple(_endpoint(line, number) for number, line in enumerate(lines[1:])),
        )
    except FileNotFoundError:
        return BlockProgress()
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
