"""What frameworks settle: port, context path, pages of health and metrics; and services without one."""

import pytest

from support.process_forks import command_of

#: What is proposed where the sources do not tell how a port is chosen.
UNKNOWN = {"argument": "--port={port}", "guess": True}
RESOURCES = "src/main/resources/"
JAVA = "src/main/java/org/shop/"


def dependencies(*names):
    listed = "".join(f"<dependency><artifactId>{name}</artifactId></dependency>" for name in names)
    return f"<dependencies>{listed}</dependencies>"


def plugin(name):
    return f"<build><plugins><plugin><artifactId>{name}</artifactId></plugin></plugins></build>"


class TestSpring:
    """Spring Boot."""

    @pytest.fixture
    def spring(self, proposed, pom):
        parts = dependencies("spring-boot-starter-actuator", "micrometer-registry-prometheus")
        head = pom(plugin("spring-boot-maven-plugin") + parts)
        source = '@RestController @RequestMapping("api") class Owners { @GetMapping("owners") void all() {} }'

        def propose(properties):
            path = f"{RESOURCES}application.properties"
            return proposed({"pom.xml": head, path: properties, f"{JAVA}OwnersController.java": source})

        return propose

    def test_a_context_path_is_before_everything(self, spring):
        _, loaded = spring("server.servlet.context-path=/petclinic/\nmanagement.endpoints.web.exposure.include=*")
        assert loaded.target.ready.path == "/petclinic/actuator/health"
        assert loaded.target.metrics_path == "/petclinic/actuator/prometheus"
        assert [each.path for each in loaded.scenario.endpoints] == ["/petclinic/api/owners"]

    def test_a_page_of_metrics_may_be_turned_off_again(self, spring):
        key = "management.prometheus.metrics.export.enabled"
        _, loaded = spring(f"management.endpoints.web.exposure.include=*\n{key}=${{EXPORT:false}}")
        assert loaded.target.metrics_path is None

    def test_pages_may_lie_elsewhere(self, spring):
        _, loaded = spring("management.endpoints.web.base-path=/manage\nspring.mvc.servlet.path=/mvc")
        assert loaded.target.ready.path == "/mvc/manage/health"

    def test_a_second_port_would_be_taken_twice(self, spring):
        _, loaded = spring("management.server.port=8081")
        assert command_of(loaded.target)[-2:] == ("--server.port={port}", "--management.server.port={port}")

    def test_https_is_turned_off_and_that_is_said(self, spring):
        text, loaded = spring("server.ssl.key-store=classpath:k.p12")
        assert command_of(loaded.target)[-1] == "--server.ssl.enabled=false"
        assert "GUESS: it serves HTTPS" in text

    def test_https_that_is_off_is_not_spoken_of(self, spring):
        text, loaded = spring("server.ssl.enabled=false\nserver.ssl.key-store=classpath:k.p12")
        assert "--server.ssl.enabled=false" not in command_of(loaded.target)
        assert "HTTPS" not in text

    @pytest.mark.parametrize(
        ("properties", "page"),
        [
            ("management.endpoints.web.exposure.include=info,prometheus", "/api/owners"),
            ("management.endpoints.web.exposure.exclude=health", "/api/owners"),
            ("management.endpoints.web.exposure.include=health", "/actuator/health"),
            ("management.endpoints.web.path-mapping.health=up", "/actuator/up"),
            ("management.endpoints.web.base-path=/", "/health"),
        ],
    )
    def test_its_health_page_may_be_off_or_have_another_name(self, spring, properties, page):
        _, loaded = spring(properties)
        assert loaded.target.ready.path == page

    @pytest.mark.parametrize(
        ("properties", "named"),
        [
            ("spring.datasource.url=jdbc:mysql://localhost/shop?user=me&password=secret", "name MySQL:"),
            (
                "spring.datasource.url=${DB:jdbc:p6spy:postgresql://db/shop}\nspring.redis.host=cache",
                "PostgreSQL and Redis:",
            ),
            ("spring.data.mongodb.uri=mongodb://me:secret@db/shop", "name MongoDB:"),
            ("spring.datasource.url=jdbc:h2:mem:shop", None),
            ("spring.datasource.url=${DB_URL}", None),
        ],
    )
    def test_what_it_needs_beside_it_is_told(self, spring, properties, named):
        text, _ = spring(properties)
        assert ("each fork needs its own; have [[target.dependencies]] start it" in text) == (named is not None)
        assert (named or "") in text
        assert "secret" not in text

    @pytest.mark.parametrize(
        ("properties", "told"),
        [
            ("spring.config.import=configserver:http://config:8888", True),
            ("spring.cloud.config.uri=http://config:8888\nspring.cloud.config.fail-fast=true", True),
            ("spring.config.import=optional:configserver:http://config:8888", False),
            ("spring.config.import=configserver:\nspring.cloud.config.enabled=false", False),
        ],
    )
    def test_a_server_of_its_settings_is_told(self, spring, properties, told):
        text, _ = spring(properties)
        assert ("GUESS: it takes settings from a config server" in text) == told

    @pytest.mark.parametrize(
        ("starter", "told"),
        [
            ("spring-boot-starter-security", True),
            ("spring-security-oauth2-jose", True),
            ("spring-security-test", False),
        ],
    )
    def test_logins_are_told(self, proposed, pom, starter, told):
        text, _ = proposed({"pom.xml": pom(dependencies("spring-boot-starter-web", starter))})
        assert ("GUESS: it has Spring Security: where it answers 401 or 403" in text) == told

    def test_what_a_fork_needs_is_told_without_a_page_that_an_installation_lacks(self, spring):
        text, _ = spring("spring.datasource.url=jdbc:mysql://localhost/shop")
        assert "docs/how-to" not in text
        assert "docs/reference/configuration.md of Pacecar" in text

    @pytest.mark.parametrize(
        ("starter", "base"),
        [
            ("spring-boot-starter-web", "/context/mvc"),
            ("spring-boot-starter-webflux", "/flux"),
            ("spring-cloud-starter-gateway", "/flux"),
            ("spring-boot-starter", "/context/mvc"),
        ],
    )
    def test_servlets_and_webflux_have_base_paths_of_their_own(self, proposed, pom, starter, base):
        settings = "server.servlet.context-path=/context\nspring.mvc.servlet.path=/mvc\nspring.webflux.base-path=/flux"
        source = '@RestController class A { @GetMapping("/a") void a() {} }'
        _, loaded = proposed(
            {
                "pom.xml": pom(dependencies("spring-boot-starter", starter)),
                f"{RESOURCES}application.properties": settings,
                f"{JAVA}A.java": source,
            }
        )
        assert [each.path for each in loaded.scenario.endpoints] == [f"{base}/a"]

    @pytest.mark.parametrize(
        ("settings", "path"),
        [("", "/shop/own/a"), ("spring.jersey.application-path=/api\nspring.mvc.servlet.path=/mvc", "/shop/api/a")],
    )
    def test_jersey_has_a_path_of_its_own(self, proposed, pom, settings, path):
        source = 'import jakarta.ws.rs.*; @ApplicationPath("own") class App {} @Path("/a") class A { @GET void a() {} }'
        _, loaded = proposed(
            {
                "pom.xml": pom(dependencies("spring-boot-starter-jersey")),
                f"{RESOURCES}application.properties": f"server.servlet.context-path=/shop\n{settings}",
                f"{JAVA}A.java": source,
            }
        )
        assert [each.path for each in loaded.scenario.endpoints] == [path]

    def test_a_path_nobody_would_have_is_not_believed(self, spring):
        _, loaded = spring("server.servlet.context-path=/a b${int(1,2)}\x01")
        assert loaded.target.ready.path == "/actuator/health"

    def test_variables_are_named_and_secrets_apart(self, spring):
        text, _ = spring("spring.datasource.url=${DB_URL}\nspring.datasource.password=${DB_PASSWORD}")
        assert '# DB_URL = "…"' in text
        assert '# DB_PASSWORD = "DB_PASSWORD"' in text
        assert text.index("# [target.env]") < text.index("# DB_URL") < text.index("# [target.secrets]")


class TestQuarkus:
    """Quarkus: a folder is deployed, unless one large jar is asked for."""

    @pytest.fixture
    def quarkus(self, proposed, pom):
        parts = dependencies("quarkus-rest", "quarkus-smallrye-health", "quarkus-micrometer-registry-prometheus")
        source = """
            import jakarta.ws.rs.*;
            @Path("fruits") class Fruits {
                @Path("{id}") @Produces({"a/b", "c/d"}) @GET Fruit one(@PathParam("id") Long id) { return null; }
                @GET @Produces({"a/b"}) List<Fruit> all() { return FRUITS; }
            }"""

        def propose(properties):
            path = f"{RESOURCES}application.properties"
            head = pom(plugin("quarkus-maven-plugin") + parts)
            return proposed({"pom.xml": head, path: properties, f"{JAVA}Fruits.java": source})

        return propose

    def test_as_it_comes(self, quarkus):
        _, loaded = quarkus("")
        assert command_of(loaded.target)[-3:] == (
            "-Dquarkus.http.port={port}",
            "-jar",
            "{artifact}/quarkus-run.jar",
        )
        assert loaded.source.artifact == "target/quarkus-app"
        assert (loaded.target.ready.path, loaded.target.metrics_path) == ("/q/health/ready", "/q/metrics")
        assert [each.path for each in loaded.scenario.endpoints] == ["/fruits", "/fruits/${int(1,10)}"]

    def test_a_port_for_the_management_is_another_one(self, quarkus):
        text, loaded = quarkus("quarkus.management.enabled=true\nquarkus.management.port=9001")
        assert command_of(loaded.target)[-4:-2] == ("-Dquarkus.http.port={port}", "-Dquarkus.management.port=0")
        assert (loaded.target.ready.path, loaded.target.metrics_path) == ("/fruits", None)
        assert "GUESS: its health and metrics pages are on the port of quarkus.management" in text

    def test_one_large_jar_and_paths(self, quarkus):
        _, loaded = quarkus("quarkus.package.jar.type=uber-jar\nquarkus.http.root-path=/a\nquarkus.rest.path=/b")
        assert loaded.source.artifact == "target/*-runner.jar"
        assert command_of(loaded.target)[-1] == "{artifact}"
        assert loaded.target.ready.path == "/a/q/health/ready"
        assert loaded.scenario.endpoints[0].path == "/a/b/fruits"


def test_micronaut(proposed, pom):
    source = """
        import io.micronaut.http.annotation.*;
        @Controller("/shop") class Shop {
            @Get("/items/{id}{?max,offset}") Item item(Long id, int max) { return null; }
            @Get(uri = "/names/{name}") Item named(String name) { return null; }
            @Post Item add(Item item) { return item; }
        }"""
    text, loaded = proposed(
        {
            "pom.xml": pom(plugin("micronaut-maven-plugin") + dependencies("micronaut-management")),
            f"{RESOURCES}application.yml": "micronaut.server.context-path: /m",
            f"{JAVA}Shop.java": source,
        }
    )
    assert "-Dmicronaut.server.port={port}" in command_of(loaded.target)
    assert loaded.target.ready.path == "/m/health"
    assert [each.path for each in loaded.scenario.endpoints] == [
        "/m/shop/items/${int(1,10)}",
        "/m/shop/names/${pick(a,b)}",
    ]
    assert '# path = "/m/shop"' in text


class TestDropwizard:
    """Dropwizard: its settings lie in a file of its own, and so do its ports."""

    RESOURCE = """
        import jakarta.ws.rs.*;
        @Path("/books") class Books {
            @GET @Path("/search") List<Book> search(
                @QueryParam("q") String q, @DefaultValue("5") @QueryParam("n") int n) {}
            @GET List<Book> all(
                @QueryParam("shelf") @NotNull Integer shelf, @QueryParam("n") @DefaultValue("5") int n) {}
        }"""

    @pytest.fixture
    def dropwizard(self, proposed, pom):
        def propose(settings, file="library.yml"):
            parts = plugin("maven-shade-plugin") + dependencies("dropwizard-core")
            files = {"pom.xml": pom(parts), file: settings, "mkdocs.yml": "site_name: Shop"}
            return proposed({**files, f"{JAVA}Books.java": self.RESOURCE})

        return propose

    def test_two_ports(self, dropwizard):
        text, loaded = dropwizard(
            """
            server:
              rootPath: /api/*
              applicationConnectors: [{type: http, port: 8080}]
              adminConnectors: [{type: http, port: 8081}]
            """
        )
        command = command_of(loaded.target)
        assert "-Ddw.server.applicationConnectors[0].port={port}" in command
        assert "-Ddw.server.adminConnectors[0].port=0" in command, "two forks must not want the same one"
        assert list(command[-2:]) == ["server", "library.yml"]
        assert [each.path for each in loaded.scenario.endpoints] == [
            "/api/books?shelf=${int(1,10)}",
            "/api/books/search?q=${pick(a,b)}",
        ]
        assert loaded.target.ready.path == "/api/books"
        assert "GUESS: that it takes its port" not in text

    def test_one_port(self, dropwizard):
        settings = "{server: {type: simple, applicationContextPath: /, connector: {type: http, port: 8080}}}"
        _, loaded = dropwizard(settings, "config/prod.yaml")
        command = command_of(loaded.target)
        assert "-Ddw.server.connector.port={port}" in command
        assert list(command[-2:]) == ["server", "config/prod.yaml"]
        assert loaded.target.ready.path == "/admin/healthcheck"
        assert loaded.scenario.endpoints[0].path.startswith("/books?")

    def test_further_connectors_may_not_keep_their_ports(self, dropwizard):
        _, loaded = dropwizard(
            """
            server:
              applicationConnectors: [{type: https, port: 8443}, {type: http, port: 8080}]
              adminConnectors: [{type: http, port: 8081}, {type: https, port: 8444}]
            """
        )
        ports = [each for each in command_of(loaded.target) if each.startswith("-Ddw.")]
        assert ports == [
            "-Ddw.server.applicationConnectors[0].port=0",
            "-Ddw.server.applicationConnectors[1].port={port}",
            "-Ddw.server.adminConnectors[0].port=0",
            "-Ddw.server.adminConnectors[1].port=0",
        ]

    def test_ports_that_cannot_be_set(self, dropwizard):
        text, loaded = dropwizard("server: {applicationConnectors: [{type: http, port: 9000}]}")
        assert loaded.target.port == 8080
        assert "library.yml does not list applicationConnectors and adminConnectors" in text

    def test_no_settings(self, dropwizard):
        text, loaded = dropwizard("[]")
        assert "no settings of Dropwizard were found" in text
        assert list(command_of(loaded.target)[-2:]) == ["server", "config.yml"]


def test_helidon_with_an_application_path(proposed, pom):
    _, loaded = proposed(
        {
            "pom.xml": pom(dependencies("helidon-microprofile-core", "helidon-microprofile-metrics")),
            f"{JAVA}App.java": 'import jakarta.ws.rs.*; @ApplicationPath("/api") class App extends Application {}',
            f"{JAVA}Greet.java": 'import jakarta.ws.rs.*; @Path("greet") class Greet { @GET String hello() {} }',
        }
    )
    assert "-Dserver.port={port}" in command_of(loaded.target)
    assert (loaded.target.ready.path, loaded.target.metrics_path) == ("/health/ready", "/metrics")
    assert [each.path for each in loaded.scenario.endpoints] == ["/api/greet"]


class TestHelidonByItself:
    """Helidon SE listens where its settings say only if its sources hand these on."""

    @pytest.mark.parametrize(
        ("server", "port", "told"),
        [
            ('WebServer.builder().config(config.get("server")).build()', None, None),
            ('WebServer.builder().port(8080).config(config.get("server")).build()', None, None),
            ('WebServer.builder().config(config.get("server")).port(8081).build()', 8081, "its sources name port 8081"),
            ("WebServer.builder().port(8080).routing(Main::routing).build()", 8080, "its sources name port 8080"),
            ("WebServer.builder().routing(Main::routing).build()", None, "its sources hand no settings on"),
        ],
    )
    def test_port(self, proposed, pom, server, port, told):
        source = f"import io.helidon.webserver.WebServer; class Main {{ void main() {{ {server}.start(); }} }}"
        text, loaded = proposed({"pom.xml": pom(dependencies("helidon-webserver")), f"{JAVA}Main.java": source})
        assert loaded.target.port == port
        assert ("-Dserver.port={port}" in command_of(loaded.target)) == (port is None)
        assert (told or "") in text
        assert ("its sources" in text) == (told is not None)


class TestWithoutFramework:
    """Services of one's own making: how they ask for their port is read from their sources."""

    @pytest.mark.parametrize(
        ("source", "told"),
        [
            ('int port = Integer.parseInt(System.getenv("HTTP_PORT"));', {"env": {"HTTP_PORT": "{port}"}}),
            ('System.getenv().getOrDefault("PORT", "7070")', {"env": {"PORT": "{port}"}}),
            ('System.getenv()["SERVER_PORT"]', {"env": {"SERVER_PORT": "{port}"}}),
            ('Integer.getInteger("http.port", 8080)', {"argument": "-Dhttp.port={port}"}),
            ('Integer.getInteger("shop.port", 8080)', {"argument": "-Dshop.port={port}", "guess": True}),
            ('System.getenv("SHOP_PORT")', {"env": {"SHOP_PORT": "{port}"}, "guess": True}),
            ('getenv("DB_PORT"); getenv("MYSQL_PORT"); getProperty("mail.smtp.port"); // getenv("PORT")', UNKNOWN),
            ('getenv("REPORT_DIR"); getProperty("support"); getProperty("http.proxyPort"); getenv("PGPORT")', UNKNOWN),
            (
                'getenv("DB_PORT"); getenv("SHOP_PORT"); getProperty("server.port")',
                {"argument": "-Dserver.port={port}"},
            ),
            ('getenv("SHOP_PORT"); Integer.parseInt(args[0])', {"argument": "{port}"}),
            ("int port = Integer.parseInt(args[0]);", {"argument": "{port}"}),
            ("app.start(7070);", {"port": 7070}),
            ('server.bind("0.0.0.0", 8080).sync()', {"port": 8080}),
            ('new ProcessBuilder().environment().get("PORT")', {"env": {"PORT": "{port}"}}),
            (
                'server.listen(config().getInteger("http.port", 8080));',
                {"argument": '{"http.port":{port}}', "guess": True},
            ),
            ("io.ktor.server.netty.EngineMain.main(args)", {"argument": "-port={port}"}),
            ("embeddedServer(Netty, port = 8081, module = Application::module)", {"port": 8081}),
            ("final int DB_PORT = 5432; static final int SERVER_PORT = 8082;", {"port": 8082}),
            ('port(80); get("/a", b);', {"env": {"PORT": "{port}"}, "guess": True}),
            ("nothing", UNKNOWN),
        ],
    )
    def test_port(self, proposed, pom, source, told):
        text, loaded = proposed({"pom.xml": pom(), f"{JAVA}Main.java": f"class Main {{ void main() {{ {source} }} }}"})
        assert loaded.target.env == told.get("env", {})
        assert loaded.target.port == told.get("port")
        assert told.get("argument", "-jar") in command_of(loaded.target)
        assert ("take turns" in text) == ("port" in told)
        assert ("GUESS: that it takes its port this way" in text) == told.get("guess", False)

    @pytest.mark.parametrize(
        ("call", "port"),
        [("", 4567), ("port(9000);", 9000), ("port(80);", None)],
    )
    def test_spark_has_a_port_of_its_own(self, proposed, pom, call, port):
        source = f'import static spark.Spark.*; class Main {{ void main() {{ {call} get("/a", b); }} }}'
        text, loaded = proposed({"pom.xml": pom(), f"{JAVA}Main.java": source})
        assert loaded.target.port == port
        assert ("on which not everybody may listen" in text) == (port is None)

    @pytest.mark.parametrize(("one", "other"), [("AAA_PORT", "SHOP_PORT"), ("HTTP_PORT", "PORT")])
    def test_port_of_several_is_that_of_the_main_method(self, proposed, pom, one, other):
        sources = {
            f"{JAVA}Client.java": f'class Client {{ int port = getenv("{one}"); }}',
            f"{JAVA}Main.java": f'class Main {{ public static void main(String[] a) {{ getenv("{other}"); }} }}',
        }
        _, loaded = proposed({"pom.xml": pom(), **sources})
        assert loaded.target.env == {other: "{port}"}

    def test_port_by_a_known_name_is_taken_wherever_it_is_asked_for(self, proposed, pom):
        sources = {
            f"{JAVA}Main.java": 'class Main { public static void main(String[] a) { getenv("SHOP_PORT"); } }',
            f"{JAVA}Server.java": 'class Server { int port = getenv("PORT"); }',
        }
        _, loaded = proposed({"pom.xml": pom(), **sources})
        assert loaded.target.env == {"PORT": "{port}"}

    def test_pages_for_whoever_runs_it_are_no_load(self, proposed, pom):
        source = """class Main { void main() {
            int port = Integer.parseInt(args[0]);
            routes.get("/ping", up).get("/health", up).get("/metrics", page).get("/carts", carts);
            routes.get("/health/{part}", one);
        } }"""
        text, loaded = proposed({"pom.xml": pom(), f"{JAVA}Main.java": source})
        assert (loaded.target.ready.path, loaded.target.metrics_path) == ("/health", "/metrics")
        assert [each.name for each in loaded.scenario.endpoints] == ["GET /carts", "GET /health/{part}"]
        assert "# GUESS: /metrics was chosen by its name as a page in Prometheus format" in text

    def test_of_a_framework_no_page_is_told_by_its_name(self, proposed, pom):
        source = '@RestController class Metrics { @GetMapping("/metrics") String all() { return ""; } }'
        starter = (
            "<dependencies><dependency><artifactId>spring-boot-starter-web</artifactId></dependency></dependencies>"
        )
        _, loaded = proposed({"pom.xml": pom(starter), f"{JAVA}Metrics.java": source})
        assert loaded.target.metrics_path is None
        assert [each.name for each in loaded.scenario.endpoints] == ["GET /metrics"]

    def test_routes_are_calls(self, proposed, pom):
        source = """class Main {
            // app.get("/not", ctx -> {});
            void main() {
                app.get("/carts/{id}", ctx -> {}).get("/carts", ctx -> {});
                router.get("/old/:name").handler(this::old);
                app.post("/carts", ctx -> {});
                app.get("relative", ctx -> {});
            } }"""
        _, loaded = proposed({"pom.xml": pom(), f"{JAVA}Main.java": source})
        assert [each.path for each in loaded.scenario.endpoints] == [
            "/carts",
            "/carts/${int(1,10)}",
            "/old/${int(1,10)}",
        ]

    def test_main_class_of_ktor_in_the_build_file(self, proposed):
        script = 'plugins { application }\napplication { mainClass.set("io.ktor.server.netty.EngineMain") }'
        text, loaded = proposed({"build.gradle.kts": script})
        assert command_of(loaded.target)[-2:] == ("io.ktor.server.netty.EngineMain", "-port={port}")
        assert "GUESS: that it takes its port this way" not in text


def test_reactive_routes_of_quarkus(proposed, pom):
    source = """import io.quarkus.vertx.web.*; @RouteBase(path = "/fruits") class Fruits {
        @Route(methods = GET, path = "/") List<Fruit> all() {}
        @Route(methods = Route.HttpMethod.GET, path = "/:id") Fruit one(@Param Integer id) {}
        @Route(methods = POST, path = "/") void add(@Body Fruit fruit) {}
        @Route(path = "/*", type = FAILURE) void failed(RoutingContext context) {}
    }"""
    _, loaded = proposed({"pom.xml": pom(plugin("quarkus-maven-plugin")), f"{JAVA}Fruits.java": source})
    assert [each.path for each in loaded.scenario.endpoints] == ["/fruits", "/fruits/${int(1,10)}"]


def test_helidon_names_its_jar_without_a_version(proposed, pom):
    _, loaded = proposed({"pom.xml": pom("<parent><artifactId>helidon-se</artifactId></parent>")})
    assert loaded.source.artifact == "target/shop.jar"


class TestVariablesOfKtor:
    """What its settings ask for is missing in a fork, which inherits nothing."""

    @pytest.mark.parametrize(
        ("file", "settings"),
        [
            (
                "application.conf",
                'ktor { # ${NOT}\n jwt.secret = ${JWT_SECRET}\n port = ${?PORT}\n url = ${base}"/x" }',
            ),
            ("application.yaml", 'ktor:\n  jwt: "$JWT_SECRET"\n  port: $?PORT\n  url: "$DB_URL:jdbc:h2:mem"\n'),
        ],
    )
    def test_are_listed(self, proposed, pom, file, settings):
        text, _ = proposed({"pom.xml": pom(), f"src/main/resources/{file}": settings})
        assert '# JWT_SECRET = "JWT_SECRET"' in text
        assert "PORT = " not in text
        assert "DB_URL = " not in text
        assert "NOT" not in text
