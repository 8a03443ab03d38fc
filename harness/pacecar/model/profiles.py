"""The kinds of profile that a run records."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class _Words(NamedTuple):
    """How people name a kind: alone, as a quantity, in the sentence on a cause."""

    name: str
    quantity: str
    phrase: str
    unit: str = "ms"


class ProfileKind(StrEnum):
    """What the samples of a profile count, each per request. The value is how recordings and documents name it."""

    CPU = "cpu"
    WALL = "wall"
    ALLOCATION = "alloc"
    LOCK = "lock"

    @property
    def label(self) -> str:
        """One word for a list of profiles: `allocation`."""
        return _WORDS[self].name

    @property
    def quantity(self) -> str:
        """What it counts: `CPU time per request`."""
        return _WORDS[self].quantity

    @property
    def phrase(self) -> str:
        """What follows an amount of it: `+0.4 ms` and then `CPU per request`."""
        return _WORDS[self].phrase

    @property
    def unit(self) -> str:
        """Of one request's amount, as in `units.format_quantity`: ms, or B for allocation."""
        return _WORDS[self].unit


_WORDS = {
    ProfileKind.CPU: _Words("CPU", "CPU time per request", "CPU per request"),
    ProfileKind.WALL: _Words(
        "wall-clock", "Time per request, running or waiting", "wall-clock time per request, most of it not on a CPU"
    ),
    ProfileKind.ALLOCATION: _Words("allocation", "Allocated per request", "allocated per request", "B"),
    ProfileKind.LOCK: _Words("lock", "Waiting for locks per request", "waiting for locks per request"),
}
