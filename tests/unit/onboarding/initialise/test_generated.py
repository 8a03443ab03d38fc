"""Endpoints that frameworks make of interfaces, and those that Spring's functions tell."""

import pytest

from pacecar.onboarding.initialise.functional import functions_in
from pacecar.onboarding.initialise.generated import repositories_in, resources_of_panache
from pacecar.onboarding.initialise.mounts import endpoints_of
from support.maven_parts import dependencies

JAVA = "src/main/java/shop/"
DATA = "import org.springframework.data.rest.core.annotation.*; import org.springframework.data.repository.*;\n"
FLUX = "import org.springframework.web.reactive.function.server.*;\n"

REPOSITORIES = {
    f"{JAVA}People.java": DATA
    + """@RepositoryRestResource(collectionResourceRel = "people", path = "people")
        public interface PersonRepository
                extends PagingAndSortingRepository<Person, Long>, CrudRepository<Person, Long> {
            @Query("select p from Person p") @RestResource(path = "adults") List<Person> olderThan(int age, Sort order);
            List<Person> findByNameAndKind(@Param("name") String called, Kind kind, Pageable page);
            @RestResource(exported = false) List<Person> findByEmail(String email);
            @Modifying @Query("update Person p set p.name = ''") void forget();
            Optional<Person> findById(Long id); void deleteByName(String name);
            default Person readByCode(String code) { return findByEmail(code).get(0); }
            enum Kind { CHILD, ADULT } }""",
    f"{JAVA}Categories.java": DATA
    + "public interface CategoryRepository extends JpaRepository<shop.Category, UUID> {}",
    f"{JAVA}Hidden.java": DATA
    + "@RepositoryRestResource(exported = false) interface Hidden extends CrudRepository<Secret, Long> {}",
    f"{JAVA}Tags.java": DATA + "interface TagRepository extends JpaRepository<shop.Tag, UUID> {}",
    f"{JAVA}Service.java": DATA + "class Service { CrudRepository<Other, Long> others; }",
}


SEARCHES = [
    "/search/adults?age=${int(1,10)}",
    "/search/findByNameAndKind?name=${pick(a,b)}&kind=${pick(CHILD,ADULT)}",
]


class TestSpringDataRest:
    """Repositories are exported by their annotation, or all of them where the dependency is there."""

    @pytest.mark.parametrize(
        ("starter", "paths"),
        [
            (
                "spring-boot-starter-data-rest",
                [
                    "/shop/api/categories",
                    "/shop/api/categories/${pick(0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11)}",
                    "/shop/api/people",
                    *(f"/shop/api/people{each}" for each in SEARCHES),
                    "/shop/api/people/${int(1,10)}",
                ],
            ),
            (
                "spring-boot-starter-data-jpa",
                ["/shop/people", *(f"/shop/people{each}" for each in SEARCHES), "/shop/people/${int(1,10)}"],
            ),
        ],
    )
    def test_repositories(self, proposed, pom, starter, paths):
        settings = "server.servlet.context-path=/shop\nspring.data.rest.base-path=/api"
        _, loaded = proposed(
            {
                "pom.xml": pom(dependencies(starter)),
                "src/main/resources/application.properties": settings,
                **REPOSITORIES,
            }
        )
        assert [each.path for each in loaded.scenario.endpoints] == paths

    @pytest.mark.parametrize(
        ("strategy", "shown"),
        [
            ("default", ["/as", "/bs", "/ks"]),
            ("visibility", ["/as", "/bs", "/ks"]),
            ("annotated", ["/bs"]),
            ("ALL", ["/as", "/bs", "/cs", "/ks"]),
        ],
    )
    def test_which_repositories_are_shown(self, proposed, pom, strategy, shown):
        java = "interface {0}s extends CrudRepository<{0}, Long> {{}}"
        _, loaded = proposed(
            {
                "pom.xml": pom(dependencies("spring-boot-starter-data-rest")),
                "src/main/resources/application.properties": f"spring.data.rest.detection-strategy={strategy}",
                f"{JAVA}A.java": DATA + "public " + java.format("A"),
                f"{JAVA}B.java": DATA + "@RepositoryRestResource " + java.format("B"),
                f"{JAVA}C.java": DATA + "/* public */ " + java.format("C"),
                "src/main/kotlin/K.kt": DATA + "interface Ks : CrudRepository<K, Long>",
            }
        )
        assert [each.path for each in loaded.scenario.endpoints if "$" not in each.path] == shown

    def test_queries_in_kotlin(self):
        source = """@RepositoryRestResource interface People : CrudRepository<Person, Long> {
            fun findByName(@Param("name") name: String?): List<Person>
            @RestResource(path = "first")
            fun findFirstByOrderByName(): Person?
            fun readByCode(code: String): Person = findByName(code).first()
            fun countByAgeLessThan(age: Int): Long }"""
        found = [endpoint.path for endpoint in repositories_in(DATA + source, all_of_them=False)]
        assert found[2:] == [
            "/persons/search/findByName?name=${pick(a,b)}",
            "/persons/search/first",
            "/persons/search/countByAgeLessThan?age=${int(1,10)}",
        ]


def test_resources_of_panache():
    head = "import io.quarkus.hibernate.orm.rest.data.panache.*;\n"
    sources = [
        "public interface ShopOrdersResource extends PanacheEntityResource<Order, Long> { }",
        '@ResourceProperties(path = "people") interface P\n extends PanacheRepositoryResource<R, Person, UUID> {}',
        "@ResourceProperties(exposed = false) interface HiddenResource extends PanacheEntityResource<A, Long> { }",
        "interface Mine extends PanacheRepository<Order> { }",
    ]
    found = [endpoint.path for source in sources for endpoint in resources_of_panache(head + source)]
    assert found == [
        "/shop-orders",
        "/shop-orders/${int(1,10)}",
        "/people",
        "/people/${pick(0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11)}",
    ]


def functional(*sources):
    routings = [functions_in(source, file=number) for number, source in enumerate(sources)]
    return [endpoint.name for endpoint in endpoints_of(routings, {})]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (
            'return route().GET("/a/{id}", accept(JSON), h::one).POST("/a", h::add).GET(PATH, h::c).build();',
            ["GET /a/{id}", "POST /a", "GET /constant"],
        ),
        (
            'return route(GET("/a").and(accept(JSON)), h::a).andRoute(RequestPredicates.PUT("/b"), h::b);',
            ["GET /a", "PUT /b"],
        ),
        (
            'return route().path("/a", b -> b.GET("", h::a).nest(accept(J), c -> c.GET("/b", h)).GET(h::c)).build();',
            ["GET /a", "GET /a/b", "GET /a"],
        ),
        (
            'return nest(path("/a"), route(GET("/b"), h::b)).andNest(path(PATH), route(GET("/c"), h::c));',
            ["GET /a/b", "GET /constant/c"],
        ),
        (
            'return route(path("/a").and(method(HttpMethod.GET)), h::a).andRoute(method(PUT).and(path(PATH)), h::b)'
            '.andRoute(RequestPredicates.path("/c"), h::c);',
            ["PUT /constant", "GET /a", "GET /c"],
        ),
        (
            'return route().path("/a", this::orders).path("/b", () -> inner()).build(); }'
            ' void orders(Builder b) { b.GET("/{id}", h::one).nest(path("/c"), this::more); } void more(Builder b) {'
            ' b.POST(h::add); } RouterFunction<?> inner() { return nest(path("/d"), last()); }'
            ' RouterFunction<?> last() { return route(GET("/e"), h::e);',
            ["GET /a/{id}", "POST /a/c", "GET /b/d/e"],
        ),
        (
            'return route().path("/a", this::r).GET("/b", h::b).build(); } void r(B b) { b.path("/c", this::r);',
            ["GET /b"],
        ),
        (
            'return route().path("/a", this::r).build(); } void r(B b) { b.path("/c", this::r).GET("/d", h);',
            ["GET /a/d"],
        ),
        ('return route().path(Elsewhere.PATH, b -> b.GET("/a", h::a)).GET("/files/**", h::f).build();', []),
        ('client.get().uri("/a"); // route().GET("/not", x)', []),
    ],
)
def test_functions_of_spring_in_java(source, names):
    text = (
        f'{FLUX} class Routes {{ static final String PATH = "/constant"; RouterFunction<?> routes() {{ {source} }} }}'
    )
    assert functional(text) == names


def test_functions_of_spring_in_kotlin():
    source = """fun routes(h: Handler) = coRouter {
        GET("/") { ok().buildAndAwait() }
        "/api".nest { GET("/a/{id}", h::one); ("/b" and accept(JSON)).nest { DELETE("/c", h::c) } }
        path("/d").nest { accept(HTML).nest { GET("/e", h::e) } }
        path("/f").and(accept(JSON)).nest { GET("/g", h::g) }
    }"""
    expected = ["GET /", "GET /api/a/{id}", "DELETE /api/b/c", "GET /d/e", "GET /f/g"]
    assert functional(FLUX + source) == expected


class TestFunctionsOfOtherFiles:
    """They lie below the path where their function is called, whoever else has one of the same name."""

    ORDERS = 'class OrderRoutes { RouterFunction<?> routes() { return route(GET("/orders"), h); } }'
    CARTS = 'class CartRoutes { RouterFunction<?> routes() { return route(GET("/carts"), h); } }'
    KOTLIN = """class App(private val orders: OrderRoutes) {
        fun routes(carts: CartRoutes) = router { "/api".nest { add(orders.routes()); add(carts.routes()) } } }"""

    @pytest.mark.parametrize(
        ("app", "names"),
        [
            ('nest(path("/api"), o.routes()).andNest(path("/v2"), c.routes())', ["GET /api/orders", "GET /v2/carts"]),
            ('route().path("/api", o::routes).add(c.routes()).build()', ["GET /api/orders", "GET /carts"]),
            ('route().path("/a", b -> b.add(o.routes()).add(c.routes())).build()', ["GET /a/orders", "GET /a/carts"]),
            ('nest(path(somewhere()), o.routes()).andNest(path("/v2"), c.routes())', ["GET /v2/carts"]),
            ("o.routes().and(c.routes())", ["GET /orders", "GET /carts"]),
        ],
    )
    def test_of_java(self, app, names):
        text = f"class App {{ RouterFunction<?> routes(OrderRoutes o, CartRoutes c) {{ return {app}; }} }}"
        assert functional(*(FLUX + each for each in (self.ORDERS, self.CARTS, text))) == names

    def test_of_kotlin(self):
        text = 'class {0} {{ fun routes() = router {{ GET("/{0}", h::all) }} }}'
        sources = (text.format(name) for name in ("OrderRoutes", "CartRoutes"))
        names = functional(*(FLUX + each for each in (*sources, self.KOTLIN)))
        assert names == ["GET /api/OrderRoutes", "GET /api/CartRoutes"]

    def test_of_one_file(self):
        app = "class App { RouterFunction<?> routes(OrderRoutes o) { return nest(path(A), o.routes()); } }"
        text = f"{self.ORDERS} {app}"
        assert functional(FLUX + text.replace("path(A)", 'path("/api")')) == ["GET /api/orders"]
        assert functional(FLUX + text) == []

    @pytest.mark.parametrize("value", ['"/api"', "somewhere()"])
    def test_below_a_constant_of_another(self, proposed, pom, value):
        app = "class App { RouterFunction<?> app(OrderRoutes o) { return nest(path(Paths.API), o.routes()); } }"
        text, loaded = proposed(
            {
                "pom.xml": pom(dependencies("spring-boot-starter-webflux")),
                f"{JAVA}App.java": FLUX + app,
                f"{JAVA}OrderRoutes.java": FLUX + self.ORDERS,
                f"{JAVA}Paths.java": f"class Paths {{ static final String API = {value}; }}",
            }
        )
        found = [each.path for each in loaded.scenario.endpoints]
        assert found == (["/api/orders"] if value.startswith('"') else ["/"])
        told = "endpoints whose paths could not be read were left out: path(Paths.API) in App.java"
        assert (told in text) == (found == ["/"])

    def test_below_one_another(self):
        middle = 'class Api { RouterFunction<?> all(OrderRoutes o) { return nest(path("/v1"), o.routes()); } }'
        top = 'class App { RouterFunction<?> app(Api api) { return nest(path("/api"), api.all()); } }'
        assert functional(*(FLUX + each for each in (top, middle, self.ORDERS))) == ["GET /api/v1/orders"]


def test_functions_stand_beside_annotations(proposed, pom):
    controller = '@RestController class A { @GetMapping("/a") void a() {} }'
    _, loaded = proposed(
        {
            "pom.xml": pom(dependencies("spring-boot-starter-webflux")),
            f"{JAVA}A.java": controller,
            f"{JAVA}B.java": f'{FLUX} class B {{ RouterFunction<?> b() {{ return route(GET("/b"), h); }} }}',
        }
    )
    assert [each.path for each in loaded.scenario.endpoints] == ["/a", "/b"]
