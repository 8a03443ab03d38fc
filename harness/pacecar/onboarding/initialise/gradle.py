"""Gradle projects, of one project or of many. Their scripts are programs: only words in them are looked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.catalog import Catalog, meant, read_catalog
from pacecar.onboarding.initialise.endpoints import guessed_endpoints
from pacecar.onboarding.initialise.gradle_scripts import SCRIPTS, SETTINGS, included, script_in
from pacecar.onboarding.initialise.project import FOLDER, Packing, Project, UnknownModule, described, short, wrapper
from pacecar.onboarding.initialise.settings import read_settings

_NAME = re.compile(r"rootProject\.name\s*=\s*[\"']([^\"'\n]{1,100})[\"']")
_WORD = re.compile(r"[A-Za-z][\w.-]{2,80}", re.ASCII)
_MAIN = re.compile(r"\bmainClass(?:Name)?\b(?:\.set\(|\s*=)\s*[\"']([A-Za-z_][\w.]{1,200})[\"']", re.ASCII)
_APPLICATION = re.compile(r"[\"'(\s]application[\"')\s]")
_SHADOW = ("com.github.johnrengelman.shadow", "com.gradleup.shadow")
#: Where a script gives the jar another name than that of the Shadow plugin.
_NAMED_JAR = re.compile(
    r"\b(?:archiveFileName|archiveName|archiveClassifier|classifier)\b(?:\.set\(|\s{0,9}=|\s{1,9}[\"'])"
)


@dataclass(frozen=True, kw_only=True)
class _Service:
    """The project to measure.

    Attributes:
        folder: where it lies below the directory; "" for the directory itself.
        name: of the project.
        script: all scripts that hold for it.
        build: folder below the directory whose build it belongs to; None for the directory's own.
        remarks: what was chosen.
    """

    folder: str
    name: str
    script: str
    build: str | None = None
    remarks: tuple[str, ...] = ()

    @property
    def prefix(self) -> str:
        """What precedes the names of its tasks."""
        return f":{self.folder.replace('/', ':')}:" if self.folder and self.build is None else ""


def gradle_project(directory: Path, *, module: str | None = None) -> Project:
    """The project of the scripts in `directory`; of several that run, `module`, or the one with most to ask.

    Args:
        directory: where the settings lie.
        module: folder of the project to take; None to choose.

    Raises:
        UnknownModule: when that folder is none of the projects, and has no script.
    """
    settings = script_in(directory, SETTINGS)
    catalog = read_catalog(directory)
    whole = _said(directory, catalog)
    own = {name: _said(directory / name, catalog) for name in included(settings)}
    if module is None:
        service = _chosen(directory, own, settings=settings, whole=whole)
    elif module in own:
        service = _part(module, own[module], whole=whole)
    else:
        service = _unlisted(directory, module, whole=whole, known=own, catalog=catalog)
    return described(service.name, packing=_packing(directory, service), directory=directory, folder=service.folder)


def _chosen(directory: Path, own: Mapping[str, str], *, settings: str, whole: str) -> _Service:
    running = [name for name, script in own.items() if _runs(script)]
    if not running:
        return _Service(folder="", name=_named(settings, directory), script=whole)
    chosen = max(running, key=lambda name: len(guessed_endpoints(directory / name).found))
    others = ", ".join(name for name in running if name != chosen)
    told = f"; for another: --module, as {others}" if others else ""
    remark = f"of the projects, {chosen} was chosen as the service{told}"
    return _part(chosen, own[chosen], whole=whole, remarks=(remark,))


def _part(folder: str, script: str, *, whole: str, remarks: tuple[str, ...] = ()) -> _Service:
    """A project of the whole build, for all of which a convention in the main script holds."""
    return _Service(folder=folder, name=folder.rpartition("/")[2], script=f"{whole}\n{script}", remarks=remarks)


def _unlisted(directory: Path, module: str, *, whole: str, known: Iterable[str], catalog: Catalog) -> _Service:
    """A folder that the settings do not include in plain words."""
    folder = directory / module
    if not FOLDER.fullmatch(module) or not _any_of(folder, SCRIPTS):
        raise UnknownModule(known)
    if _any_of(folder, SETTINGS) or not _any_of(directory, SETTINGS):
        name = _named(script_in(folder, SETTINGS), folder)
        script = _said(folder, read_catalog(folder))
        remark = f"{module} is a build of its own, apart from the one around it"
        return _Service(folder=module, name=name, script=script, build=module, remarks=(remark,))
    remark = f"that the settings, which do not name {module} in plain words, include it"
    return _part(module, _said(folder, catalog), whole=whole, remarks=(remark,))


def _said(folder: Path, catalog: Catalog) -> str:
    """The script in a folder, and behind it what it names by way of the catalog."""
    script = script_in(folder)
    return "\n".join((script, *(f"'{each}'" for each in meant(script, catalog))))


def _named(settings: str, directory: Path) -> str:
    found = _NAME.search(settings)
    return found[1] if found else directory.absolute().name


def _any_of(folder: Path, names: Iterable[str]) -> bool:
    return any((folder / name).is_file() for name in names)


def _packing(directory: Path, service: _Service) -> Packing:
    words = frozenset(word.strip(".-") for word in _WORD.findall(service.script))
    task, artifact, program = _artifact(
        directory / service.folder, name=service.name, script=service.script, words=words
    )
    remarks = service.remarks
    if artifact == _ANY_JAR and task == "assemble":
        remarks = (*remarks, "that the jar of `assemble` holds all it needs to run")
    gradle = wrapper(directory, "gradlew", "gradle")
    where: tuple[str, ...] = ()
    if service.build is not None:
        own = f"{service.build}/gradlew"
        gradle, where = f"./{own}" if files.runnable(directory / own) else gradle, ("-p", service.build)
    # No daemon: it would outlive the build and be measured with the service.
    command = (gradle, "-q", "--no-daemon", *where, f"{service.prefix}{task}")
    return Packing(
        tool="Gradle",
        command=command,
        artifact=f"{service.folder}/{artifact}" if service.folder else artifact,
        program=program,
        words=words,
        remarks=remarks,
    )


_ANY_JAR = "build/libs/*.jar"
_JAR = ("-jar", "{artifact}")


def _artifact(module: Path, *, name: str, script: str, words: frozenset[str]) -> tuple[str, str, tuple[str, ...]]:
    """The task that makes what runs, what it leaves, and how that is run."""
    if "org.springframework.boot" in words:
        return "bootJar", _ANY_JAR, _JAR
    if "io.quarkus" in words:
        if read_settings(module).get("quarkus.package.jar.type", "quarkus.package.type") == "uber-jar":
            return "quarkusBuild", "build/*-runner.jar", _JAR
        return "quarkusBuild", "build/quarkus-app", ("-jar", "{artifact}/quarkus-run.jar")
    if words.intersection(_SHADOW):
        return "shadowJar", _ANY_JAR if _NAMED_JAR.search(script) else "build/libs/*-all.jar", _JAR
    main = _MAIN.search(script)
    if main and (_APPLICATION.search(script) or "io.micronaut.application" in words):
        # The folder that installDist makes bears the project's name.
        folder = name if short(name) == name else "*"
        return "installDist", f"build/install/{folder}", ("-cp", "{artifact}/lib/*", main[1])
    return "assemble", _ANY_JAR, _JAR


def _runs(script: str) -> bool:
    marks = ("org.springframework.boot", "io.quarkus", "io.micronaut.application", *_SHADOW)
    return any(mark in script for mark in marks) or _APPLICATION.search(script) is not None
