"""A Maven project file, read with care: no DTD, no entities, nothing outside of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from pacecar.onboarding.initialise import files

_STARS = re.compile(r"\*[*.-]*\*")
#: Of a name or path.
_LONGEST = 200
_PROPERTY = re.compile(r"\$\{([\w.-]+)\}")
#: Parents of which we know that they leave the version out of the name of the jar.
_NAMING = {"helidon-se", "helidon-mp"}
#: What puts all that a jar needs into another one, and may call that as it likes.
_PACKERS = ("maven-shade-plugin", "maven-assembly-plugin")
_ASSEMBLY = frozenset({"maven-assembly-plugin"})
_JAR = re.compile(r"<format>\s{0,50}jar\s{0,50}</format>")
_BASEDIR = re.compile(r"^\$\{(?:project\.)?basedir\}/|^/+")
_MOST_DESCRIPTORS = 5
_JAR_NAMES = ("finalName", "outputFile")


class UnreadablePom(Exception):
    """The file is missing, too large, no XML, or has a document type; the message says which."""


@dataclass(frozen=True, kw_only=True)
class ArtifactNames:
    """What a file says of how the built jar or war is called. Properties stand in it as they are written.

    Attributes:
        packed: by the plugin that makes what runs; "" where it leaves that to the project.
        final: by the project; "" where it leaves that to its parent.
        usual: where nothing says another name.
        known: the properties that can be filled in.
    """

    packed: str
    final: str
    usual: str
    known: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Pom:
    """What a first configuration needs to know of a `pom.xml`.

    Attributes:
        group: groupId, or the parent's; "" when neither says.
        artifact: artifactId.
        parent: artifactId of its parent; None without one.
        parent_place: where the file of that lies, seen from its own folder; None where only a repository has it.
        packaging: jar, war or pom.
        names: of the built jar or war, see `jar_of`.
        main: the class that a plugin starts or says to start; None where none does.
        modules: folders of the modules.
        plugins: artifactIds of the build's plugins.
        dependencies: artifactIds.
        needs: those among them that are there when it runs, not only in tests.
    """

    group: str
    artifact: str
    parent: str | None
    parent_place: str | None
    packaging: str
    names: ArtifactNames
    main: str | None
    modules: tuple[str, ...]
    plugins: frozenset[str]
    dependencies: frozenset[str]
    needs: frozenset[str]


def read_pom(path: Path) -> Pom:
    """The project file at `path`. Raises UnreadablePom."""
    content = files.content(path)
    if content is None:
        raise UnreadablePom("it is missing, or larger than 1 MiB")
    root = _parse(content)
    group = _text(root, "groupId") or _text(root, "parent/groupId")
    artifact = _text(root, "artifactId")
    version = _text(root, "version") or _text(root, "parent/version")
    # Not the version itself: the other build may well have another one.
    parent = _text(root, "parent/artifactId")
    usual = "${project.artifactId}" if parent in _NAMING else "${project.artifactId}-${project.version}"
    known = {"artifactId": artifact, "version": "*" if version else "", "groupId": group}
    known |= {"name": _text(root, "name") or artifact, "parent.artifactId": parent}
    others = _ASSEMBLY if _leaves_no_jar(root, path.parent) else frozenset()
    packed = _packed(root) or _of_packer(root, others)
    plugins = _ids(root, "build/plugins/plugin") | _ids(root, "build/pluginManagement/plugins/plugin")
    return Pom(
        group=group,
        artifact=artifact,
        parent=parent or None,
        parent_place=_place_of_parent(root) if parent else None,
        packaging=_text(root, "packaging") or "jar",
        names=ArtifactNames(packed=packed, final=_text(root, "build/finalName"), usual=usual, known=known),
        main=_main(root),
        modules=tuple(module for element in root.iterfind("modules/module") if (module := _own(element))),
        plugins=(plugins | _active(root)) - others,
        dependencies=_ids(root, "dependencies/dependency"),
        needs=frozenset(
            _resolved(_text(each, "artifactId"), known)
            for each in root.iterfind("dependencies/dependency")
            if _text(each, "scope") != "test"
        ),
    )


def jar_of(pom: Pom, parents: Iterable[Pom] = ()) -> str:
    """Name of the built jar or war without its ending; `*` for its version, and for a property that is not known.

    Args:
        pom: of the module.
        parents: the nearest first, whose names hold where it says nothing.
    """
    names = [pom.names, *(each.names for each in parents)]
    final = next((each.final for each in names if each.final), pom.names.usual)
    packed = next((each.packed for each in names if each.packed), "")
    return _resolved(packed or final, {**pom.names.known, "build.finalName": final})


def properties_of(path: Path) -> tuple[dict[str, str], str | None]:
    """The properties of the project file at `path`, those of profiles that hold by default included, and where its
    parent lies, as `Pom.parent_place`. Raises UnreadablePom.
    """
    content = files.content(path)
    if content is None:
        raise UnreadablePom("it is missing, or larger than 1 MiB")
    root = _parse(content)
    active = [each for each in root.iterfind("profiles/profile") if _text(each, "activation/activeByDefault") == "true"]
    found = {"project.artifactId": _text(root, "artifactId"), "project.name": _text(root, "name")}
    for holder in (root, *active):
        found |= {each.tag: _own(each) for each in holder.iterfind("properties/*")}
    return found, _place_of_parent(root) if root.find("parent") is not None else None


def _main(root: Element) -> str | None:
    """The class that any plugin calls its main class; the first that is no property, or one of the file's own."""
    for element in root.iterfind("build//plugin//mainClass"):
        name = _own(element)
        if found := _PROPERTY.fullmatch(name):
            name = next((_own(each) for each in root.iterfind("properties/*") if each.tag == found[1]), "")
        if name and "${" not in name:
            return name
    return None


def _place_of_parent(root: Element) -> str | None:
    """Where the file of its parent lies: above it unless it says otherwise, and nowhere if it says nothing there."""
    told = root.find("parent/relativePath")
    return "../pom.xml" if told is None else _own(told) or None


def _active(root: Element) -> frozenset[str]:
    """Plugins of profiles that hold unless somebody says otherwise: by default, or because of a file."""
    profiles = root.iterfind("profiles/profile")
    active = (each for each in profiles if _text(each, "activation/activeByDefault") == "true" or _by_file(each))
    return frozenset().union(*(_ids(each, "build/plugins/plugin") for each in active))


def _by_file(profile: Element) -> bool:
    return profile.find("activation/file/exists") is not None


def _packed(root: Element) -> str:
    """The name that Spring Boot's plugin gives to what runs, beside a jar that does not; "" without one of its own."""
    for plugin in root.iterfind("build/plugins/plugin"):
        if _text(plugin, "artifactId") == "spring-boot-maven-plugin":
            return _text(plugin, "configuration/finalName")
    return ""


def _parse(content: bytes) -> Element:
    builder = TreeBuilder()
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        builder.start(tag.rpartition(":")[2], attributes)

    def refuse(*_: object) -> None:
        raise UnreadablePom("it declares a document type, which no project file needs")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: builder.end(tag.rpartition(":")[2])
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(content, True)
        return builder.close()
    except (expat.ExpatError, ValueError, LookupError, AssertionError) as error:
        raise UnreadablePom("it is not XML") from error


def _leaves_no_jar(root: Element, folder: Path) -> bool:
    """Whether an assembly makes archives to be unpacked elsewhere, as its descriptors say, and no jar that runs."""
    plugins = [each for each in root.iterfind("build/plugins/plugin") if _text(each, "artifactId") in _ASSEMBLY]
    named = [_own(each) for plugin in plugins for each in plugin.iter("descriptor")][:_MOST_DESCRIPTORS]
    refs = [_own(each) for plugin in plugins for each in plugin.iter("descriptorRef")]
    texts = [files.text(folder / _BASEDIR.sub("", name)) for name in named if ".." not in name]
    return bool(texts) and not refs and all("<format>" in text and not _JAR.search(text) for text in texts)


def _of_packer(root: Element, others: frozenset[str]) -> str:
    """The name that a plugin gives to the jar with everything in it; "" where it has that of the project."""
    for plugin in root.iterfind("build/plugins/plugin"):
        packer = _text(plugin, "artifactId")
        if packer not in _PACKERS or packer in others:
            continue
        for element in plugin.iter():
            name = _own(element).rpartition("/")[2].removesuffix(".jar") if element.tag in _JAR_NAMES else ""
            if name:
                # An assembly puts its own name behind that.
                return f"{name}*" if packer == "maven-assembly-plugin" else name
    return ""


def _ids(root: Element, path: str) -> frozenset[str]:
    return frozenset(_text(element, "artifactId") for element in root.iterfind(path))


def _text(element: Element, path: str) -> str:
    found = element.find(path)
    return "" if found is None else _own(found)


def _own(element: Element) -> str:
    # A name or a path: what is longer is neither, and a property would be filled in again and again.
    return (element.text or "").strip()[:_LONGEST]


def _resolved(text: str, known: dict[str, str]) -> str:
    """`text` with the project's own properties filled in three times over, and `*` for others."""
    for _ in range(3):
        text = _PROPERTY.sub(lambda match: known.get(match[1].removeprefix("project."), "") or "*", text)
    return _STARS.sub("*", text)
