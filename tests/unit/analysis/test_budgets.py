"""Which budget holds, and how wide it is."""

from __future__ import annotations

import math

import pytest

from pacecar.analysis.verdicts.budgets import budget_for, margin_of
from pacecar.model.comparison import Metric, Scale
from pacecar.model.experiment import Budget

ORDERS = Metric(name="latency.p99", endpoint="GET /orders")
EVERY = Budget(metric="latency.p99", relative=0.2)
OWN = Budget(metric="latency.p99", endpoint="GET /orders", absolute=50.0)


def test_an_endpoints_own_budget_comes_before_the_one_for_every_endpoint() -> None:
    assert budget_for(ORDERS, [EVERY, OWN]) is OWN
    assert budget_for(Metric(name="latency.p99", endpoint="POST /orders"), [EVERY, OWN]) is EVERY
    assert budget_for(Metric(name="latency.p99"), [OWN, EVERY]) is EVERY


@pytest.mark.parametrize(
    ("name", "relative"),
    [
        ("latency.p50", 0.10),
        ("server.latency.p99", 0.10),
        ("cpu", 0.05),
        ("allocation", 0.01),
        ("gc.pause", 0.20),
        ("errors", 0.0005),
        ("rss", 0.10),
        ("metrics.page", 0.10),
    ],
)
def test_defaults(name: str, relative: float) -> None:
    budget = budget_for(Metric(name=name), [])
    assert budget is not None
    assert (budget.relative, budget.absolute) == (relative, None)


def test_nothing_is_promised_for_the_rest() -> None:
    assert budget_for(Metric(name="jit"), []) is None


def test_margins() -> None:
    assert margin_of(ORDERS, EVERY) == pytest.approx(math.log(1.2))
    assert margin_of(ORDERS, OWN) is None
    errors = Metric(name="errors", unit="%", scale=Scale.DIFFERENCE)
    assert margin_of(errors, Budget(metric="errors", relative=0.005)) == pytest.approx(0.5)
    assert margin_of(Metric(name="jit", scale=Scale.DIFFERENCE), Budget(metric="jit", relative=0.1)) == 0.1


def test_of_one_endpoint_cpu_is_promised_by_name_only() -> None:
    whole, own = Budget(metric="cpu", relative=0.1), Budget(metric="cpu", endpoint="GET /orders", relative=0.2)
    orders = Metric(name="cpu", endpoint="GET /orders")
    assert budget_for(orders, []) is None
    assert budget_for(orders, [whole]) is None
    assert budget_for(orders, [whole, own]) is own
    assert budget_for(Metric(name="cpu"), [own, whole]) is whole
    assert budget_for(Metric(name="allocation", endpoint="GET /orders", unit="B"), []) is not None
