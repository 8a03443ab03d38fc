"""The text of a Java or Kotlin file, in which what is declared can be told from what stands in comments and strings.

Anybody may have written it: every pattern is bounded or never goes back, so that the search is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Closed or not, a string ends with its line, and a block with the text. What Kotlin fills in (`${…}`) may hold strings.
_STRINGS = (
    r'"""(?:[^"]++|"(?!""))*+(?:"{3,5}+|\Z)'
    r'|"(?:[^"\\\n$]++|\\[^\n]|\$(?:\{[^{}\n]{0,200}+\})?)*+"?'
    r"|'(?:[^'\\\n]|\\[^\n][^'\n]{0,5}+)'"
)
_STRING = re.compile(_STRINGS)
_STRING_OR_COMMENT = re.compile(rf"({_STRINGS})|//[^\n]*+|/\*.*?(?:\*/|\Z)", re.DOTALL)
_PARENTHESIS = re.compile(r"[()]")
_BRACKET_OR_COMMA = re.compile(r"[(){}\[\]<>,]")
_OPENING = re.compile(r"\s{0,20}+\(")
#: What may stand between the annotations of a method and its parameters.
_HEADING = re.compile(r"@[\w.:]{1,100}+\s{0,20}+\(?|[({};=]")
#: Characters of an annotation's arguments, or of a method's heading.
_LONGEST = 4_000
_LONGEST_SHOWN = 60


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """A source, or a part of one.

    Attributes:
        text: with a blank for each comment.
        masked: of the same length, with quotation marks in place of strings.
    """

    text: str
    masked: str

    @classmethod
    def of(cls, source: str) -> SourceText:
        """The text of a file, whatever it holds."""
        text = without_comments(source)
        return cls(text=text, masked=_STRING.sub(lambda match: '"' * len(match[0]), text))

    def part(self, start: int, end: int) -> SourceText:
        """What stands from `start` to `end`."""
        return SourceText(text=self.text[start:end], masked=self.masked[start:end])

    def listed(self) -> list[SourceText]:
        """What commas separate, apart from those within brackets."""
        parts, start, depth = [], 0, 0
        for match in _BRACKET_OR_COMMA.finditer(self.masked):
            if match[0] == ",":
                if not depth:
                    parts.append(self.part(start, match.start()))
                    start = match.end()
            else:
                depth = max(0, depth + (1 if match[0] in "({[<" else -1))
        last = self.part(start, len(self.text))
        return [*parts, last] if last.text.strip() else parts

    def annotations(self, pattern: re.Pattern[str]) -> Iterator[SourceAnnotation]:
        """Annotations that fit `pattern`, whose first group is their name."""
        for match in pattern.finditer(self.masked):
            opening = _OPENING.match(self.masked, match.end())
            end = self._closed(opening.end() - 1) if opening else match.end()
            arguments = self.part(opening.end(), end - 1) if opening and end else None
            if opening is None:
                arguments = self.part(match.end(), match.end())
            shown = " ".join(self.text[match.start() : end or match.end()].split())
            yield SourceAnnotation(
                name=match[1],
                shown=shown if len(shown) <= _LONGEST_SHOWN else f"{shown[: _LONGEST_SHOWN - 1]}…",
                start=match.start(),
                end=end or match.end(),
                arguments=arguments,
            )

    def parameters(self, at: int) -> tuple[int, int] | None:
        """Where the parameters of the method begin and end whose annotations, or what follows them, stand at `at`.

        None where no method follows.
        """
        limit = at + _LONGEST
        while found := _HEADING.search(self.masked, at, limit):
            at = found.end()
            if found[0].endswith("("):
                end = self._closed(at - 1)
                if end is None:
                    return None
                if found[0] == "(":
                    return at, end - 1
                at = end
            elif not found[0].startswith("@"):
                return None
        return None

    def _closed(self, opening: int) -> int | None:
        """Behind the parenthesis that closes the one at `opening`; None where that is too far away."""
        depth = 0
        for match in _PARENTHESIS.finditer(self.masked, opening, opening + _LONGEST):
            depth += 1 if match[0] == "(" else -1
            if not depth:
                return match.end()
        return None


@dataclass(frozen=True, kw_only=True)
class SourceAnnotation:
    """An annotation in a source.

    Attributes:
        name: `GetMapping`.
        shown: how it is written, shortened.
        start: where it begins in the source.
        end: behind it and its arguments.
        arguments: what stands between its parentheses, nothing where it has none; None when that cannot be told.
    """

    name: str
    shown: str
    start: int
    end: int
    arguments: SourceText | None


def without_comments(source: str) -> str:
    """`source` with a blank for each comment."""
    return _STRING_OR_COMMENT.sub(lambda match: match[1] or " ", source)
