"""How a service on Dropwizard is started: its settings lie in a file of its own that the command names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePosixPath

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.frameworks import Service, path_of

_MARK = "dropwizard-core"
#: Where such a file lies, below the service's module.
_FOLDERS = ("", "config", "conf", "src/main/resources")
_FILE = re.compile(r"[\w.-]{1,80}\.ya?ml", re.ASCII)
_MOST_NAMES, _MOST_FILES = 1_000, 20
#: Lists of connectors, and the port of the one of each that is asked. Two forks may not share the ports of the others.
_PORTS = {"applicationConnectors": "{port}", "adminConnectors": "0"}
_MOST_CONNECTORS = 10
_DEFAULT_PORT = 8080
#: What only such a file has at its top, the surest first.
_SECTIONS = ("server", "logging", "database", "metrics")


def dropwizard_service(words: Collection[str], directory: Path, module: PurePosixPath) -> Service | None:
    """The service of a module in whose build files `words` stand; None where it is none of Dropwizard's.

    Args:
        words: such as names of dependencies.
        directory: the project, in which the service is started.
        module: its folder in there.
    """
    if _MARK not in words:
        return None
    found = next(_files(directory, module), None)
    if found is None:
        remark = "no settings of Dropwizard were found; name their file after `server`"
        return Service(
            framework="Dropwizard", program_args=("server", "config.yml"), port=_DEFAULT_PORT, remarks=(remark,)
        )
    name, settings = found
    server = _table(settings.get("server"))
    return _simple(name, server) if server.get("type") == "simple" else _with_ports(name, server)


def _simple(name: str, server: Mapping[str, object]) -> Service:
    """One port for everything; the application and what administrates it lie below paths."""
    application = _text(server.get("applicationContextPath"), "/application")
    admin = _text(server.get("adminContextPath"), "/admin")
    settable = "connector" in server
    return Service(
        framework="Dropwizard",
        jvm_args=(_connector("connector"),) if settable else (),
        program_args=("server", name),
        port=None if settable else _DEFAULT_PORT,
        base=path_of(application, _root(server)),
        ready=f"{path_of(admin)}/healthcheck",
    )


def _with_ports(name: str, server: Mapping[str, object]) -> Service:
    """A port for the application, and another one that must not be the same for two forks."""
    base = path_of(_text(server.get("applicationContextPath"), "/"), _root(server))
    if all(isinstance(server.get(place), list) and server[place] for place in _PORTS):
        ports = tuple(each for place, port in _PORTS.items() for each in _connectors(place, server[place], port))
        return Service(framework="Dropwizard", jvm_args=ports, program_args=("server", name), base=base)
    remark = (
        f"{name} does not list applicationConnectors and adminConnectors, whose ports can be set only where it does, "
        "so the two builds take turns, which detects less"
    )
    return Service(
        framework="Dropwizard", program_args=("server", name), port=_DEFAULT_PORT, base=base, remarks=(remark,)
    )


def _connectors(place: str, listed: object, port: str) -> Iterator[str]:
    """Settings of the ports of a list of connectors: `port` of the first that speaks HTTP, any of the others."""
    connectors = [_table(each) for each in listed[:_MOST_CONNECTORS]] if isinstance(listed, list) else []
    plain = [index for index, each in enumerate(connectors) if _text(each.get("type"), "http") == "http"]
    asked = next(iter(plain), 0)
    for index in range(len(connectors)):
        yield _connector(f"{place}[{index}]", port if index == asked else "0")


def _connector(place: str, port: str = "{port}") -> str:
    return f"-Ddw.server.{place}.port={port}"


def _root(server: Mapping[str, object]) -> str:
    return _text(server.get("rootPath"), "/").removesuffix("*")


def _files(directory: Path, module: PurePosixPath) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Files that look like Dropwizard's settings, the likeliest first: path in the project, content."""
    found = []
    for folder in _FOLDERS:
        place = module / folder
        try:
            there = islice((directory / place).iterdir(), _MOST_NAMES)
            names = sorted(path.name for path in there if _FILE.fullmatch(path.name))
        except OSError:
            continue
        for name in names[:_MOST_FILES]:
            settings = _table(next(iter(files.yaml_documents(directory / place / name)), None))
            rank = next((rank for rank, section in enumerate(_SECTIONS) if section in settings), None)
            if rank is not None:
                found.append((rank, (place / name).as_posix(), settings))
    found.sort(key=lambda each: each[0])
    yield from (each[1:] for each in found)


def _table(found: object) -> Mapping[str, object]:
    return found if isinstance(found, Mapping) else {}


def _text(found: object, otherwise: str) -> str:
    return found if isinstance(found, str) else otherwise
