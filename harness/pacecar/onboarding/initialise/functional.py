"""Endpoints as Spring's functions tell them: `route().GET("/orders/{id}", …)`, in Kotlin `router { GET("/a") }`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pacecar.onboarding.initialise.calls import Calls, Function, pairs
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.declarations import Outline
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, guessed, joined
from pacecar.onboarding.initialise.known import NOTHING, Known
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
#: What stands elsewhere in the same file and adds routes: `this::orders`, `orders()`, `() -> orders()`.
_ELSEWHERE = re.compile(
    r"\s*+(?:\(?\w{0,40}+\)?\s{0,9}+->\s{0,9}+)?(?:\w{1,60}+(?:::|\.))?(\w{1,100}+)\s{0,9}+"
    r"(?:\(\s{0,9}+\w{0,40}+\s{0,9}+\)\s*+)?\Z"
)
#: `.path("/a", …)` of Java, whose routes lie within its parentheses, and `nest(path("/a"), …)`.
_WITHIN = re.compile(r"(?<![\w@$])(?:(path)\s{0,9}+\(|\w{0,9}[nN]est\s{0,9}+\(\s*+(?:\w{1,40}\.)?path\s{0,9}+(\())")
#: `path("/a").nest {` and `"/a".nest {` of Kotlin, also with further conditions in parentheses.
_BLOCK = re.compile(r"([\")])\s*+\.\s*+nest\s*+\{")
_STRING_BEFORE = re.compile(r"\"++\Z")
_FIRST_STRING = re.compile(r"\(\s*+(?:path\s{0,9}+\(\s*+)?(\"++)")
_PATH_BEFORE = re.compile(r"\bpath\s*+\Z")
#: `path("/a").and(accept(JSON)).nest {`: what stands before the last parentheses.
_PATH_AND = re.compile(r"\bpath\s{0,9}+(\()[^(){};]{0,200}+\)\s*+\.\s*+and\s*+\Z")
_LONGEST_WORD = 40
_LONGEST_CONDITION = 300
#: Functions that add routes may call others that do, and these others again.
_DEEPEST = 4
_MOST = 300
_LONGEST_STRING = 200
#: Of a call that names what stands elsewhere, so short.
_LONGEST_CALL = 400


def functions_in(source: str, known: Known = NOTHING) -> Iterator[GuessedEndpoint]:
    """Endpoints that such functions in the text of one Java or Kotlin file make. Anything may be in it."""
    if _FRAMEWORK.search(source):
        yield from _Reader(SourceText.of(source), known).endpoints()


@dataclass(frozen=True, kw_only=True)
class _Scope:
    """A part of a file that lies below a path.

    Attributes:
        start: where it begins.
        end: behind it.
        path: None where it cannot be read.
        called: where the call stands that puts it below the path, if that is elsewhere; None where it is not.
    """

    start: int
    end: int
    path: str | None
    called: int | None = None


class _Reader:
    """One file, and the paths below which parts of it lie."""

    def __init__(self, text: SourceText, known: Known) -> None:
        self._text = text
        self._known = known
        self._constants = Constants(constants_in(text), beyond=known.constants)
        self._outline = Outline(text)
        self._closed = dict(pairs(text.masked))
        self._calls = Calls(text)
        self._scopes = [*islice(self._within(), _MOST), *islice(self._blocks(), _MOST)]

    def endpoints(self) -> Iterator[GuessedEndpoint]:
        """The endpoints, in their order."""
        for at, method, opening in islice(self._routes(), _MOST):
            before = self._before(at, _DEEPEST)
            own = self._given(opening)
            if before is None or own is None or "*" in own:
                continue
            if endpoint := guessed(method, joined(before, own)):
                yield endpoint

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

    def _before(self, position: int, depth: int) -> str | None:
        """The path below which something lies; None where that cannot be told."""
        if not depth:
            return None
        around = sorted(
            (each for each in self._scopes if each.start < position < each.end), key=lambda each: (each.start, each.end)
        )
        paths = [each.path for each in around]
        # One call is followed back, the innermost: that a function is called in several places is left out.
        if called := [each.called for each in around if each.called is not None]:
            paths.insert(0, self._before(called[-1], depth - 1))
        return None if None in paths else joined(*(path for path in paths if path))

    def _given(self, opening: int) -> str | None:
        """The path that a call is given first, "" where it is given a handler only; None where it cannot be read."""
        closing = self._closed.get(opening)
        listed = self._text.part(opening + 1, closing).listed() if closing else []
        if not listed:
            return None
        path = self._read(listed[0].text.strip(), opening)
        return "" if path is None and '"' not in listed[0].masked and len(listed) == 1 else path

    def _read(self, expression: str, position: int) -> str | None:
        holder = self._outline.holder(position)
        path = self._constants.text(expression, inside=holder.name if holder else None)
        return None if path is None else self._known.filled_in(path)

    def _within(self) -> Iterator[_Scope]:
        for match in _WITHIN.finditer(self._text.masked):
            first = self._text.masked.index("(", match.start())
            if end := self._closed.get(first):
                path = self._given(first if match[1] else match.end() - 1)
                yield _Scope(start=match.start(), end=end, path=path)
                for function in self._elsewhere(first + 1, end):
                    yield _Scope(start=function.start, end=function.end, path=path, called=match.start())

    def _elsewhere(self, start: int, end: int) -> Iterator[Function]:
        """Functions of the same file that add the routes below a path, where a call is given them behind it."""
        listed = self._text.part(start, min(end, start + _LONGEST_CALL)).listed()
        named = _ELSEWHERE.match(listed[1].masked) if len(listed) == 2 else None
        return self._calls.named(named[1]) if named else iter(())

    def _blocks(self) -> Iterator[_Scope]:
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
            yield _Scope(start=match.start(), end=end, path=path)
