"""Which OpenAPI documents a build makes controllers of, and which ones clients of other services."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise import files

_SCRIPTS = ("pom.xml", "build.gradle.kts", "build.gradle")
_SPEC = re.compile(
    r"<inputSpec>\s{0,200}+([^<\s]{1,300}+)\s{0,200}+</inputSpec>"
    r"|\binputSpec\b(?!>)[^\n\"']{0,80}[\"']([^\n\"']{1,300})[\"']"
)
_GENERATOR = re.compile(
    r"<(?:generatorName|language)>\s{0,200}+([\w-]{1,60}+)\s{0,200}+</|\bgeneratorName\b(?:\.set)?\W{0,10}[\"']([\w-]{1,60}+)[\"']"
)
#: What makes controllers, or the interfaces of these.
_SERVERS = re.compile(
    r"spring|kotlin-spring|jaxrs(?:-[\w-]{1,40})?|kotlin-(?:server|vertx)|ktor"
    r"|java-(?:camel|helidon-server|inflector|micronaut-server|msf4j|play-framework|undertow-server|vertx(?:-web)?)"
)
#: What the generator of Spring makes clients with.
_CLIENT = re.compile(r"spring-cloud|spring-http-interface")
#: Characters between a document and the generator that reads it, or what this is told.
_FARTHEST, _MOST, _MOST_FILES = 3_000, 50, 3
_HERE = re.compile(r"\$(?:\{(?:project\.)?(?:basedir|projectDir)\}|projectDir)/")
_ABOVE = re.compile(
    r"\$(?:\{(?:rootDir|rootProject\.projectDir|project\.rootDir|project\.parent\.basedir|maven\.multiModuleProjectDirectory"
    r"|session\.executionRootDirectory)\}|rootDir|rootProject\.projectDir|project\.rootDir)/"
)


@dataclass(frozen=True, kw_only=True)
class Specs:
    """Documents that a build names.

    Attributes:
        served: of the service itself.
        asked: of others, which it asks.
    """

    served: tuple[Path, ...]
    asked: frozenset[Path]


def read_specs(module: Path) -> Specs:
    """The documents that the build of a module names and that are there."""
    served: dict[Path, None] = {}
    asked: set[Path] = set()
    for text in (files.text(module / name) for name in _SCRIPTS):
        for path, serves in islice(_named(module, text), _MOST):
            if serves:
                served[path] = None
            else:
                asked.add(path)
    return Specs(served=tuple(islice(served, _MOST_FILES)), asked=frozenset(asked.difference(served)))


def _named(module: Path, text: str) -> Iterator[tuple[Path, bool]]:
    generators = list(islice(_GENERATOR.finditer(text), _MOST))
    for spec in islice(_SPEC.finditer(text), _MOST):
        nearest = min(generators, key=lambda each: abs(each.start() - spec.start()), default=None)
        path = _found(module, (spec[1] or spec[2]).strip())
        if nearest is None or path is None or abs(nearest.start() - spec.start()) > _FARTHEST:
            continue
        told = text[min(nearest.start(), spec.start()) : max(nearest.end(), spec.end()) + _FARTHEST // 2]
        told = told.partition("</execution>")[0]
        serves = _SERVERS.fullmatch(nearest[1] or nearest[2]) is not None
        yield path, serves and not _CLIENT.search(told)


def _found(module: Path, named: str) -> Path | None:
    """The file of that name, in the module or in a folder around it; None where there is none in the repository."""
    place = module.absolute()
    around = [place, *files.above(module)]
    text = re.sub(r"^file:/{0,3}(?=\$)", "", named)
    own = _HERE.sub("", text)
    whole = _ABOVE.sub("", own)
    if "$" in whole or whole.startswith("/"):
        return None
    for folder in around[:1] if own != text else around:
        path = Path(os.path.normpath(folder / whole))
        if path.is_relative_to(around[-1]) and path.is_file():
            return path
    return None
