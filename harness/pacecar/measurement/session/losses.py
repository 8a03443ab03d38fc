"""Pairs that lost a fork or an injector: when more of them would say nothing new."""

from __future__ import annotations

from collections.abc import Sequence

from pacecar.measurement.load.errors import LoadError
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: A side that dies in this many pairs is judged by its dying, if by anything.
_DEATHS = 6
#: Pairs in a row that lost an injector: the next would fare no better.
_LOST = 3


def too_many_deaths(pairs: Sequence[Pair]) -> bool:
    """Whether one side has died so often that its dying is what is to be judged; one on either side decides nothing."""
    died = [side for pair in pairs for side, record in pair.record.forks.items() if record.died is not None]
    return max((died.count(side) for side in Side), default=0) >= _DEATHS


def require_injectors(pairs: Sequence[Pair]) -> None:
    """Raise LoadError where each of the last few pairs lost an injector."""
    lost = [pair.record.lost for pair in pairs[-_LOST:]]
    if len(lost) == _LOST and all(lost):
        raise LoadError(
            f"{_LOST} pairs in a row were lost; in the last one: {lost[-1]}",
            hint="The kernel's log (dmesg) says whether it ended them for want of memory.",
        )
