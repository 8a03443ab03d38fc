"""Endpoints and packages guessed from sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.inputs.config.fields import template  # the grammar a guessed path must follow
from pacecar.onboarding.initialise.annotations import in_source
from pacecar.onboarding.initialise.mounts import endpoints_of
from pacecar.onboarding.initialise.packages import own_packages
from pacecar.onboarding.initialise.routes import routing_in
from support.checkout import CHECKOUT


def routes_in_source(source):
    """Endpoints that the calls of one file add."""
    return list(endpoints_of([routing_in(source, file=0)], {}))


ORDERS = CHECKOUT / "targets" / "orders"

CONTROLLER = """
/* @GetMapping("/commented") class Not {} */
@RestController
@RequestMapping(value = "/api/orders/", produces = "application/json")
class OrderController {
    // @GetMapping("/also-commented")
    String url = "http://host/*"; /* */
    @GetMapping
    List<Order> all(@RequestParam(defaultValue = "0") int page, @RequestParam(required = false) String sort) {}
    @GetMapping("/{id}")
    Order one(@PathVariable long id) {}
    @GetMapping(produces = "text/plain", path = {"/search", "/find"})
    String find(@RequestParam @Positive int customer, @RequestParam("q") String text) {}
    @PostMapping(consumes = "application/json")
    Order place(@RequestBody NewOrder order) {}
    @DeleteMapping("{id}")
    void remove(@PathVariable long id) {}
    @GetMapping("/${configured.path}")
    void configured() {}
    @GetMapping("/spaced out")
    void odd() {}
}
"""


JAX_RS = """
@Path("/carts/")
public interface Carts {
    @POST @Consumes({"application/json"}) @Path("{id: [a-z]{2,3}}")
    Cart add(@PathParam("id") String id);
    /* @GET */ @Path("{id}/items/{name}") @Produces({A.B, "c"})
    @GET
    default Items items(@PathParam("id") long id, @PathParam("name") String name) { return null; }
    @DELETE void clear();
    @Path("sub") Sub sub();
}
"""


def test_endpoints_of_a_controller():
    assert {endpoint.name: endpoint.path for endpoint in in_source(CONTROLLER).endpoints} == {
        "GET /api/orders": "/api/orders",
        "GET /api/orders/{id}": "/api/orders/${int(1,10)}",
        "GET /api/orders/search": "/api/orders/search?customer=${int(1,10)}&q=${pick(a,b)}",
        "POST /api/orders": "/api/orders",
        "DELETE /api/orders/{id}": "/api/orders/${int(1,10)}",
    }


def test_every_invention_is_owned_up_to():
    guesses = {endpoint.name: endpoint.guesses for endpoint in in_source(CONTROLLER).endpoints}
    assert guesses["GET /api/orders"] == ()
    assert guesses["GET /api/orders/search"] == ("customer is 1 to 10", "q is a or b")


def test_only_reading_requests_are_proposed_as_they_are(proposed, pom):
    text, loaded = proposed({"pom.xml": pom(), "src/main/java/shop/OrderController.java": CONTROLLER})
    assert [endpoint.method for endpoint in loaded.scenario.endpoints] == ["GET"] * 3
    assert '# path = "/api/orders"' in text
    assert '# method = "DELETE"' in text


@pytest.mark.parametrize(
    ("path", "reads"),
    [
        ("/orders/delete/{id}", False),
        ("/orders/deleteAll", False),
        ("/reset-password", False),
        ("/logout", False),
        ("/orders/deleted", True),
        ("/savedSearches", True),
        ("/orders/{delete}", True),
    ],
)
def test_a_path_may_say_that_it_changes_something(proposed, pom, path, reads):
    source = f'@RestController class A {{ @GetMapping("/a") void a() {{}} @GetMapping("{path}") void b() {{}} }}'
    text, loaded = proposed({"pom.xml": pom(), "src/main/java/shop/A.java": source})
    assert len(loaded.scenario.endpoints) == 1 + reads
    assert ("# It changes something:\n# [[scenario.endpoints]]" in text) != reads


def test_of_too_many_those_with_least_to_make_up_are_taken(proposed, pom):
    many = "".join(f'@GetMapping("/b{n:02}/{{id}}") void b{n}(@PathVariable long id) {{}} ' for n in range(20))
    few = "".join(f'@GetMapping("/c{n}") void c{n}() {{}} ' for n in range(5))
    source = f"@RestController class A {{ {many} {few} @PostMapping void d() {{}} }}"
    text, loaded = proposed({"pom.xml": pom(), "src/main/java/shop/A.java": source})
    names = [each.name for each in loaded.scenario.endpoints]
    assert names == [*(f"GET /b{n:02}/{{id}}" for n in range(15)), *(f"GET /c{n}" for n in range(5))]
    assert "GUESS: of 26 endpoints, 20 are taken: first those that only read, and need least made up" in text


def test_where_nothing_only_reads_that_is_told(proposed, pom):
    source = '@RestController class A { @PostMapping("/a") void a() {} }'
    text, loaded = proposed({"pom.xml": pom(), "src/main/java/shop/A.java": source})
    assert "# GUESS: none of them only reads." in text
    assert [each.name for each in loaded.scenario.endpoints] == ["GET /"]


def test_the_sample_service(tmp_path):
    found = {
        endpoint.name for path in ORDERS.rglob("*Controller.java") for endpoint in in_source(path.read_text()).endpoints
    }
    assert found == {"GET /orders", "GET /orders/{id}", "POST /orders", "GET /price", "GET /report"}


PIECES = [
    *CONTROLLER.split(" "),
    *JAX_RS.split(" "),
    "(",
    '"',
    "{",
    "@GetMapping(",
    "@Get('/",
    'get("/',
    'route("/a") {',
    "import io.ktor.",
    "fun Route.a() {",
    "}",
    "/*",
    "\0",
    "$",
    "é",
]


@given(st.lists(st.sampled_from(PIECES), max_size=60))
@pytest.mark.parametrize("head", ["class A { ", "import jakarta.ws.rs.*; class A {", "@Controller class A { "])
def test_whatever_a_source_holds_the_paths_are_templates(head, pieces):
    source = head + " ".join(pieces)
    for endpoint in (
        *in_source(source).endpoints,
        *in_source(f"import io.micronaut.http.*; {source}").endpoints,
        *routes_in_source(source),
    ):
        assert template(endpoint.path) == endpoint.path
        assert endpoint.name.isprintable()


@pytest.mark.parametrize(
    "piece",
    [
        "@GetMapping(",
        "/*",
        '"\\',
        '@GetMapping("',
        "@GetMapping((",
        "@GET @Path(",
        "({",
        "@Get(",
        'get("/a',
        "@GET",
        "a() ",
        'route("a") {',
        "get {",
        "fun Route.a() {",
    ],
)
@pytest.mark.parametrize(
    "head", ["Controller Mapping ", "import jakarta.ws.rs.*;", "io.micronaut.http @Controller ", "io.ktor "]
)
def test_a_hostile_source_is_left_behind_soon(head, piece):
    # Were the search quadratic, this would take minutes.
    source = f"{head}class A {{ " + piece * (1_000_000 // len(piece))
    assert {endpoint.name for endpoint in (*in_source(source).endpoints, *routes_in_source(source))} <= {"GET /"}


def test_endpoints_of_a_resource():
    assert {endpoint.name: endpoint.path for endpoint in in_source("import javax.ws.rs.*;" + JAX_RS).endpoints} == {
        "POST /carts/{id}": "/carts/${int(1,10)}",
        "GET /carts/{id}/items/{name}": "/carts/${int(1,10)}/items/${pick(a,b)}",
        "DELETE /carts": "/carts",
    }


def test_the_long_form_of_a_mapping():
    source = """@RestController class A {
        @RequestMapping(value = "/a", method = RequestMethod.GET) void a() {}
        @RequestMapping(method = {RequestMethod.POST}, path = "/b") void b() {}
        @RequestMapping("/any") void any() {} } // Controller"""
    assert {endpoint.name for endpoint in in_source(source).endpoints} == {"GET /a", "POST /b"}


@pytest.mark.parametrize(
    ("files", "packages"),
    [
        (["shop/orders/pricing/A.java", "shop/orders/web/B.java"], ("shop.orders",)),
        (["shop/A.java"], ("shop",)),
        (["com/one/A.java", "com/two/B.java"], ("com.one", "com.two")),
        (
            ["com/one/a/A.java", "org/two/B.java", "net/three/C.java", "io/four/D.java"],
            ("com.one", "io.four", "net.three"),
        ),
        (["A.java"], ()),
        (["not-a-package/A.java"], ()),
        ([], ()),
    ],
)
def test_own_packages(project, files, packages):
    root = project({f"src/main/java/{file}": "" for file in files})
    assert own_packages(root) == packages


def test_kotlin_counts_too(project):
    assert own_packages(project({"src/main/kotlin/shop/web/A.kt": ""})) == ("shop.web",)


def test_a_resource_below_another_one_has_no_path_that_annotations_tell():
    assert in_source("import jakarta.ws.rs.*;" + JAX_RS.replace('@Path("/carts/")', "")).endpoints == ()


@pytest.mark.parametrize(
    ("declared", "asked"),
    [
        ("boolean q", "${pick(true,false)}"),
        ("LocalDate q", "${pick(2025-01-15,2025-02-03)}"),
        ("BigDecimal q", "${int(1,10)}"),
        ("Colour q", "${pick(a,b)}"),
    ],
)
def test_a_parameter_has_values_of_its_type(declared: str, asked: str) -> None:
    source = f'@RestController class A {{ @GetMapping("/a") String a(@RequestParam {declared}) {{}} }}'
    (endpoint,) = in_source(source).endpoints
    assert endpoint.path == f"/a?q={asked}"
    template(endpoint.path)
