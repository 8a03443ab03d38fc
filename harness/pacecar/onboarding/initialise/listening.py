"""How a service without a known framework seems to choose its port: read from its sources."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.frameworks import UNKNOWN, Service
from pacecar.onboarding.initialise.jersey import jersey_place
from pacecar.onboarding.initialise.source_text import without_comments

_VARIABLE = re.compile(
    r"\b(?:(?:getenv|environment)\(\s{0,20}+\)?(?:\.get(?:OrDefault)?\(\s{0,20}+|\[\s{0,20}+)?|env\[\s{0,20}+)"
    r'"(\w{0,40}PORT(?:_\w{0,40})?)"',
    re.ASCII,
)
_PROPERTY = re.compile(
    r'(?:\bgetProperty|(?<![\w.])getInteger|\bInteger\.getInteger)\(\s{0,20}+"([\w.-]{0,80}port)"',
    re.IGNORECASE | re.ASCII,
)
#: The configuration of a verticle of Vert.x.
_CONFIG = re.compile(r'\bconfig(?:\(\))?\.getInteger\(\s{0,20}+"([\w.-]{0,80}port)"', re.IGNORECASE | re.ASCII)
_ARGUMENT = re.compile(r"\bparseInt\(\s*args\[0\]|\bargs\[0\]\.toInt\(\)")
#: Ktor's own main class, which reads arguments of its own.
_ENGINE = re.compile(r"\bEngineMain\s{0,20}+\.\s{0,20}+main\(")
_ENGINE_CLASS = re.compile(r"io\.ktor\.server\.\w{1,40}\.EngineMain")
_NUMBER = re.compile(
    r"\b(?:(?:start|listen|bind|http|InetSocketAddress|addHttpListener|Jetty|Undertow|Netty|SunHttp|port|\w{0,30}Port"
    r"|server|\w{0,30}Server)\s{0,20}+\(\s{0,40}+(?:\"[\w.:]{1,40}\"\s*,\s*)?"
    r"|embeddedServer\s{0,20}+\(\s{0,40}+\w{1,60}+\s{0,20}+,\s{0,40}+(?:port\s{0,20}+=\s{0,20}+)?)(\d{4,5})\s*[,)]"
)
#: `const val SERVER_PORT = 8080`, where no call names a number.
_NAMED_NUMBER = re.compile(
    r"\b(\w{0,40}port)\s{0,20}+(?::\s{0,20}+Int\s{0,20}+)?=\s{0,20}+(\d{4,5})\b", re.IGNORECASE | re.ASCII
)
#: A port that only the system's own programs may listen on.
_LOW_NUMBER = re.compile(r"\b(?:start|listen|port)\s{0,20}+\(\s{0,40}+(\d{2,3})\s*\)")
#: Spark's own port, where nothing names another one.
_SPARK = re.compile(r"\bimport\s{1,9}+(?:static\s{1,9}+)?spark\.(?:Spark|Service|kotlin)\b")
_PORT_OF_SPARK = 4567
#: Helidon's server, and what hands the settings on to it.
_HELIDON = re.compile(r"\bio\.helidon\.webserver\b")
_CONFIGURED = re.compile(r"\.config\s{0,9}+\(|\bWebServer\.create\s{0,9}+\(\s{0,9}+\w")
_LONGEST_CHAIN = 400
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
        rank: the smaller, the likelier that this is the port on which the service listens.
        main: whether the file that asks has the main method.
    """

    service: Service
    rank: int
    main: bool

    @property
    def order(self) -> tuple[int, bool]:
        """The smaller, the better it is."""
        return self.rank, not self.main


#: Of ways by a name that many give to the port of their own, of other ways that are sure, and of the rest.
_KNOWN, _POSITION, _UNSURE = range(3)


def plain_service(module: Path, words: Collection[str] = ()) -> Service:
    """A service of one's own making, told its port the way its sources ask for it.

    Args:
        module: folder that holds `src/main`.
        words: names in its build files, such as that of its main class.
    """
    place = jersey_place(module)
    service = _listening(module, words)
    if service is UNKNOWN and place.port:
        service = _fixed(place.port) if place.port >= _LOWEST else _too_low(str(place.port))
    return replace(service, resources=place.path)


def _listening(module: Path, words: Collection[str]) -> Service:
    best: _Way | None = None
    fixed: int | None = None
    named: int | None = None
    low: str | None = None
    spark = False
    if any(_ENGINE_CLASS.fullmatch(word) for word in words):
        best = _Way(service=_ktor(), rank=_KNOWN, main=True)
    for folder, path in files.sources(module):
        source = without_comments(files.text(folder / path))
        for way in _ways(source):
            best = way if best is None or way.order < best.order else best
        if fixed is None and (match := _NUMBER.search(source)):
            fixed = _port(match[1])
        low = low or next((match[1] for match in _LOW_NUMBER.finditer(source)), None)
        spark = spark or _SPARK.search(source) is not None
        if named is None:
            numbers = (match for match in _NAMED_NUMBER.finditer(source) if not _OTHERS.search(match[1]))
            named = next((port for match in numbers if (port := _port(match[2]))), None)
    if best is not None:
        return replace(best.service, sure=best.rank != _UNSURE)
    port = fixed or named or (_PORT_OF_SPARK if spark and low is None else None)
    if port is None:
        return UNKNOWN if low is None else _too_low(low)
    return _fixed(port)


def helidon_service(service: Service, module: Path) -> Service:
    """A service of Helidon SE, which listens where its settings say only if its sources hand these on."""
    sources = [without_comments(files.text(folder / path)) for folder, path in files.sources(module)]
    servers = [source for source in sources if _HELIDON.search(source)]
    if port := next(filter(None, map(_fixed_in_helidon, servers)), None):
        remark = (
            f"its sources name port {port}, which overrides the setting server.port, so the two builds take "
            'turns, which detects less; leave it to .config(config.get("server")) to measure them side by side'
        )
        return replace(service, jvm_args=(), port=port, remarks=(*service.remarks, remark))
    if servers and not any(_CONFIGURED.search(source) for source in servers):
        remark = (
            "its sources hand no settings on to WebServer, which then takes any port; add "
            '.config(config.get("server")), so that it listens where -Dserver.port says'
        )
        return replace(service, sure=False, remarks=(*service.remarks, remark))
    return service


def _fixed_in_helidon(source: str) -> int | None:
    """The port that a source names, unless settings come behind it: what comes last counts."""
    match = _NUMBER.search(source)
    later = _CONFIGURED.search(source, match.end(), match.end() + _LONGEST_CHAIN) if match else None
    return _port(match[1]) if match and not later else None


def _too_low(port: str) -> Service:
    remark = (
        f"its sources name port {port}, which needs special rights, and no way to change it; read the port from "
        "a variable, such as PORT"
    )
    return Service(env=(("PORT", "{port}"),), sure=False, remarks=(remark,))


def _fixed(port: int) -> Service:
    remark = (
        f"its sources name port {port} and no way to change it, so the two builds take turns, which detects less; "
        "read the port from a variable, such as PORT, to measure them side by side"
    )
    return Service(port=port, remarks=(remark,))


def _port(number: str) -> int | None:
    return int(number) if _LOWEST <= int(number) <= _HIGHEST else None


def _ktor() -> Service:
    return Service(program_args=("-port={port}",), setting="-P:")


def _ways(source: str) -> Iterator[_Way]:
    main = files.has_main(source)
    for pattern, told in _NAMED_WAYS:
        for match in islice(pattern.finditer(source), _MOST_IN_A_FILE):
            if not _OTHERS.search(match[1]):
                yield _Way(service=told(match[1]), rank=_KNOWN if match[1] in _PREFERRED else _UNSURE, main=main)
    for match in islice(_CONFIG.finditer(source), _MOST_IN_A_FILE):
        if not _OTHERS.search(match[1]):
            # Known to Vert.x's launcher; a main method of one's own may well pass no configuration on.
            service = Service(program_args=("-conf", f'{{"{match[1]}":{{port}}}}'))
            yield _Way(service=service, rank=_UNSURE, main=main)
    if _ENGINE.search(source):
        yield _Way(service=_ktor(), rank=_KNOWN, main=main)
    if _ARGUMENT.search(source):
        yield _Way(service=Service(program_args=("{port}",)), rank=_POSITION, main=main)


def _by_variable(name: str) -> Service:
    return Service(env=((name, "{port}"),))


def _by_property(name: str) -> Service:
    return Service(jvm_args=(f"-D{name}={{port}}",))


_NAMED_WAYS = ((_VARIABLE, _by_variable), (_PROPERTY, _by_property))
