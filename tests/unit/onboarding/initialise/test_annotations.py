"""How annotations are read: paths in all the ways to write them, and whose paths they are."""

import pytest

from pacecar.onboarding.initialise.annotations import in_source

MICRONAUT = "import io.micronaut.http.annotation.*;"
JAX_RS = "import jakarta.ws.rs.*;"


def paths(source):
    return [endpoint.path for endpoint in in_source(source).endpoints]


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


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        ('@AnonymousGetMapping("/a")', "GET /a"),
        ('@ShopPostMapping("/a")', "POST /a"),
        ('@AnonymousRequestMapping(value = "/a", method = RequestMethod.PUT)', "PUT /a"),
        ('@MessageMapping("/a")', None),
    ],
)
def test_annotations_composed_of_those_of_spring(annotation, name):
    found = in_source(f"@RestController class A {{ {annotation} void a() {{}} }}")
    assert [each.name for each in found.endpoints] == ([name] if name else [])
