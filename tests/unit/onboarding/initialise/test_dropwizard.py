"""Dropwizard: its settings lie in a file of its own, and so do its ports."""

import pytest

from support.maven_parts import JAVA, dependencies, plugin
from support.process_forks import command_of


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
