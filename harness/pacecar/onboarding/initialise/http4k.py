"""Routes as http4k binds them: `"/orders/{id}" bind GET to …`, and `"/api" bind routes(…)` around others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pacecar.onboarding.initialise.calls import Calls, pairs
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.declarations import Outline
from pacecar.onboarding.initialise.guesses import joined
from pacecar.onboarding.initialise.known import NOTHING, Known
from pacecar.onboarding.initialise.routes import (
    UNKNOWN,
    PathScope,
    Route,
    RouteMount,
    Routing,
    SourceLocation,
    references,
)
from pacecar.onboarding.initialise.source_text import SourceText

_FRAMEWORK = re.compile(r"\borg\.http4k\.(?:routing|contract)\b")
#: What gives a path: a text, or a name in capital letters; in a contract, what it says of itself follows.
_PATH = r"(?P<path>\"++|(?<![\w.])(?:[A-Z]\w{0,60}+\.)?[A-Z][A-Z0-9_]{1,60}+)\s*+"
_ROUTE = re.compile(
    rf"(?:{_PATH}(?:meta\s*+\{{[^{{}}]{{0,1000}}+\}}\s*+)?bind(?:Contract)?\s++)?"
    r"(?<![\w.])(?:Method\s*+\.\s*+)?(?P<method>GET|POST|PUT|PATCH|DELETE)\s++to\b",
    re.ASCII,
)
#: What lies below a path: `bind routes(…)`, `bind contract { … }`, and another handler that has routes of its own.
_WITHIN = re.compile(
    rf"{_PATH}bind\s++(?!(?:Method\s*+\.\s*+)?(?:GET|POST|PUT|PATCH|DELETE)\b)(?P<held>\w{{1,60}}+)", re.ASCII
)
_BOUND = re.compile(r"\bbind(?:Contract)?\s{1,9}\Z")
_LONGEST_WORD, _LONGEST_SHOWN = 40, 60
_OPENING = re.compile(r"\s*+([({])")
_MOST = 300


def routes_of_http4k(source: str, *, file: int = 0, known: Known = NOTHING) -> Routing:
    """The routes that the text of one Kotlin file binds. Anything may be in it.

    Args:
        source: the file.
        file: its number.
        known: what names in it may mean.
    """
    return _Reader(SourceText.of(source), file, known).read() if _FRAMEWORK.search(source) else Routing()


class _Reader:
    def __init__(self, text: SourceText, file: int, known: Known) -> None:
        self._text = text
        self._file = file
        self._constants = Constants(constants_in(text), beyond=known.constants)
        self._outline = Outline(text)
        self._calls = Calls(text)
        self._closed = dict(pairs(text.masked))
        self._unread: dict[str, None] = {}
        self._scopes = list(islice(self._within(), _MOST))

    def read(self) -> Routing:
        """The routes in their order, and what adds those of other files."""
        routes = tuple(islice(self._made(), _MOST))
        return Routing(routes=routes, mounts=tuple(self._mounts()), unread=tuple(self._unread))

    def _made(self) -> Iterator[Route]:
        masked = self._text.masked
        for match in _ROUTE.finditer(masked):
            if not match["path"] and _BOUND.search(masked, max(0, match.start() - _LONGEST_WORD), match.start()):
                continue  # to something else than a text
            own = self._path(match) if match["path"] else ""
            if own is not None:
                path = joined(self._before(match.start()), own)
                place = self._place(match.start())
                yield Route(method=match["method"], path=path, place=place, receiver=None, resource=None)

    def _mounts(self) -> Iterator[RouteMount]:
        for each in references(self._text.masked):
            yield each.mounted(self._before(each.at).rstrip("/"), self._place(each.at))

    def _within(self) -> Iterator[PathScope]:
        for match in _WITHIN.finditer(self._text.masked):
            end = match.end()
            # `routes(…)`, `contract { … }`, `then(routes(…))` behind filters: as far as brackets follow each other.
            while opening := _OPENING.match(self._text.masked, end):
                closing = self._closed.get(opening.start(1))
                if closing is None:
                    break
                end = closing + 1
            yield PathScope(start=match.start("held"), end=end, path=self._path(match))

    def _path(self, match: re.Match[str]) -> str | None:
        before = self._text.masked[max(0, match.start("path") - _LONGEST_WORD) : match.start("path")].rstrip()
        if before.endswith(("+", "/")):  # the end of a path that is put together
            return None
        expression = self._text.text[match.start("path") : match.end("path")].strip()
        holder = self._outline.holder(match.start())
        path = self._constants.text(expression, inside=holder.name if holder else None)
        if path is None:
            self._unread[f"{expression} bind"[:_LONGEST_SHOWN]] = None
        return None if path is None or "$" in path else path

    def _before(self, position: int) -> str:
        around = sorted(
            (each for each in self._scopes if each.start <= position < each.end),
            key=lambda each: (each.start, -each.end),
        )
        return joined(*(UNKNOWN if each.path is None else each.path for each in around))

    def _place(self, position: int) -> SourceLocation:
        function, holder = self._calls.function(position), self._outline.holder(position)
        return SourceLocation(
            file=self._file,
            owner=holder.name if holder and position < holder.end else None,
            function=function.name if function else None,
        )
