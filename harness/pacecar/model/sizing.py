"""What a service did under one load after another, and how busy it should be."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

#: Share of its cores below which more requests would do no harm, and what it may be raised to: at 36 % p99 of the
#: sample's list scattered by 10 % from pair to pair, at a half by a factor of five.
IDLE = 0.20
RAISED_TO = 0.40
#: What a load is to be raised to, and what is near enough: a comparison warms up for longer, and is then less busy.
AIM = 1 / 3
ENOUGH = 0.25
#: Requests per second beyond which no load is proposed. More carry no quantile that these do not. At 5,000 a second, a
#: service with a heap of 512 MB, which had room for far more by its CPU, filled it within seconds and never recovered.
MOST_RATE = 2000.0


@dataclass(frozen=True, kw_only=True)
class Step:
    """What a service did under one load.

    Attributes:
        amount: requests per second, or users.
        busy: share of its cores that it used, without its JIT compilers where they can be told apart; NaN when unknown.
        planned: requests that were due.
        answered: of these, those with an answer or an error.
        failed: of these, those with an error.
        slow_ms: latency that nine answers in ten stayed below; NaN without answers.
        generator_at_limit: the load generator was late or busy by itself, so the step says nothing of the service.
        failures: what failed requests said, the endpoint first; each endpoint's commonest, of those that fail most.
        others: share of the CPU that others took meanwhile, as it is shown; None where that was little.
    """

    amount: float
    busy: float
    planned: int
    answered: int
    failed: int
    slow_ms: float
    generator_at_limit: bool = False
    failures: tuple[str, ...] = ()
    others: str | None = None

    @property
    def failing(self) -> float:
        """Share of the answered requests that failed; 0 without any."""
        return self.failed / self.answered if self.answered else 0.0


class StopReason(StrEnum):
    """Why a search is over."""

    FITS = "fits"
    NEAR = "near"
    MOST = "most"
    LEAST = "least"
    FAILING = "failing"
    MORE_FAILURES = "more-failures"
    LATE = "late"
    NOT_ANSWERED = "not-answered"
    GENERATOR = "generator"
    UNKNOWN = "unknown"
    STEPS = "steps"
    TIME = "time"
