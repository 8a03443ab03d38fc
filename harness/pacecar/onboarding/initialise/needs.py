"""What a service needs around it, as far as its settings and libraries tell: what a fork would look for in vain."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pacecar.onboarding.initialise.settings import Settings, plain

_DATABASE = re.compile(
    r"(?:jdbc|r2dbc):(?:pool:|p6spy:|log4jdbc:|otel:|aws-wrapper:|vertx-reactive:)?(\w{2,20}+):", re.ASCII
)
#: Databases within the JVM, or in a file.
_WITHIN = {"h2", "hsqldb", "derby", "sqlite", "tc"}
_SHOWN = {
    "mysql": "MySQL",
    "mariadb": "MariaDB",
    "postgresql": "PostgreSQL",
    "oracle": "Oracle",
    "sqlserver": "SQL Server",
    "db2": "Db2",
    "clickhouse": "ClickHouse",
}
#: How the addresses of other things begin.
_SCHEMES = {
    "mongodb": "MongoDB",
    "mongodb+srv": "MongoDB",
    "redis": "Redis",
    "rediss": "Redis",
    "amqp": "RabbitMQ",
    "amqps": "RabbitMQ",
    "pulsar": "Pulsar",
    "nats": "NATS",
}
_SCHEME = re.compile(r"([a-z+]{3,12}+):/{2}")
#: What a service looks for at the addresses that settings with these names hold.
_NAMES = {
    "spring.data.mongodb.host": "MongoDB",
    "spring.mongodb.host": "MongoDB",
    "spring.data.redis.host": "Redis",
    "spring.redis.host": "Redis",
    "spring.rabbitmq.host": "RabbitMQ",
    "spring.rabbitmq.addresses": "RabbitMQ",
    "rabbitmq-host": "RabbitMQ",
    "spring.elasticsearch.uris": "Elasticsearch",
    "quarkus.elasticsearch.hosts": "Elasticsearch",
}
#: How the names of such settings end, whoever chose what stands before.
_KAFKA = re.compile(r"(?:^|\.)(?:bootstrap\.?servers|kafka\.binder\.brokers)\Z")
#: Libraries that connect to something, and to nothing within the JVM.
_LIBRARIES = (
    (
        re.compile(
            r"postgresql|(?:\w{1,20}-)?r2dbc-postgresql|pgjdbc-ng|quarkus-jdbc-postgresql|quarkus-reactive-pg-client"
        ),
        "PostgreSQL",
    ),
    (
        re.compile(
            r"mysql-connector-j(?:ava)?|(?:\w{1,20}-)?r2dbc-mysql|quarkus-jdbc-mysql|quarkus-reactive-mysql-client"
        ),
        "MySQL",
    ),
    (re.compile(r"mariadb-java-client|(?:\w{1,20}-)?r2dbc-mariadb|quarkus-jdbc-mariadb"), "MariaDB"),
    (re.compile(r"ojdbc\d{1,2}|oracle-r2dbc|quarkus-jdbc-oracle"), "Oracle"),
    (re.compile(r"mssql-jdbc|(?:\w{1,20}-)?r2dbc-mssql|quarkus-jdbc-mssql"), "SQL Server"),
)
_OTHER_LIBRARIES = (
    (
        re.compile(r"spring-boot-starter-data-mongodb(?:-reactive)?|mongodb-driver-\w{1,20}|quarkus-mongodb-\w{1,20}"),
        "MongoDB",
    ),
    (re.compile(r"micronaut-(?:data-)?mongo\w{0,20}(?:-\w{1,10})?|mongo-java-driver"), "MongoDB"),
    (
        re.compile(r"spring-boot-starter-data-redis(?:-reactive)?|quarkus-redis-client|micronaut-redis-lettuce|jedis"),
        "Redis",
    ),
    (re.compile(r"lettuce-core|redisson(?:-spring-boot-starter)?"), "Redis"),
    (
        re.compile(r"spring-kafka|spring-cloud-(?:starter-stream|stream-binder)-kafka(?:-streams)?|kafka-clients"),
        "Kafka",
    ),
    (
        re.compile(
            r"micronaut-kafka(?:-streams)?|quarkus-(?:kafka-client|messaging-kafka|smallrye-reactive-messaging-kafka)"
        ),
        "Kafka",
    ),
    (
        re.compile(r"spring-boot-starter-amqp|spring-rabbit|amqp-client|micronaut-rabbitmq|quarkus-messaging-rabbitmq"),
        "RabbitMQ",
    ),
    (re.compile(r"spring-boot-starter-data-elasticsearch|elasticsearch-java"), "Elasticsearch"),
    (
        re.compile(r"spring-boot-starter-data-cassandra(?:-reactive)?|(?:java-driver|cassandra-driver)-core"),
        "Cassandra",
    ),
)
#: Drivers of databases within the JVM: where one is among the libraries, nobody knows which one is used.
_EMBEDDED = re.compile(r"(?:quarkus-jdbc-|r2dbc-)?(?:h2|hsqldb|derby(?:client|tools)?)|sqlite-jdbc")
_SERVER = "configserver:"


def needs(settings: Settings, libraries: Collection[str]) -> Iterator[str]:
    """Remarks about databases, brokers and the like that each fork needs.

    Args:
        settings: of the service.
        libraries: names of what it runs with.
    """
    named = list(dict.fromkeys(_named(settings)))
    others = [each for each in dict.fromkeys(_connected(settings, libraries)) if each not in named]
    told = [f"its settings name {_listed(named)}"] if named else []
    told += [f"its libraries connect to {_listed(others)}"] if others else []
    if told:
        # A library may be there for what this installation never does.
        used = "where it uses " + ("that, " if len(others) == 1 else "these, ") if others and not named else ""
        yield (
            f"{', and '.join(told)}: {used}each fork needs its own; have [[target.dependencies]] start it, or deploy "
            'the service from a compose file that names what it depends on (target.deploy = "compose")'
        )


def config_server(settings: Settings) -> Iterator[str]:
    """A remark about the server of settings without which a service of Spring does not start."""
    if _asks_a_server(settings):
        yield (
            "it takes settings from a config server, which was not asked: start that server as one of "
            "[[target.dependencies]], or put its settings into target.env; put its context path before all paths"
        )


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _named(settings: Settings) -> Iterator[str]:
    """What the settings hold addresses of, databases first."""
    values = {name: settings.filled_in(value) or value for name, value in settings.values.items()}
    for database in filter(None, map(_DATABASE.match, values.values())):
        if database[1] not in _WITHIN:
            yield _SHOWN.get(database[1], database[1])
    for scheme in filter(None, map(_SCHEME.match, values.values())):
        if scheme[1] in _SCHEMES:
            yield _SCHEMES[scheme[1]]
    yield from (shown for name, shown in _NAMES.items() if values.get(plain(name)))
    if any(value and _KAFKA.search(name) for name, value in values.items()):
        yield "Kafka"


def _connected(settings: Settings, libraries: Collection[str]) -> Iterator[str]:
    """What the libraries connect to, databases only where neither settings nor libraries tell of any other."""
    known = any(_DATABASE.match(settings.filled_in(value) or value) for value in settings.values.values())
    if not known and not any(_EMBEDDED.fullmatch(name) for name in libraries):
        yield from _among(libraries, _LIBRARIES)
    yield from _among(libraries, _OTHER_LIBRARIES)


def _among(libraries: Collection[str], patterns: tuple[tuple[re.Pattern[str], str], ...]) -> Iterator[str]:
    return (shown for pattern, shown in patterns if any(pattern.fullmatch(name) for name in libraries))


def _asks_a_server(settings: Settings) -> bool:
    """Whether it does not start without a server of Spring Cloud Config."""
    if settings.get("spring.cloud.config.enabled") == "false":
        return False
    imported = [each.strip() for each in settings.get("spring.config.import").split(",")]
    told = settings.get("spring.cloud.config.uri") and settings.get("spring.cloud.config.fail-fast") == "true"
    return bool(told) or any(each.startswith(_SERVER) for each in imported)
