"""What a stack says about its request."""

from __future__ import annotations

import pytest

from pacecar.analysis.profiles.entries import entries, idle, is_bare, marked
from pacecar.analysis.stats.paths import Paths

SHOP = ("shop.",)
SERVED = [
    "java.lang.Thread.run",
    "shop.web.AuditFilter.doFilter",
    "org.springframework.web.servlet.DispatcherServlet.doDispatch",
    "java.lang.reflect.Method.invoke",
    "shop.web.OrderController.list",
    "shop.orders.Orders.page",
    "java.util.HashMap.get",
]


def entry_of(frames: list[str], application: tuple[str, ...]) -> str:
    (found,) = entries(Paths.of([range(len(frames))]), frames, marked(frames, application)).tolist()
    return frames[found] if found >= 0 else ""


def is_idle(frames: list[str], application: tuple[str, ...]) -> bool:
    return bool(idle(Paths.of([range(len(frames))]), frames, marked(frames, application))[0])


def test_the_entry_is_the_method_called_by_reflection_and_not_a_filter_around_it() -> None:
    assert entry_of(SERVED, SHOP) == "shop.web.OrderController.list"


def test_without_reflection_the_entry_is_the_outermost_frame_of_the_application() -> None:
    assert entry_of(["java.lang.Thread.run", "shop.Mail.send", "shop.Text.fill"], SHOP) == "shop.Mail.send"
    assert entry_of(["java.lang.Thread.run", "jdk.Selector.poll"], SHOP) == ""


def test_every_stack_has_an_entry_of_its_own() -> None:
    outer = ["shop.Mail.send", "jdk.Selector.poll"]
    stacks = Paths.of([range(len(SERVED)), [len(SERVED)], [len(SERVED) + 1]])
    names = [*SERVED, *outer]
    found = entries(stacks, names, marked(names, SHOP))
    assert found.tolist() == [SERVED.index("shop.web.OrderController.list"), len(SERVED), -1]


def test_a_method_called_by_reflection_at_the_end_of_one_stack_is_no_handler_of_the_next() -> None:
    names = ["java.lang.reflect.Method.invoke", "shop.Filter.run", "sun.reflect.Call.go", "shop.Api.handle"]
    found = entries(Paths.of([[0], [1, 2, 3]]), names, marked(names, SHOP))
    assert found.tolist() == [-1, 3]


def test_a_label_tells_the_endpoint_unless_it_is_no_more_than_a_method() -> None:
    assert is_bare(["GET /orders", "GET", ""]).tolist() == [False, True, True]


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
