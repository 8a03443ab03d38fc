"""The endpoints that forks were asked, and how often each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.stats.quantiles import FEWEST


def endpoints_of(baseline: Sequence[MeasuredFork], candidate: Sequence[MeasuredFork]) -> tuple[str, ...]:
    """All endpoints, busiest on the baseline first, then those that only the candidate was asked.

    What a candidate is asked less often for being slower would otherwise lose its place in the gate.
    """
    known = _busiest(baseline)
    return (*known, *(name for name in _busiest(candidate) if name not in set(known)))


def in_one_mix(baseline: Sequence[MeasuredFork], *others: Sequence[MeasuredFork]) -> tuple[list[MeasuredFork], ...]:
    """All forks, with the mix of requests that the baseline's were asked: what is averaged over endpoints is then
    averaged alike on both sides, even where a candidate answers some of them less often.
    """
    mix = mix_of(baseline)
    return tuple([replace(fork, mix=mix) for fork in side] for side in (baseline, *others))


def mix_of(forks: Sequence[MeasuredFork]) -> dict[str, float]:
    """Endpoint -> its share of the requests (0 to 1, adding up to 1), of those that each of `forks` was asked often
    enough to tell a median; empty where there are none.
    """
    counts: dict[str, int] = {}
    for fork in forks:
        for endpoint, (_, requests) in fork.outcomes.items():
            counts[endpoint] = counts.get(endpoint, 0) + requests
    carried = {
        endpoint: count
        for endpoint, count in counts.items()
        if endpoint != ALL and all(fork.outcomes.get(endpoint, (0, 0))[1] >= FEWEST for fork in forks)
    }
    total = sum(carried.values())
    return {endpoint: count / total for endpoint, count in carried.items()}


def _busiest(forks: Sequence[MeasuredFork]) -> tuple[str, ...]:
    """Endpoints by the number of their requests over all forks; equal ones by name."""
    totals: dict[str, int] = {}
    for fork in forks:
        for endpoint, (_, requests) in fork.outcomes.items():
            if endpoint != ALL:
                totals[endpoint] = totals.get(endpoint, 0) + requests
    return tuple(sorted(totals, key=lambda endpoint: (-totals[endpoint], endpoint)))
