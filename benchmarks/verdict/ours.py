"""Pacecar's own rule on drawn comparisons: the judge itself, pair after pair, as `pacecar compare` asks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.verdict.model import Array, Drawn
from pacecar.analysis.metrics.readers import metric_of
from pacecar.analysis.metrics.reading import Value
from pacecar.analysis.overall_verdict import look_at
from pacecar.analysis.stats.looks import looks_of
from pacecar.analysis.verdicts.budgets import budget_for
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.evidence import Evidence, paired_evidence
from pacecar.analysis.verdicts.noise import informed, noise_of
from pacecar.analysis.verdicts.rules import judge, levels_of
from pacecar.model.comparison import Judgement, Metric, MetricKey, Noise

#: Most pairs of a plan.
MOST = 12
#: The default gate: p99 of the three busiest endpoints and of all requests, and three metrics of the service.
GATED: frozenset[MetricKey] = frozenset(
    {
        *(("latency.p99", endpoint) for endpoint in ("endpoint 0", "endpoint 1", "endpoint 2", "")),
        ("cpu", ""),
        ("allocation", ""),
        ("errors", ""),
    }
)

Judgements = dict[MetricKey, Judgement]


@dataclass(frozen=True, kw_only=True)
class Told:
    """What was concluded, and after how many pairs."""

    judgements: Judgements
    pairs: int


class Course:
    """One comparison as it goes on, pair after pair.

    Args:
        drawn: all pairs that there could be.
        history: noise of earlier runs.
    """

    def __init__(self, drawn: Drawn, *, history: Sequence[Noise]) -> None:
        self._values = {key: amounts.tolist() for key, amounts in drawn.by_fork.items()}
        self._requests = sum(each.shape[2] * each.shape[3] for each in drawn.requests)
        self._history = history
        self._known: dict[tuple[int, bool], Judgements] = {}

    def told(self, most: int) -> Told:
        """The conclusion of a run whose time allows `most` pairs, of a plan of `MOST`."""
        for pairs in looks_of(MOST):
            if pairs >= most:
                break
            judgements = self.judged(pairs)
            if look_at(list(judgements.values()), scheduled=True).decided:
                return Told(judgements=judgements, pairs=pairs)
        return Told(judgements=self.judged(most, last=True), pairs=most)

    def judged(self, pairs: int, *, last: bool = False) -> Judgements:
        """The judgements on the first `pairs` pairs, which are looked at in several plans."""
        if (pairs, last) not in self._known:
            self._known[pairs, last] = self._judge(pairs, last=last)
        return self._known[pairs, last]

    def _judge(self, pairs: int, *, last: bool) -> Judgements:
        evidence = _evidence({key: values[:pairs] for key, values in self._values.items()}, requests=self._requests)
        cases = [
            Case(evidence=each, budget=budget_for(each.metric, ()), gated=each.metric.key in GATED)
            for each in informed(evidence, self._history)
        ]
        levels = levels_of(pairs, most=MOST, last=last)
        return {judgement.metric.key: judgement for judgement in judge(cases, levels=levels)}


def remembered(drawn: Drawn) -> Noise:
    """The noise that a run of these pairs leaves behind."""
    values: dict[MetricKey, Array] = drawn.by_fork
    return noise_of(_evidence({key: amounts.tolist() for key, amounts in values.items()}, requests=1))


def _evidence(values: dict[MetricKey, list[list[float]]], *, requests: int) -> list[Evidence]:
    return [
        paired_evidence(
            _metric(key),
            [
                (Value(amount=before, requests=requests), Value(amount=after, requests=requests))
                for before, after in amounts
            ],
        )
        for key, amounts in values.items()
    ]


def _metric(key: MetricKey) -> Metric:
    metric = metric_of(*key)
    assert metric is not None, key
    return metric
