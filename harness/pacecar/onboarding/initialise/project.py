"""What a project is, as far as its files tell."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.access import Access, of_settings
from pacecar.onboarding.initialise.apart import with_own_databases
from pacecar.onboarding.initialise.dropwizard import dropwizard_service
from pacecar.onboarding.initialise.endpoints import Around, guessed_endpoints
from pacecar.onboarding.initialise.frameworks import UNKNOWN, Service, is_spring, recognised
from pacecar.onboarding.initialise.graphql import graphql_server
from pacecar.onboarding.initialise.guesses import GuessedEndpoint
from pacecar.onboarding.initialise.hocon import asked_variables
from pacecar.onboarding.initialise.listening import helidon_service, plain_service
from pacecar.onboarding.initialise.logins import guard
from pacecar.onboarding.initialise.needs import needs
from pacecar.onboarding.initialise.other_builds import OtherBuild
from pacecar.onboarding.initialise.packages import own_packages
from pacecar.onboarding.initialise.pages import first_page, with_open_page, without_pages
from pacecar.onboarding.initialise.settings import Settings, read_settings
from pacecar.onboarding.initialise.spring_security import read_access
from pacecar.onboarding.initialise.spring_settings import read_spring_settings
from pacecar.onboarding.initialise.working_folder import named_in_sources, working_folder

_NAME = re.compile(r"[^A-Za-z0-9._-]+")
#: A folder below the project that a build tool's command may name.
FOLDER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,4}")


class UnknownModule(Exception):
    """A folder that was named as the service's module, and is none that can be built.

    Args:
        known: folders of the modules that are.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        super().__init__()
        self.known = tuple(known)


@dataclass(frozen=True, kw_only=True)
class Packing:
    """How a build tool makes what runs.

    Attributes:
        tool: "Maven" or "Gradle".
        command: the build.
        artifact: what it leaves that runs, a jar, war or folder; may hold a `*`.
        program: how a JVM runs it: arguments with `{artifact}`.
        words: names in its files: plugins and dependencies.
        libraries: names of what it runs with, those for tests left out.
        group: the package its code probably lies in, where there is no source; None when unknown.
        beside: folders of other parts of the build whose code the service runs.
        remarks: what was chosen.
        root: where it builds, seen from the folder of the configuration.
    """

    tool: str
    command: tuple[str, ...]
    artifact: str
    program: tuple[str, ...] = ("-jar", "{artifact}")
    words: frozenset[str] = frozenset()
    libraries: frozenset[str] = frozenset()
    group: str | None = None
    beside: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    root: str = "."


@dataclass(frozen=True, kw_only=True)
class Project:
    """What could be found out.

    Attributes:
        name: short name.
        packing: how it is built; None when no build tool was recognised.
        unread: a build that is known by its name alone; None when there is none.
        artifact: a jar that lies there already, without a build tool; None when there is none.
        service: how it is started and asked.
        variables: environment variables its settings ask for.
        application: package prefixes of its own code.
        endpoints: guessed from annotations, an OpenAPI document or calls.
        page: path of a file that is served as the first page; None without one.
        versioned: it lies in a git repository.
        remarks: what went wrong or was chosen while looking.
    """

    name: str
    packing: Packing | None = None
    unread: OtherBuild | None = None
    artifact: str | None = None
    service: Service = UNKNOWN
    variables: tuple[str, ...] = ()
    application: tuple[str, ...] = ()
    endpoints: tuple[GuessedEndpoint, ...] = ()
    page: str | None = None
    versioned: bool = False
    remarks: tuple[str, ...] = ()


def described(name: str, *, packing: Packing, directory: Path, folder: str) -> Project:
    """The project in `directory` that `packing` builds from the sources in its `folder`.

    A service is started in the folder of its configuration, which may lie between the two.
    """
    module = directory / folder
    parts, depth = PurePosixPath(folder).parts, packing.root.count("..")
    here, place = directory.joinpath(*parts[:depth]), PurePosixPath(*parts[depth:])
    beside = [directory / each for each in packing.beside]
    settings = read_spring_settings(module) if is_spring(packing.words) else read_settings(module)
    service = _started(packing, settings, here=here, place=place)
    service = with_own_databases(service, settings, folder=here / service.directory, modules=(module, *beside))
    access = _access(service, settings, packing.words, modules=(module, *beside))
    around = Around(
        settings=settings,
        base=service.base,
        # Tomcat sends whoever asks for the context path alone there, and a redirect is no answer to measure.
        slashed=service.framework == "Spring Boot",
        resources=service.resources,
        repositories=service.repositories,
        graphql=graphql_server(packing.words, settings),
        access=access,
    )
    guessed = guessed_endpoints(module, *beside, around=around)
    service, endpoints = without_pages(service, guessed.found)
    service = with_open_page(service, access, endpoints)
    asked = (*needs(settings, packing.libraries), *_about_logins(packing.words))
    return Project(
        name=short(name or module.absolute().name),
        packing=packing,
        service=service,
        variables=tuple(dict.fromkeys((*settings.variables, *service.variables, *asked_variables(module)))),
        application=own_packages(module, *beside) or ((packing.group,) if packing.group else ()),
        endpoints=endpoints,
        page=first_page(module, service, settings, access),
        remarks=(*packing.remarks, *service.remarks, *asked, *guessed.remarks),
    )


def _access(service: Service, settings: Settings, words: Collection[str], *, modules: tuple[Path, ...]) -> Access:
    """The rules that say which requests are answered without a login."""
    if service.framework == "Spring Boot":
        return read_access(*modules, settings=settings, words=words)
    return of_settings(settings, framework=service.framework, guarded=guard(words) is not None)


def _about_logins(words: Collection[str]) -> Iterator[str]:
    if name := guard(words):
        yield (
            f"it has {name}: where it answers 401 or 403, give that endpoint headers = {{ Authorization = "
            '"…" }, or remove it'
        )


def _started(packing: Packing, settings: Settings, *, here: Path, place: PurePosixPath) -> Service:
    """How the service in a `place` below the folder of the configuration is started, and where."""
    words, module = packing.words, here / place
    known = recognised(words, settings)
    if known is None and (service := dropwizard_service(words, here, place, program=packing.program)):
        return service
    service = known or plain_service(module, words)
    if service.framework == "Helidon" and not any(word.startswith("helidon-microprofile") for word in words):
        service = helidon_service(service, module)
    texts = (text for found in (settings.values.values(), named_in_sources(module)) for text in found)
    return replace(service, directory=working_folder(here, place, texts).as_posix())


def undescribed(directory: Path, *, remark: str | None = None) -> Project:
    """A project without a build tool, or with one whose file cannot be read."""
    project = Project(name=short(directory.absolute().name), remarks=(remark,) if remark else ())
    return project if remark else replace(project, artifact=_existing_jar(directory))


def wrapper(directory: Path, name: str, otherwise: str) -> str:
    """The wrapper script of a build tool, as the build in `directory` calls it; `otherwise` where there is none.

    It may lie further up, as in a module of a larger project, but not outside of the repository.
    """
    for depth, folder in enumerate((directory, *files.above(directory))):
        if files.runnable(folder / name):
            return f"{'../' * depth or './'}{name}"
    return otherwise


def short(name: str) -> str:
    """`name` as a target may be called."""
    return _NAME.sub("-", name).strip("._-")[:40].strip("._-") or "service"


def _existing_jar(directory: Path) -> str | None:
    for folder in ("", "target", "build/libs"):
        for jar in sorted((directory / folder).glob("*.jar")):
            if jar.is_file() and jar.name.isprintable() and len(jar.name) < 150:
                return jar.relative_to(directory).as_posix()
    return None
