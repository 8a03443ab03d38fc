"""What a Spring Boot service needs around it, as far as its settings tell: what a fork would look for in vain."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pacecar.onboarding.initialise.settings import Settings

_DATABASE = re.compile(r"(?:jdbc|r2dbc):(?:pool:|p6spy:|log4jdbc:|otel:|aws-wrapper:)?(\w{2,20}+):", re.ASCII)
#: Databases within the JVM, or in a file.
_WITHIN = {"h2", "hsqldb", "derby", "sqlite", "tc"}
_SHOWN = {"mysql": "MySQL", "mariadb": "MariaDB", "postgresql": "PostgreSQL", "oracle": "Oracle"}
_URLS = ("spring.datasource.url", "spring.datasource.jdbc-url", "spring.datasource.hikari.jdbc-url", "spring.r2dbc.url")
#: What a service looks for at the addresses that settings with these beginnings hold.
_OTHERS = {
    "MongoDB": ("spring.data.mongodb.uri", "spring.data.mongodb.host", "spring.mongodb.uri", "spring.mongodb.host"),
    "Redis": ("spring.data.redis.host", "spring.data.redis.url", "spring.redis.host", "spring.redis.url"),
    "Kafka": ("spring.kafka.bootstrap-servers",),
    "RabbitMQ": ("spring.rabbitmq.host", "spring.rabbitmq.addresses"),
    "Elasticsearch": ("spring.elasticsearch.uris",),
}
_SERVER = "configserver:"


def needs(settings: Settings) -> Iterator[str]:
    """Remarks about databases and the like, and a server of settings."""
    if asked := [*_databases(settings), *(name for name, keys in _OTHERS.items() if settings.get(*keys))]:
        told = " and ".join(filter(None, (", ".join(asked[:-1]), asked[-1])))
        yield (
            f"its settings name {told}: each fork needs its own; have [[target.dependencies]] start it, or deploy the "
            'service from a compose file that names what it depends on (target.deploy = "compose")'
        )
    if _asks_a_server(settings):
        yield (
            "it takes settings from a config server, which was not asked: start that server as one of "
            "[[target.dependencies]], or put its settings into target.env; put its context path before all paths"
        )


def _databases(settings: Settings) -> list[str]:
    found = (_DATABASE.match(settings.get(url)) for url in _URLS)
    return list(dict.fromkeys(_SHOWN.get(match[1], match[1]) for match in found if match and match[1] not in _WITHIN))


def _asks_a_server(settings: Settings) -> bool:
    """Whether it does not start without a server of Spring Cloud Config."""
    if settings.get("spring.cloud.config.enabled") == "false":
        return False
    imported = [each.strip() for each in settings.get("spring.config.import").split(",")]
    told = settings.get("spring.cloud.config.uri") and settings.get("spring.cloud.config.fail-fast") == "true"
    return bool(told) or any(each.startswith(_SERVER) for each in imported)
