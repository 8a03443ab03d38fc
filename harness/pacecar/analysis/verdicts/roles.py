"""What each metric has to do with the verdict: those that must be shown to be no worse, and those that may fail it.

Few metrics are guaranteed: each must be settled before a comparison passes. Everything else with a budget is a
tripwire, for nobody thinks beforehand of every metric that a change may ruin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics.readers import MOST_ENDPOINTS
from pacecar.analysis.metrics.reading import ALL, Missing, Reading, Value
from pacecar.analysis.verdicts.budgets import budget_for
from pacecar.model.catalogue import METRICS, title_of
from pacecar.model.caution import Caution, CautionKind
from pacecar.model.comparison import Judgement, Metric, Role, Verdict
from pacecar.model.experiment import Budget


@dataclass(frozen=True, kw_only=True)
class Roles:
    """The roles of one comparison's metrics.

    Attributes:
        of: metric -> its role.
        by_default: nobody named the guaranteed metrics.
        unmatched: entries of the gate that named none of the metrics.
        remarks: what a reader should know about the choice.
    """

    of: Mapping[Metric, Role]
    by_default: bool = True
    unmatched: tuple[str, ...] = ()
    remarks: tuple[Caution, ...] = ()

    def may_be_weak(self, metric: Metric) -> bool:
        """Whether a bound is enough, however high, where no plan could do better: of tails that nobody insists on."""
        kind = METRICS.get(metric.name)
        return self.by_default and kind is not None and kind.tail


def assign(criteria: Criteria, *, baseline: Sequence[Mapping[Metric, Reading]]) -> Roles:
    """The role of every metric.

    Args:
        criteria: `gate` names the guaranteed metrics, as `cpu`, `latency.p99` (all requests together) or
            `latency.p99 of GET /orders`; empty for the catalogue's. `ignored` names those that decide nothing;
            `latency.p99` is then that of every endpoint, too.
        baseline: the readings of each of its forks that takes part. Only they choose: what a candidate can no longer
            measure, for being slower or for failing, would otherwise lose its role.
    """
    known = list(baseline[0]) if baseline else []
    remarks: tuple[Caution, ...] = ()
    unmatched: tuple[str, ...] = ()
    if criteria.gate:
        named = {metric.key: metric for metric in known}
        wanted = {entry: parse_entry(entry) for entry in criteria.gate}
        guaranteed = frozenset(named[key] for key in wanted.values() if key in named)
        unmatched = tuple(entry for entry, key in wanted.items() if key not in named)
    else:
        guaranteed, remarks = _by_default(known, baseline)
    exempt = [(name, endpoint or None) for name, endpoint in map(parse_entry, criteria.ignored)]

    def role(metric: Metric) -> Role:
        if any(metric.name == name and endpoint in (None, metric.endpoint) for name, endpoint in exempt):
            return Role.OBSERVED
        if metric in guaranteed:
            return Role.GUARANTEED
        return Role.OBSERVED if budget_for(metric, criteria.budgets) is None else Role.TRIPWIRE

    return Roles(
        of={metric: role(metric) for metric in known},
        by_default=not criteria.gate,
        unmatched=unmatched,
        remarks=remarks,
    )


def parse_entry(entry: str) -> tuple[str, str]:
    """Name and endpoint of an entry of the gate; the endpoint of `latency.p99` is `ALL`."""
    name, _, endpoint = entry.partition(" of ")
    return name.strip(), endpoint.strip() or ALL


def judged_endpoints(endpoints: Sequence[str], *, entries: Sequence[str], budgets: Sequence[Budget]) -> tuple[str, ...]:
    """Those of `endpoints`, busiest first, that get metrics of their own: the busiest, and any that is named."""
    named = {parse_entry(entry)[1] for entry in entries} | {budget.endpoint for budget in budgets}
    return tuple(name for place, name in enumerate(endpoints) if place < MOST_ENDPOINTS or name in named)


def unmatched_judgement(entry: str, *, endpoints: Sequence[str]) -> Judgement:
    """What becomes of an entry that names nothing measured: it promised a check that did not take place."""
    name, endpoint = parse_entry(entry)
    seen = ", ".join(endpoints[:5]) or "none"
    return Judgement(
        metric=Metric(name=name, endpoint=endpoint, unit="1"),
        verdict=Verdict.INCONCLUSIVE,
        reason=f'nothing measured is called "{entry}" (busiest endpoints: {seen})',
        role=Role.GUARANTEED,
        budget=None,
        estimate=None,
    )


def _by_default(
    known: Sequence[Metric], baseline: Sequence[Mapping[Metric, Reading]]
) -> tuple[frozenset[Metric], tuple[Caution, ...]]:
    """The catalogue's guaranteed metrics, of the whole service, as far as the baseline carries them."""
    wanted = [
        metric
        for metric in known
        if metric.endpoint == ALL and (kind := METRICS.get(metric.name)) is not None and kind.guaranteed
    ]
    carried = frozenset(metric for metric in wanted if _mostly(metric, baseline))
    remarks = tuple(
        Caution.of(
            CautionKind.NOT_GUARANTEED,
            "No guarantee covers {metric}: {why}",
            metric=title_of(metric.name),
            why=_why(metric, baseline),
            remedy="Raise the rate or plan.side, or name metrics in gate.metrics that can be measured.",
        )
        for metric in wanted
        if metric not in carried
    )
    return carried, remarks


def _mostly(metric: Metric, forks: Sequence[Mapping[Metric, Reading]]) -> bool:
    return 2 * sum(isinstance(readings.get(metric), Value) for readings in forks) > len(forks)


def _why(metric: Metric, forks: Sequence[Mapping[Metric, Reading]]) -> str:
    return next(reading.reason for fork in forks if isinstance(reading := fork[metric], Missing))
