"""Which metrics decide, and how."""

from __future__ import annotations

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics.readers import MOST_ENDPOINTS
from pacecar.analysis.metrics.reading import Missing, Reading, Value
from pacecar.analysis.verdicts.roles import Roles, assign, judged_endpoints, parse_entry
from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import Metric, Role
from pacecar.model.experiment import Budget
from pacecar.reporting.document.warning_lines import warning_lines

HERE, TOO_FEW = Value(amount=1.0, requests=2000), Missing(reason="a tail needs 500 requests")
ENDPOINTS = ["a", "b"]


def _fork(*, lacking: str = "") -> dict[Metric, Reading]:
    per_endpoint = [METRICS[name].metric(endpoint) for name in ("latency.p50", "latency.p99") for endpoint in ENDPOINTS]
    service = [
        METRICS[name].metric()
        for name in ("latency.typical", "latency.tail", "latency.p99", "cpu", "allocation", "errors", "rss", "jit")
    ]
    return {metric: TOO_FEW if metric.name == lacking else HERE for metric in [*per_endpoint, *service]}


def _titles(roles: Roles, role: Role) -> set[str]:
    return {metric.title for metric, own in roles.of.items() if own is role}


def test_by_default_the_middle_the_tail_and_the_service_are_guaranteed_and_the_rest_trips() -> None:
    roles = assign(Criteria(), baseline=[_fork()])
    assert _titles(roles, Role.GUARANTEED) == {"latency.typical", "latency.tail", "cpu", "allocation", "errors"}
    assert _titles(roles, Role.TRIPWIRE) == {
        *("a latency.p50", "b latency.p50", "a latency.p99", "b latency.p99", "latency.p99", "rss")
    }
    assert _titles(roles, Role.OBSERVED) == {"jit"}, "nothing is promised of it"
    assert roles.remarks == ()


def test_what_most_forks_of_the_baseline_cannot_carry_is_not_guaranteed_and_the_reader_learns_why() -> None:
    forks = [_fork(), _fork(lacking="latency.tail"), _fork(lacking="latency.tail")]
    roles = assign(Criteria(), baseline=forks)
    assert "latency.tail" not in _titles(roles, Role.GUARANTEED)
    assert warning_lines(roles.remarks) == (
        "No guarantee covers tail latency: a tail needs 500 requests. "
        "Raise the rate or plan.side, or name metrics in gate.metrics that can be measured.",
    )


def test_named_metrics_are_guaranteed_instead_whether_measurable_or_not() -> None:
    named = Criteria(gate=("cpu", "latency.p99 of b", "latency.tail"))
    roles = assign(named, baseline=[_fork(lacking="latency.tail")])
    assert _titles(roles, Role.GUARANTEED) == {"cpu", "b latency.p99", "latency.tail"}
    assert "allocation" in _titles(roles, Role.TRIPWIRE)


def test_a_budget_makes_a_tripwire() -> None:
    roles = assign(Criteria(budgets=(Budget(metric="jit", relative=1.0),)), baseline=[_fork()])
    assert "jit" in _titles(roles, Role.TRIPWIRE)


def test_what_is_ignored_decides_nothing() -> None:
    roles = assign(Criteria(ignored=("latency.p99", "latency.p50 of a", "errors")), baseline=[_fork()])
    assert _titles(roles, Role.OBSERVED) == {
        *("latency.p99", "a latency.p99", "b latency.p99", "a latency.p50", "errors", "jit")
    }


def test_only_tails_that_nobody_insists_on_may_be_weak() -> None:
    tail, cpu = METRICS["latency.tail"].metric(), METRICS["cpu"].metric()
    by_default, named = assign(Criteria(), baseline=[_fork()]), assign(Criteria(gate=("cpu",)), baseline=[_fork()])
    assert [by_default.may_be_weak(tail), by_default.may_be_weak(cpu), named.may_be_weak(tail)] == [True, False, False]


def test_entries_that_name_nothing_are_reported() -> None:
    roles = assign(Criteria(gate=("cpu", "latency.p99 of GET /nowhere")), baseline=[_fork()])
    assert roles.unmatched == ("latency.p99 of GET /nowhere",)


def test_an_endpoint_may_hold_the_word_of() -> None:
    assert parse_entry("latency.p99 of GET /list of things") == ("latency.p99", "GET /list of things")
    assert parse_entry(" cpu ") == ("cpu", "")


def test_endpoints_named_by_the_thousand_are_capped_but_for_those_that_are_named() -> None:
    endpoints = [f"GET /item/{number}" for number in range(300)]
    assert judged_endpoints(endpoints, entries=("cpu",), budgets=()) == tuple(endpoints[:MOST_ENDPOINTS])
    judged = judged_endpoints(
        endpoints,
        entries=("latency.p99 of GET /item/250", "latency.p99 of GET /item/1"),
        budgets=(Budget(metric="errors", endpoint="GET /item/299", relative=0.1),),
    )
    assert judged == (*endpoints[:MOST_ENDPOINTS], "GET /item/250", "GET /item/299")
