"""Paths that handlers are given, of Undertow and of the JDK's own server."""

import pytest

from pacecar.onboarding.initialise.handlers import paths_of_handlers

UNDERTOW = "import io.undertow.Handlers; "


@pytest.mark.parametrize(
    ("calls", "names"),
    [
        ('Handlers.path().addPrefixPath(SHOP + "/rates", new RatesHandler())', ["GET /shop/rates"]),
        ('path().addExactPath("/ping", this::ping).addPrefixPath("orders", orders)', ["GET /ping", "GET /orders"]),
        ('path().addPrefixPath("/", front).addPrefixPath("/ui", Handlers.resource(files))', []),
        ('path().addPrefixPath("/api", Handlers.routing().get("/a", a)).addPrefixPath("/x", manager.start())', []),
        ("path().addPrefixPath(prefix, handler)", []),
        ('path().addPrefixPath("/a"', []),
    ],
)
def test_paths_of_undertow(calls, names):
    source = f'class Main {{ static final String SHOP = "/shop"; void m() {{ {calls}; }} }}'
    assert [each.name for each in paths_of_handlers(UNDERTOW + source)] == names
    assert list(paths_of_handlers(source)) == []


@pytest.mark.parametrize(
    ("calls", "paths"),
    [
        ('server.createContext("/totals", exchange -> answer(exchange))', ["/totals"]),
        ('server.createContext(SHOP + "/orders/", new Orders())', ["/shop/orders/${int(1,10)}"]),
        ('server.createContext("/", front)', []),
        ("server.createContext(prefix, handler)", []),
    ],
)
def test_paths_of_the_jdk(calls, paths):
    source = f'class Main {{ static final String SHOP = "/shop"; void m() {{ {calls}; }} }}'
    assert [each.path for each in paths_of_handlers(f"import com.sun.net.httpserver.HttpServer; {source}")] == paths
    assert list(paths_of_handlers(source)) == []
