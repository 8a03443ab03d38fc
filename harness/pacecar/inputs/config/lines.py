"""Where each key of a TOML text stands.

`tomllib` forgets lines. This scanner walks text that `tomllib` has already accepted and notes the line of
every table header, key and array element, so that a message can say where to look.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping

#: Keys and list positions from the top of the file: `("scenario", "endpoints", 0, "weight")`.
Location = tuple[str | int, ...]

#: Nothing in a configuration lies deeper; the cap bounds the memory a hostile file can ask for.
_DEEPEST = 16

_TOKEN = re.compile(
    r"""
      (?P<text> \"{3} (?: [^"\\] | \\. | "{1,2}(?!") )* "{3,5}
              | '{3} (?: [^'] | '{1,2}(?!') )* '{3,5}
              | "(?: [^"\\\n] | \\. )*"
              | '[^'\n]*' )
    | (?P<comment> \#[^\n]* )
    | (?P<newline> \n )
    | (?P<space> [ \t\r]+ )
    | (?P<sign> [\[\]{},=.] )
    | (?P<word> [^\s\[\]{},=."'\#]+ )
    """,
    re.VERBOSE | re.DOTALL,
)


def key_lines(text: str) -> dict[Location, int]:
    """Line (from 1) of every key, table and array element in `text`, valid TOML."""
    return _Scanner(text).scan()


def line_of(location: Location, lines: Mapping[Location, int]) -> int | None:
    """The line of `location`, else of the nearest thing around it that stands in the file."""
    for length in range(len(location), 0, -1):
        line = lines.get(location[:length])
        if line is not None:
            return line
    return None


class _Scanner:
    """One pass over the tokens. What it does not understand it skips: at worst a line is missing."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._position = 0
        self._lines: dict[Location, int] = {}
        self._elements: dict[Location, int] = {}  # array of tables -> index of its latest table

    def scan(self) -> dict[Location, int]:
        """The lines of the whole text."""
        table: Location = ()
        while (token := self._peek()) is not None:
            if token[0] == "newline":
                self._position += 1
            elif token[1] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self._lines

    def _header(self) -> Location:
        line = self._take()[2]
        listed = self._next_is("[")
        keys = self._key()
        while self._next_is("]"):
            pass
        location: Location = ()
        for number, key in enumerate(keys, start=1):
            location += (key,)
            self._lines.setdefault(location, line)
            if listed and number == len(keys):
                self._elements[location] = self._elements.get(location, -1) + 1
            if location in self._elements:
                location += (self._elements[location],)
                self._lines.setdefault(location, line)
        return location

    def _pair(self, table: Location) -> None:
        line = self._tokens[self._position][2]
        location = table
        for key in self._key():
            location += (key,)
            self._lines.setdefault(location, line)
        if self._next_is("="):
            self._value(location)
        else:
            self._position += 1

    def _key(self) -> list[str]:
        keys: list[str] = []
        while (token := self._peek()) is not None and token[0] in {"text", "word"}:
            self._position += 1
            if len(keys) < _DEEPEST:
                keys.append(_unquoted(token[1]))
            if not self._next_is("."):
                break
        return keys

    def _value(self, location: Location) -> None:
        if self._next_is("["):
            self._array(location)
        elif self._next_is("{"):
            self._inline_table(location)
        else:
            # Numbers and dates may come in several pieces: 1.5, 10:30:00.
            while (token := self._peek()) is not None and (token[0] in {"text", "word"} or token[1] == "."):
                self._position += 1

    def _array(self, location: Location) -> None:
        index = 0
        while (token := self._peek()) is not None and not self._next_is("]"):
            if token[0] == "newline" or token[1] in {",", "=", "}"}:
                self._position += 1
                continue
            self._lines[(*location, index)] = token[2]
            self._value((*location, index))
            index += 1

    def _inline_table(self, location: Location) -> None:
        while (token := self._peek()) is not None and not self._next_is("}"):
            if token[0] == "newline" or token[1] == ",":
                self._position += 1
            else:
                self._pair(location)

    def _peek(self) -> tuple[str, str, int] | None:
        return self._tokens[self._position] if self._position < len(self._tokens) else None

    def _take(self) -> tuple[str, str, int]:
        self._position += 1
        return self._tokens[self._position - 1]

    def _next_is(self, sign: str) -> bool:
        token = self._peek()
        if token is None or token[0] != "sign" or token[1] != sign:
            return False
        self._position += 1
        return True


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """Kind, text and line of each token that matters."""
    tokens = []
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind not in {"space", "comment"}:
            tokens.append((kind, match.group(), line))
        line += match.group().count("\n")
    return tokens


def _unquoted(key: str) -> str:
    if key[0] not in "\"'":
        return key
    try:
        value = tomllib.loads(f"key = {key}")["key"]
    except ValueError:
        return key
    return value if isinstance(value, str) else key
