"""What services used on the steps of a staircase, near the highest rate that both of a pair bear."""

from __future__ import annotations

import numpy as np

from pacecar.analysis.metrics.climb import Climb, climb_of
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.quantities.quantity import Lacking, Quantity
from pacecar.model.capacity import LoadStep
from pacecar.model.causes import Scope

#: Share of its cores from which on a service that can bear no more is taken to be short of CPU.
_SHORT = 0.8
_NO_STEPS = Lacking(reason="a staircase whose steps were profiled")


def short_of_cpu(quantities: Quantities) -> bool:
    """Whether every fork used most of its cores at the end of its staircase."""
    return bool(quantities.pairs) and all(_busiest(fork) >= _SHORT for pair in quantities.pairs for fork in pair)


def _busiest(fork: MeasuredFork) -> float:
    climb = climb_of(fork)
    known = [step.busy for step in climb.told if step.busy == step.busy] if climb else []
    return max(known, default=0.0)


def _read(quantities: Quantities) -> Quantity | Lacking:
    """Pool -> CPU time per request in ms, at the highest rate within the budget that both forks of a pair tried."""
    steps = [_common(*pair) for pair in quantities.pairs]
    if not steps or any(both is None for both in steps):
        return _NO_STEPS
    used = [[_per_request(step) for step in both] for both in steps if both is not None]
    pools = tuple(dict.fromkeys(pool for both in used for of_side in both for pool in of_side))
    amounts = np.array([[[of_side.get(pool, 0.0) for pool in pools] for of_side in both] for both in used])
    if not pools:
        return _NO_STEPS
    return Quantity(
        name="CPU time per request near the limit",
        unit="ms",
        keys=tuple(Scope(pool=pool) for pool in pools),
        baseline=amounts[:, 0],
        candidate=amounts[:, 1],
    )


def _common(baseline: MeasuredFork, candidate: MeasuredFork) -> tuple[LoadStep, LoadStep] | None:
    climbs = (climb_of(baseline), climb_of(candidate))
    before, after = (_kept(climb) for climb in climbs)
    rates = sorted(before.keys() & after.keys())
    return (before[rates[-1]], after[rates[-1]]) if rates else None


def _kept(climb: Climb | None) -> dict[float, LoadStep]:
    if climb is None or (most := climb.kept_per_s) is None:
        return {}
    return {step.rate_per_s: step for step in climb.told if step.rate_per_s <= most and step.pools}


def _per_request(step: LoadStep) -> dict[str, float]:
    return {pool: 1e3 * cores / step.answered_per_s for pool, cores in step.pools.items() if step.answered_per_s > 0}


NEAR_LIMIT = Family(name="near-limit", read=_read, switch_on="scenario.model")
