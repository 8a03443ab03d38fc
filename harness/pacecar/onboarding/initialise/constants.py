"""Texts that sources give a name to, such as `static final String BASE = "/api"`, and what is put together of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from pacecar.onboarding.initialise.declarations import Outline
from pacecar.onboarding.initialise.source_text import SourceText

#: Java's, also those of an interface, and Kotlin's.
_DECLARED = re.compile(
    r"\b(?:final\s{1,9}+(?:static\s{1,9}+)?String\s{1,9}+(\w{1,100}+)|String\s{1,9}+([A-Z][A-Z0-9_]{0,99}+)"
    r"|const\s{1,9}+val\s{1,9}+(\w{1,100}+)(?:\s{0,9}+:\s{0,9}+String)?)\s{0,20}+=(?!=)",
    re.ASCII,
)
_TERM = r'(?:"""[^"]*+"""|"(?:[^"\\\n]++|\\[^\n])*+"|[A-Za-z_][\w.]*+)'
_SUM = re.compile(rf"\s*+({_TERM}(?:\s*+\+\s*+{_TERM})*+)(?=[^\S\n]*+(?:[;,)}}\n]|\Z))", re.ASCII)
_NEXT = re.compile(rf"\s*+({_TERM})\s*+(\+|\Z)", re.ASCII)
#: Kotlin fills in what stands behind a dollar sign.
_FILLED_IN = re.compile(r"(?<!\\)\$(?:(\w{1,100}+)|\{([\w.]{1,200}+)\})", re.ASCII)
_MOST_IN_A_FILE = 300
#: In all files of a module.
_MOST = 20_000
#: Characters of an expression, and of what it stands for; no path is longer.
_LONGEST_SUM, _LONGEST = 1_000, 200
#: A constant may be put together of others, and these of others again.
_DEEPEST = 4


@dataclass(frozen=True, kw_only=True)
class Constant:
    """A named text, as it is declared.

    Attributes:
        owner: the class that it belongs to; None where it belongs to none.
        name: its own name.
        value: what stands behind the equals sign.
    """

    owner: str | None
    name: str
    value: str


def constants_in(source: SourceText) -> Iterator[Constant]:
    """The named texts that a source declares."""
    outline: Outline | None = None
    for match in islice(_DECLARED.finditer(source.masked), _MOST_IN_A_FILE):
        if value := _SUM.match(source.text, match.end(), match.end() + _LONGEST_SUM):
            outline = outline or Outline(source)
            holder = outline.holder(match.start())
            name = match[1] or match[2] or match[3]
            yield Constant(owner=holder.name if holder else None, name=name, value=value[1])


class Constants:
    """What names stand for: `BASE`, and `Paths.BASE` where the class is known."""

    def __init__(self, declared: Iterable[Constant] = (), *, beyond: Constants | None = None) -> None:
        """Make sense of what is `declared`, with the help of constants from `beyond`, such as those of other files."""
        self._beyond = beyond
        #: None for a name that means several things.
        self._values: dict[str, str | None] = {}
        left = list(islice(declared, _MOST))
        for _ in range(_DEEPEST):
            found = [(each, self.text(each.value, inside=each.owner)) for each in left]
            left = [each for each, value in found if value is None]
            for each, value in found:
                if value is not None:
                    self._learn(each, value)

    def text(self, expression: str, *, inside: str | None) -> str | None:
        """What an expression of texts, names and plus signs stands for; None when that cannot be told.

        Args:
            expression: such as `Paths.BASE + "/list"`.
            inside: the class in which it stands; None where it stands in none.
        """
        made, at = "", 0
        while term := _NEXT.match(expression, at):
            value = self._term(term[1], inside)
            if value is None or len(made) + len(value) > _LONGEST:
                return None
            made += value
            if not term[2]:
                return made
            at = term.end()
        return None

    def _term(self, term: str, inside: str | None) -> str | None:
        if not term.startswith('"'):
            return self._named(term, inside)
        quotes = 3 if term.startswith('"""') else 1

        def filled_in(match: re.Match[str]) -> str:
            return self._named(match[1] or match[2], inside) or match[0]

        return _FILLED_IN.sub(filled_in, term[quotes:-quotes])

    def _named(self, name: str, inside: str | None) -> str | None:
        *_, owner, own = ("", "", *name.split("."))
        for key in (f"{owner}.{own}",) if owner else (f"{inside}.{own}", own):
            if key in self._values:
                return self._values[key]
        return self._beyond._named(name, inside) if self._beyond else None

    def _learn(self, constant: Constant, value: str) -> None:
        for key in (constant.name, f"{constant.owner}.{constant.name}"):
            self._values[key] = value if self._values.get(key, value) == value else None
