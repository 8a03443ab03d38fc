"""Text for a terminal: nothing in it moves a cursor, sets a title, turns the direction of text or cannot be seen."""

from __future__ import annotations

import re
import unicodedata
from typing import Self

from pacecar.text.marked import Marked

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
#: Categories of Unicode that act on what is around them, or are no text at all.
_ACTING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
#: What shows nothing although it counts as a letter or a mark (Default_Ignorable_Code_Point, Unicode 17, DerivedCore-
#: Properties.txt), as far as `_ACTING` does not name it, and the blank of Braille. The two that choose between a letter
#: and its picture stay.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0000-\U000e0fff]"
)
#: The same for ASCII alone, where every character that does not print is of the category Cc.
_ASCII = dict.fromkeys((*range(32), 127), _REPLACEMENT) | {ord("\n"): " ", ord("\t"): " "}
#: More marks than this on one letter are drawn over the lines above and below it.
_MARKS = 4


class Plain(Marked):
    """What a terminal may be given: text without control characters, but for the ends of lines that are ours."""

    __slots__ = ()

    @classmethod
    def escape(cls, text: str) -> Self:
        """`text` on one line."""
        return cls(cleaned(text))


def plain(text: str) -> Plain:
    """`text`, which is anybody's, on one line of a terminal."""
    return Plain.escape(text)


def plain_lines(text: str) -> Plain:
    """`text` with its lines kept; each is cleaned by itself."""
    return Plain.joined("\n", text.split("\n"))


def cleaned(text: str) -> str:
    """`text` on one line: ends of lines and tabs become spaces.

    Control characters, lone surrogates, invisible characters and such as turn the direction of what follows become
    U+FFFD, as do the marks on a letter that already has as many as any language needs.
    """
    if text.isascii():
        return text if text.isprintable() else text.translate(_ASCII)
    text = _UNSEEN.sub(_REPLACEMENT, text)
    # A long text has few characters that differ: each is looked up once.
    categories = {character: unicodedata.category(character) for character in set(text)}
    acting = [character for character, category in categories.items() if category in _ACTING]
    marks = "".join(character for character, category in categories.items() if category in ("Mn", "Me"))
    if acting:
        text = text.translate({ord(each): " " if each in "\n\t" else _REPLACEMENT for each in acting})
    return _few_marks(text, marks) if marks else text


def _few_marks(text: str, marks: str) -> str:
    """The text with what follows the first `_MARKS` of several `marks` in a row made U+FFFD."""
    of_marks = f"[{re.escape(marks)}]"
    many = re.compile(f"({of_marks}{{{_MARKS}}})({of_marks}+)")
    return many.sub(lambda found: found[1] + len(found[2]) * _REPLACEMENT, text)
