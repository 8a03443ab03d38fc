"""Which frames a framework wrote in place of somebody's."""

from __future__ import annotations

import pytest

from pacecar.analysis.profiles.proxies import stands_for


@pytest.mark.parametrize(
    ("frame", "written"),
    [
        ("shop.Orders$$SpringCGLIB.find", "shop.Orders.find"),
        ("shop.Orders$$EnhancerBySpringCGLIB.find", "shop.Orders.find"),
        ("shop.Orders$$FastClassBySpringCGLIB.invoke", "shop.Orders.invoke"),
        ("shop.Orders$Line$HibernateProxy.getPrice", "shop.Orders$Line.getPrice"),
        ("shop.Orders_Subclass.find", "shop.Orders.find"),
        ("shop.Orders_ClientProxy.find", "shop.Orders.find"),
        (f"shop.Orders$quarkusrestinvoker$find_by_id_{'9f' * 20}.invoke", "shop.Orders.find_by_id"),
    ],
)
def test_a_proxy_stands_for_its_class(frame: str, written: str) -> None:
    assert stands_for(frame) == written


@pytest.mark.parametrize(
    "frame",
    [
        "shop.Orders.find",
        "shop.Orders$$Lambda.apply",
        "jdk.proxy.$Proxy.find",
        "shop.Orders_SubclassFinder.find",
        "org.springframework.cglib.proxy.MethodProxy.invoke",
        "[truncated]",
        "",
    ],
)
def test_everything_else_is_itself(frame: str) -> None:
    assert stands_for(frame) == frame
