"""When the kit's load began: the file by which it announces its timeline."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from pacecar.load.errors import LoadError

_LARGEST_FILE = 4_096
_LARGEST_MS = 1e13  # the year 2286; beyond it a nanosecond count no longer fits 64 bits


@dataclass(frozen=True, kw_only=True)
class Clock:
    """The kit's timeline. Slice i takes [measure_start_ns + i (slice_ns + gap_ns), that + slice_ns).

    Attributes:
        load_start_ns: start of the warm-up, nanoseconds since the epoch.
        measure_start_ns: start of the first slice, likewise.
        slice_ns: length of a slice.
        gap_ns: length of the silence after it.
        final: the burst is over or about to be, so that the start of the first slice will not move any more.
    """

    load_start_ns: int
    measure_start_ns: int
    slice_ns: int
    gap_ns: int
    final: bool


def read_clock(path: Path) -> Clock | None:
    """The clock announced in `path`; None when there is none yet.

    Raises:
        LoadError: when the file is not what the kit writes.
    """
    try:
        with path.open("rb") as file:
            values = json.loads(file.read(_LARGEST_FILE))
        return Clock(
            load_start_ns=_ns(values["loadStartMs"]),
            measure_start_ns=_ns(values["measureStartMs"]),
            slice_ns=_ns(values["sliceMs"]),
            gap_ns=_ns(values["gapMs"]),
            final=values["final"] is True,
        )
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise LoadError(
            f"The clock file {path} is not what Pacecar's kit writes ({error}).",
            hint="Build the simulation against the kit that comes with this Pacecar.",
        ) from error


def _ns(milliseconds: float) -> int:
    # By way of whole microseconds: a double holds no finer part of a time of day.
    if isinstance(milliseconds, bool) or not 0 <= milliseconds < _LARGEST_MS:
        raise ValueError(f"{milliseconds!r} is not a time")
    return round(milliseconds * 1e3) * 1_000
