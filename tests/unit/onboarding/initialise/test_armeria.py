"""Armeria: annotated classes, and where calls put them."""

import pytest

from pacecar.onboarding.initialise.armeria import served_by_armeria
from pacecar.onboarding.initialise.endpoints import guessed_endpoints

SERVER = "import com.linecorp.armeria.server.Server; "
ANNOTATED = "import com.linecorp.armeria.server.annotation.*; "
ORDERS = """class Orders {
    @Get("/{id}") Order one(@Param int id) { }
    @Get("/old/:name") Order old(@Param("name") String name) { }
    @Get @Path("/all") List<Order> all(@Param String shop, @Param @Default("1") int page) { }
    @Get("regex:^/x/(?<y>.*)$") String pattern() { }
    @Post("/") void add(Order order) { } }"""


def named(project, main, orders=ORDERS):
    """Names and paths of the endpoints of a service."""
    sources = {"Main.java": SERVER + main, "Orders.java": ANNOTATED + orders}
    root = project({f"src/main/java/shop/{name}": text for name, text in sources.items()})
    return {each.name: each.path for each in guessed_endpoints(root).found}


@pytest.mark.parametrize(
    ("call", "before"),
    [
        ('sb.annotatedService("/orders", new Orders())', "/orders"),
        ("sb.annotatedService(new Orders(dao))", ""),
        ('sb.annotatedService("/orders", orders)', "/orders"),
        ('sb.annotatedService(Main.ORDERS + "/v1", this.orders)', "/shop/v1"),
    ],
)
def test_annotated_classes_lie_where_they_are_put(project, call, before):
    main = f'class Main {{ static final String ORDERS = "/shop"; void m(ServerBuilder sb) {{ {call}; }} }}'
    assert named(project, main) == {
        f"GET {before}/all": f"{before}/all?shop=${{pick(a,b)}}",
        f"GET {before}/old/{{name}}": f"{before}/old/${{pick(a,b)}}",
        f"GET {before}/{{id}}": f"{before}/${{int(1,10)}}",
        f"POST {before or '/'}": before or "/",
    }


def test_a_prefix_of_the_class(project):
    orders = '@PathPrefix("/v2") class Orders { @Get("/all") String all() { } }'
    main = 'class Main { void m() { sb.annotatedService("/api", new Orders()); } }'
    assert list(named(project, main, orders)) == ["GET /api/v2/all"]


def test_what_is_put_nowhere_is_no_endpoint(project):
    assert named(project, "class Main { }") == {}


def test_services_without_annotations():
    source = (
        SERVER
        + """class Main { void m() {
        Server.builder().service("/ping", (ctx, req) -> ok()).service("/hello/:name", new Hello())
            .service("prefix:/files", files).service(GrpcService.builder().build()).serviceUnder("/docs", docs);
    } }"""
    )
    assert [each.name for each in served_by_armeria(source).endpoints] == ["GET /ping", "GET /hello/{name}"]
    assert served_by_armeria('class Main { void m() { sb.service("/ping", x); } }').endpoints == ()
