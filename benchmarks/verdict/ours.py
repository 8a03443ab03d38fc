"""Pacecar's own rule on synthetic comparisons: the judge itself, asked after each pair as `pacecar compare` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.verdict.model import Array, Drawn
from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics.readers import metric_of
from pacecar.analysis.metrics.reading import Value
from pacecar.analysis.overall_verdict import look_at, verdict_of
from pacecar.analysis.stats.looks import Stage, looks_of
from pacecar.analysis.verdicts.budgets import budget_for
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.evidence import Evidence, paired_evidence
from pacecar.analysis.verdicts.noise import informed, noise_of
from pacecar.analysis.verdicts.roles import assign
from pacecar.analysis.verdicts.rules import judge
from pacecar.model.comparison import Judgement, Metric, MetricKey, Noise, Verdict

#: Most pairs of the default plan.
MOST = 8

Judgements = dict[MetricKey, Judgement]


@dataclass(frozen=True, kw_only=True)
class Told:
    """The conclusion, and after how many pairs."""

    judgements: Judgements
    pairs: int

    @property
    def verdict(self) -> Verdict:
        """Of the whole comparison."""
        return verdict_of(list(self.judgements.values()))

    @property
    def regressed(self) -> frozenset[MetricKey]:
        """What fails the comparison."""
        return frozenset(
            key for key, each in self.judgements.items() if each.verdict is Verdict.REGRESSED and each.role.decides
        )


class Course:
    """One comparison in progress, pair after pair.

    Args:
        drawn: all possible pairs.
        history: noise of earlier runs; empty for a first run.
    """

    def __init__(self, drawn: Drawn, *, history: Sequence[Noise]) -> None:
        self._values = {key: amounts.tolist() for key, amounts in drawn.by_fork.items()}
        self._requests = sum(each.shape[2] * each.shape[3] for each in drawn.requests)
        self._history = history

    def told(self, *, most: int = MOST, time_for: int | None = None) -> Told:
        """The conclusion of a run with a plan of `most` pairs and time for `time_for` of them."""
        last = min(most, time_for or most)
        for pairs in looks_of(most):
            if pairs >= last:
                break
            judgements = self.judged(pairs, most=most)
            if look_at(list(judgements.values()), scheduled=True).decided:
                return Told(judgements=judgements, pairs=pairs)
        return Told(judgements=self.judged(last, most=most, last=True), pairs=last)

    def judged(self, pairs: int, *, most: int = MOST, last: bool = False) -> Judgements:
        """The judgements on the first `pairs` pairs."""
        evidence = _evidence({key: values[:pairs] for key, values in self._values.items()}, requests=self._requests)
        roles = assign(Criteria(), baseline=[{each.metric: Value(amount=1.0, requests=1) for each in evidence}])
        cases = [
            Case(
                evidence=each,
                budget=budget_for(each.metric, ()),
                role=roles.of[each.metric],
                may_be_weak=roles.may_be_weak(each.metric),
            )
            for each in informed(evidence, self._history)
        ]
        stage = Stage(pairs=pairs, most=most, last=last)
        return {judgement.metric.key: judgement for judgement in judge(cases, stage=stage)}


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
