"""Requests that wait for threads of another pool: what happens to these is the root."""

from __future__ import annotations

import pytest

from pacecar.model.experiment import Side
from support.asked import causes_of
from support.evidence import both, changed, with_runnable

RUN = "java.lang.Thread.run"
RESULT = f"{RUN}\nshop.Packing.pack\njava.util.concurrent.FutureTask.get\nsun.misc.Unsafe.park"
STALL = f"{RUN}\nshop.Parts.buffer\nlibjvm.so.ZPageAllocator::alloc_page_stall"
FILL = f"{RUN}\nshop.Parts.fill"
COUNT = f"{RUN}\nshop.Index.count"
POOLS = {"pools": {RESULT: "http", STALL: "pack", FILL: "pack", COUNT: "index"}}


@pytest.mark.parametrize("stalled_ms", [6.0, 20.0], ids=["one after the other", "several at once"])
def test_who_waits_for_threads_that_wait_for_memory_waits_for_memory(make_pairs, truth, stalled_ms: float) -> None:
    pairs = make_pairs(
        5,
        baseline=truth(stacks_ms={FILL: 1.0}, waits_ms={RESULT: 2.0, STALL: 0.1}, **POOLS),
        candidate=truth(latency_ms=16, stacks_ms={FILL: 1.0}, waits_ms={RESULT: 8.0, STALL: stalled_ms}, **POOLS),
    )
    (root,) = causes_of(pairs, "latency.mean")
    assert (root.name, root.scope.frame) == ("allocation-stall", "shop.Parts.buffer")
    assert "waiting-for" in {each.name for each in root.consequences}


def test_threads_that_stalled_as_long_before_are_no_root_of_longer_waiting(make_pairs, truth) -> None:
    pairs = make_pairs(
        5,
        baseline=truth(waits_ms={RESULT: 2.0, STALL: 6.0}, **POOLS),
        candidate=truth(latency_ms=16, waits_ms={RESULT: 8.0, STALL: 6.0}, **POOLS),
    )
    (root,) = causes_of(pairs, "latency.mean")
    assert (root.name, root.scope.dependency) == ("waiting-for", "other threads")


def test_the_pool_that_takes_the_cpu_from_others_is_told(make_pairs, truth) -> None:
    pairs = make_pairs(
        5,
        baseline=truth(
            cpu_ms=1.1, run_delay_ms=1.0, stacks_ms={FILL: 1.0, COUNT: 0.1}, waits_ms={RESULT: 2.0}, **POOLS
        ),
        candidate=truth(
            latency_ms=16,
            cpu_ms=6.0,
            run_delay_ms=15.0,
            stacks_ms={FILL: 1.0, COUNT: 5.0},
            waits_ms={RESULT: 8.0},
            **POOLS,
        ),
    )
    causes = {cause.name: cause for cause in causes_of(pairs, "latency.mean")}
    starved = causes["starved-of-cpu"]
    assert starved.scope.pool == "index"
    assert "; the pool index went from 0.1" in starved.statement
    assert "waiting-for" not in causes


@pytest.mark.parametrize(("later_ms", "found"), [(7.0, True), (1.0, False)], ids=["others wait", "only they wait"])
def test_only_threads_of_other_pools_wait_for_the_one_that_takes_the_cpu(make_pairs, truth, later_ms, found) -> None:
    """Eight threads on one core keep each other waiting, too, and requests need not wait for them."""
    pairs = make_pairs(
        5,
        baseline=truth(cpu_ms=1.1, run_delay_ms=1.0, stacks_ms={FILL: 1.0, COUNT: 0.1}, **POOLS),
        candidate=truth(latency_ms=16, cpu_ms=6.0, run_delay_ms=300.0, stacks_ms={FILL: 1.0, COUNT: 5.0}, **POOLS),
    )
    ready = {Side.BASELINE: (1.1, 0.1), Side.CANDIDATE: (later_ms, 300.0)}
    pairs = changed(
        pairs,
        {
            side: both(with_runnable(FILL, thread="pack-1", ms=pack), with_runnable(COUNT, thread="index-1", ms=index))
            for side, (pack, index) in ready.items()
        },
    )
    told = [each for cause in causes_of(pairs, "latency.mean") for each in (cause, *cause.consequences)]
    starved = [each for each in told if each.name == "starved-of-cpu"]
    assert bool(starved) is found
    if found:
        assert starved[0].scope.pool == "index"
        assert "; that of the pool pack from 0" in starved[0].statement


def test_who_stands_still_in_the_kernel_stands_behind_the_pool_that_takes_the_cpu(make_pairs, truth) -> None:
    """Some stacks of sleeping threads end where the profiler cannot look further."""
    lost = f"{RUN}\nlibc.so.__GI___futex_abstimed_wait_cancelable64"
    pools = {"pools": POOLS["pools"] | {lost: "http"}}
    pairs = make_pairs(
        5,
        baseline=truth(
            cpu_ms=1.1, run_delay_ms=1.0, stacks_ms={FILL: 1.0, COUNT: 0.1}, waits_ms={lost: 2.0, RESULT: 1.0}, **pools
        ),
        candidate=truth(
            latency_ms=16,
            cpu_ms=6.0,
            run_delay_ms=15.0,
            stacks_ms={FILL: 1.0, COUNT: 5.0},
            waits_ms={lost: 8.0, RESULT: 1.0},
            **pools,
        ),
    )
    causes = {cause.name: cause for cause in causes_of(pairs, "latency.mean")}
    assert "waiting-frame" in {each.name for each in causes["starved-of-cpu"].consequences}
    assert "waiting-frame" not in causes


SCAN = "java.util.concurrent.ForkJoinWorkerThread.run\njava.util.concurrent.ForkJoinPool.scan"


@pytest.mark.parametrize(
    ("later_ms", "root"), [(5.0, "pool-churn"), (0.2, "starved-of-cpu")], ids=["more", "as before"]
)
def test_threads_that_hand_over_take_the_cpu_from_all_others(make_pairs, truth, later_ms: float, root: str) -> None:
    pools = {"pools": {SCAN: "default-dispatcher", FILL: "http"}}
    pairs = make_pairs(
        5,
        baseline=truth(cpu_ms=1.2, run_delay_ms=1.0, stacks_ms={FILL: 1.0, SCAN: 0.2}, **pools),
        candidate=truth(
            latency_ms=16, cpu_ms=1.0 + later_ms, run_delay_ms=7.0, stacks_ms={FILL: 1.0, SCAN: later_ms}, **pools
        ),
    )
    (found,) = causes_of(pairs, "latency.mean")
    assert found.name == root
    assert {each.name for each in found.consequences} == ({"starved-of-cpu"} if root == "pool-churn" else set())
