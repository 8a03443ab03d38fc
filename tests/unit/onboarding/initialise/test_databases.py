"""Databases in a file, of which each fork gets its own, however a framework is told so."""

import pytest

from pacecar.onboarding.initialise.databases import in_file
from support.maven_parts import JAVA, RESOURCES, dependencies, plugin
from support.process_forks import command_of

SPRING = plugin("spring-boot-maven-plugin")


@pytest.mark.parametrize(
    ("url", "moved"),
    [
        ("jdbc:h2:./target/example", "jdbc:h2:{fork}/example"),
        ("jdbc:h2:~/shop;MODE=MySQL;INIT=RUNSCRIPT FROM 'classpath:a.sql'", None),
        ("jdbc:h2:file:./data/shop;DB_CLOSE_DELAY=-1", "jdbc:h2:file:{fork}/shop;DB_CLOSE_DELAY=-1"),
        ("jdbc:h2:file:${user.home}/shop", "jdbc:h2:file:{fork}/shop"),
        ("jdbc:h2:file:///srv/data/${name}", "jdbc:h2:file:{fork}/database"),
        ("jdbc:h2:file:C:/data/shop", "jdbc:h2:file:{fork}/shop"),
        ("jdbc:h2:test", "jdbc:h2:{fork}/test"),
        ("jdbc:p6spy:h2:file:./shop", "jdbc:p6spy:h2:file:{fork}/shop"),
        ("r2dbc:h2:file:///./shop?options=x", "r2dbc:h2:file:///{fork}/shop?options=x"),
        ("jdbc:sqlite:shop.db", "jdbc:sqlite:{fork}/shop.db"),
        ("jdbc:hsqldb:file:/var/shop;shutdown=true", "jdbc:hsqldb:file:{fork}/shop;shutdown=true"),
        ("jdbc:derby:shop;create=true", "jdbc:derby:{fork}/shop;create=true"),
        ("jdbc:derby:directory:shop", "jdbc:derby:{fork}/shop"),
    ],
)
def test_a_url_of_a_file_is_moved_with_its_options(url, moved):
    database = in_file(url)
    assert database is not None
    assert database.url == (moved or url.replace("~", "{fork}"))


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:h2:mem:shop",
        "jdbc:h2:tcp://localhost/~/shop",
        "jdbc:h2:zip:shop.zip!/shop",
        "r2dbc:h2:mem:///shop",
        "jdbc:sqlite::memory:",
        "jdbc:sqlite:file::memory:?cache=shared",
        "jdbc:sqlite:file:shop?mode=memory&cache=shared",
        "jdbc:sqlite::resource:shop.db",
        "jdbc:sqlite:",
        "jdbc:hsqldb:mem:shop",
        "jdbc:hsqldb:hsql://localhost/shop",
        "jdbc:hsqldb:.",
        "jdbc:derby:memory:shop",
        "jdbc:derby://localhost:1527/shop",
        "jdbc:mysql://localhost/shop",
        "http://localhost/jdbc:h2:./shop",
        "",
    ],
)
def test_what_lies_in_no_file_stays(url):
    assert in_file(url) is None


@pytest.mark.parametrize(
    "url",
    [f"jdbc:h2:./shop;{option}" for option in ("PASSWORD=abc123", "CIPHER=AES", "INIT=${X}", "A={fork}")],
)
def test_options_that_should_not_be_repeated_are_told_only(proposed, pom, url):
    settings = f"spring.datasource.url={url}"
    text, loaded = proposed({"pom.xml": pom(SPRING), f"{RESOURCES}application.properties": settings})
    assert command_of(loaded.target)[-1] == "--server.port={port}"
    assert "GUESS: its setting spring.datasource.url names a database in a file" in text
    assert "abc123" not in text


class TestSettings:
    """An argument counts more than a setting, in the words of the framework."""

    @pytest.mark.parametrize(
        ("build", "settings", "argument"),
        [
            (SPRING, "spring.datasource.url=jdbc:h2:./shop", "--spring.datasource.url=jdbc:h2:{fork}/shop"),
            (
                SPRING,
                "my-data.second_db.jdbcUrl=${DB_URL:jdbc:sqlite:data/shop.db}",
                "--my-data.second_db.jdbcUrl=jdbc:sqlite:{fork}/shop.db",
            ),
            (
                plugin("quarkus-maven-plugin"),
                'quarkus.datasource."users".jdbc.url=jdbc:h2:file:./users',
                '-Dquarkus.datasource."users".jdbc.url=jdbc:h2:file:{fork}/users',
            ),
            (
                plugin("micronaut-maven-plugin"),
                "datasources.default.url=jdbc:h2:./devDb;LOCK_TIMEOUT=1",
                "-Ddatasources.default.url=jdbc:h2:{fork}/devDb;LOCK_TIMEOUT=1",
            ),
            (
                dependencies("helidon-microprofile-core"),
                "javax.sql.DataSource.main.dataSource.url=jdbc:hsqldb:file:shop",
                "-Djavax.sql.DataSource.main.dataSource.url=jdbc:hsqldb:file:{fork}/shop",
            ),
        ],
    )
    def test_are_given_anew(self, proposed, pom, build, settings, argument):
        text, loaded = proposed({"pom.xml": pom(build), f"{RESOURCES}application.properties": settings})
        command = command_of(loaded.target)
        assert argument in command
        assert (command.index(argument) < command.index("-jar")) == argument.startswith("-D")
        assert "names a database in a file, which two forks cannot share" in text
        assert loaded.target.setup == ()

    def test_of_a_server_or_in_memory_stay(self, proposed, pom):
        lines = "spring.datasource.url=jdbc:h2:mem:shop\nother.url=jdbc:postgresql://localhost/shop"
        text, loaded = proposed({"pom.xml": pom(SPRING), f"{RESOURCES}application.properties": lines})
        assert command_of(loaded.target)[-1] == "--server.port={port}"
        assert "database in a file" not in text

    def test_of_ktor(self, proposed, pom):
        source = "package org.shop\nfun main(args: Array<String>): Unit = io.ktor.server.netty.EngineMain.main(args)"
        settings = "ktor:\n  deployment: {port: 80}\nstorage:\n  jdbcURL: jdbc:h2:file:build/db"
        _, loaded = proposed(
            {
                "pom.xml": pom(plugin("maven-shade-plugin")),
                f"{RESOURCES}application.yaml": settings,
                "src/main/kotlin/Main.kt": source,
            }
        )
        assert command_of(loaded.target)[-1] == "-P:storage.jdbcURL=jdbc:h2:file:{fork}/db"

    def test_a_profile_that_is_not_on_is_left_alone(self, proposed, pom):
        settings = '"%dev":\n  quarkus.datasource.jdbc.url: jdbc:h2:file:./dev'
        _, loaded = proposed({"pom.xml": pom(plugin("quarkus-maven-plugin")), f"{RESOURCES}application.yml": settings})
        assert not any("{fork}" in each for each in command_of(loaded.target))


class TestData:
    """What lies in the project is copied, so that each fork begins with the same."""

    @pytest.mark.parametrize(
        ("url", "file", "copy"),
        [
            ("jdbc:sqlite:data/shop.db", "data/shop.db", ("cp", "-r", "./data/shop.db", "{fork}/shop.db")),
            ("jdbc:h2:./data/shop", "data/shop.mv.db", ("cp", "-r", "./data/shop.mv.db", "{fork}/shop.mv.db")),
            ("jdbc:derby:shop", "shop/service.properties", ("cp", "-r", "./shop", "{fork}/shop")),
            ("jdbc:h2:./target/shop", "target/shop.mv.db", None),
            ("jdbc:sqlite:../other.db", "../other.db", None),
            ("jdbc:sqlite:data/../../other.db", "../other.db", None),
        ],
    )
    def test_is_copied(self, proposed, pom, url, file, copy):
        lines = f"spring.datasource.url={url}"
        text, loaded = proposed({"pom.xml": pom(SPRING), f"{RESOURCES}application.properties": lines, file: "x"})
        assert loaded.target.setup == ((copy,) if copy else ())
        assert ("with a copy of the data" in text) == (copy is not None)


class TestSources:
    """What a source names can only be told."""

    @pytest.mark.parametrize(
        ("url", "told"),
        [
            ("jdbc:sqlite:shop.db", True),
            ("jdbc:h2:file:./build/db;PASSWORD=abc123", True),
            ("jdbc:h2:mem:shop", False),
        ],
    )
    def test_is_told(self, proposed, pom, url, told):
        source = f'class Main {{ void main() {{ connect("{url}", 1); /* "jdbc:sqlite:old.db" */ }} }}'
        text, _ = proposed({"pom.xml": pom(dependencies("javalin")), f"{JAVA}Main.java": source})
        shown = url.partition(";")[0]
        assert (f"GUESS: its sources name a database in a file, {shown}, and two forks are up at once" in text) == told
        assert "abc123" not in text
        assert "old.db" not in text

    def test_of_a_service_with_a_fixed_port_is_found_by_the_next_fork(self, proposed, pom):
        source = 'class Main { void main() { connect("jdbc:sqlite:shop.db"); app.start(7070); } }'
        text, _ = proposed({"pom.xml": pom(dependencies("javalin")), f"{JAVA}Main.java": source})
        assert "a database in a file, jdbc:sqlite:shop.db, and what one fork leaves, the next one finds" in text
