"""What Micronaut and Helidon settle: port, paths, and pages of health and metrics."""

import pytest

from support.maven_parts import JAVA, RESOURCES, dependencies, plugin
from support.process_forks import command_of


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


def test_helidon_names_its_jar_without_a_version(proposed, pom):
    _, loaded = proposed({"pom.xml": pom("<parent><artifactId>helidon-se</artifactId></parent>")})
    assert loaded.source.artifact == "target/shop.jar"


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


class TestFurtherSockets:
    """Those of Helidon have ports of their own, which two forks may not share."""

    SOCKETS = "server:\n  sockets: [{name: private, port: 8081}, {name: admin, port: 8082}]\n"
    PORTS = ("-Dserver.port={port}", "-Dserver.sockets.0.port=0", "-Dserver.sockets.1.port=0")

    @pytest.mark.parametrize(
        ("name", "settings"),
        [
            (f"{RESOURCES}application.yaml", SOCKETS),
            (
                f"{RESOURCES}META-INF/microprofile-config.properties",
                "server.sockets.0.port=8081\nserver.sockets.1.port=8082\nserver.sockets.1.name=admin",
            ),
        ],
    )
    def test_may_not_keep_their_ports(self, proposed, pom, name, settings):
        text, loaded = proposed({"pom.xml": pom(dependencies("helidon-microprofile-core")), name: settings})
        assert tuple(each for each in command_of(loaded.target) if each.startswith("-D")) == self.PORTS
        assert loaded.target.ready.path == "/health/ready"
        assert "on a socket of their own" not in text

    def test_may_have_the_pages(self, proposed, pom):
        settings = f"{self.SOCKETS}  features: {{observe: {{sockets: admin}}}}"
        libraries = dependencies("helidon-webserver-observe-health", "helidon-webserver-observe-metrics")
        source = 'class Hello { void a() { io.helidon.webserver.A.b(); rules.get("/hello", this::hello); } }'
        text, loaded = proposed(
            {
                "pom.xml": pom(libraries),
                f"{RESOURCES}application.yaml": settings,
                f"{JAVA}Hello.java": source,
            }
        )
        assert (loaded.target.ready.path, loaded.target.metrics_path) == ("/hello", None)
        assert "GUESS: its health and metrics pages are on a socket of their own" in text


@pytest.mark.parametrize(
    ("library", "pages"),
    [
        ("helidon-webserver-observe-health", ("/observe/health/ready", None)),
        ("helidon-webserver-observe-metrics", ("/hello", "/observe/metrics")),
        ("helidon-webserver-observe", ("/hello", None)),
    ],
)
def test_pages_of_helidon_may_be_there_alone(proposed, pom, library, pages):
    source = 'class Hello { void a() { io.helidon.webserver.A.b(); rules.get("/hello", this::hello); } }'
    _, loaded = proposed({"pom.xml": pom(dependencies(library)), f"{JAVA}Hello.java": source})
    assert (loaded.target.ready.path, loaded.target.metrics_path) == pages
