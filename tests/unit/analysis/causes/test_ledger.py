"""What mean latencies are made of."""

from __future__ import annotations

import math

import pytest

from pacecar.analysis.causes.ledger import ledgers
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.sampled import Sampled
from pacecar.analysis.quantities.measured import Quantities
from pacecar.model.causes import Ledger
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
    assert waited.low < waited.change < waited.high
    assert list(found)[-1] == "unseen"
    assert not any("work" in part for part in found), "who waits for work is in no request"


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
