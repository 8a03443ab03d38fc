"""How much metrics scatter, from all that is known: this run's pairs, earlier runs, metrics of the same kind."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pacecar.analysis.stats.moderation import ENOUGH_RUNS, Prior, contradicted, on_a_louder_day, prior_of
from pacecar.analysis.verdicts.evidence import Evidence
from pacecar.model.catalogue import METRICS, SCATTER_OF_QUERIES
from pacecar.model.comparison import MetricKey, Noise, Scale, Spread
from pacecar.model.tiers import Tier

#: Metrics of one kind from which on they inform each other.
_A_FAMILY = 3
#: Degrees of freedom that the rest of a family counts for at most: its members share their pairs, so they are much
#: alike, and one endpoint may scatter more than the next.
_DEGREES_OF_FAMILY = 4.0
#: Degrees of freedom of the scatter that the catalogue assumes; of counts that nothing but the code decides, more.
_DEGREES_ASSUMED = {Tier.FULL: 3.0, Tier.QUICK: 8.0}


def noise_of(evidence: Sequence[Evidence]) -> dict[MetricKey, Spread]:
    """How much the pairs of this run scatter, by metric."""
    spreads = {each.metric.key: each.spread for each in evidence}
    return {key: spread for key, spread in spreads.items() if spread is not None}


def informed(evidence: Sequence[Evidence], history: Sequence[Noise], tier: Tier = Tier.FULL) -> list[Evidence]:
    """The evidence with what is known of its scatter beside its own pairs, where that can be believed today.

    Earlier runs know best. Where there are none, metrics of one kind (the p99s of all endpoints) inform each other, as
    genes on one array do (Smyth 2004, see `stats.moderation`); where a metric has no kin, the catalogue's cautious
    assumption stands in. One or two earlier runs know little, so they add to what a first run would go by. What
    contradicts a metric's own pairs, or those runs, is dropped.

    Args:
        evidence: on all metrics of this run.
        history: noise of earlier runs of the same target and design on the same kind of machine.
        tier: what the run was to answer.
    """
    today = noise_of(evidence)
    remembered = _remembered(history)
    runs = Counter(key for run in history for key in run)
    louder = _louder(remembered, today)
    families = _families(today)

    def prior(each: Evidence) -> Prior | None:
        key = each.metric.key
        if key not in today:
            return None
        first = families.get(key[0]) or _assumed(each, today[key], tier)
        if key not in remembered:
            known = first
        else:
            earlier = on_a_louder_day(remembered[key], max(louder.get("", 1.0), louder.get(key[0], 1.0)))
            known = earlier if runs[key] >= ENOUGH_RUNS else _both(earlier, first)
        return None if known is None or contradicted(known, today[key]) else known

    return [replace(each, prior=prior(each)) for each in evidence]


def _remembered(history: Sequence[Noise]) -> dict[MetricKey, Prior]:
    seen: dict[MetricKey, list[Spread]] = {}
    for run in history:
        for key, spread in run.items():
            seen.setdefault(key, []).append(spread)
    priors = {key: prior_of(spreads) for key, spreads in seen.items()}
    return {key: prior for key, prior in priors.items() if prior is not None}


def _both(earlier: Prior, first: Prior | None) -> Prior:
    """What a run or two and what a first run would go by say together, weighted by degrees of freedom."""
    if first is None or _unlike(earlier, first):
        return earlier
    degrees = earlier.degrees + first.degrees
    variance = (earlier.degrees * earlier.variance + first.degrees * first.variance) / degrees
    return Prior(variance=variance, degrees=degrees)


def _unlike(one: Prior, other: Prior) -> bool:
    """Whether either is so much larger than the other that both cannot hold."""
    return any(
        contradicted(quiet, Spread(variance=loud.variance, degrees=loud.degrees))
        for quiet, loud in ((one, other), (other, one))
    )


def _louder(remembered: Mapping[MetricKey, Prior], today: Mapping[MetricKey, Spread]) -> dict[str, float]:
    """Name of a family -> by how much, in its median, its variances exceed what earlier runs say; "" of all metrics.

    A machine can be louder than it ever was, and may be so for one kind of metric only.
    """
    ratios: dict[str, list[float]] = {}
    for key in today.keys() & remembered.keys():
        ratio = today[key].variance / remembered[key].variance
        for name in ("", key[0]):
            ratios.setdefault(name, []).append(ratio)
    return {
        name: max(1.0, statistics.median(each)) for name, each in ratios.items() if not name or len(each) >= _A_FAMILY
    }


def _families(today: Mapping[MetricKey, Spread]) -> dict[str, Prior]:
    """Name of a metric -> what its endpoints say together of how much one of them scatters."""
    kin: dict[str, list[Spread]] = {}
    for (name, _), spread in today.items():
        kin.setdefault(name, []).append(spread)
    priors = {
        name: prior_of(spreads, most=_DEGREES_OF_FAMILY) for name, spreads in kin.items() if len(spreads) >= _A_FAMILY
    }
    return {name: prior for name, prior in priors.items() if prior is not None}


def _assumed(each: Evidence, today: Spread, tier: Tier) -> Prior | None:
    """What the catalogue assumes; None where today's pairs scatter so much less that it cannot hold here."""
    scatter = _scatter(each, tier)
    if scatter is None:
        return None
    assumed = Prior(variance=scatter**2, degrees=_DEGREES_ASSUMED[tier])
    seen = Prior(variance=today.variance, degrees=today.degrees)
    too_quiet = contradicted(seen, Spread(variance=assumed.variance, degrees=assumed.degrees))
    return None if too_quiet else assumed


def _scatter(each: Evidence, tier: Tier) -> float | None:
    kind = METRICS.get(each.metric.name)
    if tier is Tier.QUICK or (kind is not None and kind.in_blocks):
        return kind.counted if kind else None
    if each.metric.scale is not Scale.RATIO:
        return None
    return kind.scatter if kind else SCATTER_OF_QUERIES
