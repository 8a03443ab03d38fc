"""What mean latencies are made of."""

from __future__ import annotations

import math

import pytest

from pacecar.analysis.causes.ledger import ledgers
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.causes import Exchange, Ledger
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair

RUN = "java.lang.Thread.run"
PRICE = f"{RUN}\nshop.Orders.price"
QUERY = f"{RUN}\nshop.Orders.load\norg.postgresql.core.QueryExecutorImpl.execute\nsun.nio.ch.Net.poll"
IDLE = f"{RUN}\njava.util.concurrent.ThreadPoolExecutor.getTask"


def _ledgers(pairs: list[Pair], *endpoints: str) -> tuple[Ledger, ...]:
    forks = [(MeasuredFork.of(pair, Side.BASELINE), MeasuredFork.of(pair, Side.CANDIDATE)) for pair in pairs]
    sampled = Sampled.of(forks, application=("shop.",))
    return ledgers(Quantities(pairs=forks, sampled=sampled), endpoints)


def test_parts_and_what_nobody_saw_add_up_to_the_mean(make_pairs, truth) -> None:
    pairs = make_pairs(
        5,
        baseline=truth(stacks_ms={PRICE: 3.0}, waits_ms={QUERY: 2.0, IDLE: 50.0}),
        candidate=truth(latency_ms=16, stacks_ms={PRICE: 3.0}, waits_ms={QUERY: 7.0, IDLE: 50.0}),
    )
    (ledger,) = _ledgers(pairs)
    found = {entry.part: entry for entry in ledger.entries}
    assert math.fsum(entry.baseline for entry in ledger.entries) == pytest.approx(ledger.baseline_ms)
    assert math.fsum(entry.candidate for entry in ledger.entries) == pytest.approx(ledger.candidate_ms)
    assert ledger.baseline_ms == pytest.approx(10.5, rel=0.05)
    assert found["on a CPU"].baseline == pytest.approx(3.0, rel=0.05)
    waited = found["waiting for a database"]
    assert waited.change == pytest.approx(5.0, rel=0.05)
    assert waited.low is not None
    assert waited.high is not None
    assert waited.low < waited.change < waited.high
    assert list(found)[-1] == "unseen"
    assert not any("work" in part for part in found), "who waits for work is in no request"


def test_of_a_part_that_was_seen_on_neither_side_no_interval_is_claimed(make_pairs, truth) -> None:
    same = truth(stacks_ms={PRICE: 3.0}, waits_ms={QUERY: 2.0})
    (ledger,) = _ledgers(make_pairs(3, baseline=same, candidate=same))
    ends = {(entry.low, entry.high) for entry in ledger.entries if entry.baseline == entry.candidate == 0}
    assert ends == {(None, None)}


def test_each_endpoint_has_its_own_where_samples_tell(make_pairs, truth, plan) -> None:
    labels = {PRICE: "GET /price", QUERY: "GET /report"}
    given = {"labels": labels, "stacks_ms": {PRICE: 3.0}, "waits_ms": {QUERY: 2.0}}
    pairs = make_pairs(
        3,
        baseline=truth(**given),
        candidate=truth(**given),
        plan=plan(endpoints=(("GET /price", 0.75), ("GET /report", 0.25))),
    )
    whole, price, report = _ledgers(pairs, "GET /price", "GET /report", "GET /gone")
    assert (whole.endpoint, price.endpoint, report.endpoint) == ("", "GET /price", "GET /report")
    assert price.entries[0].baseline == pytest.approx(4.0, rel=0.1), (
        "3 ms per request of the mix, 3 of 4 of which are its"
    )
    assert "waiting for a database" not in {entry.part for entry in price.entries}
    waited = {entry.part: entry for entry in report.entries}["waiting for a database"]
    assert waited.baseline == pytest.approx(8.0, rel=0.1)


def test_without_a_profile_there_is_none(make_pairs, truth) -> None:
    assert _ledgers(make_pairs(2)) == ()
    assert (
        _ledgers(make_pairs(2, baseline=truth(stacks_ms={PRICE: 1.0}), candidate=truth(stacks_ms={PRICE: 1.0}))) == ()
    )


STALL = f"{RUN}\nshop.Orders.pack\nlibjvm.so.ZPageAllocator::alloc_page_stall\nlibc.so.6.futex_wait"


def _exchange(make_pairs, truth, *, before_ms: tuple[float, float], after_ms: tuple[float, float]) -> Exchange | None:
    """Of requests that take as long as before: ms in stalls, and on a CPU."""
    (stall, cpu), (later_stall, later_cpu) = before_ms, after_ms
    pairs = make_pairs(
        6,
        baseline=truth(stacks_ms={PRICE: cpu}, waits_ms={STALL: stall}),
        candidate=truth(stacks_ms={PRICE: later_cpu}, waits_ms={STALL: later_stall}),
    )
    return _ledgers(pairs)[0].exchange


def test_what_took_the_place_of_something_else_is_told_though_the_whole_stayed(make_pairs, truth) -> None:
    found = _exchange(make_pairs, truth, before_ms=(6.0, 2.0), after_ms=(1.0, 7.0))
    assert found == Exchange(gone="waiting for memory that the collector gives back", come="on a CPU")


@pytest.mark.parametrize("after_ms", [(6.0, 2.0), (6.0, 7.0), (5.8, 2.2)], ids=["nothing", "one only", "too little"])
def test_no_exchange_is_told_of_what_did_not_move_both_ways_or_hardly(make_pairs, truth, after_ms) -> None:
    assert _exchange(make_pairs, truth, before_ms=(6.0, 2.0), after_ms=after_ms) is None
