"""Services without a framework that settles their port, path and pages."""

import pytest

from support.maven_parts import JAVA, dependencies
from support.process_forks import command_of

#: What is proposed where the sources do not tell how a port is chosen.
UNKNOWN = {"argument": "--port={port}", "guess": True}


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
            ("new Server(7070).start();", {"port": 7070}),
            ('Undertow.builder().addHttpListener(8080, "0.0.0.0").build();', {"port": 8080}),
            ("final Server server = newServer(8080);", {"port": 8080}),
            ("app.asServer(Jetty(9000)).start()", {"port": 9000}),
            ("props.export(8080); String report = report(9000);", UNKNOWN),
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
        assert ("which needs special rights" in text) == (port is None)

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

    def test_nor_are_they_where_the_framework_has_such_a_page(self, proposed, pom):
        source = '@RestController class A { @GetMapping("/isAlive") void a() {} @GetMapping("/carts") void b() {} }'
        _, loaded = proposed(
            {
                "pom.xml": pom(dependencies("spring-boot-starter-web", "spring-boot-starter-actuator")),
                f"{JAVA}A.java": source,
            }
        )
        assert loaded.target.ready.path == "/actuator/health"
        assert [each.path for each in loaded.scenario.endpoints] == ["/carts"]

    def test_a_page_may_have_a_slash_at_its_end(self, proposed, pom):
        source = 'import static spark.Spark.*; class Main { void main() { get("/health/", up); get("/carts/", all); } }'
        _, loaded = proposed({"pom.xml": pom(), f"{JAVA}Main.java": source})
        assert loaded.target.ready.path == "/health/"
        assert [each.path for each in loaded.scenario.endpoints] == ["/carts/"]

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


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ('files.add("src/main/resources/public")', "web"),
        ('files.add("./src/main/resources/public/")', "web"),
        ('files.add("src/main/resources/gone")', None),
        ('// files.add("src/main/resources/public")', None),
    ],
)
def test_a_service_whose_sources_name_files_is_started_where_these_are(proposed, pom, line, folder):
    modules = "<packaging>pom</packaging><modules><module>web</module></modules>"
    _, loaded = proposed(
        {
            "pom.xml": pom(modules),
            "web/pom.xml": pom(),
            "web/src/main/java/shop/Main.java": f"class Main {{ static void main(String[] a) {{ {line}\n }} }}",
            "web/src/main/resources/public/index.html": "",
        }
    )
    assert loaded.target.directory.name == (folder or "shop-service")


@pytest.mark.parametrize(
    ("libraries", "named"),
    [
        (("dropwizard-core", "dropwizard-auth"), "dropwizard-auth"),
        (("ktor-server-auth-jwt", "ktor-server-auth"), "ktor-server-auth"),
        (("quarkus-elytron-security-jdbc",), "quarkus-elytron-security-jdbc"),
        (("quarkus-oidc-client",), None),
        (("micronaut-security-jwt",), "micronaut-security-jwt"),
        (("vertx-auth-common",), "vertx-auth-common"),
        (("javalin",), None),
    ],
)
def test_logins_of_other_frameworks_are_told(proposed, pom, libraries, named):
    text, _ = proposed({"pom.xml": pom(dependencies(*libraries))})
    assert ("where it answers 401 or 403" in text) == (named is not None)
    assert f"GUESS: it has {named}: " in text or named is None
