"""What is known of a metric's scatter beside its own pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from pacecar.analysis.metrics.reading import Value
from pacecar.analysis.stats.moderation import Prior
from pacecar.analysis.verdicts.evidence import Evidence, paired_evidence
from pacecar.analysis.verdicts.noise import informed
from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import Metric, MetricKey, Noise, Spread

ENDPOINTS = "abcde"
TAILS = [METRICS["latency.p99"].metric(endpoint) for endpoint in ENDPOINTS]
MIDDLES = [METRICS["latency.p50"].metric(endpoint) for endpoint in ENDPOINTS]
MEANS = [METRICS["latency.mean"].metric(endpoint) for endpoint in ENDPOINTS]
CPU = METRICS["cpu"].metric()


def _evidence(metric: Metric, changes: Sequence[float]) -> Evidence:
    pairs = [(Value(amount=1.0, requests=1000), Value(amount=math.exp(change), requests=1000)) for change in changes]
    return paired_evidence(metric, pairs)


def _changes(deviation: float) -> list[float]:
    """Four pairs with just that standard deviation."""
    return [deviation * each * math.sqrt(3) / 2 for each in (1, -1, 1, -1)]


def _priors(
    deviations: Mapping[Metric, float], history: Sequence[Noise] = (), pairs: int = 4
) -> dict[MetricKey, Prior | None]:
    evidence = [_evidence(metric, _changes(deviation)[:pairs]) for metric, deviation in deviations.items()]
    return {each.metric.key: each.prior for each in informed(evidence, history)}


def _history(deviations: Mapping[Metric, float]) -> list[Noise]:
    return [{metric.key: Spread(variance=each**2, degrees=3) for metric, each in deviations.items()}] * 5


def test_earlier_runs_know_best() -> None:
    prior = _priors({CPU: 0.02}, _history({CPU: 0.015}))[CPU.key]
    assert prior is not None
    assert (math.sqrt(prior.variance), prior.degrees) > (0.015, 3)


@pytest.mark.parametrize("runs", [1, 2])
def test_a_run_or_two_add_to_what_a_first_run_goes_by(runs: int) -> None:
    first, later = (_priors({CPU: 0.02}, _history({CPU: 0.02})[:known])[CPU.key] for known in (0, runs))
    assert first is not None
    assert later is not None
    assert later.degrees == first.degrees + 1.5 * runs
    assert 0.02 < math.sqrt(later.variance) < math.sqrt(first.variance)


def test_a_run_that_contradicts_what_is_assumed_counts_alone() -> None:
    prior = _priors({CPU: 0.005}, _history({CPU: 0.004})[:1])[CPU.key]
    assert prior is not None
    assert (math.sqrt(prior.variance), prior.degrees) == (pytest.approx(0.004, rel=0.3), pytest.approx(1.5, rel=0.3))


def test_metrics_of_one_kind_inform_each_other_on_a_first_run() -> None:
    found = _priors(dict.fromkeys(TAILS, 0.10))
    assert len(set(map(str, found.values()))) == 1
    prior = found[TAILS[0].key]
    assert prior is not None
    assert math.sqrt(prior.variance) == pytest.approx(0.10, rel=0.25)
    assert prior.degrees == 4


def test_a_metric_without_kin_is_assumed_to_scatter_as_on_a_loud_machine() -> None:
    prior = _priors({CPU: 0.01})[CPU.key]
    assert prior is not None
    assert (math.sqrt(prior.variance), prior.degrees) == (pytest.approx(0.03), 3.0)
    assert _priors({METRICS["threads"].metric(): 0.01}) == {("threads", ""): None}, "of which nothing is assumed"


def test_an_assumption_that_cannot_hold_here_is_dropped_even_where_it_would_be_on_the_safe_side() -> None:
    assert _priors({CPU: 0.001}) == {CPU.key: None}


def test_what_scatters_far_more_than_assumed_is_left_to_its_own_pairs() -> None:
    assert _priors({CPU: 0.30}) == {CPU.key: None}


def test_a_day_that_is_loud_for_one_kind_of_metric_is_loud_for_that_kind() -> None:
    calm = dict.fromkeys(TAILS, 0.10) | dict.fromkeys(MIDDLES, 0.02) | dict.fromkeys(MEANS, 0.04)
    loud = calm | dict.fromkeys(TAILS, 0.20)
    before, now = _priors(calm, _history(calm)), _priors(loud, _history(calm))
    tail_before, tail_now = before[TAILS[0].key], now[TAILS[0].key]
    assert tail_before is not None
    assert tail_now is not None
    assert tail_now.variance > 2 * tail_before.variance
    assert tail_now.degrees < tail_before.degrees
    assert now[MIDDLES[0].key] == before[MIDDLES[0].key]


def test_a_single_pair_has_no_scatter_to_be_moderated() -> None:
    assert _priors({CPU: 0.01}, _history({CPU: 0.01}), pairs=1) == {CPU.key: None}


@pytest.mark.parametrize("loud", [TAILS, [*TAILS, *MIDDLES]])
def test_the_guards_keep_a_loud_day_from_raising_false_alarms(loud: Sequence[Metric]) -> None:
    """Drawn: runs of four pairs without any change, in which some metric has p < 0.05 / metrics."""
    random, metrics = np.random.default_rng(3), [*TAILS, *MIDDLES]
    false, trials = 0, 400
    for _ in range(trials):
        history: list[Noise] = [
            {each.key: Spread(variance=0.01 * float(random.chisquare(3)) / 3, degrees=3.0) for each in metrics}
            for _ in range(5)
        ]
        drawn = [_evidence(each, random.normal(0, 0.2 if each in loud else 0.1, 4).tolist()) for each in metrics]
        p_values = [each.tested.p_value() for each in informed(drawn, history) if each.tested]
        false += min(p_values) < 0.05 / len(metrics)
    assert false / trials < 0.10
