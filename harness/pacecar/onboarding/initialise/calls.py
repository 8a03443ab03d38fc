"""Calls in a source that may add routes: whose they are, what they are given, how far they reach."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pacecar.onboarding.initialise.source_text import SourceText

#: More calls in one file are left unread.
_MOST = 1_000
_BRACKET = re.compile(r"[(){}]")
_OTHER = {")": "(", "}": "{"}
_CALL = re.compile(
    r"(?<![\w@$])(?:(\w{1,60}+)\s{0,40}+\.\s{0,40}+)?+(get|post|put|patch|delete|route|path|register|mountSubRouter)\b"
    r"(?:\s{0,5}+<\s{0,5}+([\w.]{1,100}+)\s{0,5}+>)?+\s{0,5}+([({])",
    re.ASCII,
)
_BLOCK = re.compile(r"\s{0,40}+\{")
_SUB_ROUTER = re.compile(r"\s{0,40}+\.\s{0,40}+subRouter\s{0,5}+\(")
#: What may follow a route of Vert.x that is for every method, or for one that is named behind it.
_HANDLED = re.compile(
    r"(?:\s{0,40}+\.\s{0,40}+(?:method\s{0,5}+\(\s{0,5}+(?:\w{1,40}\.)?(GET|POST|PUT|PATCH|DELETE)\s{0,5}+\)"
    r"|(?:produces|name)\s{0,5}+\([^()]{0,100}+\))){0,3}+"
    r"\s{0,40}+\.\s{0,40}+(?:handler|blockingHandler|respond|coroutineHandler)\s{0,5}+[({]"
    r"(?!\s{0,40}+(?:new\s{1,9}+)?\w{0,40}(?:Body|Static|Cors|Session|CSRF|Csrf|Logger|Timeout|ResponseTime|Favicon"
    r"|SockJS|Auth|Authentication|Authorization|Error|HSTS|Cookie|Bridge|GraphQL|GraphiQL|FormLogin|body|static|cors|session"
    r"|logger|auth)\w{0,20}Handler\b)",
    re.ASCII,
)
#: Ktor's block around routes that ask for a login, unless that is optional.
_GUARD = re.compile(r"(?<![\w.])authenticate\b\s{0,5}+(?:\([^(){}]{0,200}+\))?\s{0,5}+\{")
_OPTIONAL = re.compile(r"\boptional\s{0,5}+=\s{0,5}+true\b")
_KOTLIN = re.compile(r"\bfun\s{1,20}+(?:<|[A-Za-z_])")
_FUNCTION = re.compile(
    r"\bfun\s{1,20}+(?:<[^<>]{0,100}+>\s{0,20}+)?(?:([A-Za-z_]\w{0,99}+)(?:<[^<>()]{0,100}+>)?\.)?([A-Za-z_]\w{0,99}+)"
    r"\s{0,5}+\(",
    re.ASCII,
)
#: Behind the parameters of a method in Java.
_BODY = re.compile(r"\)(?:\s{1,40}+throws\s{1,40}+[\w.,\s]{1,200}?)?\s{0,40}+\{", re.ASCII)
_NAME_BEFORE = re.compile(r"(\bnew\s{1,20})?\b([A-Za-z_]\w{0,99})\s{0,5}\Z", re.ASCII)
_WORD_BEFORE = re.compile(r"(\w[\w>\]?]{0,39})[^\S\n]{1,20}\Z")
_NO_TYPES = {"return", "else", "do"}
_LONGEST_WORD = 80
_NO_METHODS = {"if", "for", "while", "switch", "catch", "synchronized", "try"}
#: Characters between the parameters of a function in Kotlin and its body.
_LONGEST_TYPE = 200


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call that may add a route.

    Attributes:
        receiver: the name before its dot; None where there is none, or another call.
        name: `get`, `route`.
        given: the type between its angle brackets; None without one.
        start: where it begins in the source.
        end: behind all it is given.
        arguments: what it is given between parentheses.
        block: whether a block in braces belongs to it.
        mounts: whether a router is put below it, as in `route("/a/*").subRouter(other)`.
        chained: whether it is called on what another call leaves.
        handled: the method that a route of Vert.x answers to, which has its handler behind it; None without.
    """

    receiver: str | None
    name: str
    given: str | None
    start: int
    end: int
    arguments: tuple[SourceText, ...]
    block: bool
    mounts: bool
    chained: bool
    handled: str | None = None


@dataclass(frozen=True, kw_only=True)
class Function:
    """A function or method: its name, the type that it extends in Kotlin, where its body begins and ends."""

    name: str
    extends: str | None
    start: int
    end: int


class Calls:
    """The calls and functions of a source, as its brackets tell them."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self._closed = dict(pairs(source.masked))
        self._functions = list(islice(self._read_functions(), _MOST))
        #: Where blocks begin and end whose routes ask for a login.
        self.guarded = list(islice(self._read_guarded(), _MOST))

    def found(self) -> Iterator[Call]:
        """The calls, in the order in which they begin."""
        masked = self.source.masked
        for match in islice(_CALL.finditer(masked), _MOST):
            closing = self._closed.get(match.end() - 1)
            before = masked[max(0, match.start() - _LONGEST_WORD) : match.start()]
            if closing is None or is_declared(before):
                continue
            end = closing + 1
            block = match[4] == "{"
            mounts = False
            arguments = () if block else tuple(self.source.part(match.end(), closing).listed())
            if not block and (opening := _BLOCK.match(masked, end)):
                block, end = True, self._closed.get(opening.end() - 1, end - 1) + 1
            elif match[2] == "route" and (opening := _SUB_ROUTER.match(masked, end)):
                mounts, end = True, self._closed.get(opening.end() - 1, end - 1) + 1
            answered = _HANDLED.match(masked, end) if match[2] == "route" and not block else None
            yield Call(
                receiver=match[1],
                name=match[2],
                given=match[3],
                start=match.start(),
                end=end,
                arguments=arguments,
                block=block,
                mounts=mounts,
                chained=match[1] is None and before.rstrip().endswith("."),
                # Without a method, it answers to all of them.
                handled=(answered[1] or "GET") if answered and not mounts else None,
            )

    def function(self, position: int) -> Function | None:
        """The innermost function in whose body `position` lies."""
        around = (each for each in self._functions if each.start <= position < each.end)
        return max(around, key=lambda each: each.start, default=None)

    def named(self, name: str) -> Iterator[Function]:
        """The functions of that name."""
        return (each for each in self._functions if each.name == name)

    def _read_guarded(self) -> Iterator[tuple[int, int]]:
        for match in _GUARD.finditer(self.source.masked):
            end = self._closed.get(match.end() - 1)
            if end is not None and not _OPTIONAL.search(match[0]):
                yield match.end(), end

    def _read_functions(self) -> Iterator[Function]:
        masked = self.source.masked
        if _KOTLIN.search(masked):
            yield from self._of_kotlin()
            return
        opened = {closing: opening for opening, closing in self._closed.items()}
        for match in _BODY.finditer(masked):
            opening = opened.get(match.start())
            end = self._closed.get(match.end() - 1)
            if opening is None or end is None:
                continue
            name = _NAME_BEFORE.search(masked, max(0, opening - 150), opening)
            if name and not name[1] and name[2] not in _NO_METHODS:
                yield Function(name=name[2], extends=None, start=match.end(), end=end)

    def _of_kotlin(self) -> Iterator[Function]:
        masked = self.source.masked
        for match in _FUNCTION.finditer(masked):
            closing = self._closed.get(match.end() - 1)
            if closing is None:
                continue
            following = re.compile(r"[{=\n}]").search(masked, closing, closing + _LONGEST_TYPE)
            if following is None or following[0] in "\n}":
                continue
            # What an expression makes has no end of its own: it is taken to reach to the next function.
            later = masked.find("\nfun ", following.end())
            expression = later if later >= 0 else len(masked)
            end = self._closed.get(following.start(), expression) if following[0] == "{" else expression
            yield Function(name=match[2], extends=match[1], start=following.end(), end=end)


def arguments_of_calls(text: SourceText, pattern: re.Pattern[str]) -> Iterator[tuple[str, list[SourceText]]]:
    """Names and arguments of calls that have any; a pattern ends with the opening parenthesis, its group is a name."""
    closed = dict(pairs(text.masked))
    for match in pattern.finditer(text.masked):
        closing = closed.get(match.end() - 1)
        arguments = text.part(match.end(), closing).listed() if closing else []
        if arguments:
            yield match[1], arguments


def is_declared(before: str) -> bool:
    """Whether what stands before a name makes it a declaration: `void get(…)`, `fun Route.path(…)`."""
    word = _WORD_BEFORE.search(before)
    return word is not None and word[1] not in _NO_TYPES


def pairs(masked: str) -> Iterator[tuple[int, int]]:
    """Where brackets open and close; those that nothing closes are left out."""
    opened: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(masked):
        if match[0] in "({":
            opened.append((match[0], match.start()))
        elif opened and opened[-1][0] == _OTHER[match[0]]:
            yield opened.pop()[1], match.start()
