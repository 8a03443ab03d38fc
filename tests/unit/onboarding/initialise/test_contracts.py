"""Endpoints that a controller has by an interface or an abstract class, and paths that hold settings."""

import pytest

from pacecar.onboarding.initialise.endpoints import guessed_endpoints

MICRONAUT = "import io.micronaut.http.annotation.*;"


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


def test_interfaces_of_spring_for_both_sides(project):
    sources = {
        "Carts.java": '@HttpExchange("/carts") interface Carts { @GetExchange(url = "/{id}") Cart one(long id); }',
        "CartController.java": "@RestController class CartController implements Carts { }",
        "PricesOfController.java": '@HttpExchange interface Prices { @GetExchange("/prices") Price all(); }',
        "Own.java": '@RestController class Own { @PostExchange("/own") void add(@RequestBody Cart cart) { } }',
    }
    spring = "import org.springframework.web.service.annotation.*; "
    root = project({f"src/main/java/shop/{name}": spring + text for name, text in sources.items()})
    assert [each.name for each in guessed_endpoints(root).found] == ["GET /carts/{id}", "POST /own"]
