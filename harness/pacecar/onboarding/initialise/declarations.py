"""Which classes a source declares: what is said of each before it, and what stands in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from pacecar.onboarding.initialise.source_text import SourceText

_TOKEN = re.compile(
    r"[(){};]"
    r"|(?<![\w.:@])(?P<kind>class|interface|object|record(?=\s{1,20}+\w{1,100}+\s{0,20}+[(<]))"
    r"\s{1,20}+(?P<name>\w{1,100}+)"
)
_ABSTRACT = re.compile(r"\babstract\b[\w\s]{0,40}\Z")
#: Classes in one file that are looked at.
_MOST = 300
#: Characters before a class in which its annotations are looked for.
_LONGEST_HEAD = 10_000


@dataclass(frozen=True, kw_only=True)
class Declaration:
    """A class, interface, record or object.

    Attributes:
        kind: "class", "interface", "object" or "record".
        name: without its package.
        head: its annotations and modifiers.
        start: where it begins in the source.
        end: behind its body.
    """

    kind: str
    name: str
    head: SourceText
    start: int
    end: int

    @property
    def abstract(self) -> bool:
        """Whether others have to extend or implement it."""
        return self.kind == "interface" or _ABSTRACT.search(self.head.masked) is not None


class Outline:
    """What is declared in a source, and where its statements begin."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._classes: list[Declaration] = []
        #: Behind each brace and semicolon that is not within parentheses.
        self._begun = [0]
        self._read()

    def holder(self, position: int) -> Declaration | None:
        """The class in which `position` lies: the innermost; where braces do not tell, the one declared last."""
        before = [each for each in self._classes if each.start <= position]
        return max(before, key=lambda each: (position < each.end, each.start), default=None)

    def classes(self) -> tuple[Declaration, ...]:
        """All that is declared, in no order."""
        return tuple(self._classes)

    def statement(self, position: int) -> int:
        """Where the statement or declaration begins in which `position` lies, as far as braces and semicolons tell."""
        return self._begun[bisect_right(self._begun, position) - 1]

    def _read(self) -> None:
        opened: list[Declaration | None] = []
        declared: Declaration | None = None
        since = 0
        for kind, match in self._tokens():
            if declared is not None and kind != "{":
                self._add(declared, end=since)  # without a body, as Kotlin allows
            if kind == "class":
                start = max(since, match.start() - _LONGEST_HEAD)
                head = self._source.part(start, match.start())
                end = len(self._source.masked)
                declared = Declaration(kind=match["kind"], name=match["name"], head=head, start=match.start(), end=end)
            elif kind == "{":
                opened.append(declared)
            elif kind == "}" and opened and (closed := opened.pop()):
                self._add(closed, end=match.end())
            since = match.end()
            if kind != "class":
                declared = None
                self._begun.append(since)
            if len(self._classes) >= _MOST:
                break
        for each in islice(filter(None, (*opened, declared)), _MOST):
            self._add(each, end=each.end)

    def _add(self, declared: Declaration, *, end: int) -> None:
        self._classes.append(replace(declared, end=end))

    def _tokens(self) -> Iterator[tuple[str, re.Match[str]]]:
        """Classes, braces and semicolons; not those within parentheses, such as lists in annotations."""
        depth = 0
        for match in _TOKEN.finditer(self._source.masked):
            if match["name"]:
                depth = 0
                yield "class", match
            elif match[0] in "()":
                depth = max(0, depth + (1 if match[0] == "(" else -1))
            elif not depth:
                yield match[0], match
