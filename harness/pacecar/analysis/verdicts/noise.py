"""What earlier runs know about noise, brought to the evidence of this one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pacecar.analysis.stats.moderation import Prior, guarded, prior_of
from pacecar.analysis.verdicts.evidence import Evidence
from pacecar.model.comparison import MetricKey, Noise, Spread


def noise_of(evidence: Sequence[Evidence]) -> dict[MetricKey, Spread]:
    """How much the pairs of this run scatter, by metric."""
    spreads = {each.metric.key: each.spread for each in evidence}
    return {key: spread for key, spread in spreads.items() if spread is not None}


def informed(evidence: Sequence[Evidence], history: Sequence[Noise]) -> list[Evidence]:
    """The evidence with what earlier runs say of its scatter, where that can be believed today.

    Args:
        evidence: on all metrics of this run.
        history: noise of earlier runs of the same target and design on the same kind of machine.
    """
    usable = guarded(_priors(history), noise_of(evidence))
    return [replace(each, prior=usable.get(each.metric.key)) for each in evidence]


def _priors(history: Sequence[Noise]) -> dict[MetricKey, Prior]:
    seen: dict[MetricKey, list[Spread]] = {}
    for run in history:
        for key, spread in run.items():
            seen.setdefault(key, []).append(spread)
    priors = {key: prior_of(spreads) for key, spreads in seen.items()}
    return {key: prior for key, prior in priors.items() if prior is not None}
