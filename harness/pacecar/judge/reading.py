"""What a metric says about one fork: a value, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

#: The endpoint that stands for all of them.
ALL = ""


@dataclass(frozen=True, kw_only=True)
class Value:
    """What a metric measured on one fork, and the requests it rests on."""

    amount: float
    requests: int


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
