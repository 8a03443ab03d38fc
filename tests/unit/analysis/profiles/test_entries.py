"""What a stack says about its request."""

from __future__ import annotations

from pacecar.analysis.profiles.entries import entries, is_bare, marked
from pacecar.analysis.stats.paths import Paths
from support.served_stack import SERVED, SHOP

#: The method that serves the request has called others.
DEEPER = [*SERVED, "shop.orders.Orders.page", "java.util.HashMap.get"]


def entry_of(frames: list[str], application: tuple[str, ...]) -> str:
    (found,) = entries(Paths.of([range(len(frames))]), frames, marked(frames, application)).tolist()
    return frames[found] if found >= 0 else ""


def test_the_entry_is_the_method_called_by_reflection_and_not_a_filter_around_it() -> None:
    assert entry_of(DEEPER, SHOP) == "shop.web.OrderController.list"


def test_without_reflection_the_entry_is_the_outermost_frame_of_the_application() -> None:
    assert entry_of(["java.lang.Thread.run", "shop.Mail.send", "shop.Text.fill"], SHOP) == "shop.Mail.send"
    assert entry_of(["java.lang.Thread.run", "jdk.Selector.poll"], SHOP) == ""


def test_a_route_given_as_a_reference_to_a_method_is_served_by_that_method() -> None:
    route = ["io.helidon.webserver.http.HttpRoutingImpl.route", "shop.OrderService$$Lambda.handle"]
    assert entry_of([*route, "shop.OrderService.list", "shop.Orders.page"], SHOP) == "shop.OrderService.list"
    assert entry_of(route, SHOP) == "shop.OrderService$$Lambda.handle"


def test_every_stack_has_an_entry_of_its_own() -> None:
    outer = ["shop.Mail.send", "jdk.Selector.poll"]
    stacks = Paths.of([range(len(DEEPER)), [len(DEEPER)], [len(DEEPER) + 1]])
    names = [*DEEPER, *outer]
    found = entries(stacks, names, marked(names, SHOP))
    assert found.tolist() == [DEEPER.index("shop.web.OrderController.list"), len(DEEPER), -1]


def test_a_method_called_by_reflection_at_the_end_of_one_stack_is_no_handler_of_the_next() -> None:
    names = ["java.lang.reflect.Method.invoke", "shop.Filter.run", "sun.reflect.Call.go", "shop.Api.handle"]
    found = entries(Paths.of([[0], [1, 2, 3]]), names, marked(names, SHOP))
    assert found.tolist() == [-1, 3]


def test_a_label_tells_the_endpoint_unless_it_is_no_more_than_a_method() -> None:
    assert is_bare(["GET /orders", "GET", ""]).tolist() == [False, True, True]
