"""When the kit's load began: the file by which it announces its timeline."""

from __future__ import annotations

import json
from pathlib import Path

from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.load_run import Clock
from pacecar.system.foreign import files

_LARGEST_FILE = 4_096
_LARGEST_MS = 1e13  # the year 2286; beyond it a nanosecond count no longer fits 64 bits


def read_clock(path: Path) -> Clock | None:
    """The clock announced in `path`; None when there is none yet.

    Raises:
        LoadError: when the file is not what the kit writes.
    """
    try:
        values = json.loads(files.beginning(path, most=_LARGEST_FILE))
        return Clock(
            load_start_ns=_ns(values["loadStartMs"]),
            measure_start_ns=_ns(values["measureStartMs"]),
            slice_ns=_ns(values["sliceMs"]),
            gap_ns=_ns(values["gapMs"]),
            final=values["final"] is True,
        )
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise LoadError(
            f"The clock file {path} is not what Pacecar's kit writes ({error}).",
            hint="Build the simulation against the kit that comes with this Pacecar.",
        ) from error


def _ns(milliseconds: float) -> int:
    # By way of whole microseconds: a double holds no finer part of a time of day.
    if isinstance(milliseconds, bool) or not 0 <= milliseconds < _LARGEST_MS:
        raise ValueError(f"{milliseconds!r} is not a time")
    return round(milliseconds * 1e3) * 1_000
