"""Maven projects, of one module or of many."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from pacecar.onboarding.initialise import class_path, files
from pacecar.onboarding.initialise.endpoints import guessed_endpoints
from pacecar.onboarding.initialise.pom import Pom, UnreadablePom, jar_of, read_pom
from pacecar.onboarding.initialise.project import (
    FOLDER,
    Packing,
    Project,
    UnknownModule,
    described,
    undescribed,
    wrapper,
)
from pacecar.onboarding.initialise.settings import read_settings
from pacecar.onboarding.initialise.wars import needs_a_server

_FILE = re.compile(r"[A-Za-z0-9_.*-]{1,80}")
_JAVA_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)
#: Plugins by which a module becomes something that runs.
_PACKERS = (
    "spring-boot-maven-plugin",
    "quarkus-maven-plugin",
    "micronaut-maven-plugin",
    "helidon-maven-plugin",
    "maven-shade-plugin",
)
#: Plugins by which what a module needs comes into its jar, or beside it.
_OTHER_PACKERS = ("maven-assembly-plugin", "maven-dependency-plugin", "onejar-maven-plugin", "vertx-maven-plugin")
_NOT_PACKED = (
    "that the jar starts by itself: nothing in pom.xml packs the libraries it needs, and no source has a main method; "
    "add a plugin for that, such as maven-shade-plugin, or name what runs in source.artifact"
)
_MOST_MODULES = 100
_DEEPEST = 3
_LONGEST_MODULE = 80
_NAMED_IN_A_REMARK = 5


@dataclass(frozen=True, kw_only=True)
class _Module:
    """A module of a project.

    Attributes:
        name: its folder below the project.
        pom: its own file.
        words: all that hold for it, those of its parents included.
        needs: artifactIds of what it runs with, likewise.
        jar: name of what it leaves, without an ending.
        around: files of the modules that it lies in, by their artifactIds.
        listed: whether the project's file leads to it.
    """

    name: str
    pom: Pom
    words: frozenset[str]
    needs: frozenset[str]
    jar: str
    around: Mapping[str, Pom] = field(default_factory=dict)
    listed: bool = True

    @property
    def parents(self) -> int:
        """How many of the modules around it are its parents."""
        known, parent = 0, self.pom.parent or ""
        while parent in self.around and known < _DEEPEST:
            known, parent = known + 1, self.around[parent].parent or ""
        return known

    def runs(self, directory: Path) -> bool:
        """Whether it is something to start: packed as that, or with a main method and packed by its parent."""
        return not self.pom.plugins.isdisjoint(_PACKERS) or files.starts(directory / self.name)


def maven_project(directory: Path, *, module: str | None = None) -> Project:
    """The project of the `pom.xml` in `directory`; of several modules that run, `module`, or the one with most to ask.

    Args:
        directory: where the file lies.
        module: folder of the module to take; None to choose.

    Raises:
        UnknownModule: when that folder is no module, and has no file that can be built by itself.
    """
    try:
        whole, modules = _build(directory)
    except UnreadablePom as problem:
        return undescribed(directory, remark=f"pom.xml was not used: {problem}")
    if module is None:
        chosen, remarks = _chosen(directory, whole, modules)
    else:
        chosen, remarks = _named(directory, module, whole, modules)
    service = _whole(_Service(directory=directory, module=chosen, beside=_beside(chosen, modules)))
    root = "."
    if service.directory != directory:
        root = os.path.relpath(service.directory, directory.absolute())
        remarks = (*remarks, f"it is a module of {root}/pom.xml, so it is built from there, see source.root")
    chosen, beside = service.module, service.beside
    words = chosen.words.union(*(each.needs for each in beside))
    packing = _packing(service.directory, chosen, remarks)
    libraries = chosen.needs.union(*(each.needs for each in beside))
    names = tuple(each.name for each in beside)
    packing = replace(packing, words=words, libraries=libraries, beside=names, root=root)
    return described(chosen.pom.artifact, packing=packing, directory=service.directory, folder=chosen.name)


@dataclass(frozen=True, kw_only=True)
class _Service:
    """The module to measure, in the build of a directory, and the modules that it runs with."""

    directory: Path
    module: _Module
    beside: list[_Module]

    @property
    def known(self) -> tuple[int, int]:
        """How much of what it is made of lies in this build."""
        return len(self.beside), self.module.parents


def _whole(service: _Service) -> _Service:
    """The same in a build around it, where that has more of what it needs: modules beside it, or parents."""
    place = service.directory.absolute() / service.module.name
    best = service
    for folder in files.above(service.directory):
        try:
            _, modules = _build(folder)
        except UnreadablePom:
            continue
        name = PurePosixPath(os.path.relpath(place, folder)).as_posix()
        for module in (each for each in modules if each.name == name):
            outer = _Service(directory=folder, module=module, beside=_beside(module, modules))
            best = outer if outer.known > best.known else best
    return best


def _build(directory: Path) -> tuple[_Module, list[_Module]]:
    """The project of a directory and its modules. Raises UnreadablePom."""
    pom = read_pom(directory / "pom.xml")
    said = _said(directory, pom)
    whole = _Module(name=".", pom=pom, words=said.words, needs=said.needs, jar=jar_of(pom, said.parents))
    return whole, list(_modules(directory, whole, depth=_DEEPEST))[:_MOST_MODULES]


@dataclass(frozen=True, kw_only=True)
class _Said:
    """Words that the file of a module and those of its parents hold, what it runs with by these, and these parents."""

    words: frozenset[str]
    needs: frozenset[str]
    parents: tuple[Pom, ...]


def _said(folder: Path, pom: Pom) -> _Said:
    """What a module in `folder` says itself, and by parents that may lie beside it instead of above it."""
    *_, top = (folder.absolute(), *files.above(folder))
    words, needs = pom.plugins | pom.dependencies, pom.needs
    parents: list[Pom] = []
    for _ in range(_DEEPEST):
        place = pom.parent_place and os.path.normpath(folder.absolute() / pom.parent_place)
        path = Path(place) if place else None
        if path is None or not path.is_relative_to(top):
            break
        path = path / "pom.xml" if path.is_dir() else path
        try:
            parent = read_pom(path)
        except UnreadablePom:
            break
        if parent.artifact != pom.parent:
            break
        words, needs = words | parent.plugins | parent.dependencies, needs | parent.needs
        folder, pom = path.parent, parent
        parents.append(parent)
    return _Said(words=words, needs=needs, parents=tuple(parents))


def _jar(pom: Pom, said: _Said, around: Mapping[str, Pom]) -> str:
    """The name of what a module leaves, as its parents name it, which may be modules around it."""
    parents, last = list(said.parents), said.parents[-1] if said.parents else pom
    while (name := last.parent or "") in around and len(parents) < 2 * _DEEPEST:
        last = around[name]
        parents.append(last)
    return jar_of(pom, parents)


def _modules(directory: Path, parent: _Module, *, depth: int) -> Iterator[_Module]:
    for folder in parent.pom.modules[:_MOST_MODULES] if depth else ():
        name = folder if parent.name == "." else f"{parent.name}/{folder}"
        if len(name) > _LONGEST_MODULE or not FOLDER.fullmatch(name):
            continue
        try:
            pom = read_pom(directory / name / "pom.xml")
        except UnreadablePom:
            continue
        said = _said(directory / name, pom)
        around = {**parent.around, parent.pom.artifact: parent.pom}
        module = _Module(
            name=name,
            pom=pom,
            words=parent.words | said.words,
            needs=parent.needs | said.needs,
            jar=_jar(pom, said, around),
            around=around,
        )
        if pom.packaging == "pom":
            yield from _modules(directory, module, depth=depth - 1)
        else:
            yield module


def _chosen(directory: Path, whole: _Module, modules: list[_Module]) -> tuple[_Module, tuple[str, ...]]:
    if whole.pom.packaging != "pom" or not modules:
        return whole, ()
    running = [each for each in modules if each.runs(directory)]
    if not running:
        last = modules[-1]
        return last, (f"of the modules, {last.name} was chosen as the service: it may need all others",)
    best = max(running, key=lambda each: guessed_endpoints(directory / each.name).total)
    others = [each.name for each in running if each is not best][:_NAMED_IN_A_REMARK]
    if not others:
        return best, (f"of the modules, {best.name} was chosen as the service",)
    told = ", ".join(others)
    return best, (f"of the modules, {best.name} was chosen as the service; for another: --module, as {told}",)


def _named(directory: Path, name: str, whole: _Module, modules: list[_Module]) -> tuple[_Module, tuple[str, ...]]:
    """The module called `name`, or what lies there with a file of its own. Raises UnknownModule."""
    for each in modules:
        if each.name == name:
            return each, ()
    known = [each.name for each in modules]
    try:
        pom = read_pom(directory / name / "pom.xml") if FOLDER.fullmatch(name) else None
    except UnreadablePom as problem:
        raise UnknownModule(known) from problem
    if pom is None or pom.packaging == "pom":
        raise UnknownModule(known)
    words, needs = (whole.words, whole.needs) if pom.parent == whole.pom.artifact else (frozenset(), frozenset())
    said = _said(directory / name, pom)
    jar = _jar(pom, said, {whole.pom.artifact: whole.pom})
    module = _Module(name=name, pom=pom, words=words | said.words, needs=needs | said.needs, jar=jar, listed=False)
    return module, (f"{name} is not a module of pom.xml, so it is built on its own",)


def _beside(service: _Module, modules: list[_Module]) -> list[_Module]:
    """The modules that a service runs with; where a property hides which these are, all that it may mean."""
    left = {each.pom.artifact: each for each in modules if each.name != service.name}
    found: list[_Module] = []
    todo = [service]
    while todo:
        needs = todo.pop().needs
        hidden = [need for need in needs if "*" in need]
        for name in [name for name in left if name in needs or any(fnmatchcase(name, need) for need in hidden)]:
            todo.append(left.pop(name))
            found.append(todo[-1])
    return found


def _packing(directory: Path, module: _Module, remarks: tuple[str, ...]) -> Packing:
    pom = module.pom
    only: tuple[str, ...] = () if module.name == "." else ("-pl", module.name, "-am")
    if not module.listed:
        only = ("-f", f"{module.name}/pom.xml")
    below = "" if module.name == "." else f"{module.name}/"
    artifact, program = _artifact(directory, module)
    goals: tuple[str, ...] = ("package",)
    if artifact.endswith(".jar") and not _packs(module):
        start = class_path.main_class(directory / module.name, named=pom.main)
        remarks = (*remarks, *((_NOT_PACKED,) if start is None else start.remarks))
        if start is not None:
            goals, artifact = class_path.GOALS, class_path.FOLDER
            program = ("-cp", class_path.CLASS_PATH, start.name)
    if artifact.endswith(".war") and "spring-boot-maven-plugin" not in module.words:
        remarks = (*remarks, needs_a_server(module.words))
    return Packing(
        tool="Maven",
        command=(wrapper(directory, "mvnw", "mvn"), "-q", "-B", "-DskipTests", *only, *goals),
        artifact=f"{below}target/{artifact}",
        program=program,
        words=module.words,
        group=pom.group if _JAVA_NAME.fullmatch(pom.group) else "",
        remarks=remarks,
    )


def _packs(module: _Module) -> bool:
    """Whether something may put into the jar what it needs; of a parent that is not there nobody knows."""
    elsewhere = module.name == "." and module.pom.parent is not None
    return elsewhere or not module.words.isdisjoint((*_PACKERS, *_OTHER_PACKERS))


def _artifact(directory: Path, module: _Module) -> tuple[str, tuple[str, ...]]:
    if "quarkus-maven-plugin" in module.words:
        kind = read_settings(directory / module.name).get("quarkus.package.jar.type", "quarkus.package.type")
        if kind == "uber-jar":
            return "*-runner.jar", ("-jar", "{artifact}")
        return "quarkus-app", ("-jar", "{artifact}/quarkus-run.jar")
    jar = module.jar if _FILE.fullmatch(module.jar) and module.jar.count("*") <= 1 else "*"
    return f"{jar}.{'war' if module.pom.packaging == 'war' else 'jar'}", ("-jar", "{artifact}")
