"""Verdicts on many metrics together: levels, orders, and what holds of any ratios."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pacecar.analysis.verdicts.budgets import budget_for
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.rules import LEVELS, judge
from pacecar.model.comparison import Metric, Role, Verdict
from pacecar.model.experiment import Budget
from unit.analysis.evidence import ALLOCATION, CPU, P99, evidence_of, judge_one

RATIOS = st.lists(st.floats(0.5, 2.0), min_size=1, max_size=8)
MIRROR = {Verdict.REGRESSED: Verdict.IMPROVED, Verdict.IMPROVED: Verdict.REGRESSED}


@given(RATIOS)
@example([1.1, 1.1])  # exactly the budget
def test_swapping_the_sides_mirrors_what_has_changed(ratios: list[float]) -> None:
    forwards = judge_one(evidence_of(P99, ratios))
    backwards = judge_one(evidence_of(P99, [1 / ratio for ratio in ratios]))
    changed = forwards.verdict in MIRROR or backwards.verdict in MIRROR
    assert not changed or backwards.verdict is MIRROR[forwards.verdict]
    assert forwards.estimate is not None
    assert backwards.estimate is not None
    assert 1 + backwards.estimate.change == pytest.approx(1 / (1 + forwards.estimate.change))


@given(RATIOS, st.floats(0.01, 0.5))
def test_a_wider_budget_never_makes_a_verdict_worse(ratios: list[float], budget: float) -> None:
    narrow = judge_one(evidence_of(P99, ratios), Budget(metric="latency.p99", relative=budget)).verdict
    wide = judge_one(evidence_of(P99, ratios), Budget(metric="latency.p99", relative=2 * budget)).verdict
    assert narrow is Verdict.REGRESSED or wide is not Verdict.REGRESSED


def _gate_of_six(rng: np.random.Generator, *, pairs: int, cpu: float = 1.0) -> list[Case]:
    """Three p99 with 10 % noise, CPU and a mean with 5 %, allocation with 0.1 %, all as log-ratios of pairs."""
    sds = {
        **{Metric(name="latency.p99", endpoint=name): (0.10, 1.0) for name in "abc"},
        CPU: (0.05, cpu),
        Metric(name="latency.mean"): (0.05, 1.0),
        ALLOCATION: (0.001, 1.0),
    }
    return [
        Case(
            evidence=evidence_of(metric, truth * np.exp(rng.normal(0, sd, pairs))),
            budget=budget_for(metric, ()),
            role=Role.GUARANTEED,
        )
        for metric, (sd, truth) in sds.items()
    ]


def test_identical_builds_are_regressed_in_at_most_one_of_a_hundred_comparisons() -> None:
    rng = np.random.default_rng(2024)
    alarms = sum(
        any(judgement.verdict is Verdict.REGRESSED for judgement in judge(_gate_of_six(rng, pairs=4)))
        for _ in range(300)
    )
    assert alarms <= 3


def test_the_level_holds_even_where_no_budget_helps() -> None:
    # Without budgets significance alone decides: the bare level of the correction.
    rng = np.random.default_rng(99)
    alarms = 0
    for _ in range(1000):
        cases = [
            Case(
                evidence=evidence_of(Metric(name=f"m{n}"), np.exp(rng.normal(0, 0.1, 4))),
                budget=None,
                role=Role.GUARANTEED,
            )
            for n in range(6)
        ]
        alarms += any(judgement.verdict is Verdict.REGRESSED for judgement in judge(cases))
    assert alarms <= 12, f"{alarms} of 1000 at a level of 0.5 %"
    assert LEVELS[Role.GUARANTEED] == 0.01


def test_forty_percent_more_cpu_is_found_with_four_pairs_that_nothing_else_informs() -> None:
    rng = np.random.default_rng(7)
    found = 0
    for _ in range(100):
        judgements = judge(_gate_of_six(rng, pairs=4, cpu=1.4))
        found += next(j for j in judgements if j.metric == CPU).verdict is Verdict.REGRESSED
    assert found >= 70


@pytest.mark.parametrize(
    ("role", "verdict"), [(Role.TRIPWIRE, Verdict.INCONCLUSIVE), (Role.OBSERVED, Verdict.REGRESSED)]
)
def test_what_decides_nothing_is_held_to_a_milder_correction(role: Role, verdict: Verdict) -> None:
    clear = [evidence_of(Metric(name=f"clear{n}"), [1.2, 1.22, 1.19, 1.21, 1.2]) for n in range(3)]
    quiet = [evidence_of(Metric(name=f"quiet{n}"), [1.1, 0.9, 1.0, 1.08, 0.92]) for n in range(7)]
    mild = evidence_of(Metric(name="mild"), [1.10, 1.06, 1.15, 1.13, 1.08])
    judgements = judge([Case(evidence=evidence, budget=None, role=role) for evidence in [*clear, *quiet, mild]])
    assert next(j for j in judgements if j.metric.name == "mild").verdict is verdict


def test_guaranteed_metrics_come_first_then_the_gravest() -> None:
    cases = [
        Case(
            evidence=evidence_of(ALLOCATION, [1.0, 1.0, 1.0]), budget=budget_for(ALLOCATION, ()), role=Role.GUARANTEED
        ),
        Case(evidence=evidence_of(P99, [2.0, 2.0, 2.01]), budget=None, role=Role.TRIPWIRE),
        Case(evidence=evidence_of(CPU, [1.5, 1.5, 1.51]), budget=budget_for(CPU, ()), role=Role.GUARANTEED),
    ]
    assert [judgement.metric for judgement in judge(cases)] == [CPU, ALLOCATION, P99]


def test_the_bound_of_tripwires_of_one_kind_holds_for_any_of_them() -> None:
    def bound(endpoints: int) -> float:
        cases = [
            Case(
                evidence=evidence_of(Metric(name="latency.p50", endpoint=f"{n}"), [1.01, 0.99, 1.02, 1.0]),
                budget=Budget(metric="latency.p50", relative=0.1),
                role=Role.TRIPWIRE,
            )
            for n in range(endpoints)
        ]
        ruled_out = judge(cases)[0].ruled_out
        assert ruled_out is not None
        return ruled_out.bound

    assert bound(5) > bound(1)
