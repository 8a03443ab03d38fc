"""Pacecar's own rule on drawn comparisons: the judge itself, pair after pair, as `pacecar compare` asks it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from model import Array, Drawn, fork_metrics

from pacecar.comparison import Judgement, Metric, Noise
from pacecar.judge.budgets import budget_for
from pacecar.judge.case import Case
from pacecar.judge.conclusion import look_at
from pacecar.judge.evidence import Evidence, paired_evidence
from pacecar.judge.metrics import metric_of
from pacecar.judge.noise import informed, noise_of
from pacecar.judge.reading import Value
from pacecar.judge.verdicts import GATE, judge
from pacecar.stats.looks import looks_of, nominal_level

#: Most pairs of a plan.
MOST = 12
#: The default gate: p99 of the three busiest endpoints, and three metrics of the service.
GATED = {
    *(("latency.p99", f"endpoint {number}") for number in range(3)),
    ("cpu", ""),
    ("allocation", ""),
    ("errors", ""),
}


@dataclass(frozen=True, kw_only=True)
class Told:
    """What was concluded, and after how many pairs."""

    judgements: tuple[Judgement, ...]
    pairs: int


def told(drawn: Drawn, *, history: Sequence[Noise]) -> Told:
    """The judgements when the gate is decided, or after the last pair."""
    values = fork_metrics(drawn)
    requests = sum(each.shape[2] * each.shape[3] for each in drawn.requests)
    judgements: tuple[Judgement, ...] = ()
    for pairs in looks_of(MOST):
        judgements = judge(
            _cases(values, pairs, requests=requests, history=history),
            gate_level=nominal_level(pairs, most=MOST, level=GATE.level),
        )
        if look_at(judgements, scheduled=True).decided:
            return Told(judgements=judgements, pairs=pairs)
    return Told(judgements=judgements, pairs=MOST)


def remembered(drawn: Drawn) -> Noise:
    """The noise that a run of these pairs leaves behind."""
    values = fork_metrics(drawn)
    return noise_of(_evidence(values, len(drawn.cpu), requests=1))


def _cases(values: dict[tuple[str, str], Array], pairs: int, *, requests: int, history: Sequence[Noise]) -> list[Case]:
    return [
        Case(evidence=each, budget=budget_for(each.metric, ()), gated=each.metric.key in GATED)
        for each in informed(_evidence(values, pairs, requests=requests), history)
    ]


def _evidence(values: dict[tuple[str, str], Array], pairs: int, *, requests: int) -> list[Evidence]:
    return [
        paired_evidence(
            _metric(key),
            [
                (Value(amount=before, requests=requests), Value(amount=after, requests=requests))
                for before, after in amounts[:pairs].tolist()
            ],
        )
        for key, amounts in values.items()
    ]


def _metric(key: tuple[str, str]) -> Metric:
    metric = metric_of(*key)
    assert metric is not None, key
    return metric
