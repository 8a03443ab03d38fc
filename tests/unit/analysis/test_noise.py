"""What a study of noise says can be seen."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from pacecar.analysis.metrics.readers import metric_of
from pacecar.analysis.metrics.reading import Value
from pacecar.analysis.power import PAIRS, visible
from pacecar.analysis.stats.looks import Stage
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.evidence import Evidence, paired_evidence
from pacecar.analysis.verdicts.noise import informed
from pacecar.analysis.verdicts.rules import judge
from pacecar.model.comparison import Metric, Role, Spread
from pacecar.model.experiment import Budget

Array = npt.NDArray[np.float64]

CPU = Spread(variance=0.03**2, degrees=11.0)


def test_more_pairs_see_smaller_changes() -> None:
    row = visible({("cpu", ""): CPU}, budgets=())[0]
    assert row.metric.title == "cpu"
    assert row.noise == pytest.approx(0.03)
    sizes = [row.smallest[pairs] for pairs in PAIRS]
    assert sizes == sorted(sizes, reverse=True)


def test_no_change_below_the_budget_is_ever_found() -> None:
    exact = {("allocation", ""): Spread(variance=1e-8, degrees=11.0)}
    assert visible(exact, budgets=())[0].smallest[3] == pytest.approx(0.01, abs=0.001)
    wide = (Budget(metric="allocation", relative=0.10),)
    assert visible(exact, budgets=wide)[0].smallest[3] == pytest.approx(0.10, abs=0.001)


def test_metrics_of_another_version_are_left_out() -> None:
    assert visible({("heat", ""): CPU}, budgets=()) == []


def test_what_is_promised_is_found_about_as_often_as_promised() -> None:
    """Simulated: a change of the promised size, tested at the last look among five guaranteed metrics."""
    pairs, trials = max(PAIRS), 400
    metric = metric_of("cpu", "")
    assert metric is not None
    history = [{("cpu", ""): CPU}]
    size = math.log1p(visible(history[0], budgets=())[0].smallest[pairs])
    random = np.random.default_rng(7)
    found = 0
    for _ in range(trials):
        evidence = informed([_observed(metric, random.normal(size, 0.03, pairs))], history)[0]
        case = Case(evidence=evidence, budget=Budget(metric="cpu", relative=0.05), role=Role.GUARANTEED)
        found += _among_five(case, pairs) == "regressed"
    assert 0.70 <= found / trials <= 0.90


@pytest.mark.parametrize("study", [3, 8])
@pytest.mark.parametrize("pairs", PAIRS)
def test_a_short_study_promises_no_more_than_it_knows(study: int, pairs: int) -> None:
    metric = metric_of("cpu", "")
    assert metric is not None
    budget = Budget(metric="cpu", relative=1e-6)
    # How loud a run is shows in all of its metrics.
    others = [metric for number in range(8) if (metric := metric_of("latency.p50", f"endpoint {number}"))]
    random = np.random.default_rng([study, pairs])
    trials, found = 400, 0
    for _ in range(trials):
        seen = {
            each.key: Spread(variance=float(random.normal(0, 0.03, study).var(ddof=1)), degrees=study - 1.0)
            for each in (metric, *others)
        }
        smallest = {row.metric.key: row.smallest[pairs] for row in visible(seen, budgets=(budget,))}
        evidence = [
            _observed(metric, random.normal(math.log1p(smallest[metric.key]), 0.03, pairs)),
            *(_observed(each, random.normal(0, 0.03, pairs)) for each in others),
        ]
        case = Case(evidence=informed(evidence, [seen])[0], budget=budget, role=Role.GUARANTEED)
        found += _among_five(case, pairs) == "regressed"
    assert found / trials > 0.68


def _among_five(case: Case, pairs: int) -> str:
    """The verdict on `case` where five guaranteed metrics share the level; a fifth of it is left for this one."""
    return judge([case], stage=Stage(pairs=pairs, most=max(PAIRS)), comparisons=5)[0].verdict


def _observed(metric: Metric, changes: Array) -> Evidence:
    readings = [
        (Value(amount=1.0, requests=1000), Value(amount=math.exp(change), requests=1000)) for change in changes.tolist()
    ]
    return paired_evidence(metric, readings)
