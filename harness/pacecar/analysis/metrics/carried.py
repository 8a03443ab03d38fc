"""Before anything is measured: which quantiles the requests of a plan are enough for, endpoint by endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pacecar.analysis.stats.quantiles import FEWEST, FEWEST_FOR_TAIL, requests_needed
from pacecar.model.experiment import Plan
from pacecar.model.scenario import Scenario


@dataclass(frozen=True, kw_only=True)
class Carried:
    """What one endpoint is asked per side and pair, and how many times longer `plan.side` would have to be.

    Attributes:
        endpoint: "" for all together.
        requests: expected number.
        lacks: quantile that it does not carry -> the factor.
    """

    endpoint: str
    requests: float
    lacks: Mapping[str, float]


#: Quantile -> requests per side and pair that it needs.
_NEEDED = {"p50": FEWEST, "tail": FEWEST_FOR_TAIL, "p99": requests_needed(0.99)}


def carried(scenario: Scenario, plan: Plan) -> list[Carried]:
    """What each endpoint is asked and lacks, all of them together first.

    Empty where nobody knows beforehand how often: in the closed model, and in a simulation that has its own mix.
    """
    total = sum(endpoint.weight for endpoint in scenario.endpoints)
    if not scenario.by_the_clock or total <= 0:
        return []
    everything = scenario.rate_per_s * plan.slices_per_side * plan.slice_s
    shares = {"": 1.0} | {endpoint.name: endpoint.weight / total for endpoint in scenario.endpoints}
    return [
        Carried(
            endpoint=endpoint,
            requests=share * everything,
            lacks={
                name: needed / (share * everything) for name, needed in _NEEDED.items() if needed > share * everything
            },
        )
        for endpoint, share in shares.items()
    ]
