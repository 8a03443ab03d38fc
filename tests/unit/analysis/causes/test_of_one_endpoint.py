"""Causes of what one endpoint allocates: samples are of all endpoints, counts are of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.model.comparison import Finding, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from support.counted import Cost, with_blocks

LIST, CREATE = "GET /orders", "POST /orders"
WRITE = "java.lang.Thread.run\nshop.Orders.create\nshop.Writer.write"
REST = "java.lang.Thread.run\nshop.Orders.answer"


def _pairs(make_pairs, truth, *, list_mb: float, create_mb: float) -> list[Pair]:
    """The writer allocates 1 MB more for each request of the mix, whichever endpoint asks it to."""
    before = {LIST: Cost(bytes=10e6), CREATE: Cost(bytes=10e6)}
    after = {LIST: Cost(bytes=10e6 + 1e6 * list_mb), CREATE: Cost(bytes=10e6 + 1e6 * create_mb)}
    pairs = make_pairs(
        5,
        baseline=truth(allocated_bytes=10e6, buffers_mb={WRITE: 1.0, REST: 9.0}),
        candidate=truth(allocated_bytes=11e6, buffers_mb={WRITE: 2.0, REST: 9.0}),
    )
    return [with_blocks(pair, {Side.BASELINE: before, Side.CANDIDATE: after}) for pair in pairs]


def _finding(pairs: Sequence[Pair], endpoint: str) -> Finding:
    gate = (f"allocation of {endpoint}",)
    comparison = compare_pairs(pairs, Criteria(gate=gate, application=("shop.",)))
    found: Mapping[tuple[str, str], Finding] = {each.judgement.metric.key: each for each in comparison.findings}
    assert found["allocation", endpoint].judgement.verdict is Verdict.REGRESSED
    return found["allocation", endpoint]


def test_what_no_other_endpoint_can_account_for_is_its_own(make_pairs, truth) -> None:
    (cause,) = _finding(_pairs(make_pairs, truth, list_mb=0, create_mb=4), CREATE).causes
    assert cause.name == "hot-frame"
    assert cause.statement.startswith("shop.Writer.write: +3.9 MB [")
    assert " allocated per request to POST /orders" in cause.statement
    (fact,) = cause.facts
    assert (fact.scope.endpoint, fact.change) == (CREATE, pytest.approx(4e6, rel=0.05))
    assert fact.candidate - fact.baseline == pytest.approx(fact.change, rel=0.05)
    assert cause.share is not None
    assert cause.share.low > 0.5


def test_where_all_changed_alike_one_frame_that_explains_all_explains_each(make_pairs, truth) -> None:
    pairs = _pairs(make_pairs, truth, list_mb=1, create_mb=1)
    assert [cause.name for cause in _finding(pairs, LIST).causes] == ["hot-frame"]


def test_what_others_may_have_used_up_is_no_cause(make_pairs, truth) -> None:
    """The list alone accounts for what the writer costs: what creates an order may allocate more elsewhere."""
    pairs = _pairs(make_pairs, truth, list_mb=1.33, create_mb=0.4)
    assert _finding(pairs, CREATE).causes == ()
