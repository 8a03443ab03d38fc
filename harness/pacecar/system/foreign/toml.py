"""TOML whose shape is looked at before it is parsed.

`tomllib` takes time that grows with the square of a dotted key's length, and a level of Python's stack for each nested
array. One pass over the text finds both, in time that grows with its length.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

#: Characters of a text. No configuration of ours comes near.
MOST = 256 << 10
_DEEPEST = 32
#: Of a dotted key; ours have five.
_MOST_PARTS = 8
_LONGEST_WORD = 8 << 10

#: Closed or not, every alternative ends with its line, its text or its own characters: the pass never goes back.
_PIECE = re.compile(
    r"""
      (?P<text> \"{3} (?: [^"\\]++ | \\. | "{1,2}(?!") )*+ (?: "{3,5} )?
              | '{3} (?: [^']++ | '{1,2}(?!') )*+ (?: '{3,5} )?
              | " (?: [^"\\\n]++ | \\. )*+ "?
              | ' [^'\n]*+ '? )
    | (?P<comment> \# [^\n]*+ )
    | (?P<space> [ \t\r]++ )
    | (?P<dot> \. )
    | (?P<open> [\[{] )
    | (?P<close> [\]}] )
    | (?P<end> [\n=,] )
    | (?P<word> [^\s\[\]{},=."'\#]++ )
    """,
    re.VERBOSE | re.DOTALL,
)


class Unshapely(ValueError):
    """TOML that no configuration needs: too long, too deep. The message says what, without a place."""


def loads(text: str, *, most: int = MOST) -> dict[str, Any]:
    """`text` as TOML.

    Raises:
        Unshapely: when it is longer than `most`, nested too deeply, or has a key that is.
        ValueError: when it is not TOML.
    """
    check(text, most=most)
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise Unshapely("lists or tables are nested too deeply") from error


def check(text: str, *, most: int = MOST) -> None:
    """Raise Unshapely when `text` would be parsed slowly or deeply, whether it is TOML or not."""
    if len(text) > most:
        raise Unshapely(f"larger than {most >> 10} KiB, which no configuration needs to be")
    depth = parts = 0
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup
        if kind == "dot":
            parts += 1
        elif kind in {"end", "open", "close"}:
            parts = 0
            depth = max(0, depth + (kind == "open") - (kind == "close"))
        if depth > _DEEPEST or parts >= _MOST_PARTS:
            raise Unshapely("lists or tables are nested too deeply" if depth > _DEEPEST else "a key has too many parts")
        if kind == "word" and len(piece.group()) > _LONGEST_WORD:
            raise Unshapely("a key or number is too long")
