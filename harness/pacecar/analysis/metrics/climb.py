"""The steps of a staircase that one build made, and the rate that it bears by them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.model.capacity import Capacity, LoadStep
from pacecar.model.tables import empty_table

#: The highest rate that kept the budget and the lowest that broke it are near when they differ by no more.
NEAR = 1.15
#: Latency up to so many times the budget breaks it by little: a pause does as much. Rates that are too high soon make
#: latencies that are a hundred times as long.
_BY_LITTLE = 8.0
#: A request that was not answered had been waited for so long, at least.
_GIVEN_UP_MS = 3_000.0
#: Columns of "steps" that `LoadStep` has by the same name.
_NUMBERS = ("rate_per_s", "answered_per_s", "latency_ms", "busy", "machine_busy")


@dataclass(frozen=True, kw_only=True)
class Climb:
    """The steps of one build so far.

    Attributes:
        steps: in their order.
        within_ms: the latency budget.
    """

    steps: Sequence[LoadStep]
    within_ms: float

    @property
    def told(self) -> list[LoadStep]:
        """Those that say something of the build; of several at one rate the quickest."""
        best: dict[float, LoadStep] = {}
        for step in self.steps:
            known = best.get(step.rate_per_s)
            quicker = known is None or step.latency_ms < known.latency_ms
            if quicker and not step.generator_at_limit and not self._in_doubt(step):
                best[step.rate_per_s] = step
        return list(best.values())

    @property
    def unconfirmed(self) -> bool:
        """Whether the last step broke the budget by little and for the first time: a JIT compiler may have been at
        work.
        """
        last = self.steps[-1]
        once = sum(step.rate_per_s == last.rate_per_s for step in self.steps) == 1
        return once and self.within_ms < last.latency_ms <= _BY_LITTLE * self.within_ms

    @property
    def limited_once(self) -> bool:
        """Whether the load generator was at its limit in the last step, and for the first time at that rate."""
        last = self.steps[-1]
        return last.generator_at_limit and last.rate_per_s not in self._limited

    @property
    def limited_per_s(self) -> float:
        """The lowest rate at which it was so twice, so that the rate must be why; infinite where it never was."""
        return min(self._limited, default=math.inf)

    @property
    def _limited(self) -> set[float]:
        limited = Counter(step.rate_per_s for step in self.steps if step.generator_at_limit)
        told = {step.rate_per_s for step in self.told}
        return {rate for rate, count in limited.items() if count > 1 and rate not in told}

    @property
    def broke_per_s(self) -> float | None:
        """The lowest rate that broke the budget; None where none did."""
        return min((step.rate_per_s for step in self.told if not self._keeps(step)), default=None)

    @property
    def kept_per_s(self) -> float | None:
        """The highest rate below it that kept the budget; None where none did."""
        return max((step.rate_per_s for step in self._below), default=None)

    @property
    def capacity(self) -> Capacity | None:
        """None where the first step already broke the budget, or none said anything."""
        kept = max(self._below, key=lambda step: step.rate_per_s, default=None)
        if kept is None:
            return None
        broke = min((step for step in self.told if not self._keeps(step)), key=lambda s: s.rate_per_s, default=None)
        rate = kept.rate_per_s if broke is None else self._between(kept, broke)
        return Capacity(
            rate_per_s=rate, kept_per_s=kept.rate_per_s, broke_per_s=None if broke is None else broke.rate_per_s
        )

    @property
    def wide(self) -> bool:
        """Whether a step between what kept the budget and what broke it would tell more."""
        kept, broke = self.kept_per_s, self.broke_per_s
        return kept is not None and broke is not None and broke > NEAR * kept

    @property
    def _below(self) -> list[LoadStep]:
        limit = math.inf if self.broke_per_s is None else self.broke_per_s
        return [step for step in self.told if self._keeps(step) and step.rate_per_s < limit]

    @property
    def disturbed(self) -> int:
        """How often its last steps, one after the other, were made while others took the CPU and told nothing."""
        told = itertools.takewhile(self._in_doubt, reversed(self.steps))
        return sum(1 for _ in told)

    def _keeps(self, step: LoadStep) -> bool:
        return math.isfinite(step.latency_ms) and step.latency_ms <= self.within_ms

    def _in_doubt(self, step: LoadStep) -> bool:
        """A build that kept the budget although others took the CPU would have kept it without them, too."""
        return step.others is not None and not self._keeps(step)

    def _between(self, kept: LoadStep, broke: LoadStep) -> float:
        low, high = kept.latency_ms, min(broke.latency_ms, max(_GIVEN_UP_MS, 2 * self.within_ms))
        part = math.log(self.within_ms / low) / math.log(high / low)
        return kept.rate_per_s + part * (broke.rate_per_s - kept.rate_per_s)


def steps_of(fork: MeasuredFork) -> tuple[LoadStep, ...]:
    """The steps that were recorded of a fork, in their order; none without a staircase."""
    rows = fork.data.tables.get("steps", empty_table("steps")).sort_values("step")
    pools = fork.data.tables.get("pools", empty_table("pools"))
    columns = [rows[name].tolist() for name in ("step", *_NUMBERS, "generator_at_limit", "others")]
    return tuple(
        LoadStep(
            **dict(zip(_NUMBERS, map(float, numbers), strict=True)),
            generator_at_limit=bool(at_limit),
            others=str(others) or None,
            pools=_pools(pools[pools["step"] == step]),
        )
        for step, *numbers, at_limit, others in zip(*columns, strict=True)
        if _possible(numbers[0], latency_ms=numbers[2])
    )


def _possible(rate_per_s: float, *, latency_ms: float) -> bool:
    """Whether it may have been measured; a recording that somebody else wrote may hold anything."""
    return 0 < rate_per_s < math.inf and not latency_ms <= 0


def _pools(rows: pd.DataFrame) -> dict[str, float]:
    return {str(pool): float(cores) for pool, cores in zip(rows["pool"], rows["cores"], strict=True)}


def climb_of(fork: MeasuredFork) -> Climb | None:
    """What a fork did on its staircase; None where it made no step."""
    steps = steps_of(fork)
    within_ms = fork.within_ms or 0.0
    return Climb(steps=steps, within_ms=within_ms) if steps and 0 < within_ms < math.inf else None


def capacity(fork: MeasuredFork, _: str) -> Reading:
    """The highest rate within the latency budget; missing where no step broke it, for it may be any higher."""
    climb = climb_of(fork)
    if climb is None:
        return Missing(reason="no step of a staircase was recorded", absent=fork.within_ms is None)
    found = climb.capacity
    if found is None:
        return Missing(reason=f"the latency budget was already broken at {climb.steps[0].rate_per_s:g} requests/s")
    if found.at_least:
        return Missing(reason=f"no step broke the latency budget, so it is at least {found.rate_per_s:g} requests/s")
    return Value(amount=found.rate_per_s, requests=len(climb.steps))
