"""The shapes of staircases: what each build did at each rate, fork by fork."""

from __future__ import annotations

from dataclasses import dataclass

from pacecar.model.experiment import Side


@dataclass(frozen=True, kw_only=True)
class PoolRow:
    """A pool of threads, and the cores that it used."""

    pool: str
    cores: float | None


@dataclass(frozen=True, kw_only=True)
class StepRow:
    """One rate.

    Attributes:
        rate_per_s: requests per second that were due.
        answered_per_s: of these, those that were answered without an error.
        latency_ms: p95; None where too few were answered to have one.
        busy: share of its cores that the service used; None when unknown.
        machine_busy: share of the machine's CPU that was used, by whomever; likewise.
        counts: it tells of the build; else the load generator was at its limit, or others took the CPU.
        pools: those that used most, by the profile.
    """

    rate_per_s: float | None
    answered_per_s: float | None
    latency_ms: float | None
    busy: float | None
    machine_busy: float | None
    counts: bool
    pools: tuple[PoolRow, ...]


@dataclass(frozen=True, kw_only=True)
class ClimbRow:
    """The steps of one fork.

    Attributes:
        pair: its number.
        side: which build.
        within_ms: the latency budget.
        capacity_per_s: the highest rate within it; None where the first step already broke it.
        at_least: no step broke it.
        steps: by rate.
    """

    pair: int
    side: Side
    within_ms: float | None
    capacity_per_s: float | None
    at_least: bool
    steps: tuple[StepRow, ...]
