"""Endpoints guessed from sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.inputs.config.fields import template  # the grammar a guessed path must follow
from pacecar.onboarding.initialise.annotations import in_source
from pacecar.onboarding.initialise.endpoints import guessed_endpoints
from pacecar.onboarding.initialise.enums import enums_in
from pacecar.onboarding.initialise.functional import functions_in
from pacecar.onboarding.initialise.generated import repositories_in, resources_of_panache
from pacecar.onboarding.initialise.mounts import endpoints_of
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
        "GET /api/orders/": "/api/orders/",
        "GET /api/orders/{id}": "/api/orders/${int(1,10)}",
        "GET /api/orders/search": "/api/orders/search?customer=${int(1,10)}&q=${pick(a,b)}",
        "POST /api/orders/": "/api/orders/",
        "DELETE /api/orders/{id}": "/api/orders/${int(1,10)}",
    }


def test_every_invention_is_owned_up_to():
    guesses = {endpoint.name: endpoint.guesses for endpoint in in_source(CONTROLLER).endpoints}
    assert guesses["GET /api/orders/"] == ()
    assert guesses["GET /api/orders/search"] == ("customer is 1 to 10", "q is a or b")


def test_only_reading_requests_are_proposed_as_they_are(proposed, pom):
    text, loaded = proposed({"pom.xml": pom(), "src/main/java/shop/OrderController.java": CONTROLLER})
    assert [endpoint.method for endpoint in loaded.scenario.endpoints] == ["GET"] * 3
    assert '# path = "/api/orders/"' in text
    assert '# method = "DELETE"' in text


@pytest.mark.parametrize(
    ("path", "reads"),
    [
        ("/orders/delete/{id}", False),
        ("/orders/deleteAll", False),
        ("/reset-password", False),
        ("/logout", False),
        ("/orders/deleted", True),
        ("/kafka/publish/{text}", False),
        ("/jobs/restart", False),
        ("/orders/updates", True),
        ("/addresses", True),
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
    assert "GUESS: of 26 endpoints, 20 are used: first those that only read and need least made up" in text


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
        *endpoints_of([functions_in(f"import org.springframework.web.servlet.function.*; {source}")], {}),
        *repositories_in(f"import org.springframework.data.*; {source}", all_of_them=True),
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
        'path("/a", ',
        '"/a".nest {',
        'GET("/a", ',
        "interface A extends Repository<",
        "enum A { B(",
        "List<A> findByB(",
        'void r(B b) { path("/a", this::r); GET("/a", h) ',
        'route(path("/a"), ',
        'method(GET).and(path("/a") ',
    ],
)
@pytest.mark.parametrize(
    "head",
    [
        "Controller Mapping ",
        "import jakarta.ws.rs.*;",
        "io.micronaut.http @Controller ",
        "io.ktor ",
        "org.springframework.web.servlet.function org.springframework.data io.quarkus Panache ",
    ],
)
def test_a_hostile_source_is_left_behind_soon(head, piece):
    # Were the search quadratic, this would take minutes.
    source = f"{head}class A {{ " + piece * (1_000_000 // len(piece))
    made = (*repositories_in(source, all_of_them=True), *resources_of_panache(source))
    made += tuple(endpoints_of([functions_in(source)], {}))
    found = (*in_source(source).endpoints, *routes_in_source(source), *made)
    assert {endpoint.name for endpoint in found} <= {"GET /", "GET /a"}
    enums_in([source])


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
        @RequestMapping("/any") void any() {}
        @RequestMapping("/body") void body(@RequestBody Order order) {} }"""
    names = {endpoint.name for endpoint in in_source(source).endpoints}
    assert names == {"GET /a", "POST /b", "GET /any", "POST /body"}, "without a method, it answers to all of them"


@pytest.mark.parametrize(
    "declared", ["public class BController {", "class BController(private val a: A) {", "record B() {"]
)
def test_a_mapping_of_a_class_is_no_endpoint(declared):
    source = f'class Order {{ }} @RestController @RequestMapping("/b") {declared} @GetMapping("/x") void x() {{}} }}'
    assert [endpoint.name for endpoint in in_source(source).endpoints] == ["GET /b/x"]


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ("public enum Status { NEW, PAID, SENT, GONE }", "${pick(NEW,PAID,SENT)}"),
        (
            'enum Status implements A<B> { @Name("n") NEW("n, {", A.of(1)) { void a() { b(); } }, OLD("o"); A b; }',
            "${pick(NEW,OLD)}",
        ),
        ('enum class Status(val text: String) { New("n"), Old("o"); fun a() = b }', "${pick(New,Old)}"),
        ('/* enum Status { NOT } */ enum Other { A } String text = "enum Status { NO }";', "${pick(a,b)}"),
        ("enum Status { A } class Two { enum Status { B } }", "${pick(a,b)}"),
        ("enum Status { }", "${pick(a,b)}"),
    ],
)
def test_a_parameter_has_constants_of_its_enum(project, declared, value):
    source = """@RestController class A {
        @GetMapping("/a") void a(@RequestParam List<Status> q) {}
        @GetMapping("/b/{s}") void b(@PathVariable Status s) {} }"""
    root = project({"src/main/java/shop/A.java": source, "src/main/java/shop/Status.java": declared})
    one, other = guessed_endpoints(root).found
    assert one.path == f"/a?q={value}"
    assert other.path == f"/b/{value if 'a,b' not in value else '${int(1,10)}'}"
    assert bool(one.guesses) == ("a,b" in value)


@pytest.mark.parametrize(
    ("declared", "value"), [("Status", "NEW"), ("Order.Status", "OLD"), ("shop.Order.Status", "OLD"), ("Size", "S")]
)
def test_enums_within_classes_are_told_apart(project, declared, value):
    source = f"""@RestController class A {{ enum Status {{ NEW }}
        @GetMapping("/a/{{s}}") void a(@PathVariable {declared} s, @RequestParam Optional<String> q) {{}} }}"""
    order = "public class Order { enum Status { OLD } static class Inner { enum Size { S } } }"
    root = project({"src/main/java/shop/A.java": source, "src/main/java/shop/Order.java": order})
    assert [each.path for each in guessed_endpoints(root).found] == [f"/a/${{pick({value})}}"]


def test_a_resource_below_another_one_has_no_path_that_annotations_tell():
    assert in_source("import jakarta.ws.rs.*;" + JAX_RS.replace('@Path("/carts/")', "")).endpoints == ()


@pytest.mark.parametrize(
    ("base", "paths"), [("/{tenant}", ["/${int(1,10)}/a"]), ("/api", ["/api/a"]), ("/\x01\x02", []), ("/a b", [])]
)
def test_what_endpoints_lie_below_is_a_path_too(project, base, paths):
    source = (
        f'import jakarta.ws.rs.*; @ApplicationPath("{base}") class A {{ @Path("/a") class B {{ @GET void a() {{}} }} }}'
    )
    contract = 'import org.springframework.web.bind.annotation.*; interface Api { @GetMapping("/a") void a(); }'
    controller = f'@RestController @RequestMapping("{base}") class C implements Api {{ }}'
    java = "src/main/java/shop/"
    for files in ({"A.java": source}, {"A.java": contract, "C.java": controller}):
        root = project({f"{java}{name}": text for name, text in files.items()})
        assert [each.path for each in guessed_endpoints(root).found] == paths


def test_a_resource_may_be_a_bean_of_spring():
    source = """import jakarta.ws.rs.*; import org.springframework.stereotype.Component;
        @Path("/a") @Component class MappingResource { @GET @Path("/mappings") Mapping all() {} }"""
    assert [endpoint.path for endpoint in in_source(source).endpoints] == ["/a/mappings"]


@pytest.mark.parametrize(
    ("declared", "asked"),
    [
        ("boolean q", "${pick(true,false)}"),
        ("LocalDate q", "${pick(2025-01-15,2025-02-03)}"),
        ("BigDecimal q", "${int(1,10)}"),
        ("LocalDateParam q", "${pick(2025-01-15,2025-02-03)}"),
        ("UUIDParam q", "${pick(0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11)}"),
        ("LongParam q", "${int(1,10)}"),
        ("Colour q", "${pick(a,b)}"),
        ("Param q", "${pick(a,b)}"),
    ],
)
def test_a_parameter_has_values_of_its_type(declared: str, asked: str) -> None:
    source = f'@RestController class A {{ @GetMapping("/a") String a(@RequestParam {declared}) {{}} }}'
    (endpoint,) = in_source(source).endpoints
    assert endpoint.path == f"/a?q={asked}"
    template(endpoint.path)
