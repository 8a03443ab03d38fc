"""Endpoints as Spring's functions tell them: `route().GET("/orders/{id}", …)`, in Kotlin `router { GET("/a") }`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pacecar.onboarding.initialise.calls import pairs
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.declarations import Outline
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, guessed, joined
from pacecar.onboarding.initialise.known import NOTHING, Known
from pacecar.onboarding.initialise.source_text import SourceText

_FRAMEWORK = re.compile(r"\borg\.springframework\.web\.(?:reactive\.function\.server|servlet\.function)\b")
_ROUTE = re.compile(r"(?<![\w@$])(GET|POST|PUT|PATCH|DELETE)\s{0,9}+\(")
#: `.path("/a", …)` of Java, whose routes lie within its parentheses, and `nest(path("/a"), …)`.
_WITHIN = re.compile(r"(?<![\w@$])(?:(path)\s{0,9}+\(|\w{0,9}[nN]est\s{0,9}+\(\s*+(?:\w{1,40}\.)?path\s{0,9}+(\())")
#: `path("/a").nest {` and `"/a".nest {` of Kotlin, also with further conditions in parentheses.
_BLOCK = re.compile(r"([\")])\s*+\.\s*+nest\s*+\{")
_STRING_BEFORE = re.compile(r"\"++\Z")
_FIRST_STRING = re.compile(r"\(\s*+(?:path\s{0,9}+\(\s*+)?(\"++)")
_PATH_BEFORE = re.compile(r"\bpath\s*+\Z")
_LONGEST_WORD = 40
_MOST = 300
_LONGEST_STRING = 200


def functions_in(source: str, known: Known = NOTHING) -> Iterator[GuessedEndpoint]:
    """Endpoints that such functions in the text of one Java or Kotlin file make. Anything may be in it."""
    if _FRAMEWORK.search(source):
        yield from _Reader(SourceText.of(source), known).endpoints()


class _Reader:
    """One file, and the paths below which parts of it lie."""

    def __init__(self, text: SourceText, known: Known) -> None:
        self._text = text
        self._known = known
        self._constants = Constants(constants_in(text), beyond=known.constants)
        self._outline = Outline(text)
        self._closed = dict(pairs(text.masked))
        #: Begin, end and path; None for a path that cannot be read.
        self._scopes = [*islice(self._within(), _MOST), *islice(self._blocks(), _MOST)]

    def endpoints(self) -> Iterator[GuessedEndpoint]:
        """The endpoints, in their order."""
        for match in islice(_ROUTE.finditer(self._text.masked), _MOST):
            before = self._before(match.start())
            own = self._given(match.end() - 1)
            if before is None or own is None or "*" in own:
                continue
            if endpoint := guessed(match[1], joined(before, own)):
                yield endpoint

    def _before(self, position: int) -> str | None:
        around = sorted(scope for scope in self._scopes if scope[0] < position < scope[1])
        paths = [path for _, _, path in around]
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

    def _within(self) -> Iterator[tuple[int, int, str | None]]:
        for match in _WITHIN.finditer(self._text.masked):
            first = self._text.masked.index("(", match.start())
            if end := self._closed.get(first):
                yield match.start(), end, self._given(first if match[1] else match.end() - 1)

    def _blocks(self) -> Iterator[tuple[int, int, str | None]]:
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
            else:  # conditions, of which the first may be a path
                first = _FIRST_STRING.match(masked, opening)
                path = self._read(self._text.text[first.start(1) : first.end(1)], opening) if first else ""
            yield match.start(), end, path
