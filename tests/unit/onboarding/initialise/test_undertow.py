"""Paths that handlers of Undertow are given."""

import pytest

from pacecar.onboarding.initialise.undertow import paths_of_undertow

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
def test_paths(calls, names):
    source = f'class Main {{ static final String SHOP = "/shop"; void m() {{ {calls}; }} }}'
    assert [each.name for each in paths_of_undertow(UNDERTOW + source)] == names
    assert list(paths_of_undertow(source)) == []
