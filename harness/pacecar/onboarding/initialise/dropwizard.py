"""How a service on Dropwizard is started: its settings lie in a file of its own that the command names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePosixPath

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.apart import with_own
from pacecar.onboarding.initialise.databases import in_file
from pacecar.onboarding.initialise.frameworks import Service, path_of
from pacecar.onboarding.initialise.settings import FOLDER, flat
from pacecar.onboarding.initialise.working_folder import texts_in, working_folder

_MARK = "dropwizard-core"
#: Where such a file lies, below the service's module.
_FOLDERS = ("", "config", "conf", "src/main/resources", "src/main/resources/config", "src/main/config")
_FILE = re.compile(r"[\w.-]{1,80}\.ya?ml", re.ASCII)
_MOST_NAMES, _MOST_FILES = 1_000, 20
#: Lists of connectors, and the port of the one of each that is asked. Two forks may not share the ports of the others.
_PORTS = {"applicationConnectors": "{port}", "adminConnectors": "0"}
_MOST_CONNECTORS = 10
_DEFAULT_PORT = 8080
#: What only such a file has at its top, the surest first.
_SECTIONS = ("server", "logging", "database", "metrics")
_SETTING = "-Ddw."
#: `${DB_URL:-jdbc:h2:./shop}`: what stands there unless a variable says otherwise.
_OTHERWISE = re.compile(r"\$\{\w{1,100}:-([^{}]{1,500})\}", re.ASCII)
#: A variable without that; a service whose settings ask for it does not start where it is missing, as a rule.
_ASKED = re.compile(r"\$\{([A-Z][A-Z0-9_]{0,80}+)\}", re.ASCII)
_MOST_DATABASES, _MOST_VARIABLES = 5, 10


def dropwizard_service(
    words: Collection[str], directory: Path, module: PurePosixPath, *, program: Sequence[str]
) -> Service | None:
    """The service of a module in whose build files `words` stand; None where it is none of Dropwizard's.

    Args:
        words: such as names of dependencies.
        directory: the folder of the configuration.
        module: the folder in there that the service is built from.
        program: arguments by which a JVM runs it.
    """
    if _MARK not in words:
        return None
    found = next(_files(directory, module), None)
    if found is None:
        remark = "no settings of Dropwizard were found; name their file after `server`"
        return Service(
            framework="Dropwizard", program_args=("server", "config.yml"), port=_DEFAULT_PORT, remarks=(remark,)
        )
    path, settings = found
    place = working_folder(directory, module, texts_in(settings))
    name, server = path.relative_to(place).as_posix(), _table(settings.get("server"))
    service = _simple(name, server) if server.get("type") == "simple" else _with_ports(name, server)
    service = replace(service, directory=place.as_posix(), setting=_SETTING, variables=tuple(_asked(settings)))
    service = _with_databases(service, settings, folder=directory / place)
    if "dropwizard-migrations" in words and (directory / module / FOLDER / "migrations.xml").is_file():
        return _with_tables(service, settings, program)
    return service


def _asked(settings: Mapping[str, object]) -> list[str]:
    """Names of variables that settings ask for without a default."""
    return sorted({match[1] for text in texts_in(settings) for match in _ASKED.finditer(text)})[:_MOST_VARIABLES]


def _with_databases(service: Service, settings: Mapping[str, object], *, folder: Path) -> Service:
    urls = ((name, _OTHERWISE.sub(r"\1", value)) for name, value in flat(settings) if "jdbc:" in value)
    found = ((name, database) for name, url in urls if (database := in_file(url)))
    for name, database in islice(found, _MOST_DATABASES):
        service = with_own(service, name, database, folder=folder)
    return service


def _with_tables(service: Service, settings: Mapping[str, object], program: Sequence[str]) -> Service:
    """The service with the command that makes its tables, where these lie in the folder of its fork."""
    if any("{fork}" in argument for argument in service.jvm_args):
        command = ("{java}", *service.jvm_args, *program, "db", "migrate", *service.program_args[1:])
        remark = "that `db migrate` makes its tables; it is run before each start, see target.hooks.setup"
        return replace(service, setup=(*service.setup, command), remarks=(*service.remarks, remark))
    if any("jdbc:" in text and ":mem" not in text for text in texts_in(settings)):
        remark = "its tables are made by `db migrate`, which nothing runs here: run it on the database of each fork"
        return replace(service, remarks=(*service.remarks, remark))
    return service


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


def _files(directory: Path, module: PurePosixPath) -> Iterator[tuple[PurePosixPath, Mapping[str, object]]]:
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
                found.append((rank, place / name, settings))
    found.sort(key=lambda each: each[0])
    yield from (each[1:] for each in found)


def _table(found: object) -> Mapping[str, object]:
    return found if isinstance(found, Mapping) else {}


def _text(found: object, otherwise: str) -> str:
    return found if isinstance(found, str) else otherwise
