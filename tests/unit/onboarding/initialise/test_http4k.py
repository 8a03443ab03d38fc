"""Routes that http4k binds: nested, in other functions, in contracts."""

import pytest

from pacecar.onboarding.initialise.endpoints import guessed_endpoints
from pacecar.onboarding.initialise.http4k import routes_of_http4k
from pacecar.onboarding.initialise.mounts import endpoints_of

HTTP4K = "import org.http4k.routing.bind\n"


def routes(*sources):
    """Names of the endpoints in the texts of files, sorted."""
    routings = [routes_of_http4k(HTTP4K + source, file=number) for number, source in enumerate(sources)]
    return sorted(endpoint.name for endpoint in endpoints_of(routings, {}))


def test_nested_routes():
    source = """fun app() = filters().then(routes(
        "/health" bind Method.GET to { Response(OK) },
        "/api/users" bind routes(
            "/login" bind POST to login(),
            "/" bind routes(Method.POST to register(), Method.GET to auth.then(current())),
            "{name}" bind routes("/" bind GET to one(), "/posts" bind Method . DELETE to clear())
        ),
        "/static" bind static(Classpath("/a")),
        BASE + "/x" bind GET to nothing
    ))"""
    assert routes(source) == [
        "DELETE /api/users/{name}/posts",
        "GET /api/users",
        "GET /api/users/{name}",
        "GET /health",
        "POST /api/users",
        "POST /api/users/login",
    ]


def test_functions_of_other_files():
    api = 'fun api(clock: Clock) = "/internal" bind routes(Ping(), Uptime(clock), "/a" bind GET to { Response(OK) })'
    ping = 'fun Ping() = "/ping" bind GET to { Response(OK) }'
    uptime = 'fun Uptime(clock: Clock): RoutingHttpHandler { return "/uptime" bind GET to { Response(OK) } }'
    assert routes(api, ping, uptime) == ["GET /internal/a", "GET /internal/ping", "GET /internal/uptime"]


def test_contracts():
    source = """fun api() = "/api" bind contract {
        routes += "/orders" meta { summary = "all" } bindContract GET to orders
        routes += "/orders" / Path.int().of("id") bindContract DELETE to remove
    }"""
    assert routes(source) == ["GET /api/orders"]


@pytest.mark.parametrize(
    "source",
    [
        'val pairs = mapOf("a" to 1, GET to 2)',
        'fun a() = prefix bind routes("/b" bind GET to c)',
        'fun a() = "/a${b}" bind GET to c',
        '"/a" bind ' * 1000,
    ],
)
def test_what_is_no_route_that_can_be_asked_for(source):
    assert "GET /a" not in routes(source)
    assert len(routes(source)) <= 1


def test_they_are_endpoints_of_a_service(project):
    root = project(
        {
            "src/main/kotlin/shop/Paths.kt": 'object Paths { const val ORDERS = "/orders" }',
            "src/main/kotlin/shop/App.kt": HTTP4K + "fun app() = routes(Paths.ORDERS bind GET to orders)",
        }
    )
    assert [each.name for each in guessed_endpoints(root).found] == ["GET /orders"]
