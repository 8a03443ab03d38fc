"""Gradle projects, of one project or of many. Their scripts are programs: only words in them are looked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from pacecar.onboarding.initialise import class_path, files
from pacecar.onboarding.initialise.catalog import Catalog, meant, read_catalog
from pacecar.onboarding.initialise.endpoints import guessed_endpoints
from pacecar.onboarding.initialise.frameworks import is_spring
from pacecar.onboarding.initialise.gradle_scripts import (
    SCRIPTS,
    SETTINGS,
    applied,
    conventions,
    included,
    libraries_in,
    needed,
    renamed,
    script_in,
    without_tests,
)
from pacecar.onboarding.initialise.project import (
    FOLDER,
    Packing,
    Project,
    UnknownModule,
    described,
    short,
    wrapper,
)
from pacecar.onboarding.initialise.settings import read_settings
from pacecar.onboarding.initialise.wars import needs_a_server

_NAME = re.compile(r"rootProject\.name\s*=\s*[\"']([^\"'\n]{1,100})[\"']")
_WORD = re.compile(r"[A-Za-z][\w.-]{2,80}", re.ASCII)
_MAIN = re.compile(r"\bmainClass(?:Name)?\b(?:\.set\(|\s*=)\s*[\"']([A-Za-z_][\w.]{1,200})[\"']", re.ASCII)
_APPLICATION = re.compile(r"[\"'(\s]application[\"')\s]")
_SHADOW = ("com.github.johnrengelman.shadow", "com.gradleup.shadow")
#: Where a script gives the jar another name than that of the Shadow plugin.
_NAMED_JAR = re.compile(
    r"\b(?:archiveFileName|archiveName|archiveClassifier|classifier)\b(?:\.set\(|\s{0,9}=|\s{1,9}[\"'])"
)
_BOOT = "org.springframework.boot"
#: Plugins by which a project becomes something that runs.
_PACKERS = (_BOOT, "io.quarkus", "io.micronaut.application", *_SHADOW)


@dataclass(frozen=True, kw_only=True)
class _Build:
    """The scripts of a build.

    Attributes:
        directory: where its settings lie.
        settings: the script that includes projects.
        prefix: what it puts before their names.
        catalog: what it calls plugins and libraries.
        conventions: plugins of its own, by their ids.
        whole: what the main script says.
        paths: by which the build knows each included project, without what is put before it, by its folder.
        own: what the script of each says, by its folder.
    """

    directory: Path
    settings: str
    prefix: str
    catalog: Catalog
    conventions: Mapping[str, Path]
    whole: str
    paths: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, directory: Path) -> _Build:
        """The build in `directory`."""
        settings = script_in(directory, SETTINGS)
        catalog, scripts = read_catalog(directory), conventions(directory, settings)
        build = cls(
            directory=directory,
            settings=settings,
            prefix=renamed(settings),
            catalog=catalog,
            conventions=scripts,
            whole="",
            paths=included(settings),
        )
        own = {name: build.said(name) for name in build.paths}
        return replace(build, whole=build.said(""), own=own)

    def said(self, folder: str) -> str:
        """The script in a folder, those that it applies, and what they name by way of the catalog."""
        script = script_in(self.directory / folder)
        script += "\n" + applied(self.directory, self.directory / folder, script, self.conventions)
        return "\n".join((script, *(f"'{each}'" for each in meant(without_tests(script), self.catalog))))

    def running(self) -> list[str]:
        """Folders of the projects that make something to start: by their scripts, else by their main methods."""
        found = [name for name, script in self.own.items() if _runs(script)]
        if found or files.starts(self.directory):
            return found
        return [name for name in self.own if files.starts(self.directory / name)]

    def part(self, folder: str, *, remarks: tuple[str, ...] = ()) -> _Service:
        """A project of the build, for all of which a convention in the main script holds."""
        script = self.own.get(folder) or self.said(folder)
        beside = self.beside(folder, script)
        path = self.paths.get(folder, folder.replace("/", ":"))
        return _Service(
            folder=folder,
            name=path.rpartition(":")[2] if ":" in path else self.prefix + path,
            path=f"{self.prefix}{path}",
            script=f"{self.whole}\n{script}",
            beside=beside,
            libraries=self.libraries(beside),
            remarks=remarks,
        )

    def beside(self, folder: str, script: str) -> tuple[str, ...]:
        """Folders of the included projects that the one in `folder` runs with."""
        found: dict[str, None] = {}
        todo = [script]
        while todo:
            for each in needed(todo.pop(), self.paths, prefix=self.prefix):
                if each not in found and each != folder:
                    found[each] = None
                    todo.append(self.own[each])
        return tuple(found)

    def libraries(self, projects: Iterable[str]) -> frozenset[str]:
        """Names of what these projects depend on."""
        return frozenset(word for each in projects for word in libraries_in(self.own[each]))


@dataclass(frozen=True, kw_only=True)
class _Service:
    """The project to measure.

    Attributes:
        folder: where it lies below the directory; "" for the directory itself.
        name: of the project.
        script: all scripts that hold for it.
        path: by which the build knows it; None for the directory itself.
        beside: folders of other projects that it runs with.
        libraries: names of what these depend on.
        build: folder below the directory whose build it belongs to; None for the directory's own.
        remarks: what was chosen.
    """

    folder: str
    name: str
    script: str
    path: str | None = None
    beside: tuple[str, ...] = ()
    libraries: frozenset[str] = frozenset()
    build: str | None = None
    remarks: tuple[str, ...] = ()

    @property
    def prefix(self) -> str:
        """What precedes the names of its tasks."""
        return f":{self.path}:" if self.path else ""


def gradle_project(directory: Path, *, module: str | None = None) -> Project:
    """The project of the scripts in `directory`; of several that run, `module`, or the one with most to ask.

    Args:
        directory: where the settings lie.
        module: folder of the project to take; None to choose.

    Raises:
        UnknownModule: when that folder is none of the projects, and has no script.
    """
    root = "."
    if module is None and (around := _around(directory)):
        root = os.path.relpath(around, directory.absolute())
        module = PurePosixPath(os.path.relpath(directory.absolute(), around)).as_posix()
        directory = around
    build = _Build.read(directory)
    if module is None:
        service = _chosen(build)
    elif module in build.own:
        service = build.part(module)
    else:
        service = _unlisted(build, module)
    if root != ".":
        remark = f"it belongs to the build in {root}, so it is built from there, see source.root"
        service = replace(service, remarks=(*service.remarks, remark))
    packing = replace(_packing(directory, service), root=root)
    return described(service.name, packing=packing, directory=directory, folder=service.folder)


def _around(directory: Path) -> Path | None:
    """The folder above with the settings of the build that a directory belongs to; None where it has its own."""
    if _any_of(directory, SETTINGS):
        return None
    around = next((folder for folder in files.above(directory) if _any_of(folder, SETTINGS)), None)
    name = os.path.relpath(directory.absolute(), around) if around else ""
    return around if FOLDER.fullmatch(name) else None


def _chosen(build: _Build) -> _Service:
    running = build.running()
    if not running:
        beside = build.beside("", build.whole)
        return _Service(
            folder="",
            name=_named(build.settings, build.directory),
            script=build.whole,
            beside=beside,
            libraries=build.libraries(beside),
        )
    chosen = max(running, key=lambda name: guessed_endpoints(build.directory / name).total)
    others = ", ".join(name for name in running if name != chosen)
    told = f"; for another: --module, as {others}" if others else ""
    remark = f"of the projects, {chosen} was chosen as the service{told}"
    return build.part(chosen, remarks=(remark,))


def _unlisted(build: _Build, module: str) -> _Service:
    """A folder that the settings do not include in plain words."""
    folder = build.directory / module
    if not FOLDER.fullmatch(module) or not _any_of(folder, SCRIPTS):
        raise UnknownModule(build.own)
    if _any_of(folder, SETTINGS) or not _any_of(build.directory, SETTINGS):
        inner = _Build.read(folder)
        name = _named(inner.settings, folder)
        beside = tuple(f"{module}/{each}" for each in inner.beside("", inner.whole))
        remark = f"{module} is a separate build from the one around it"
        return _Service(folder=module, name=name, script=inner.whole, beside=beside, build=module, remarks=(remark,))
    remark = f"that the settings, which do not name {module} in plain words, include it"
    return build.part(module, remarks=(remark,))


def _named(settings: str, directory: Path) -> str:
    found = _NAME.search(settings)
    return found[1] if found else directory.absolute().name


def _any_of(folder: Path, names: Iterable[str]) -> bool:
    return any((folder / name).is_file() for name in names)


def _packing(directory: Path, service: _Service) -> Packing:
    words = frozenset(word.strip(".-") for word in _WORD.findall(service.script))
    made = _made(directory / service.folder, name=service.name, script=service.script, words=words)
    gradle = wrapper(directory, "gradlew", "gradle")
    where: tuple[str, ...] = ()
    if service.build is not None:
        own = f"{service.build}/gradlew"
        gradle, where = f"./{own}" if files.runnable(directory / own) else gradle, ("-p", service.build)
    # No daemon: it would outlive the build and be measured with the service.
    command = (gradle, "-q", "--no-daemon", *where, f"{service.prefix}{made.task}")
    return Packing(
        tool="Gradle",
        command=command,
        artifact=f"{service.folder}/{made.artifact}" if service.folder else made.artifact,
        program=made.program,
        words=words | service.libraries,
        libraries=service.libraries | frozenset(libraries_in(service.script)),
        beside=service.beside,
        remarks=(*service.remarks, *made.remarks),
    )


_ANY_JAR = "build/libs/*.jar"
_ANY_WAR = "build/libs/*.war"
_JAR = ("-jar", "{artifact}")
_WAR = re.compile(r"[\"']war[\"']|^[ \t]{0,40}+`?war`?[ \t]{0,40}+(?:$|;)", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class _Made:
    """What a build makes: the task that makes it, what that leaves, how this is run, and what was guessed of it."""

    task: str
    artifact: str
    program: tuple[str, ...] = _JAR
    remarks: tuple[str, ...] = ()


def _made(module: Path, *, name: str, script: str, words: frozenset[str]) -> _Made:
    """What the build of a project makes that runs."""
    packed_as_war = _WAR.search(script) is not None
    if _applies(script, _BOOT):
        return _Made(task="bootWar", artifact=_ANY_WAR) if packed_as_war else _Made(task="bootJar", artifact=_ANY_JAR)
    if "io.quarkus" in words:
        if read_settings(module).get("quarkus.package.jar.type", "quarkus.package.type") == "uber-jar":
            return _Made(task="quarkusBuild", artifact="build/*-runner.jar")
        quarkus = ("-jar", "{artifact}/quarkus-run.jar")
        return _Made(task="quarkusBuild", artifact="build/quarkus-app", program=quarkus)
    if words.intersection(_SHADOW):
        return _Made(task="shadowJar", artifact=_ANY_JAR if _NAMED_JAR.search(script) else "build/libs/*-all.jar")
    named = _MAIN.search(script)
    start = class_path.main_class(module, named=named[1] if named else None)
    applied = _APPLICATION.search(script) or "io.micronaut.application" in words
    if applied and start is not None:
        # The folder that installDist makes bears the project's name.
        artifact = f"build/install/{name if short(name) == name else '*'}"
        started = ("-cp", "{artifact}/lib/*", start.name)
        return _Made(task="installDist", artifact=artifact, program=started, remarks=start.remarks)
    if packed_as_war:
        return _Made(task="war", artifact=_ANY_WAR, remarks=(needs_a_server(words),))
    if start is not None and is_spring(words) and not applied:
        remark = "that a plugin of its own applies Spring Boot's, so that there is a task bootJar"
        return _Made(task="bootJar", artifact=_ANY_JAR, remarks=(remark,))
    return _Made(task="assemble", artifact=_ANY_JAR, remarks=(_not_packed(start, script),))


def _not_packed(start: class_path.MainClass | None, script: str) -> str:
    """What to say of a jar of which nobody knows whether it holds what it needs."""
    doubt = "that the jar of `assemble` holds all it needs to run"
    if "zipTree" in script or start is None:
        return doubt
    return (
        f"{doubt}: nothing seems to pack its libraries; where it does not start, apply the plugin `application` with "
        f"mainClass = {start.name}, whose task installDist lays them out"
    )


def _runs(script: str) -> bool:
    return any(_applies(script, plugin) for plugin in _PACKERS) or _APPLICATION.search(script) is not None


def _applies(script: str, plugin: str) -> bool:
    """Whether a script names a plugin, and not only libraries of the same group."""
    return f'"{plugin}"' in script or f"'{plugin}'" in script
