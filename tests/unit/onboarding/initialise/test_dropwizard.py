"""Dropwizard: its settings lie in a file of its own, and so do its ports."""

import pytest

from pacecar.onboarding import initialise
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

    @pytest.mark.parametrize("folder", ["", "config/", "src/main/resources/", "src/main/resources/config/"])
    def test_where_the_file_may_lie(self, dropwizard, folder):
        _, loaded = dropwizard("server: { type: simple, connector: { type: http } }", f"{folder}shop.yml")
        assert command_of(loaded.target)[-2:] == ("server", f"{folder}shop.yml")

    def test_variables_without_a_default_are_named(self, dropwizard):
        text, _ = dropwizard(
            "server: { type: simple, connector: { port: '${PORT:-8080}' } }\n"
            "shop: { url: '${SHOP_URL}/a', keys: ['${API_KEY}'] }\n"
        )
        assert '# SHOP_URL = "…"' in text
        assert '# API_KEY = "API_KEY"' in text
        assert "# PORT" not in text

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


class TestInAModule:
    """Its settings may name files by paths that begin in the folder of the module."""

    SETTINGS = """
        server:
          applicationConnectors: [{type: http, port: 80}, {type: https, port: 81, keyStorePath: example.keystore}]
          adminConnectors: [{type: http, port: 82}]
        """

    @pytest.fixture
    def files(self, pom):
        modules = "<packaging>pom</packaging><modules><module>library</module></modules>"
        parts = plugin("maven-shade-plugin") + dependencies("dropwizard-core")
        return {"pom.xml": pom(modules), "library/pom.xml": pom(parts), "library/library.yml": self.SETTINGS}

    def test_it_is_started_where_these_exist(self, proposed, files):
        text, loaded = proposed({**files, "library/example.keystore": ""})
        assert loaded.target.directory.name == "library"
        assert command_of(loaded.target)[-2:] == ("server", "library.yml")
        assert 'directory = "library"' in text

    @pytest.mark.parametrize("others", [{}, {"example.keystore": "", "library/example.keystore": ""}])
    def test_else_where_the_configuration_is(self, proposed, files, others):
        text, loaded = proposed({**files, **others})
        assert loaded.target.directory.name == "shop-service"
        assert command_of(loaded.target)[-2:] == ("server", "library/library.yml")
        assert "directory =" not in text

    def test_of_its_own_folder_nothing_needs_to_be_said(self, project, files):
        root = project({**files, "library/example.keystore": "", ".git/HEAD": ""})
        text = initialise.propose(root / "library")
        assert '"server", "library.yml"]' in text
        assert "directory =" not in text


class TestDatabase:
    """One in a file is each fork's own, with tables where the service makes them by a command."""

    SETTINGS = """
        database: {driverClass: org.h2.Driver, url: "%s"}
        server: {type: simple, connector: {type: http, port: 80}}
        """
    MOVED = "-Ddw.database.url=jdbc:h2:{fork}/library"

    @pytest.fixture
    def dropwizard(self, proposed, pom):
        def propose(url, *libraries):
            parts = plugin("maven-shade-plugin") + dependencies("dropwizard-core", *libraries)
            files = {"pom.xml": pom(parts), "library.yml": self.SETTINGS % url}
            return proposed({**files, "src/main/resources/migrations.xml": "<databaseChangeLog/>"})

        return propose

    @pytest.mark.parametrize("url", ["jdbc:h2:./target/library", "${DB_URL:-jdbc:h2:~/library}"])
    def test_is_moved(self, dropwizard, url):
        text, loaded = dropwizard(url)
        assert self.MOVED in command_of(loaded.target)
        assert loaded.target.setup == ()
        assert "GUESS: its setting database.url names a database in a file" in text

    def test_gets_its_tables_before_each_start(self, dropwizard):
        text, loaded = dropwizard("jdbc:h2:./target/library", "dropwizard-migrations")
        port = "-Ddw.server.connector.port={port}"
        made = ("{java}", port, self.MOVED, "-jar", "{artifact}", "db", "migrate", "library.yml")
        assert loaded.target.setup == (made,)
        assert "GUESS: that `db migrate` makes its tables" in text

    @pytest.mark.parametrize(
        ("url", "told"), [("jdbc:postgresql://localhost/library", True), ("jdbc:h2:mem:library", False)]
    )
    def test_elsewhere_is_left_alone(self, dropwizard, url, told):
        text, loaded = dropwizard(url, "dropwizard-migrations")
        assert loaded.target.setup == ()
        assert not any("database" in argument for argument in command_of(loaded.target))
        assert ("its tables are made by `db migrate`, which nothing runs here" in text) == told
