"""When the kit's load can begin, and when it does: the files by which it announces both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.injector import Clock
from pacecar.system.foreign import files

_Announced = TypeVar("_Announced")

_LARGEST_FILE = 4_096
_LARGEST_MS = 1e13  # the year 2286; beyond it a nanosecond count no longer fits 64 bits


def read_clock(path: Path) -> Clock | None:
    """The clock announced in `path`; None when there is none yet.

    Raises:
        LoadError: when the file is not what the kit writes.
    """

    def announced(values: Any) -> Clock:
        return Clock(
            load_start_ns=_ns(values["loadStartMs"]),
            measure_start_ns=_ns(values["measureStartMs"]),
            slice_ns=_ns(values["sliceMs"]),
            gap_ns=_ns(values["gapMs"]),
            final=values["final"] is True,
        )

    return _read(path, announced)


def read_lead(path: Path) -> int | None:
    """How long before its load a process must know when that begins, as it says in `path`; None until it is ready.

    Raises:
        LoadError: when the file is not what the kit writes.
    """
    return _read(path, lambda values: _ns(values["leadMs"]))


def _read(path: Path, announced: Callable[[Any], _Announced]) -> _Announced | None:
    try:
        return announced(json.loads(files.beginning(path, most=_LARGEST_FILE)))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise LoadError(
            f"The file {path} is not what Pacecar's kit writes ({error}).",
            hint="Build the simulation against the kit that comes with this Pacecar.",
        ) from error


def _ns(milliseconds: float) -> int:
    # By way of whole microseconds: a double holds no finer part of a time of day.
    if isinstance(milliseconds, bool) or not 0 <= milliseconds < _LARGEST_MS:
        raise ValueError(f"{milliseconds!r} is not a time")
    return round(milliseconds * 1e3) * 1_000
