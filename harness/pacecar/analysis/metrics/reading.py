"""What a metric says about one fork: a value, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

#: The endpoint that stands for all of them.
ALL = ""


@dataclass(frozen=True, kw_only=True)
class Value:
    """What a metric measured on one fork.

    Attributes:
        amount: in the metric's unit.
        requests: how many it rests on.
        coarse: why a change could hide in the steps in which it was noted; None when none could.
        shared: of failed requests those whose twin on the other side failed, too.
        step: the least by which it can differ from fork to fork, in the metric's unit; 0 where it has no steps.
    """

    amount: float
    requests: int
    coarse: str | None = None
    shared: int = 0
    step: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Missing:
    """Why a metric could not be measured on one fork.

    Attributes:
        reason: half a sentence.
        absent: there was no instrument for it at all, so a reader does not miss it.
    """

    reason: str
    absent: bool = False


Reading = Value | Missing
