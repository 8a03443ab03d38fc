"""The sentence that a whole comparison is told in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.analysis.causes import CauseFinder
from pacecar.analysis.overall_verdict import Told, conclude, look_at
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.validity.pairs import sift
from pacecar.analysis.verdicts.budgets import budget_for
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.rules import judge
from pacecar.model.comparison import Comparison, Metric, Role, Verdict
from unit.analysis.evidence import ALLOCATION, CPU, evidence_of, failing

P50 = Metric(name="latency.p50")


def _concluded(*cases: tuple[Metric, list[float], Role]) -> Comparison:
    judgements = judge(
        [
            Case(evidence=evidence_of(metric, ratios), budget=budget_for(metric, ()), role=role)
            for metric, ratios, role in cases
        ]
    )
    finder = CauseFinder(Quantities(pairs=()))
    return conclude(judgements=judgements, finder=finder, sifted=sift([]), mode="paired", told=Told())


def test_a_bound_of_any_endpoint_does_not_hold_of_one_that_a_single_pair_knows() -> None:
    found = _concluded(
        (CPU, [1.01, 0.99, 1.0, 1.005], Role.GUARANTEED),
        (replace(P50, endpoint="GET /orders"), [1.01, 0.99, 1.0, 1.005], Role.TRIPWIRE),
        (replace(P50, endpoint="GET /seldom"), [1.6], Role.TRIPWIRE),
    )
    assert found.verdict is Verdict.PASSED
    assert "any one endpoint's p50 " in found.reason
    assert found.reason.endswith("% (1 endpoint could not be judged).")


def test_a_run_tells_how_far_a_metric_is_and_not_that_nothing_failed() -> None:
    seen = [failing((0, 0), (0, 0)), evidence_of(CPU, [0.97, 0.98])]
    cases = [Case(evidence=each, budget=budget_for(each.metric, ()), role=Role.GUARANTEED) for each in seen]
    assert str(look_at(judge(cases), scheduled=False).estimate).startswith("CPU per request -2.5%")
    assert look_at(judge(cases[:1]), scheduled=False).estimate is None


@pytest.mark.parametrize(("ratio", "waits"), [(0.92, ()), (1.08, ("CPU per request",))])
def test_whoever_has_improved_waits_for_nothing_better(ratio: float, waits: tuple[str, ...]) -> None:
    seen = [evidence_of(ALLOCATION, [0.75, 0.751, 0.749]), evidence_of(CPU, [ratio, ratio + 0.001, ratio - 0.001])]
    cases = [Case(evidence=each, budget=budget_for(each.metric, ()), role=Role.GUARANTEED) for each in seen]
    allocation, cpu = sorted(judge(cases), key=lambda each: each.metric.name)
    assert allocation.verdict is Verdict.IMPROVED
    seems = replace(cpu, verdict=Verdict.PASSED)  # as it does where the pairs scatter a little more
    assert look_at([allocation, seems], scheduled=True).waits_for == waits
    assert look_at([seems], scheduled=True).waits_for == ("CPU per request",)
