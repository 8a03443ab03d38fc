"""What each fork needs around it: databases and brokers, as settings and libraries of any framework tell."""

import pytest

from support.maven_parts import RESOURCES, dependencies

ITS_OWN = "each fork needs its own; have [[target.dependencies]] start it"


@pytest.mark.parametrize(
    ("library", "file", "settings", "told"),
    [
        (
            "spring-boot-starter-web",
            "application.properties",
            "spring.datasource.druid.master.url=jdbc:mysql://db/shop?password=secret",
            "its settings name MySQL:",
        ),
        (
            "spring-boot-starter-web",
            "application.properties",
            "shop.kafka.bootstrap.servers=${HOST:localhost}:9092\nspring.datasource.url=jdbc:h2:mem:shop",
            "its settings name Kafka:",
        ),
        (
            "quarkus-core",
            "application.properties",
            "quarkus.datasource.jdbc.url=jdbc:postgresql://db/shop\nquarkus.redis.hosts=redis://cache:6379",
            "its settings name PostgreSQL and Redis:",
        ),
        (
            "quarkus-core",
            "application.properties",
            "%dev.quarkus.datasource.jdbc.url=jdbc:postgresql://db/shop",
            None,
        ),
        (
            "micronaut-http-server-netty",
            "application.yml",
            "datasources:\n  default:\n    url: jdbc:oracle:thin:@db\nkafka:\n  bootstrap:\n    servers: broker:9092\n",
            "its settings name Oracle and Kafka:",
        ),
        (
            "micronaut-http-server-netty",
            "application.yml",
            "datasources:\n  default:\n    url: jdbc:h2:mem:shop\n",
            None,
        ),
    ],
)
def test_addresses_in_settings_are_told_whatever_their_names(proposed, pom, library, file, settings, told):
    text, _ = proposed({"pom.xml": pom(dependencies(library)), f"{RESOURCES}{file}": settings})
    assert (ITS_OWN in text) == (told is not None)
    assert (told or "") in text
    assert "secret" not in text


@pytest.mark.parametrize(
    ("libraries", "told"),
    [
        (("postgresql",), "its libraries connect to PostgreSQL: where it uses that, each fork"),
        (("mysql-connector-j", "jedis"), "its libraries connect to MySQL and Redis: where it uses these, each fork"),
        (("mysql-connector-j", "h2"), None),
        (("spring-boot-starter-web", "spring-kafka"), "its libraries connect to Kafka:"),
        (("quarkus-core", "quarkus-jdbc-mariadb"), "its libraries connect to MariaDB:"),
        (("jasync-r2dbc-mysql",), "its libraries connect to MySQL:"),
        (("micronaut-kafka",), "its libraries connect to Kafka:"),
        (("postgresql-embedded", "flyway-database-postgresql"), None),
    ],
)
def test_what_settings_leave_out_is_told_by_libraries(proposed, pom, libraries, told):
    text, _ = proposed({"pom.xml": pom(dependencies(*libraries))})
    assert (ITS_OWN in text) == (told is not None)
    assert (told or "") in text


def test_a_library_that_settings_speak_of_is_not_told_twice(proposed, pom):
    settings = {f"{RESOURCES}application.properties": "spring.datasource.url=jdbc:postgresql://db/shop"}
    text, _ = proposed({"pom.xml": pom(dependencies("spring-boot-starter-web", "postgresql", "jedis")), **settings})
    assert "its settings name PostgreSQL, and its libraries connect to Redis: each fork" in text


def test_libraries_of_tests_are_not_needed_in_maven(proposed, pom):
    tests = (
        "<dependencies><dependency><artifactId>postgresql</artifactId><scope>test</scope></dependency></dependencies>"
    )
    text, _ = proposed({"pom.xml": pom(tests)})
    assert ITS_OWN not in text


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ('dependencies { runtimeOnly("org.postgresql:postgresql:42.7") }', True),
        ('dependencies { testImplementation("org.testcontainers:postgresql:1.20") }', False),
        ("dependencies { runtimeOnly(libs.postgres) }", True),
        ("dependencies { testRuntimeOnly(libs.postgres) }", False),
        ('dependencies { implementation(project(":data")) }', True),
    ],
)
def test_libraries_of_tests_are_not_needed_in_gradle(proposed, script, told):
    text, _ = proposed(
        {
            "build.gradle.kts": script,
            "settings.gradle.kts": 'include(":data")',
            "data/build.gradle.kts": 'dependencies { runtimeOnly("org.postgresql:postgresql:42.7") }',
            "gradle/libs.versions.toml": '[libraries]\npostgres = "org.postgresql:postgresql:42.7"',
        }
    )
    assert ("its libraries connect to PostgreSQL" in text) == told
