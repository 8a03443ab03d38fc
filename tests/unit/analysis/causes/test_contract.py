"""Every kind of cause: where it is found, a near miss in which it must not be, and its section of the docs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from pacecar.analysis.causes.registry import all_kinds
from pacecar.model.causes import Cause
from pacecar.model.experiment import Side
from support import asked
from support.checkout import CHECKOUT
from support.evidence import (
    Change,
    as_it_is,
    both,
    changed,
    interpreting,
    with_calls,
    with_flags,
    with_heap,
    with_page,
    with_pauses,
    with_requests_held,
    with_slow_requests,
    with_steps,
    with_threads,
)

RUN = "java.lang.Thread.run"
PRICE = f"{RUN}\nshop.Orders.price"
STOCK = f"{RUN}\nshop.Stock.check"
QUERY = f"{RUN}\nshop.Orders.load\norg.postgresql.core.QueryExecutorImpl.execute\nsun.nio.ch.Net.poll"
ODD = f"{RUN}\nshop.Orders.load\nlib.Odd.wait"
CONNECTION = f"{RUN}\nshop.Orders.load\ncom.zaxxer.hikari.pool.HikariPool.getConnection\nsun.misc.Unsafe.park"
LOCK = f"{RUN}\nshop.Orders.load\njava.util.concurrent.locks.ReentrantLock.lock\nsun.misc.Unsafe.park"
STALL = f"{RUN}\nshop.Orders.load\nlibjvm.so.ZPageAllocator::alloc_page_stall"
NAP = f"{RUN}\nshop.Orders.load\njava.lang.Thread.sleep"
SCAN = "java.util.concurrent.ForkJoinWorkerThread.run\njava.util.concurrent.ForkJoinPool.scan"
TASK = f"{SCAN}\njava.util.concurrent.ForkJoinPool$WorkQueue.topLevelExec\nshop.Orders.sum"
COMPILE = "start_thread\nlibjvm.so.C2Compiler::compile_method"
PAGE = CHECKOUT / "docs" / "reference" / "causes.md"


@dataclass(frozen=True, kw_only=True)
class Case:
    """What both builds cost, and what else was recorded of them."""

    baseline: Mapping[str, Any] = field(default_factory=dict)
    candidate: Mapping[str, Any] = field(default_factory=dict)
    before: Change = as_it_is
    after: Change = as_it_is


@dataclass(frozen=True, kw_only=True)
class Contract:
    """The metric that the kind explains, a case of it, and one that nearly is."""

    metric: str
    case: Case
    near: Case


SLOWER = {"latency_ms": 16.0}
POOLS = {"pools": {COMPILE: "C2 CompilerThread", STOCK: "http-exec"}}

SMALL_HEAP, LARGE_HEAP = "-XX:MaxHeapSize=67108864", "-XX:MaxHeapSize=536870912"


def waiting(stack: str) -> Contract:
    """Requests that wait for it three times as long; and those that wait for it as long as before, and for something
    else.
    """
    before = {"waits_ms": {stack: 2.0, ODD: 1.0}}
    return Contract(
        metric="latency.mean",
        case=Case(baseline=before, candidate=SLOWER | {"waits_ms": {stack: 8.0, ODD: 1.0}}),
        near=Case(baseline=before, candidate=SLOWER | {"waits_ms": {stack: 2.0, ODD: 7.0}}),
    )


CONTRACTS = {
    "waiting-for": waiting(QUERY),
    "pool-exhausted": waiting(CONNECTION),
    "lock-contention": waiting(LOCK),
    "allocation-stall": waiting(STALL),
    "blocked-event-loop": Contract(
        metric="latency.mean",
        case=Case(
            baseline={"pools": {NAP: "vert.x-eventloop-thread"}, "waits_ms": {NAP: 0.1, ODD: 1.0}},
            candidate=SLOWER | {"pools": {NAP: "vert.x-eventloop-thread"}, "waits_ms": {NAP: 6.0, ODD: 1.0}},
        ),
        # A sleep on a worker.
        near=Case(
            baseline={"pools": {NAP: "vert.x-worker-thread"}, "waits_ms": {NAP: 0.1, ODD: 1.0}},
            candidate=SLOWER | {"pools": {NAP: "vert.x-worker-thread"}, "waits_ms": {NAP: 6.0, ODD: 1.0}},
        ),
    ),
    "busy-generator": Contract(
        metric="latency.mean",
        case=Case(baseline={"generator_pause_ms": 2.0}, candidate=SLOWER | {"generator_pause_ms": 9.0}),
        # It stands still as long beside the other build.
        near=Case(baseline={"generator_pause_ms": 20.0}, candidate=SLOWER | {"generator_pause_ms": 20.0}),
    ),
    "changed-setting": Contract(
        metric="latency.mean",
        case=Case(
            candidate=SLOWER,
            before=both(with_pauses(2.0), with_flags(LARGE_HEAP)),
            after=both(with_pauses(9.0), with_flags(SMALL_HEAP)),
        ),
        # A setting that moves nothing of what made requests slower.
        near=Case(
            baseline={"waits_ms": {QUERY: 2.0}},
            candidate=SLOWER | {"waits_ms": {QUERY: 8.0}},
            before=with_flags(LARGE_HEAP),
            after=with_flags(SMALL_HEAP),
        ),
    ),
    "interpreted-code": Contract(
        metric="cpu",
        case=Case(
            baseline={"cpu_ms": 2.2, "stacks_ms": {PRICE: 0.2, STOCK: 2.0}},
            candidate={"cpu_ms": 3.2, "stacks_ms": {PRICE: 1.2, STOCK: 2.0}},
            before=interpreting(PRICE),
            after=interpreting(PRICE),
        ),
        # As much is interpreted on both sides, and compiled code costs more.
        near=Case(
            baseline={"cpu_ms": 2.2, "stacks_ms": {PRICE: 0.2, STOCK: 2.0}},
            candidate={"cpu_ms": 3.2, "stacks_ms": {PRICE: 1.2, STOCK: 2.0}},
            before=interpreting(STOCK),
            after=interpreting(STOCK),
        ),
    ),
    "pool-churn": Contract(
        metric="cpu",
        case=Case(
            baseline={"cpu_ms": 2.2, "stacks_ms": {SCAN: 0.2, STOCK: 2.0}},
            candidate={"cpu_ms": 3.2, "stacks_ms": {SCAN: 1.2, STOCK: 2.0}},
        ),
        # What the pool works on costs more.
        near=Case(
            baseline={"cpu_ms": 2.4, "stacks_ms": {SCAN: 0.2, TASK: 0.2, STOCK: 2.0}},
            candidate={"cpu_ms": 3.4, "stacks_ms": {SCAN: 0.2, TASK: 1.2, STOCK: 2.0}},
        ),
    ),
    "starved-of-cpu": Contract(
        metric="latency.mean",
        case=Case(baseline={"run_delay_ms": 0.5}, candidate=SLOWER | {"run_delay_ms": 6.5}),
        # As starved before.
        near=Case(baseline={"run_delay_ms": 6.5}, candidate=SLOWER | {"run_delay_ms": 6.5}),
    ),
    "hot-frame": Contract(
        metric="cpu",
        case=Case(
            baseline={"cpu_ms": 2.2, "stacks_ms": {PRICE: 0.2, STOCK: 2.0}},
            candidate={"cpu_ms": 3.2, "stacks_ms": {PRICE: 1.2, STOCK: 2.0}},
        ),
        # A frame that grew by a tenth of what the service uses more.
        near=Case(
            baseline={"cpu_ms": 2.2, "stacks_ms": {PRICE: 0.2, STOCK: 2.0}},
            candidate={"cpu_ms": 5.2, "stacks_ms": {PRICE: 0.5, STOCK: 2.0}},
        ),
    ),
    "waiting-frame": Contract(
        metric="latency.mean",
        case=Case(
            baseline={"waits_ms": {ODD: 2.0, STOCK: 1.0}}, candidate=SLOWER | {"waits_ms": {ODD: 8.0, STOCK: 1.0}}
        ),
        # As long before.
        near=Case(
            baseline={"waits_ms": {ODD: 8.0, STOCK: 1.0}}, candidate=SLOWER | {"waits_ms": {ODD: 8.0, STOCK: 1.0}}
        ),
    ),
    "more-calls": Contract(
        metric="latency.mean",
        case=Case(
            candidate=SLOWER,
            before=with_calls(hibernate_statements=(1.0, 0.001)),
            after=with_calls(hibernate_statements=(7.0, 0.001)),
        ),
        # A database that is slower with the same calls.
        near=Case(
            candidate=SLOWER,
            before=with_calls(hibernate_statements=(1.0, 0.001)),
            after=with_calls(hibernate_statements=(1.0, 0.007)),
        ),
    ),
    "longer-pauses": Contract(
        metric="latency.mean",
        case=Case(candidate=SLOWER, before=with_pauses(2.0), after=with_pauses(9.0)),
        # Requests that last longer for another reason, and so meet more of the same pauses.
        near=Case(candidate=SLOWER, before=with_pauses(20.0), after=with_pauses(20.0)),
    ),
    "paused-outliers": Contract(
        metric="latency.p99",
        case=Case(before=with_requests_held(2.0), after=with_requests_held(80.0)),
        # Slow for another reason, beside pauses that are as long as before.
        near=Case(
            before=with_requests_held(40.0),
            after=both(with_requests_held(40.0), with_slow_requests(one_in=40, by_ms=70.0)),
        ),
    ),
    "failing-message": Contract(
        metric="errors",
        case=Case(candidate={"failing": 0.05, "message": "503"}),
        near=Case(baseline={"failing": 0.05, "message": "503"}, candidate={"failing": 0.05, "message": "503"}),
    ),
    "more-threads": Contract(
        metric="threads",
        case=Case(
            baseline={"threads": 15},
            candidate={"threads": 35},
            before=with_threads(http_exec=10, mailer=3),
            after=with_threads(http_exec=10, mailer=22),
        ),
        # One of twenty that came.
        near=Case(
            baseline={"threads": 15},
            candidate={"threads": 35},
            before=with_threads(http_exec=10, mailer=3),
            after=with_threads(http_exec=11, mailer=3),
        ),
    ),
    "leak": Contract(
        metric="threads.growth",
        case=Case(
            candidate={"threads_gained": 2},
            before=with_threads(mailer=3),
            after=with_threads(mailer=3, gained=2),
        ),
        # A larger pool that stays as it is.
        near=Case(candidate={"threads_gained": 2}, before=with_threads(mailer=3), after=with_threads(mailer=30)),
    ),
    "larger-heap": Contract(
        metric="rss",
        case=Case(
            baseline={"rss_bytes": 200e6},
            candidate={"rss_bytes": 290e6},
            before=with_heap(20_000_000),
            after=with_heap(100_000_000),
        ),
        near=Case(
            baseline={"rss_bytes": 200e6},
            candidate={"rss_bytes": 290e6},
            before=with_heap(20_000_000),
            after=with_heap(25_000_000),
        ),
    ),
    "busy-pool": Contract(
        metric="jit",
        case=Case(
            baseline=POOLS | {"cpu_ms": 2.0, "jit_ms": 0.2, "stacks_ms": {COMPILE: 0.2, STOCK: 1.8}},
            candidate=POOLS | {"cpu_ms": 2.6, "jit_ms": 0.8, "stacks_ms": {COMPILE: 0.8, STOCK: 1.8}},
        ),
        # The service's own threads.
        near=Case(
            baseline=POOLS | {"cpu_ms": 2.0, "jit_ms": 0.2, "stacks_ms": {COMPILE: 0.2, STOCK: 1.8}},
            candidate=POOLS | {"cpu_ms": 2.6, "jit_ms": 0.8, "stacks_ms": {COMPILE: 0.2, STOCK: 2.4}},
        ),
    ),
    "dearer-requests": Contract(
        metric="capacity",
        case=Case(before=with_steps(500, http_exec=1.6, search=0.3), after=with_steps(320, http_exec=1.6, search=1.2)),
        # Threads that use as much more where cores are idle: the service waits for something else.
        near=Case(before=with_steps(500, http_exec=0.6, search=0.1), after=with_steps(320, http_exec=0.6, search=0.4)),
    ),
    "growing-page": Contract(
        metric="metrics.series",
        case=Case(before=with_page(calls_total=4, size=9), after=with_page(calls_total=240, size=9)),
        # A little more of everything, and many series on both sides.
        near=Case(
            before=with_page(**{f"metric_{n}": 40 for n in range(20)}),
            after=with_page(**{f"metric_{n}": 50 for n in range(20)}),
        ),
    ),
}


@pytest.fixture
def causes_of(make_pairs, truth) -> Callable[[str, Case], tuple[Cause, ...]]:
    """What all kinds together say of a metric in a case of five pairs."""

    def find(metric: str, case: Case) -> tuple[Cause, ...]:
        pairs = make_pairs(5, baseline=truth(**case.baseline), candidate=truth(**case.candidate))
        pairs = [replace(pair, record=replace(pair.record, within_ms=60.0)) for pair in pairs]
        pairs = changed(pairs, {Side.BASELINE: case.before, Side.CANDIDATE: case.after})
        return asked.causes_of(pairs, metric)

    return find


def _named(causes: tuple[Cause, ...]) -> set[str]:
    return {each.name for cause in causes for each in (cause, *cause.consequences)}


def test_every_kind_has_a_contract_and_no_other_has() -> None:
    assert set(CONTRACTS) == {kind.name for kind in all_kinds()}


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_kind_is_found_where_it_is_the_cause(name: str, causes_of: Callable[[str, Case], tuple[Cause, ...]]) -> None:
    contract = CONTRACTS[name]
    assert name in _named(causes_of(contract.metric, contract.case))


@pytest.mark.parametrize("name", CONTRACTS)
def test_a_near_miss_is_none(name: str, causes_of: Callable[[str, Case], tuple[Cause, ...]]) -> None:
    contract = CONTRACTS[name]
    assert name not in _named(causes_of(contract.metric, contract.near))


@pytest.mark.parametrize("kind", all_kinds(), ids=lambda kind: kind.name)
def test_identical_builds_have_no_cause_of_any_kind(kind, causes_of) -> None:
    contract = CONTRACTS[kind.name]
    same = Case(
        baseline=contract.case.baseline,
        candidate=contract.case.baseline,
        before=contract.case.before,
        after=contract.case.before,
    )
    assert _named(causes_of(contract.metric, same)) == set()


@pytest.mark.parametrize("kind", all_kinds(), ids=lambda kind: kind.name)
def test_the_docs_tell_of_every_kind(kind) -> None:
    assert f"## `{kind.name}`: " in PAGE.read_text()
