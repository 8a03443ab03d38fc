"""Which sleeping threads wait for work, by stacks as services and libraries really show them."""

from __future__ import annotations

import pytest

from pacecar.analysis.profiles.entries import marked
from pacecar.analysis.profiles.idle import idle, own_loops
from pacecar.analysis.stats.paths import Paths
from support.real_stacks import AT_REST, AT_WORK
from support.served_stack import SERVED, SHOP

#: How the profiler shows the thread that carries a virtual one, on JDK 25.
CARRIER = [
    "java.util.concurrent.ForkJoinWorkerThread.run",
    "java.util.concurrent.ForkJoinPool.runWorker",
    "java.util.concurrent.ForkJoinPool$WorkQueue.topLevelExec",
    "java.util.concurrent.ForkJoinTask.doExec",
    "java.lang.VirtualThread.runContinuation",
    "jdk.internal.vm.Continuation.run",
    "jdk.internal.vm.Continuation.enter",
    "java.lang.VirtualThread.run",
]
PARKED = ["java.util.concurrent.locks.LockSupport.park", "jdk.internal.misc.Unsafe.park"]


def are_idle(stacks: list[list[str]], application: tuple[str, ...]) -> list[bool]:
    names = sorted({frame for stack in stacks for frame in stack} | {"shop.Other.go"})
    paths = Paths.of([[names.index(frame) for frame in stack] for stack in stacks])
    found: list[bool] = idle(paths, names, marked(names, application), loops=own_loops(paths, names)).tolist()
    return found


def is_idle(frames: list[str], application: tuple[str, ...]) -> bool:
    return are_idle([frames], application)[0]


@pytest.mark.parametrize("thread", AT_REST)
def test_a_thread_at_rest_serves_nobody(thread: str) -> None:
    assert is_idle(list(AT_REST[thread]), SHOP)


@pytest.mark.parametrize("thread", AT_WORK)
def test_a_thread_that_waits_for_an_answer_is_at_work(thread: str) -> None:
    assert not is_idle(list(AT_WORK[thread].frames), SHOP)
    assert not is_idle(list(AT_WORK[thread].frames), ())


def test_many_stacks_at_once_are_told_apart_as_each_by_itself() -> None:
    stacks = [list(stack) for pair in zip(AT_REST.values(), AT_REST.values(), strict=True) for stack in pair]
    stacks[::2] = [[*SERVED, *stack] for stack in stacks[::2]]
    assert are_idle(stacks, SHOP) == [False, True] * len(AT_REST)


def test_a_thread_that_lies_down_in_its_own_loop_waits_for_work_whatever_library_it_is_of() -> None:
    loop = ["start_thread", "java.lang.Thread.run", "lib.Evictor$1.run", "lib.Evictor.pause", "java.lang.Object.wait"]
    assert is_idle(loop, SHOP)
    assert is_idle([*loop, "libjvm.so.ObjectMonitor::wait", "libc.so.6.__futex_abstimed_wait"], SHOP)
    assert is_idle(["lib.Evictor$$Lambda.run", "lib.Evictor.lambda$new", "java.lang.Thread.sleep"], SHOP)
    assert not is_idle(loop, ())  # may be the application's own


@pytest.mark.parametrize(
    "frames",
    [
        ["lib.Worker.run", "lib.Client.call", *PARKED],
        ["lib.Worker.run", "java.util.concurrent.CompletableFuture.get", *PARKED],
        ["lib.Worker.run", "java.util.concurrent.locks.ReentrantLock.lock", *PARKED],
        ["lib.Worker.run", "java.net.Socket$SocketInputStream.read", "sun.nio.ch.Net.poll"],
        ["lib.Worker.run", "java.util.concurrent.LinkedBlockingQueue.poll", "lib.Worker.compare", *PARKED],
        ["java.util.concurrent.ThreadPoolExecutor$Worker.run", "lib.Task.run", "java.lang.Thread.sleep"],
        [*CARRIER, "lib.Task.run", "java.lang.Thread.sleep", "java.lang.VirtualThread.parkOnCarrierThread", *PARKED],
        ["[truncated]", "lib.Worker.run", "java.lang.Object.wait"],
        ["lib.Worker.run", "libjvm.so.ObjectMonitor::enter"],
        ["lib.Worker.run"],
    ],
    ids=["another class", "answer", "lock", "socket", "comes back", "task", "virtual", "cut", "monitor", "runs"],
)
def test_no_more_than_the_loop_itself_counts_as_one(frames: list[str]) -> None:
    assert not own_loops(Paths.of([range(len(frames))]), frames)[0]
    assert not is_idle(frames, SHOP)


def test_a_selector_of_a_blocking_call_is_no_event_loop() -> None:
    select = ["sun.nio.ch.SelectorImpl.select", "sun.nio.ch.EPoll.wait"]
    assert is_idle(["org.xnio.nio.WorkerThread.run", *select], ())
    assert not is_idle(["java.lang.Thread.run", "org.xnio.nio.SelectorUtils.await", *select], ())
    assert not is_idle(["java.lang.Thread.run", "oracle.net.nt.TcpNTAdapter.awaitWriteReadiness", *select], ())


def test_a_loop_of_the_applications_own_that_asks_a_broker_for_messages_waits_for_work() -> None:
    poll = ["shop.Orders.run", "org.apache.kafka.clients.consumer.KafkaConsumer.poll"]
    selecting = [*poll, "org.apache.kafka.common.network.Selector.select", "sun.nio.ch.EPoll.wait"]
    assert is_idle(selecting, SHOP)
    assert is_idle(selecting, ())
    assert not is_idle([*poll, "shop.Interceptor.onConsume", "java.lang.Thread.sleep"], SHOP)


def test_who_sends_telemetry_serves_nobody() -> None:
    sends = "io.opentelemetry.sdk.trace.export.BatchSpanProcessor$Worker.exportCurrentBatch"
    awaits = ["io.opentelemetry.sdk.common.CompletableResultCode.join", "java.util.concurrent.CountDownLatch.await"]
    assert is_idle(["java.lang.Thread.run", sends, *awaits], ())


def test_a_thread_that_waits_for_work_is_idle_and_one_that_waits_within_work_is_not() -> None:
    parked = [
        "java.lang.Thread.run",
        "java.util.concurrent.ThreadPoolExecutor.getTask",
        "jdk.internal.misc.Unsafe.park",
    ]
    assert is_idle(parked, SHOP)
    assert is_idle(parked, ())
    assert not is_idle([*SERVED, "jdk.internal.misc.Unsafe.park"], SHOP)
    assert not is_idle(["java.lang.Thread.run", "com.x.Job.run", "java.lang.Object.wait"], ())
    forked = ["java.util.concurrent.ForkJoinPool.runWorker", "com.x.Job.run", "java.lang.Thread.sleep"]
    assert not is_idle(forked, ())
    assert is_idle([forked[0], "java.util.concurrent.ForkJoinPool.awaitWork"], ())


@pytest.mark.parametrize(
    "place",
    [
        "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask",
        "org.eclipse.jetty.util.thread.QueuedThreadPool.idleJobPoll",
        "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll",
        "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.waitForTask",
        "org.jboss.threads.EnhancedQueueExecutor$PoolThreadNode.park",
    ],
    ids=["Tomcat", "Jetty 9", "Jetty 12", "Jetty 12, reserved", "JBoss"],
)
def test_where_threads_of_servers_wait_for_requests(place: str) -> None:
    waiting = ["java.lang.Thread.run", place, "java.util.concurrent.locks.LockSupport.parkNanos"]
    assert is_idle(waiting, SHOP)


def test_a_library_thread_that_waits_for_an_answer_is_at_work_whatever_is_the_applications_own() -> None:
    asking = ["java.lang.Thread.run", "db.Driver.execute", "db.Wire.read", "sun.nio.ch.Net.poll"]
    assert not is_idle(asking, SHOP)
    assert not is_idle(asking, ())
    assert is_idle(["java.lang.Thread.run", "db.Wire.loop", "java.util.concurrent.LinkedBlockingQueue.take"], SHOP)


def test_threads_of_the_profiling_agent_serve_nobody() -> None:
    sending = ["java.lang.Thread.run", "io.pyroscope.vendor.okio.AsyncTimeout$Companion.awaitTimeout", "Object.wait"]
    assert is_idle(sending, SHOP)
    assert is_idle(sending, ())
    labelled = [
        "java.lang.Thread.run",
        "io.pyroscope.labels.LabelsWrapper.run",
        "com.x.Job.run",
        "java.lang.Object.wait",
    ]
    assert not is_idle(labelled, ())


def test_an_http_client_that_has_nothing_to_do_serves_nobody() -> None:
    assert is_idle(["java.lang.Thread.run", "okhttp3.internal.concurrent.TaskRunner.awaitTaskToRun"], SHOP)
    assert is_idle(["okio.AsyncTimeout$Watchdog.run", "okio.AsyncTimeout.awaitTimeout", "java.lang.Object.wait"], SHOP)
    called = ["okhttp3.RealCall.execute", "okio.AsyncTimeout$Companion.enter", "java.lang.Object.wait"]
    assert not is_idle(called, ())
