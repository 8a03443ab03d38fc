"""Endpoints that a framework makes of interfaces alone: repositories of Spring Data REST, resources of Panache.

A repository has those of its queries, too, below `/search`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from pacecar.onboarding.initialise.arguments import Unread, arguments_of, text_of
from pacecar.onboarding.initialise.calls import is_declared
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.declarations import Declaration, Outline
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, Parameter, guessed, joined
from pacecar.onboarding.initialise.known import NOTHING, Known
from pacecar.onboarding.initialise.parameters import search_parameters
from pacecar.onboarding.initialise.source_text import SourceAnnotation, SourceText

#: What a repository extends: the type of its entities, and that of their ids.
_REPOSITORY = re.compile(
    r"\w{1,100}+[^{};]{0,400}?\b\w{0,40}Repository\s{0,9}+<\s{0,9}+([\w.]{1,100}+)\s{0,9}+,\s{0,9}+([\w.]{1,100}+)"
)
_PANACHE = re.compile(
    r"\w{1,100}+[^{};]{0,400}?\bPanache\w{0,40}Resource\s{0,9}+<[\w.,\s]{0,300},\s{0,9}+([\w.]{1,100}+)\s{0,9}+>"
)
_EXPORTED = re.compile(r"@((?:RepositoryRestResource|RestResource))\b")
_PROPERTIES = re.compile(r"@(ResourceProperties)\b")
_SPRING_DATA = "org.springframework.data"
_ENDS_WITH_ES = ("s", "x", "ch", "sh")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
#: Which repositories are shown.
_STRATEGY = "spring.data.rest.detection-strategy"
_PUBLIC, _OF_JAVA = re.compile(r"\bpublic\b[\w\s]{0,40}\Z"), re.compile(r"\bextends\b")
_MOST = 50
_METHOD = re.compile(r"(?<![\w@.$])(\w{1,100}+)\s{0,9}+\(")
_OF_A_SEARCH = re.compile(r"@(RestResource)\b")
#: How queries are called that are made of their names alone; others have an annotation.
_FINDS = re.compile(r"(?:find|read|get|query|search|count|exists)(?:[A-Z]\w*)?By[A-Z0-9_]\w*", re.ASCII)
_BY_ID = {"findById", "existsById", "getById", "getReferenceById", "findAllById"}
_QUERY = re.compile(r"@Query\b")
_CHANGES = re.compile(r"@Modifying\b")
#: Behind the parameters of a method with a body of its own, which is no query.
_HAS_BODY = re.compile(r"\)(?:\s*+:[^\n={}]{0,200}+)?\s*+[{=]")
#: Characters before a method in which its annotations are looked for.
_LONGEST_HEAD = 2_000
_LONGEST_WORD = 80
#: In one file.
_MOST_METHODS = 500


def repositories_in(source: str, *, all_of_them: bool, known: Known = NOTHING) -> Iterator[GuessedEndpoint]:
    """Endpoints of the repositories of Spring Data REST in the text of one file, without the base path of all.

    Args:
        source: the file.
        all_of_them: whether public repositories without an annotation are exported, too.
        known: what names in it may mean.
    """
    if _SPRING_DATA not in source or not (all_of_them or "RepositoryRestResource" in source):
        return
    file = _File(source, known)
    for declared, mark, extended in file.interfaces(_EXPORTED, _REPOSITORY):
        if (mark is None and not all_of_them) or not file.is_exported(declared, mark, extended):
            continue
        path = file.path(mark, declared) or _plural(extended[1].rpartition(".")[2])
        yield from _of(path, extended[2])
        yield from islice(file.searches(path, declared), _MOST)


def resources_of_panache(source: str, known: Known = NOTHING) -> Iterator[GuessedEndpoint]:
    """Endpoints of the resources of Quarkus's REST Data with Panache in the text of one file."""
    if "io.quarkus" not in source or "Panache" not in source:
        return
    file = _File(source, known)
    for declared, mark, extended in file.interfaces(_PROPERTIES, _PANACHE):
        if file.is_off(mark, "exposed"):
            continue
        own = declared.name.removesuffix("Resource").removesuffix("Controller")
        yield from _of(file.path(mark, declared) or _HUMP.sub("-", own).lower(), extended[1])


@dataclass(frozen=True, kw_only=True)
class _Query:
    """A method of a repository that asks for something: what stands before it, where its parameters begin and end."""

    name: str
    head: SourceText
    given: tuple[int, int]
    start: int


class _File:
    """A source, and what names in it stand for."""

    def __init__(self, source: str, known: Known) -> None:
        self._text = SourceText.of(source)
        self._known = known
        self._constants = Constants(constants_in(self._text), beyond=known.constants)
        self._outline = Outline(self._text)

    def interfaces(
        self, marks: re.Pattern[str], extended: re.Pattern[str]
    ) -> Iterator[tuple[Declaration, SourceAnnotation | None, re.Match[str]]]:
        """The interfaces that extend such a one, with what marks them."""
        for declared in islice(self._outline.classes(), _MOST):
            named = self._text.masked.find(declared.name, declared.start)
            found = extended.match(self._text.masked, named) if declared.kind == "interface" else None
            if found:
                yield declared, next(declared.head.annotations(marks), None), found

    def is_exported(self, declared: Declaration, mark: SourceAnnotation | None, extended: re.Match[str]) -> bool:
        """Whether Spring Data REST shows a repository: one with an annotation, or seen outside of its package."""
        strategy = self._known.settings.get(_STRATEGY).lower() if self._known.settings else ""
        if strategy == "all":
            return True
        if mark is not None:
            return not self.is_off(mark, "exported")
        # In Kotlin, what says nothing is public.
        public = _PUBLIC.search(declared.head.masked) is not None or not _OF_JAVA.search(extended[0])
        return public and strategy != "annotated"

    def searches(self, path: str, declared: Declaration) -> Iterator[GuessedEndpoint]:
        """What the queries of a repository at a path answer."""
        for each in self._methods:
            inside = declared.start < each.start < declared.end
            if inside and (endpoint := self._search(path, each, declared)):
                yield endpoint

    @cached_property
    def _methods(self) -> list[_Query]:
        """The methods in the file that only read, and are without a body."""
        found, behind, masked = [], 0, self._text.masked
        for match in islice(_METHOD.finditer(masked), _MOST_METHODS):
            given = self._text.parameters(match.start()) if match.start() >= behind else None
            if given is None or match.end() != given[0]:
                continue
            since = max(self._outline.statement(match.start()), behind, match.start() - _LONGEST_HEAD)
            head, behind = self._text.part(since, match.start()), given[1]
            declared = is_declared(masked[max(0, match.start() - _LONGEST_WORD) : match.start()])
            if declared and _is_query(match[1], head) and not _HAS_BODY.match(masked, given[1]):
                found.append(_Query(name=match[1], head=head, given=given, start=match.start()))
        return found

    def _search(self, path: str, query: _Query, declared: Declaration) -> GuessedEndpoint | None:
        mark = next(query.head.annotations(_OF_A_SEARCH), None)
        if self.is_off(mark, "exported"):
            return None
        try:
            parameters = search_parameters(
                self._text.part(*query.given), constants=self._constants, inside=declared.name
            )
        except Unread:
            return None
        asked = [self._known.valued(each, inside=declared.name) for each in parameters]
        return guessed("GET", joined(path, "search", self.path(mark, declared) or query.name), query=asked)

    def path(self, mark: SourceAnnotation | None, declared: Declaration) -> str:
        """The path that an annotation gives; "" without one that can be read."""
        try:
            path = text_of(mark, "path", constants=self._constants, inside=declared.name) if mark else ""
        except Unread:
            return ""
        return self._known.filled_in(path)

    def is_off(self, mark: SourceAnnotation | None, name: str) -> bool:
        """Whether an annotation turns off what it marks."""
        try:
            given = arguments_of(mark).get(name) if mark else None
        except Unread:
            return False
        return given is not None and given.text.strip() == "false"


def _is_query(name: str, head: SourceText) -> bool:
    """Whether a method of a repository only reads, and is one that the framework shows."""
    if _CHANGES.search(head.masked) or name in _BY_ID:
        return False
    return _FINDS.fullmatch(name) is not None or _QUERY.search(head.masked) is not None


def _of(path: str, kind: str) -> Iterator[GuessedEndpoint]:
    """All of a kind, and one of them."""
    for route in (joined(path), joined(path, "{id}")):
        if endpoint := guessed("GET", route, variables=[Parameter(name="id", type=kind.rpartition(".")[2])]):
            yield endpoint


def _plural(entity: str) -> str:
    """The path of entities as Spring names it: `Order` -> `orders`."""
    name = entity[:1].lower() + entity[1:]
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(_ENDS_WITH_ES) else f"{name}s"
