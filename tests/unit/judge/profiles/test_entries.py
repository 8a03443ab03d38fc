"""What a stack says about its request."""

from __future__ import annotations

from pacecar.judge.profiles.entries import endpoint_of, entry_of, is_idle

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


def test_the_entry_is_the_method_called_by_reflection_and_not_a_filter_around_it() -> None:
    assert entry_of(SERVED, SHOP) == "shop.web.OrderController.list"


def test_without_reflection_the_entry_is_the_outermost_frame_of_the_application() -> None:
    assert entry_of(["java.lang.Thread.run", "shop.Mail.send", "shop.Text.fill"], SHOP) == "shop.Mail.send"
    assert entry_of(["java.lang.Thread.run", "jdk.Selector.poll"], SHOP) == ""


def test_a_label_tells_the_endpoint_unless_it_is_no_more_than_a_method() -> None:
    assert endpoint_of("GET /orders", "shop.web.OrderController.list") == "GET /orders"
    assert endpoint_of("GET", "shop.web.OrderController.list") == "shop.web.OrderController.list"
    assert endpoint_of("", "") == ""


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
