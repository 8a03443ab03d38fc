"""A jar that holds its own classes alone: how a build of Maven lays a class path out, and which class starts it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.packages import package_of

#: Puts what the module needs beside its classes. The version is fixed, so that both builds are made alike.
GOALS = (
    "package",
    "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies",
    "-DincludeScope=runtime",
    "-DoutputDirectory=target/classes/libs",
)
FOLDER = "classes"
CLASS_PATH = "{artifact}:{artifact}/libs/*"
_CLASS = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*", re.ASCII)
#: The class that the functions of a Kotlin file are compiled into, where the file names it.
_JVM_NAME = re.compile(r"@file\s{0,9}:\s{0,9}JvmName\s{0,9}\(\s{0,9}\"(\w{1,200})\"")
#: How a program begins to serve requests.
_SERVES = re.compile(
    r"\.listen\s{0,9}\(|\bcreate(?:Http)?Server\b|\bHttpServer\.create\b|\bembeddedServer\b|\bEngineMain\b|\bJavalin\b"
    r"|\bWebServer\b|\bnew\s{1,9}Server\s{0,9}\(|\bUndertow\b|\bSpringApplication\b|\brunApplication\b"
)
_LONGEST = 200


@dataclass(frozen=True, kw_only=True)
class MainClass:
    """The class that starts a service.

    Attributes:
        name: with its package.
        remarks: what was chosen.
    """

    name: str
    remarks: tuple[str, ...]


def main_class(module: Path, *, named: str | None) -> MainClass | None:
    """The class that starts the classes of a module; None where nothing says which one has the main method.

    Args:
        module: folder of the module.
        named: the class that its file names; None where it names none.
    """
    if named is not None and _CLASS.fullmatch(named):
        return MainClass(name=named, remarks=())
    found = sorted(_main_classes(module))
    if not found:
        return None
    first, *others = (name for _, _, name in found)
    told = f", of {len(found)} with a main method such as {others[0]}" if others else ""
    return MainClass(name=first, remarks=(f"that {first} starts it{told}",) if told else ())


def _main_classes(module: Path) -> Iterator[tuple[bool, int, str]]:
    """Each with a main method: whether it serves nobody, how deep it lies, its name. The least is the service's."""
    for folder, path in files.sources(module):
        source = files.text(folder / path)
        if not files.has_main(source):
            continue
        name = ".".join((*package_of(folder, path), _class_of(path, source)))
        if len(name) <= _LONGEST and _CLASS.fullmatch(name):
            yield _SERVES.search(source) is None, name.count("."), name


def _class_of(path: Path, source: str) -> str:
    if path.suffix != ".kt":
        return path.stem
    said = _JVM_NAME.search(source)
    return said[1] if said else f"{path.stem[:1].upper()}{path.stem[1:]}Kt"
