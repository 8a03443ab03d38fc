"""How a service without a known framework seems to choose its port: read from its sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.frameworks import UNKNOWN, Service
from pacecar.onboarding.initialise.source_text import without_comments

_VARIABLE = re.compile(
    r"\b(?:getenv\(\s{0,20}+\)?(?:\.get(?:OrDefault)?\(\s{0,20}+|\[\s{0,20}+)?|env\[\s{0,20}+)"
    r'"(\w{0,40}PORT(?:_\w{0,40})?)"',
    re.ASCII,
)
_PROPERTY = re.compile(r'\b(?:getProperty|getInteger)\(\s{0,20}+"([\w.-]{0,80}port)"', re.IGNORECASE | re.ASCII)
_ARGUMENT = re.compile(r"\bparseInt\(\s*args\[0\]|\bargs\[0\]\.toInt\(\)")
_NUMBER = re.compile(
    r"\b(?:start|listen|bind|port|InetSocketAddress)\s*\(\s*(?:\"[\w.:]{1,40}\"\s*,\s*)?(\d{4,5})\s*[,)]"
)
_LOWEST, _HIGHEST = 1024, 65535
#: What a service calls the port on which it listens itself.
_PREFERRED = {"PORT", "HTTP_PORT", "SERVER_PORT", "port", "server.port", "http.port"}
#: Ports of what it calls, or of those who look after it; and other words.
_OTHERS = re.compile(
    r"DB(?=[_.-]|PORT|$)|DATABASE|SQL|POSTGRES|\bPG|[_.-]PG|ORACLE|REDIS|CACHE|MONGO|CASSANDRA|ELASTIC|OPENSEARCH|SOLR"
    r"|KAFKA|RABBIT|AMQP|MQ|NATS|ZOOKEEPER|CONSUL|EUREKA|MAIL|SMTP|IMAP|LDAP|FTP|SSH|PROXY|STATSD|GRAPHITE|JAEGER"
    r"|DEBUG|JMX|ADMIN|MANAGEMENT|METRICS|(?:RE|EX|IM|SUP|TRANS|PASS)PORT",
    re.IGNORECASE | re.ASCII,
)
_MOST_IN_A_FILE = 100


@dataclass(frozen=True, kw_only=True)
class _Way:
    """A way in which the sources ask for a port.

    Attributes:
        service: told its port so.
        name: of a variable or property; None for an argument.
        main: whether the file that asks has the main method.
    """

    service: Service
    name: str | None
    main: bool

    @property
    def rank(self) -> tuple[int, bool]:
        """The smaller, the likelier that this is the port on which the service listens."""
        return 0 if self.name in _PREFERRED else 1 if self.name is None else 2, not self.main


def plain_service(module: Path) -> Service:
    """A service of one's own making, told its port the way its sources ask for it."""
    best: _Way | None = None
    fixed: int | None = None
    for folder, path in files.sources(module):
        source = without_comments(files.text(folder / path))
        for way in _ways(source):
            best = way if best is None or way.rank < best.rank else best
        if fixed is None and (match := _NUMBER.search(source)) and _LOWEST <= int(match[1]) <= _HIGHEST:
            fixed = int(match[1])
    if best is not None:
        return replace(best.service, sure=best.name is None or best.name in _PREFERRED)
    if fixed is not None:
        remark = (
            f"its sources name port {fixed} and no way to change it, so the two builds take turns, which detects less"
        )
        return Service(port=fixed, remarks=(remark,))
    return UNKNOWN


def _ways(source: str) -> Iterator[_Way]:
    main = files.has_main(source)
    for match in islice(_VARIABLE.finditer(source), _MOST_IN_A_FILE):
        if not _OTHERS.search(match[1]):
            yield _Way(service=Service(env=((match[1], "{port}"),)), name=match[1], main=main)
    for match in islice(_PROPERTY.finditer(source), _MOST_IN_A_FILE):
        if not _OTHERS.search(match[1]):
            yield _Way(service=Service(jvm_args=(f"-D{match[1]}={{port}}",)), name=match[1], main=main)
    if _ARGUMENT.search(source):
        yield _Way(service=Service(program_args=("{port}",)), name=None, main=main)
