"""Pairs that lost a fork or an injector: when more of them would say nothing new."""

from __future__ import annotations

from collections.abc import Sequence

from pacecar.errors import MeasurementError
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

#: A side that dies in this many pairs is judged by its dying, if by anything.
_DEATHS = 6
#: Pairs in a row that lost an injector or a fork: the next would fare no better.
_LOST = 3


class LossError(MeasurementError):
    """Pair after pair loses what it is measured with."""


def too_many_deaths(pairs: Sequence[Pair]) -> bool:
    """Whether one side has died so often that its dying is what is to be judged; one on either side decides nothing."""
    died = [side for pair in pairs for side, record in pair.record.forks.items() if record.died is not None]
    return max((died.count(side) for side in Side), default=0) >= _DEATHS


def require_unbroken(pairs: Sequence[Pair]) -> None:
    """Raise LossError where each of the last few pairs lost an injector or a fork."""
    lost = [pair.record.lost for pair in pairs[-_LOST:]]
    if len(lost) == _LOST and all(lost):
        raise LossError(
            f"{_LOST} pairs in a row were lost; in the last one: {lost[-1]}",
            hint="See what ended them: on this machine dmesg, in a cluster kubectl get events.",
        )
