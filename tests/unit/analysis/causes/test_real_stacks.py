"""Causes by stacks that libraries show, whatever their threads are called."""

from __future__ import annotations

import pytest

from support.asked import causes_of

RUN = "java.lang.Thread.run"
STOCK = f"{RUN}\nshop.Stock.check"
WORKER = "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker"
SEEKS = f"{WORKER}.run\n{WORKER}.runWorker\n{WORKER}.findTask\n{WORKER}.trySteal"
WAKES = f"{STOCK}\nkotlinx.coroutines.scheduling.CoroutineScheduler.signalCpuWork\njdk.internal.misc.Unsafe.unpark"
WORKS = f"{WORKER}.run\n{WORKER}.runWorker\n{WORKER}.executeTask\nlib.Task.run\nlib.Task.count"
SENT = f"{RUN}\nshop.Orders.send\norg.apache.kafka.clients.producer.KafkaProducer.waitOnMetadata\njava.lang.Object.wait"
ODD = f"{RUN}\nshop.Odd.wait\nlib.Odd.wait"
PAUSES = f"{RUN}\nshop.Throttle.read\njava.util.concurrent.locks.LockSupport.parkNanos\njdk.internal.misc.Unsafe.park"
BLOCKED = f"{RUN}\nshop.Throttle.read"


@pytest.mark.parametrize(("stack", "names"), [(SEEKS, {"pool-churn"}), (WAKES, {"pool-churn"}), (WORKS, set())])
def test_coroutines_that_are_handed_over_churn_their_pool(make_pairs, truth, stack: str, names: set[str]) -> None:
    pairs = make_pairs(
        5,
        baseline=truth(cpu_ms=2.2, stacks_ms={stack: 0.2, STOCK: 2.0}),
        candidate=truth(cpu_ms=3.2, stacks_ms={stack: 1.2, STOCK: 2.0}),
    )
    assert {cause.name for cause in causes_of(pairs, "cpu")} & {"pool-churn"} == names


@pytest.mark.parametrize(
    "loop",
    [
        "io.netty.channel.SingleThreadIoEventLoop.run",
        "io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoop.run",
    ],
    ids=["Netty 4.2", "shaded"],
)
def test_a_thread_that_runs_an_event_loop_is_one_whatever_its_name(make_pairs, truth, loop: str) -> None:
    nap = f"{RUN}\n{loop}\nshop.Stock.load\njava.lang.Thread.sleep"
    pools = {nap: "default-netty-1"}
    pairs = make_pairs(
        5,
        baseline=truth(pools=pools, waits_ms={nap: 0.1, ODD: 1.0}),
        candidate=truth(latency_ms=16, pools=pools, waits_ms={nap: 6.0, ODD: 1.0}),
    )
    assert "blocked-event-loop" in {cause.name for cause in causes_of(pairs, "latency.mean")}


def test_who_waits_for_a_broker_is_told_so(make_pairs, truth) -> None:
    pairs = make_pairs(5, baseline=truth(waits_ms={SENT: 2.0}), candidate=truth(latency_ms=16, waits_ms={SENT: 8.0}))
    assert [cause.scope.dependency for cause in causes_of(pairs, "latency.mean")] == ["a message broker"]


def test_who_pauses_within_a_lock_is_why_others_wait_for_it(make_pairs, truth) -> None:
    """Of waits for the lock there are too few wall-clock samples, but the JVM timed each."""
    pairs = make_pairs(
        5,
        baseline=truth(waits_ms={ODD: 1.0}),
        candidate=truth(latency_ms=16, waits_ms={PAUSES: 4.0, ODD: 1.0}, locks_ms={BLOCKED: 2.0}),
    )
    (root,) = causes_of(pairs, "latency.mean")
    assert (root.name, root.scope.dependency, root.scope.frame) == ("waiting-for", "time to pass", "shop.Throttle.read")
    (lock, *_) = [each for each in root.consequences if each.name == "lock-contention"]
    assert lock.statement.startswith("Requests waited +2 ms [")
    assert lock.statement.endswith("for a lock, below shop.Throttle.read.")
