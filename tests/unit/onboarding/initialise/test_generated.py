"""Endpoints that frameworks make of interfaces, and those that Spring's functions tell."""

import pytest

from pacecar.onboarding.initialise.functional import functions_in
from pacecar.onboarding.initialise.generated import repositories_in, resources_of_panache
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
    f"{JAVA}Categories.java": DATA + "interface CategoryRepository extends JpaRepository<shop.Category, UUID> {}",
    f"{JAVA}Hidden.java": DATA
    + "@RepositoryRestResource(exported = false) interface Hidden extends CrudRepository<Secret, Long> {}",
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
        ('return route().path("/a", this::r).build(); } void r(B b) { b.path("/c", this::r).GET("/d", h);', []),
        ('return route().path(Elsewhere.PATH, b -> b.GET("/a", h::a)).GET("/files/**", h::f).build();', []),
        ('client.get().uri("/a"); // route().GET("/not", x)', []),
    ],
)
def test_functions_of_spring_in_java(source, names):
    text = (
        f'{FLUX} class Routes {{ static final String PATH = "/constant"; RouterFunction<?> routes() {{ {source} }} }}'
    )
    assert [endpoint.name for endpoint in functions_in(text)] == names


def test_functions_of_spring_in_kotlin():
    source = """fun routes(h: Handler) = coRouter {
        GET("/") { ok().buildAndAwait() }
        "/api".nest { GET("/a/{id}", h::one); ("/b" and accept(JSON)).nest { DELETE("/c", h::c) } }
        path("/d").nest { accept(HTML).nest { GET("/e", h::e) } }
        path("/f").and(accept(JSON)).nest { GET("/g", h::g) }
    }"""
    names = [endpoint.name for endpoint in functions_in(FLUX + source)]
    assert names == ["GET /", "GET /api/a/{id}", "DELETE /api/b/c", "GET /d/e", "GET /f/g"]


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
