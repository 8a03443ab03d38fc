"""Routes as Spring's functions tell them: `route().GET("/orders/{id}", …)`, in Kotlin `router { GET("/a") }`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pacecar.onboarding.initialise.calls import Calls, pairs
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.declarations import Outline
from pacecar.onboarding.initialise.guesses import joined, joined_as_written
from pacecar.onboarding.initialise.known import NOTHING, Known
from pacecar.onboarding.initialise.routes import (
    CONSTANT,
    UNKNOWN,
    PathScope,
    Route,
    RouteMount,
    Routing,
    SourceLocation,
    references,
)
from pacecar.onboarding.initialise.source_text import SourceText

_FRAMEWORK = re.compile(r"\borg\.springframework\.web\.(?:reactive\.function\.server|servlet\.function)\b")
_ROUTE = re.compile(r"(?<![\w@$])(GET|POST|PUT|PATCH|DELETE)\s{0,9}+\(")
_VERB = r"(?:\w{1,40}\.)?(GET|POST|PUT|PATCH|DELETE)\s{0,9}+\)"
_AND = r"\s*+(?:\.\s*+and\s{0,9}+\(|and\s)\s*+(?:\w{1,40}\.)?"
#: `path("/a").and(method(HttpMethod.GET))`, whose second half follows its path; the same the other way round; and a
#: path by itself, which any method may ask for.
_PATH = re.compile(r"(?<![\w@$])(?:(?P<alone>\w{0,9}[rR]oute)\s{0,9}+\(\s*+(?:\w{1,40}\.)?)?path\s{0,9}+\(")
_AND_METHOD = re.compile(rf"\){_AND}method\s{{0,9}}+\(\s*+{_VERB}")
_METHOD_AND_PATH = re.compile(rf"(?<![\w@$])method\s{{0,9}}+\(\s*+{_VERB}{_AND}path\s{{0,9}}+\(")
_ALONE = re.compile(r"\)\s*+,")
#: `.path("/a", …)` of Java, whose routes lie within its parentheses, and `nest(path("/a"), …)`.
_WITHIN = re.compile(r"(?<![\w@$])(?:(path)\s{0,9}+\(|\w{0,9}[nN]est\s{0,9}+\(\s*+(?:\w{1,40}\.)?path\s{0,9}+(\())")
#: `path("/a").nest {` and `"/a".nest {` of Kotlin, also with further conditions in parentheses.
_BLOCK = re.compile(r"([\")])\s*+\.\s*+nest\s*+\{")
_STRING_BEFORE = re.compile(r"\"++\Z")
_FIRST_STRING = re.compile(r"\(\s*+(?:path\s{0,9}+\(\s*+)?(\"++)")
_PATH_BEFORE = re.compile(r"\bpath\s*+\Z")
#: `path("/a").and(accept(JSON)).nest {`: what stands before the last parentheses.
_PATH_AND = re.compile(r"\bpath\s{0,9}+(\()[^(){};]{0,200}+\)\s*+\.\s*+and\s*+\Z")
_CALLED = re.compile(r"(\w{1,40})\s*+\Z", re.ASCII)
_LONGEST_WORD = 40
_LONGEST_SHOWN = 60
_LONGEST_CONDITION = 300
_MOST = 300
_LONGEST_STRING = 200


def functions_in(source: str, *, file: int = 0, known: Known = NOTHING) -> Routing:
    """The routes that such functions in the text of one Java or Kotlin file make. Anything may be in it.

    Args:
        source: the file.
        file: its number.
        known: what names in it may mean.
    """
    if not _FRAMEWORK.search(source):
        return Routing()
    return _Reader(SourceText.of(source), file, known).read()


class _Reader:
    """One file, and the paths below which parts of it lie."""

    def __init__(self, text: SourceText, file: int, known: Known) -> None:
        self._text = text
        self._file = file
        self._known = known
        self._constants = Constants(constants_in(text), beyond=known.constants)
        self._outline = Outline(text)
        self._closed = dict(pairs(text.masked))
        self._calls = Calls(text)
        self._unread: dict[str, None] = {}
        self._scopes = [*islice(self._within(), _MOST), *islice(self._blocks(), _MOST)]

    def read(self) -> Routing:
        """The routes in their order, and what adds those of other files."""
        return Routing(routes=tuple(self._made()), mounts=tuple(self._mounts()), unread=tuple(self._unread))

    def _made(self) -> Iterator[Route]:
        for at, method, opening in islice(self._routes(), _MOST):
            own = self._given(opening)
            if own is not None:
                path = joined_as_written(self._before(at), own)
                yield Route(method=method, path=path, place=self._place(at), receiver=None, resource=None)

    def _mounts(self) -> Iterator[RouteMount]:
        """What is called, below a path or by itself, and may be a function that adds routes."""
        for each in references(self._text.masked):
            yield each.mounted(self._before(each.at).rstrip("/"), self._place(each.at))

    def _place(self, position: int) -> SourceLocation:
        function, holder = self._calls.function(position), self._outline.holder(position)
        return SourceLocation(
            file=self._file,
            owner=holder.name if holder and position < holder.end else None,
            function=function.name if function else None,
        )

    def _routes(self) -> Iterator[tuple[int, str, int]]:
        """Where a route stands, its method, and where the parentheses around its path open."""
        masked = self._text.masked
        for match in _ROUTE.finditer(masked):
            yield match.start(), match[1], match.end() - 1
        for match in _METHOD_AND_PATH.finditer(masked):
            yield match.start(), match[1], match.end() - 1
        for match in _PATH.finditer(masked):
            closing = self._closed.get(match.end() - 1)
            if closing is None:
                continue
            if method := _AND_METHOD.match(masked, closing):
                yield match.start(), method[1], match.end() - 1
            elif match["alone"] and _ALONE.match(masked, closing):
                yield match.start(), "GET", match.end() - 1

    def _before(self, position: int) -> str:
        """The path below which something lies, as this file tells."""
        around = sorted(
            (each for each in self._scopes if each.start < position < each.end), key=lambda each: (each.start, each.end)
        )
        return joined(*(UNKNOWN if each.path is None else each.path for each in around))

    def _given(self, opening: int) -> str | None:
        """The path that a call is given first, "" where it is given a handler only; None where it cannot be read."""
        closing = self._closed.get(opening)
        listed = self._text.part(opening + 1, closing).listed() if closing else []
        if not listed:
            return None
        expression = listed[0].text.strip()
        path = self._read(expression, opening)
        called = _CALLED.search(self._text.masked, max(0, opening - _LONGEST_WORD), opening)
        if path is not None or called is None:
            return path
        if CONSTANT.match(expression):
            self._unread[f"{called[1]}({expression})"[:_LONGEST_SHOWN]] = None
            return None
        handled = called[1].isupper() and '"' not in listed[0].masked and len(listed) == 1
        return "" if handled else None

    def _read(self, expression: str, position: int) -> str | None:
        holder = self._outline.holder(position)
        path = self._constants.text(expression, inside=holder.name if holder else None)
        return None if path is None else self._known.filled_in(path)

    def _within(self) -> Iterator[PathScope]:
        for match in _WITHIN.finditer(self._text.masked):
            first = self._text.masked.index("(", match.start())
            if end := self._closed.get(first):
                path = self._given(first if match[1] else match.end() - 1)
                yield PathScope(start=match.start(), end=end, path=path)

    def _blocks(self) -> Iterator[PathScope]:
        masked = self._text.masked
        opened = {closing: opening for opening, closing in self._closed.items()}
        for match in _BLOCK.finditer(masked):
            end, opening = self._closed.get(match.end() - 1), opened.get(match.start())
            if end is None:
                continue
            if opening is None:
                string = _STRING_BEFORE.search(masked, max(0, match.end(1) - _LONGEST_STRING), match.end(1))
                path = self._read(self._text.text[string.start() : string.end()], match.start()) if string else None
            elif _PATH_BEFORE.search(masked, max(0, opening - _LONGEST_WORD), opening):
                path = self._given(opening)
            elif before := _PATH_AND.search(masked, max(0, opening - _LONGEST_CONDITION), opening):
                path = self._given(before.start(1))
            else:  # conditions, of which the first may be a path
                first = _FIRST_STRING.match(masked, opening)
                path = self._read(self._text.text[first.start(1) : first.end(1)], opening) if first else ""
            yield PathScope(start=match.start(), end=end, path=path)
