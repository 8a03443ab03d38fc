"""How annotations are read: names of parameters, paths in all the ways to write them, and whose paths they are."""

import pytest

from pacecar.onboarding.initialise.annotations import in_source
from pacecar.onboarding.initialise.endpoints import guessed_endpoints

MICRONAUT = "import io.micronaut.http.annotation.*;"
JAX_RS = "import jakarta.ws.rs.*;"


def paths(source):
    return [endpoint.path for endpoint in in_source(source).endpoints]


class TestParameters:
    """Those of the query are asked by the name that a request uses."""

    @pytest.mark.parametrize(
        ("parameter", "query"),
        [
            ('@RequestParam("q") String query', "?q=${pick(a,b)}"),
            ('@RequestParam(value = "q") String query', "?q=${pick(a,b)}"),
            ('@RequestParam(required = true, name = "q") final String query', "?q=${pick(a,b)}"),
            ("@RequestParam(NAME) String query", "?n=${pick(a,b)}"),
            ("@RequestParam final String q", "?q=${pick(a,b)}"),
            ('@RequestParam @Size(min = 1, max = MAX) @Pattern(regexp = "[a-z,]{2}") String q', "?q=${pick(a,b)}"),
            ("@Valid @RequestParam List<@Positive Long> ids, Pageable page", "?ids=${int(1,10)}"),
            ('@RequestParam long a, @RequestParam("b") Map<String, List<String>> m', "?a=${int(1,10)}&b=${pick(a,b)}"),
            ("@RequestParam Optional<String> q", ""),
            ("@RequestParam @Nullable String q", ""),
            ("@RequestParam Map<String, String> all", ""),
            ('@RequestParam(name = "q", required = false) String query', ""),
            ('@RequestParam(value = "q", defaultValue = "a, b") String query', ""),
        ],
    )
    def test_of_spring(self, parameter, query):
        source = f"""
            @RestController class A {{
                static final String NAME = "n";
                @GetMapping("/a") @ResponseBody List<Order> a({parameter}) {{}}
            }}"""
        assert paths(source) == [f"/a{query}"]

    @pytest.mark.parametrize(
        ("parameter", "query"),
        [
            ("@RequestParam q: String", "?q=${pick(a,b)}"),
            ('@RequestParam("q") query: Int', "?q=${int(1,10)}"),
            ("@RequestParam q: String?", ""),
            ("@RequestParam q: String = NONE", ""),
            ("@RequestParam ids: List<Long>", "?ids=${int(1,10)}"),
        ],
    )
    def test_of_kotlin(self, parameter, query):
        source = f"""
            @RestController class A {{
                @GetMapping("/a") fun a({parameter}): List<Order> = all()
                @GetMapping("/b") fun b(@RequestParam other: String) = all()
            }}"""
        assert paths(source) == [f"/a{query}", "/b?other=${pick(a,b)}"], "each has its own"

    @pytest.mark.parametrize(
        ("parameter", "query"),
        [
            ('@QueryValue("q") String query', "?q=${pick(a,b)}"),
            ("@QueryValue int page", "?page=${int(1,10)}"),
            ('@QueryValue(defaultValue = "1") int page', ""),
            ("@QueryValue Optional<Integer> page", ""),
            ("@QueryValue String id", ""),
        ],
    )
    def test_of_micronaut(self, parameter, query):
        source = f'{MICRONAUT} @Controller("/a") class A {{ @Get("/{{id}}{{?page}}") Item one({parameter}) {{}} }}'
        assert [path.replace("/a/${int(1,10)}", "").replace("/a/${pick(a,b)}", "") for path in paths(source)] == [query]

    def test_of_jax_rs(self):
        source = f"""{JAX_RS} @Path("/a") class A {{
            @GET A a(@QueryParam(A.Q) @Encoded final String query, @QueryParam("n") @DefaultValue("1") int n) {{}}
            public static final String Q = "q";
        }}"""
        assert paths(source) == ["/a?q=${pick(a,b)}"]

    @pytest.mark.parametrize(
        ("parameter", "value"),
        [
            ("@PathVariable UUID key", "${pick(0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11)}"),
            ('@PathVariable("key") final java.util.UUID uuid', "${pick(0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11)}"),
            ('@PathVariable(name = "key") @Pattern(regexp = "[a-z]+") String name', "${pick(a,b)}"),
            ("@PathVariable LocalDate key", "${pick(2025-01-15,2025-02-03)}"),
            ("@PathVariable Long key", "${int(1,10)}"),
            ("@PathVariable OrderKey key", "${int(1,10)}"),
            ("@PathVariable(Names.KEY) String name", "${int(1,10)}"),
            ("String other", "${int(1,10)}"),
        ],
    )
    def test_of_a_path_have_values_of_their_type(self, parameter, value):
        source = f'@RestController class A {{ @GetMapping("/a/{{key}}") void a({parameter}, Model model) {{}} }}'
        assert paths(source) == [f"/a/{value}"]

    def test_of_a_path_in_kotlin_and_jax_rs(self):
        kotlin = '@RestController class A { @GetMapping("/a/{key}") fun a(@PathVariable key: UUID) = one(key) }'
        jax_rs = f'{JAX_RS} @Path("/a/{{key}}") class A {{ @GET A a(@PathParam("key") UUID id) {{}} }}'
        assert paths(kotlin) == paths(jax_rs) == ["/a/${pick(0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11)}"]

    def test_one_without_a_readable_name_leaves_its_endpoint_out(self):
        found = in_source('@RestController class A { @GetMapping("/a") void a(@RequestParam(X.Q) String q) {} }')
        assert (found.endpoints, found.unread) == ((), ("@RequestParam(X.Q)",))


class TestPaths:
    """However a path is written, it is read, or its endpoint is left out: never is one made up."""

    @pytest.mark.parametrize(
        ("mapping", "path"),
        [
            ('@GetMapping(path = ["/b"])', "/a/b"),
            ('@GetMapping("/b", "/c")', "/a/b"),
            ('@GetMapping(value = arrayOf("/b", "/c"))', "/a/b"),
            ('@GetMapping({"/b", "/c"})', "/a/b"),
            ('@RequestMapping(value = ["/b"], method = [RequestMethod.GET])', "/a/b"),
            ("@GetMapping(path = {})", "/a"),
            ("@GetMapping(produces = JSON)", "/a"),
            ("@GetMapping(LIST)", "/a/list"),
            ("@GetMapping(A.LIST)", "/a/list"),
            ('@GetMapping(LIST + "/all")', "/a/list/all"),
            ('@GetMapping("/x" + LIST)', "/a/x/list"),
            ('@GetMapping("$LIST/all")', "/a/list/all"),
            ('@GetMapping("${A.LIST}/all")', "/a/list/all"),
            ("@GetMapping(DEEP)", "/a/list/deep"),
            ("@GetMapping(KOTLIN)", "/a/kotlin"),
            pytest.param('@GetMapping(path = "/b", produces = "' + "x" * 2_000 + '")', "/a/b", id="long"),
        ],
    )
    def test_that_is_known(self, mapping, path):
        source = f"""
            @RestController @RequestMapping(path = ["/a"], produces = {{"x"}}) class A {{
                private static final String DEEP = LIST + "/deep";
                public static final String LIST = "/list";
                companion object {{ const val KOTLIN: String = "/kotlin" }}
                {mapping} void b() {{}}
            }}"""
        found = in_source(source)
        assert ([each.path for each in found.endpoints], found.unread) == ([path], ())

    @pytest.mark.parametrize(
        "mapping",
        [
            "@GetMapping(Paths.LIST)",
            '@GetMapping(LIST + "/list")',
            '@GetMapping("/a".concat(B))',
            "@GetMapping(CALLED)",
            "@GetMapping(AMBIGUOUS)",
            "@GetMapping(ITSELF)",
            '@GetMapping("${configured.path}/list")',
            "@RequestMapping(value = Paths.LIST, method = GET)",
        ],
    )
    def test_that_is_not_known(self, mapping):
        source = f"""
            class B {{ static final String AMBIGUOUS = "/a"; }}
            class C {{ static final String AMBIGUOUS = "/b"; }}
            @RestController class A {{
                static final String CALLED = "/a" + B.of("c");
                static final String ITSELF = "/a" + ITSELF;
                {mapping} void list() {{}}
            }}"""
        assert in_source(source).unread == (mapping,)
        assert paths(source) == []

    def test_whose_arguments_do_not_end(self):
        found = in_source('@RestController class A { @GetMapping("/a", x = {' + '"a", ' * 2_000 + "}) void a() {} }")
        assert (found.endpoints, found.unread) == ((), ("@GetMapping",))

    @pytest.mark.parametrize(
        "source",
        [
            "@RestController @RequestMapping(Paths.BASE) class A { @GetMapping void a() {} @GetMapping void b() {} }",
            f"{JAX_RS} @Path(Paths.BASE) class A {{ @GET void a() {{}} @POST void b() {{}} }}",
            f"{MICRONAUT} @Controller(Paths.BASE) class A {{ @Get void a() {{}} @Post void b() {{}} }}",
        ],
    )
    def test_before_all_of_a_class(self, source):
        found = in_source(source)
        assert (found.endpoints, len(found.unread)) == ((), 1)

    def test_of_another_file_counts_too(self, proposed, pom):
        text, loaded = proposed(
            {
                "pom.xml": pom(),
                "src/main/java/shop/Paths.java": """
                    public interface Paths { String BASE = "/api"; String LIST = Paths.BASE + "/list"; }""",
                "src/main/java/shop/Orders.java": """
                    @RestController class OrdersController {
                        @GetMapping(Paths.BASE + "/{id}") Order one(long id) {}
                        @GetMapping(Paths.LIST) List<Order> all() {}
                    }""",
            }
        )
        assert [each.path for each in loaded.scenario.endpoints] == ["/api/list", "/api/${int(1,10)}"]
        assert "left out" not in text

    def test_that_cannot_be_read_is_told(self, proposed, pom):
        source = """@RestController class Orders {
            @GetMapping("/a") void a() {} @GetMapping(Other.B) void b() {}
            @GetMapping(Other.C) void c() {} @GetMapping(Other.D) void d() {} }"""
        text, loaded = proposed({"pom.xml": pom(), "src/main/java/shop/Orders.java": source})
        assert [each.path for each in loaded.scenario.endpoints] == ["/a"]
        assert (
            "# GUESS: endpoints whose paths could not be read were left out: @GetMapping(Other.B) in Orders.java, "
            "@GetMapping(Other.C) in Orders.java, …\n"
        ) in text

    @pytest.mark.parametrize(("path", "routes"), [("A.ROOT", ["/api/a"]), ("Other.ROOT", ["/"])])
    def test_before_all_resources(self, proposed, pom, path, routes):
        text, loaded = proposed(
            {
                "pom.xml": pom(),
                "src/main/java/shop/App.java": f"{JAX_RS} @ApplicationPath({path}) class App {{}}",
                "src/main/java/shop/A.java": f"""
                    {JAX_RS} @Path("a") class A {{ static final String ROOT = "api"; @GET void a() {{}} }}""",
            }
        )
        assert [each.path for each in loaded.scenario.endpoints] == routes
        assert (f"@ApplicationPath({path}) in App.java" in text) == (routes == ["/"])


class TestClasses:
    """What stands before a class holds for its own methods."""

    @pytest.mark.parametrize(
        "before",
        [
            "data class Order(val id: Long, val kind: Kind = Kind.NEW)",
            'public record Order(@JsonProperty("class Id") long id) {}',
            "enum class Kind { NEW, OLD }",
            '/* class A */ @interface Mine { String value() default "interface B"; }',
            'class Order { String text = """\n a "class Text {" }\n"""; char quote = \'"\'; char open = \'{\'; }',
            'object Texts { val a = "${map["class"]} {" }',
        ],
    )
    @pytest.mark.parametrize("docs", ["", '@Tag(description = "the interface for orders; class A {") '])
    def test_come_after_others(self, before, docs):
        spring = f"""{before}
            {docs}@RestController @RequestMapping("/api/orders") class OrderController {{
                @GetMapping("/all") List<Order> all() {{}} }}"""
        micronaut = f'{MICRONAUT} {before} {docs}@Controller("/o") class OrderController {{ @Get("/a") A a() {{}} }}'
        jax_rs = f'{JAX_RS} {before} {docs}@Path("/o") class Orders {{ @Path("/a") @GET A a() {{}} }}'
        assert [paths(source) for source in (spring, micronaut, jax_rs)] == [["/api/orders/all"], ["/o/a"], ["/o/a"]]

    def test_have_prefixes_of_their_own(self):
        source = """
            @RestController @RequestMapping("/a") class AController { @GetMapping("/x") void x() { if (y) { } } }
            @RestController @RequestMapping("/b") class BController { @GetMapping("/x") void x() {} }
            @RestController class CController { @GetMapping("/x") void x() {} }"""
        assert paths(source) == ["/a/x", "/b/x", "/x"]

    def test_may_lie_in_a_controller(self):
        source = """
            @RestController @RequestMapping("/a") class AController {
                record Order(long id) { static class Line { } }
                @GetMapping("/x") @ApiResponses({@ApiResponse(content = {@Content("}")})}) void x() {}
                static class Form { }
                @GetMapping("/y") void y() {} }"""
        assert paths(source) == ["/a/x", "/a/y"]

    def test_of_kotlin_need_no_braces_between_methods(self):
        source = f"""{JAX_RS}
            @Path("/a") class A {{
                @Path("/b") @GET fun b() = 1
                @Path("/c") @GET fun c() = 2 }}"""
        assert paths(source) == ["/a/b", "/a/c"]

    def test_with_a_brace_too_many_are_those_declared_last(self):
        source = '@RequestMapping("/a") class AController { void x() { } } } @GetMapping("/x") void x() {} }'
        assert paths(source) == ["/a/x"]

    def test_methods_that_only_throw_are_no_endpoints(self):
        java = """@Controller class AController {
            @GetMapping("/oops") String oops() throws A, B { throw new A("…"); }
            @GetMapping("/a") String a(int b) { if (b) { throw new A(); } return "a"; } }"""
        kotlin = """@Controller class AController {
            @GetMapping("/oops") fun oops(): String { throw A() }
            @GetMapping("/later") fun later() = throw A()
            @GetMapping("/a") fun a() = b() }"""
        assert [paths(java), paths(kotlin)] == [["/a"], ["/a"]]

    @pytest.mark.parametrize("mark", ['@RegisterRestClient(configKey = "stock")', '@FeignClient(name = "stock")'])
    def test_that_are_clients_have_no_endpoints(self, mark):
        source = f"""{JAX_RS}
            @Path("/stock") {mark} interface Stock {{ @GET Stock stock(); }}
            @Path("/shop") class Shop {{ @GET Shop shop() {{}} }}"""
        spring = f"""
            {mark} interface Stock {{ @GetMapping("/stock") Stock stock(); }}
            @RestController class ShopController {{ @GetMapping("/shop") Shop shop() {{}} }}"""
        assert [paths(source), paths(spring)] == [["/shop"], ["/shop"]]


def test_a_controller_of_micronaut_has_the_endpoints_of_its_interface(project):
    micronaut = "import io.micronaut.http.annotation.*; "
    sources = {
        "Carts.java": 'interface Carts { @Get("/{id}") Cart one(long id); @Post void add(@Body Cart cart); }',
        "CartController.java": '@Controller("/carts") class CartController extends Base implements Carts<Cart> { }',
        "CartClient.java": '@Client("carts") interface CartClient extends Carts { }',
        "PriceClient.java": '@Client("prices") interface PriceClient { @Get("/prices") Price all(); }',
        "Other.java": '@Controller("/other") class Other implements PriceClient { @Get Price all() {} }',
    }
    root = project({f"src/main/java/shop/{name}": micronaut + text for name, text in sources.items()})
    names = [endpoint.name for endpoint in guessed_endpoints(root).found]
    assert names == ["GET /carts/{id}", "GET /other", "POST /carts"]


def test_a_controller_of_micronaut_below_a_setting_is_left_out(project):
    micronaut = "import io.micronaut.http.annotation.*; "
    sources = {
        "Carts.java": 'interface Carts { @Get("/{id}") Cart one(long id); }',
        "CartController.java": '@Controller("${api.version}") class CartController implements Carts { }',
    }
    found = guessed_endpoints(
        project({f"src/main/java/shop/{name}": micronaut + text for name, text in sources.items()})
    )
    assert found.found == ()
    assert found.remarks == (
        'endpoints whose paths could not be read were left out: @Controller("${api.version}") in CartController.java',
    )


@pytest.mark.parametrize(
    ("annotation", "route"),
    [
        ('@Controller("${api.version}/carts")', "GET /v1/carts/{id}"),
        ('@Controller("${api.other:v2}/carts")', "GET /v2/carts/{id}"),
    ],
)
def test_a_controller_of_micronaut_may_lie_below_a_setting(proposed, pom, annotation, route):
    source = f'{MICRONAUT} {annotation} class Carts {{ @Get("/{{id}}") Cart one(long id) {{}} }}'
    text, _ = proposed(
        {
            "pom.xml": pom(
                "<dependencies><dependency><artifactId>micronaut-http-server</artifactId></dependency></dependencies>"
            ),
            "src/main/resources/application.yml": "api: {version: /v1}",
            "src/main/java/shop/Carts.java": source,
        }
    )
    assert f'name = "{route}"' in text
    assert "left out" not in text


@pytest.mark.parametrize("dollar", ["$", "\\$"])
def test_a_path_of_spring_may_hold_a_setting(proposed, pom, dollar):
    source = f"""@RestController @RequestMapping("{dollar}{{api.base}}") class A {{
        @GetMapping("{dollar}{{api.carts:carts}}") void all() {{}}
        @GetMapping("{dollar}{{api.gone}}") void gone() {{}} }}"""
    text, loaded = proposed(
        {
            "pom.xml": pom(
                "<dependencies><dependency><artifactId>spring-boot-starter-web</artifactId></dependency></dependencies>"
            ),
            "src/main/resources/application.properties": "api.base=/v${api.number}\napi.number=3",
            "src/main/java/shop/A.java": source,
        }
    )
    assert [each.path for each in loaded.scenario.endpoints] == ["/v3/carts"]
    assert "endpoints whose paths could not be read were left out: @GetMapping" in text


class TestContractsOfSpring:
    """Interfaces and abstract classes with annotations belong to the controllers that implement them."""

    SPRING = "import org.springframework.web.bind.annotation.*; "

    @pytest.fixture
    def names(self, project):
        def found(*sources):
            files = {f"src/main/java/shop/S{n}.java": self.SPRING + text for n, text in enumerate(sources)}
            return [endpoint.name for endpoint in guessed_endpoints(project(files)).found]

        return found

    def test_of_an_interface(self, names):
        api = """@Validated @RequestMapping("${openapi.shop.base-path:/v1}") public interface OrdersApi {
            @Operation(tags = {"orders"}) @RequestMapping(method = RequestMethod.GET, value = "/orders/{id}")
            default ResponseEntity<Order> one(@PathVariable("id") Long id) { return new ResponseEntity<>(NONE); }
            @GetMapping("/orders") List<Order> all(); }"""
        controller = "@RestController class Orders implements OrdersApi { public List<Order> all() { return null; } }"
        assert names(api.replace("${openapi.shop.base-path:/v1}", "/v1"), controller) == [
            "GET /v1/orders",
            "GET /v1/orders/{id}",
        ]
        assert names(api, '@RestController @RequestMapping("/api") class Orders implements A, OrdersApi { }') == [
            "GET /api/orders",
            "GET /api/orders/{id}",
        ], "a path of its own counts more"

    def test_of_an_abstract_class(self, names):
        base = """public abstract class CrudController<T> { @GetMapping("/{id}") T one(@PathVariable long id) { } }"""
        users = '@RestController @RequestMapping("/users") class Users extends CrudController<User> { }'
        carts = '@RestController @RequestMapping("/carts") class Carts extends CrudController<Cart> { }'
        assert names(base, users, carts) == ["GET /carts/{id}", "GET /users/{id}"]

    @pytest.mark.parametrize(
        "other",
        [
            '@FeignClient("orders") interface OrdersClient extends OrdersApi { }',
            "@Service class Orders implements OrdersApi { }",
            "@RestController class Orders(private val api: OrdersApi) { }",
        ],
    )
    def test_that_nothing_implements(self, names, other):
        assert names('interface OrdersApi { @GetMapping("/orders") List<Order> all(); }', other) == []
