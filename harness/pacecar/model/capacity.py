"""How much load a build bears: what it did step by step, and the highest rate within a latency budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

#: The quantile of latency that a budget is about: some hundred requests of a step tell it, which is too few for p99.
QUANTILE = 0.95
#: Requests per second of the first step, at least.
LEAST_RATE = 5.0
#: How long a staircase that follows the windows of a pair may take, for all sides together.
LONGEST_S = 240.0


@dataclass(frozen=True, kw_only=True)
class LoadStep:
    """What one build did at one rate.

    Attributes:
        rate_per_s: requests per second that were due.
        answered_per_s: of these, those that were answered without an error.
        latency_ms: `QUANTILE` of latency; a request that failed or was not answered in time counts as infinitely slow.
        busy: share of its cores that the service used, without its JIT compilers where they can be told apart; NaN when
            unknown.
        machine_busy: share of the machine's CPU that was used, by whomever; NaN when unknown.
        generator_at_limit: the load generator was late or busy by itself, so the step says nothing of the service.
        others: share of the CPU that others took meanwhile, as it is shown; None where that was little.
        pools: pool of threads -> cores that it used, by the profile; empty where nothing was profiled.
    """

    rate_per_s: float
    answered_per_s: float
    latency_ms: float
    busy: float
    machine_busy: float = math.nan
    generator_at_limit: bool = False
    others: str | None = None
    pools: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """The highest rate within a latency budget.

    Attributes:
        rate_per_s: between the two that follow; where no step broke the budget, the highest that was tried.
        kept_per_s: the highest rate that was tried and kept it.
        broke_per_s: the lowest that was tried and broke it; None where none did, so that the capacity is at least that.
    """

    rate_per_s: float
    kept_per_s: float
    broke_per_s: float | None

    @property
    def at_least(self) -> bool:
        """Whether it may be any higher."""
        return self.broke_per_s is None


@dataclass(frozen=True, kw_only=True)
class CapacityChange:
    """By how much the candidate's capacity differs, as fractions, with the 95 % interval.

    Attributes:
        mean: estimate; below zero it bears less.
        low: lower end.
        high: upper end.
        pairs: in which the capacity of both builds was found.
    """

    mean: float
    low: float
    high: float
    pairs: int


class Top(StrEnum):
    """Why no further step was made."""

    FOUND = "found"
    FIRST = "first-step"
    GENERATOR = "generator"
    MOST = "most"
    STEPS = "steps"
    TIME = "time"
    DISTURBED = "disturbed"
    DIED = "died"
    EARLY = "ended-early"
