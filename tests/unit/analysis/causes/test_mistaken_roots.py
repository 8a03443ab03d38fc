"""Roots that were named wrongly, or not at all, until `benchmarks/causes` found them so."""

from __future__ import annotations

import pytest

from pacecar.model.causes import Strength
from pacecar.model.experiment import Side
from support.asked import causes_of
from support.evidence import changed, with_calls, with_pauses

RUN = "java.lang.Thread.run"
PRICE = f"{RUN}\nshop.Orders.price"
STOCK = f"{RUN}\nshop.Stock.check"
JOB = f"{RUN}\nshop.Jobs.sweep"
SERVED = f"{RUN}\norg.apache.tomcat.util.net.SocketProcessorBase.run\nshop.Orders.price"
RESULT = f"{SERVED}\njava.util.concurrent.FutureTask.get"
QUERY = f"{RUN}\nshop.Orders.load\norg.postgresql.core.QueryExecutorImpl.execute\nsun.nio.ch.Net.poll"
SCAN = "java.util.concurrent.ForkJoinWorkerThread.run\njava.util.concurrent.ForkJoinPool.scan"
ODD = {f"{RUN}\nshop.Odd{number}.wait\nlib.Odd.wait": 1.0 for number in range(12)}


def test_statements_that_go_out_in_one_batch_are_no_root(make_pairs, truth) -> None:
    pairs = changed(
        make_pairs(5, candidate=truth(latency_ms=16)),
        {
            Side.BASELINE: with_calls(jdbc_query=(1.0, 0.001)),
            Side.CANDIDATE: with_calls(jdbc_query=(7.0, 0.001 / 7)),
        },
    )
    assert causes_of(pairs, "latency.mean") == ()


@pytest.mark.parametrize(("waited_ms", "roots"), [(2.0, []), (8.0, [("more-calls", ["waiting-for", "waiting-frame"])])])
def test_calls_that_nobody_times_are_a_root_where_more_is_waited_for_them(
    make_pairs, truth, waited_ms: float, roots: list[tuple[str, list[str]]]
) -> None:
    pairs = changed(
        make_pairs(
            5,
            baseline=truth(waits_ms={QUERY: 2.0, STOCK: 1.0}),
            candidate=truth(latency_ms=16, waits_ms={QUERY: waited_ms, STOCK: 1.0}),
        ),
        {Side.BASELINE: with_calls(jdbc_query=(1.0, None)), Side.CANDIDATE: with_calls(jdbc_query=(7.0, None))},
    )
    found = causes_of(pairs, "latency.mean")
    assert [(cause.name, [below.name for below in cause.consequences]) for cause in found] == roots


def test_a_pause_that_outlasts_requests_holds_them_until_it_ends(make_pairs, truth) -> None:
    pairs = changed(
        make_pairs(5, baseline=truth(latency_ms=10), candidate=truth(latency_ms=48)),
        {Side.BASELINE: with_pauses(2.0), Side.CANDIDATE: with_pauses(40.0)},
    )
    (cause,) = causes_of(pairs, "latency.mean")
    assert cause.name == "longer-pauses"
    assert cause.share is not None
    assert cause.share.part == pytest.approx(1.0, abs=0.05)


def test_frames_that_hand_work_over_are_told_of_their_pool(make_pairs, truth) -> None:
    pairs = make_pairs(
        5,
        baseline=truth(cpu_ms=2.2, stacks_ms={SCAN: 0.2, STOCK: 2.0}),
        candidate=truth(cpu_ms=3.2, stacks_ms={SCAN: 1.2, STOCK: 2.0}),
    )
    assert [cause.name for cause in causes_of(pairs, "cpu")] == ["pool-churn"]


def test_a_pool_that_serves_no_endpoint_makes_no_request_slower(make_pairs, truth) -> None:
    given = {"pools": {JOB: "scheduler"}, "labels": {PRICE: "GET /orders", STOCK: "POST /orders"}}
    pairs = make_pairs(
        5,
        baseline=truth(stacks_ms={PRICE: 1.0, STOCK: 1.0, JOB: 1.0}, **given),
        candidate=truth(latency_ms=13, stacks_ms={PRICE: 1.0, STOCK: 1.0, JOB: 4.0}, **given),
    )
    assert causes_of(pairs, "latency.mean") == ()


@pytest.mark.parametrize(("waited_ms", "frames"), [(0.5, []), (3.5, ["shop.Jobs.sweep"])])
def test_work_beside_the_servers_threads_counts_where_somebody_waits_for_it(
    make_pairs, truth, waited_ms: float, frames: list[str]
) -> None:
    pools = {"pools": {JOB: "pricing"}}
    pairs = make_pairs(
        5,
        baseline=truth(stacks_ms={SERVED: 1.0, JOB: 1.0}, waits_ms={RESULT: 0.5}, **pools),
        candidate=truth(latency_ms=13, stacks_ms={SERVED: 1.0, JOB: 4.0}, waits_ms={RESULT: waited_ms}, **pools),
    )
    found = [cause for cause in causes_of(pairs, "latency.mean") if cause.name == "hot-frame"]
    assert [cause.scope.frame for cause in found] == frames
    assert {cause.strength for cause in found} <= {Strength.CERTAIN}


def test_without_waits_nobody_knows_what_work_beside_the_servers_threads_is_for(make_pairs, truth) -> None:
    pools = {"pools": {JOB: "pricing"}}
    pairs = make_pairs(
        5,
        baseline=truth(stacks_ms={SERVED: 1.0, JOB: 1.0}, **pools),
        candidate=truth(latency_ms=13, stacks_ms={SERVED: 1.0, JOB: 4.0}, **pools),
    )
    (cause,) = causes_of(pairs, "latency.mean")
    assert (cause.scope.frame, cause.strength) == ("shop.Jobs.sweep", Strength.LIKELY)


def test_what_a_frame_waits_for_is_told_of_two_pairs_too(make_pairs, truth) -> None:
    """Two pairs hardly tell of ten reasons; many frames together tell how much one of them scatters."""
    pairs = make_pairs(
        2, baseline=truth(waits_ms={QUERY: 2.0} | ODD), candidate=truth(latency_ms=16, waits_ms={QUERY: 8.0} | ODD)
    )
    (cause,) = causes_of(pairs, "latency.mean")
    assert (cause.name, cause.scope.dependency, cause.scope.frame) == ("waiting-for", "a database", "shop.Orders.load")
    assert [below.name for below in cause.consequences] == ["waiting-frame"]


def test_threads_that_serve_nobody_name_no_endpoint(make_pairs, truth) -> None:
    """Samples of the JVM's own threads carry no name, as all requests together have none."""
    before = {"stacks_ms": {PRICE: 0.5, "start_thread\nlibjvm.so.VMThread::run": 0.5}}
    pairs = make_pairs(
        5,
        baseline=truth(waits_ms={QUERY: 2.0}, **before),
        candidate=truth(waits_ms={QUERY: 6.0}, latency_ms=16, **before),
    )
    (cause,) = causes_of(pairs, "latency.p50", endpoint="GET /orders")
    assert cause.name == "waiting-for"


def test_what_got_better_is_no_cause_of_what_got_worse(make_pairs, truth) -> None:
    """A cache: requests take less time in the mean, and those that miss it take longer than any did before."""
    pairs = make_pairs(
        5,
        baseline=truth(latency_ms=16, stacks_ms={SERVED: 4.0, STOCK: 1.0}),
        candidate=truth(latency_ms=13, stacks_ms={SERVED: 1.0, STOCK: 1.0}),
    )
    assert causes_of(pairs, "latency.tail") == ()
    assert causes_of(pairs, "latency.p99") == ()


def test_half_as_much_allocation_again_does_not_explain_four_times_the_collections(make_pairs, truth) -> None:
    pairs = make_pairs(
        5,
        baseline=truth(allocated_bytes=2.2e6, gc_pauses_per_window=2, buffers_mb={PRICE: 0.2, STOCK: 2.0}),
        candidate=truth(allocated_bytes=3.2e6, gc_pauses_per_window=8, buffers_mb={PRICE: 1.2, STOCK: 2.0}),
    )
    assert causes_of(pairs, "gc.count") == ()
    (cause,) = causes_of(pairs, "allocation")
    assert cause.scope.frame == "shop.Orders.price"


def test_a_method_renamed_and_slower_accounts_for_the_difference_alone(make_pairs, truth) -> None:
    renamed = PRICE.replace("price", "quote")
    pairs = make_pairs(
        5,
        baseline=truth(cpu_ms=3.0, stacks_ms={PRICE: 1.0, STOCK: 2.0}),
        candidate=truth(cpu_ms=3.5, stacks_ms={renamed: 1.5, STOCK: 2.0}),
    )
    (cause,) = causes_of(pairs, "cpu")
    assert (cause.scope.frame, cause.strength) == ("shop.Orders.quote", Strength.CERTAIN)
    assert cause.share is not None
    assert cause.share.part == pytest.approx(1.0, abs=0.3)


def test_the_endpoint_told_is_the_one_that_a_frame_costs_more(make_pairs, truth) -> None:
    """Nearly all of what the store costs is for one endpoint, and all of what it costs more for the other."""
    often, seldom = f"{RUN}\nshop.Orders.all\nshop.Store.read", f"{RUN}\nshop.Orders.one\nshop.Store.read"
    labels = {often: "GET /orders", seldom: "POST /orders", STOCK: "GET /orders"}
    pairs = make_pairs(
        5,
        baseline=truth(cpu_ms=4.2, stacks_ms={often: 2.0, seldom: 0.2, STOCK: 2.0}, labels=labels),
        candidate=truth(cpu_ms=4.8, stacks_ms={often: 2.0, seldom: 0.8, STOCK: 2.0}, labels=labels),
    )
    (cause,) = causes_of(pairs, "cpu")
    assert "most for POST /orders" in cause.statement
    assert cause.scope.endpoint == "POST /orders"


@pytest.mark.parametrize(
    ("below", "dependency"),
    [
        ("java.util.concurrent.SynchronousQueue.poll", "a connection of a pool"),
        ("com.zaxxer.hikari.pool.PoolBase.isConnectionDead\norg.postgresql.jdbc.PgConnection.isValid", "a database"),
        ("some.Driver.connect\nsun.nio.ch.Net.poll", "the network"),
    ],
)
def test_a_pool_that_asks_its_peer_has_a_connection_to_give(make_pairs, truth, below: str, dependency: str) -> None:
    borrow = f"{RUN}\nshop.Orders.load\ncom.zaxxer.hikari.pool.HikariPool.getConnection\n{below}"
    pairs = make_pairs(
        5, baseline=truth(waits_ms={borrow: 2.0}), candidate=truth(latency_ms=16, waits_ms={borrow: 8.0})
    )
    assert [cause.scope.dependency for cause in causes_of(pairs, "latency.mean")] == [dependency]


def test_a_wait_is_told_below_what_waits_longer(make_pairs, truth) -> None:
    """One method was split into two: of all, it changed most, and it is not there any more."""
    into = {f"{RUN}\nshop.Orders.{name}\norg.postgresql.core.Query.execute": 6.0 for name in ("head", "lines")}
    pairs = make_pairs(
        5, baseline=truth(waits_ms={QUERY: 8.0} | ODD), candidate=truth(latency_ms=14, waits_ms=into | ODD)
    )
    (cause,) = [each for each in causes_of(pairs, "latency.mean") if each.name == "waiting-for"]
    assert cause.scope.frame in {"shop.Orders.head", "shop.Orders.lines"}
