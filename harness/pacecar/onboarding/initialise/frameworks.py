"""What a framework settles: how its service is told a port, below which path it answers, where its health page is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from pacecar.onboarding.initialise.logins import guard
from pacecar.onboarding.initialise.needs import config_server
from pacecar.onboarding.initialise.settings import Settings

_PATH = re.compile(r"[\w./~-]{1,80}", re.ASCII)
#: The port of a further socket of Helidon's, which a list of YAML or a name of properties holds.
_SOCKET = re.compile(r"server\.sockets(?:\[(\d{1,2})\]|\.(\d{1,2}))\.port", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Service:
    """How a service is started and asked.

    Attributes:
        framework: "Spring Boot", "Quarkus", "Micronaut", "Helidon", "Dropwizard"; None when none was recognised.
        jvm_args: before the program, `{port}` among them.
        program_args: after it.
        env: variables to set, as (name, value).
        setting: what stands before `name=value` in an argument that sets one of its settings: of the JVM where it
            begins with `-D`, else of the program; None where there is no such argument.
        variables: that settings of its own ask for without a default.
        directory: the folder in which it is started, below that of the configuration.
        setup: commands to run before each start.
        port: the one it always takes; None when it can be told another.
        sure: whether it is known to listen where it is told to.
        base: what all its endpoints lie below; "" or `/petclinic`.
        resources: what those of JAX-RS lie below besides; None for what `@ApplicationPath` says.
        repositories: what those of Spring Data REST lie below besides; None where nothing exports repositories.
        ready: a page that says when it is up; None when none is known.
        guarded: whether that page may ask for a login.
        metrics: its Prometheus page; None when it has none.
        exposed: whether its settings turn that page on.
        remarks: what is worth a look.
    """

    framework: str | None = None
    jvm_args: tuple[str, ...] = ()
    program_args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    setting: str | None = None
    variables: tuple[str, ...] = ()
    directory: str = "."
    setup: tuple[tuple[str, ...], ...] = ()
    port: int | None = None
    sure: bool = True
    base: str = ""
    resources: str | None = None
    repositories: str | None = None
    ready: str | None = None
    guarded: bool = False
    metrics: str | None = None
    exposed: bool = False
    remarks: tuple[str, ...] = ()


#: What is assumed when nothing is known.
UNKNOWN = Service(program_args=("--port={port}",), sure=False)


def recognised(words: Collection[str], settings: Settings) -> Service | None:
    """The service of a project in whose build files `words` stand, such as names of plugins and dependencies."""
    service = _reader(words)
    return service(frozenset(words), settings) if service else None


def is_spring(words: Collection[str]) -> bool:
    """Whether these words are those of a Spring Boot service, whose settings are read in a way of their own."""
    return _reader(words) is _spring


def path_of(*parts: str) -> str:
    """The parts as one path with a leading slash and none at its end; "" of nothing, or of what is no plain path."""
    joined = "/".join(stripped for part in parts if (stripped := part.strip("/ ")))
    return f"/{joined}" if _PATH.fullmatch(joined) else ""


def _spring(words: frozenset[str], settings: Settings) -> Service:
    base = _base_of_spring(words, settings)
    program = ["--server.port={port}"]
    remarks = list(config_server(settings))
    if settings.get("management.server.port"):
        # Two services side by side would both want the other port. On the main one its own base path does not count.
        program.append("--management.server.port={port}")
    if settings.has("server.ssl.") and settings.get("server.ssl.enabled") != "false":
        program.append("--server.ssl.enabled=false")
        remarks.append("it serves HTTPS, which was turned off for the measurement")
    health, metrics = (_page(base, name, settings) for name in ("health", "prometheus"))
    if settings.get("management.endpoint.health.probes.enabled") == "true":
        health += "/readiness"
    named = "spring-boot-starter-actuator" in words
    # A starter of one's own may bring it; nobody sets up what is not there.
    actuator = (named or settings.has("management.endpoint")) and _exposed("health", settings, otherwise="health")
    if actuator and not named:
        remarks.append("its settings speak of Spring's actuator, which its build files do not name: that it is there")
    return Service(
        framework="Spring Boot",
        program_args=tuple(program),
        setting="--",
        base=base,
        resources=_jersey(words, settings),
        repositories=path_of(settings.get("spring.data.rest.base-path")) if words & _DATA_REST else None,
        ready=health if actuator else None,
        guarded=guard(words) is not None,
        metrics=metrics if "micrometer-registry-prometheus" in words else None,
        exposed=_exposed("prometheus", settings) and settings.get(*_EXPORT) != "false",
        remarks=tuple(remarks),
    )


def _base_of_spring(words: frozenset[str], settings: Settings) -> str:
    """What precedes all paths: servlets and WebFlux each have settings of their own, and ignore the other's."""
    if words & _REACTIVE and not words & _SERVLETS:
        return path_of(settings.get("spring.webflux.base-path"))
    context = settings.get("server.servlet.context-path")
    if words & _SERVLETS:
        return path_of(context, "" if _jersey(words, settings) else settings.get("spring.mvc.servlet.path"))
    return path_of(context or settings.get("spring.webflux.base-path"), settings.get("spring.mvc.servlet.path"))


def _jersey(words: frozenset[str], settings: Settings) -> str | None:
    path = settings.get("spring.jersey.application-path") if "spring-boot-starter-jersey" in words else ""
    return path_of(path) if path else None


def _page(base: str, name: str, settings: Settings) -> str:
    """The path of one of Spring's own pages."""
    pages = settings.get("management.endpoints.web.base-path") or "actuator"
    return path_of(base, pages, settings.get(f"management.endpoints.web.path-mapping.{name}") or name)


def _exposed(name: str, settings: Settings, *, otherwise: str | None = None) -> bool:
    """Whether the settings turn a page of Spring's on; `otherwise` names those that are on without any."""

    def listed(key: str) -> set[str]:
        names = settings.get(f"management.endpoints.web.exposure.{key}").replace("'", "").replace('"', "")
        return {each.strip() for each in names.split(",") if each.strip()}

    return bool({name, "*"} & (listed("include") or {otherwise or ""})) and not {name, "*"} & listed("exclude")


def _quarkus(words: frozenset[str], settings: Settings) -> Service:
    root = settings.get("quarkus.http.root-path")
    rest = settings.get("quarkus.rest.path", "quarkus.resteasy-reactive.path", "quarkus.resteasy.path")
    other = settings.get("quarkus.http.non-application-root-path") or "q"
    pages = path_of(other) if other.startswith("/") else path_of(root, other)
    service = Service(
        framework="Quarkus",
        jvm_args=("-Dquarkus.http.port={port}",),
        setting="-D",
        base=path_of(root, rest),
        ready=f"{pages}/health/ready" if "quarkus-smallrye-health" in words else None,
        metrics=f"{pages}/metrics" if "quarkus-micrometer-registry-prometheus" in words else None,
        exposed=True,
    )
    return _apart(service) if settings.get("quarkus.management.enabled") == "true" else service


def _apart(service: Service) -> Service:
    """A service of Quarkus that keeps its pages on a port for its management, which cannot be its own, as Spring's can.

    Whether it does is settled when it is built.
    """
    remark = "its health and metrics pages are on the port of quarkus.management, where Pacecar cannot reach them"
    return replace(
        service,
        # Two services side by side would both want the other port.
        jvm_args=(*service.jvm_args, "-Dquarkus.management.port=0"),
        ready=None,
        metrics=None,
        remarks=(*service.remarks, remark),
    )


def _micronaut(words: frozenset[str], settings: Settings) -> Service:
    base = path_of(settings.get("micronaut.server.context-path"))
    pages = path_of(base, settings.get("endpoints.all.path"))
    return Service(
        framework="Micronaut",
        jvm_args=("-Dmicronaut.server.port={port}",),
        setting="-D",
        base=base,
        ready=f"{pages}/health" if "micronaut-management" in words else None,
        metrics=f"{pages}/prometheus" if "micronaut-micrometer-registry-prometheus" in words else None,
        exposed="false" in (settings.get("endpoints.prometheus.sensitive"), settings.get("endpoints.all.sensitive")),
    )


def _helidon(words: frozenset[str], settings: Settings) -> Service:
    ready: str | None = None
    metrics: str | None = None
    if any(word.startswith("helidon-microprofile") for word in words):
        ready, metrics = "/health/ready", "/metrics"
    else:
        ready = "/observe/health/ready" if "helidon-webserver-observe-health" in words else None
        # Each can be there alone; that of metrics may have come along with that of health.
        metrics = "/observe/metrics" if ready or "helidon-webserver-observe-metrics" in words else None
    measured = any("metrics" in word for word in words if word.startswith("helidon-"))
    # Two services side by side would both want the ports of further sockets.
    others = (_SOCKET.fullmatch(name) for name in settings.values)
    sockets = sorted({match[1] or match[2] for match in others if match}, key=int)
    elsewhere = settings.get("server.features.observe.sockets") not in {"", "@default"}
    remark = "its health and metrics pages are on a socket of their own, where Pacecar cannot reach them"
    return Service(
        framework="Helidon",
        jvm_args=("-Dserver.port={port}", *(f"-Dserver.sockets.{index}.port=0" for index in sockets)),
        setting="-D",
        base=path_of(settings.get("server.context-path")),
        ready=None if elsewhere else ready,
        metrics=metrics if measured and not elsewhere else None,
        exposed=True,
        remarks=(remark,) if elsewhere and (ready or metrics) else (),
    )


#: Starters of a service that speaks HTTP by servlets, or by WebFlux; and what exports repositories.
_SERVLETS = {f"spring-boot-starter-{name}" for name in ("web", "webmvc", "data-rest", "jersey")}
_REACTIVE = {"spring-boot-starter-webflux", "spring-cloud-starter-gateway"}
_DATA_REST = {"spring-boot-starter-data-rest", "spring-data-rest-webmvc"}
#: The key of Spring Boot 3, and the one of Spring Boot 2.
_EXPORT = ("management.prometheus.metrics.export.enabled", "management.metrics.export.prometheus.enabled")

_Reader = Callable[[frozenset[str], Settings], Service]

#: How words of a build file begin that only this framework's services have there -> what is known of those.
_FRAMEWORKS: tuple[tuple[tuple[str, ...], _Reader], ...] = (
    (("quarkus-maven-plugin", "io.quarkus"), _quarkus),
    (("micronaut-maven-plugin", "micronaut-http-server", "io.micronaut"), _micronaut),
    (("spring-boot-", "org.springframework.boot"), _spring),
    (("helidon-", "io.helidon"), _helidon),
)


def _reader(words: Collection[str]) -> _Reader | None:
    return next((read for marks, read in _FRAMEWORKS if any(word.startswith(marks) for word in words)), None)
