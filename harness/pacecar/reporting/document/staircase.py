"""The staircases of a comparison as rows of its document."""

from __future__ import annotations

from collections.abc import Sequence

from pacecar.analysis.metrics.climb import Climb, climb_of
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.model.capacity import LoadStep
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.reporting.document.staircase_shapes import ClimbRow, PoolRow, StepRow

#: Pools of a step: those that use the most.
_POOLS = 8
#: Steps of a fork; no staircase makes so many.
_STEPS = 40


def climb_rows(pairs: Sequence[Pair]) -> list[ClimbRow]:
    """A row for each fork that made steps, pair by pair."""
    forks = ((pair, side, MeasuredFork.of(pair, side)) for pair in pairs for side in Side if side in pair.forks)
    return [_row(pair, side, climb) for pair, side, fork in forks if (climb := climb_of(fork)) is not None]


def _row(pair: Pair, side: Side, climb: Climb) -> ClimbRow:
    capacity, told = climb.capacity, climb.told
    return ClimbRow(
        pair=pair.record.number,
        side=side,
        within_ms=climb.within_ms,
        capacity_per_s=None if capacity is None else capacity.rate_per_s,
        at_least=capacity is not None and capacity.at_least,
        steps=tuple(
            _step(step, counts=step in told) for step in sorted(climb.steps, key=lambda step: step.rate_per_s)[:_STEPS]
        ),
    )


def _step(step: LoadStep, *, counts: bool) -> StepRow:
    most = sorted(step.pools.items(), key=lambda pool: -pool[1])[:_POOLS]
    return StepRow(
        rate_per_s=step.rate_per_s,
        answered_per_s=step.answered_per_s,
        latency_ms=step.latency_ms,
        busy=step.busy,
        machine_busy=step.machine_busy,
        counts=counts,
        pools=tuple(PoolRow(pool=name, cores=cores) for name, cores in most),
    )
