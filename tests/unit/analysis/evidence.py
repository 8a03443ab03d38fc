"""Evidence at the level of log-ratios, without tables, and the judgement of one metric on it."""

from __future__ import annotations

from collections.abc import Iterable

from pacecar.analysis.metrics.reading import Reading, Value
from pacecar.analysis.verdicts.budgets import budget_for
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.evidence import Evidence, paired_evidence
from pacecar.analysis.verdicts.rules import judge
from pacecar.model.comparison import Judgement, Metric, Role, Scale
from pacecar.model.experiment import Budget

CPU = Metric(name="cpu")
P99 = Metric(name="latency.p99", endpoint="GET /orders")
ALLOCATION = Metric(name="allocation", unit="B", machine_bound=False)
ERRORS = Metric(name="errors", unit="%", scale=Scale.DIFFERENCE, machine_bound=False)


def evidence_of(metric: Metric, ratios: Iterable[float], *, baseline: float = 10.0) -> Evidence:
    """Pairs whose candidate is `ratios` times its baseline."""
    readings: list[tuple[Reading, Reading]] = [
        (Value(amount=baseline, requests=3000), Value(amount=baseline * ratio, requests=3000)) for ratio in ratios
    ]
    return paired_evidence(metric, readings)


def failing(*pairs: tuple[float, float], requests: int = 1500) -> Evidence:
    """Pairs with shares of failed requests in percent."""
    return paired_evidence(
        ERRORS, [(Value(amount=b, requests=requests), Value(amount=c, requests=requests)) for b, c in pairs]
    )


def judge_one(
    evidence: Evidence, *budgets: Budget, role: Role = Role.GUARANTEED, may_be_weak: bool = False
) -> Judgement:
    budget = budget_for(evidence.metric, budgets)
    (judgement,) = judge([Case(evidence=evidence, budget=budget, role=role, may_be_weak=may_be_weak)])
    return judgement
