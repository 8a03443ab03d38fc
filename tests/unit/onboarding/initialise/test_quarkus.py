"""What Quarkus settles: its package, port, paths, and pages of health and metrics."""

import pytest

from support.maven_parts import JAVA, RESOURCES, dependencies, plugin
from support.process_forks import command_of


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


def test_reactive_routes_of_quarkus(proposed, pom):
    source = """import io.quarkus.vertx.web.*; @RouteBase(path = "/fruits") class Fruits {
        @Route(methods = GET, path = "/") List<Fruit> all() {}
        @Route(methods = Route.HttpMethod.GET, path = "/:id") Fruit one(@Param Integer id) {}
        @Route(methods = POST, path = "/") void add(@Body Fruit fruit) {}
        @Route(path = "/*", type = FAILURE) void failed(RoutingContext context) {}
    }"""
    _, loaded = proposed({"pom.xml": pom(plugin("quarkus-maven-plugin")), f"{JAVA}Fruits.java": source})
    assert [each.path for each in loaded.scenario.endpoints] == ["/fruits", "/fruits/${int(1,10)}"]
