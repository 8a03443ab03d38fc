"""The known word nearest to one that was mistyped: did you mean this one?"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LONGEST = 60


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean "slice"?`, or nothing where no known word is near."""
    choices = {choice.lower(): choice for choice in known}
    near = difflib.get_close_matches(word[:_LONGEST].lower(), choices, n=1)
    return f'; did you mean "{choices[near[0]]}"?' if near else ""


def quoted(word: object) -> str:
    """`word` in quotes for a message: one line, not long."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in str(word))
    return f'"{plain if len(plain) <= _LONGEST else plain[:_LONGEST] + "..."}"'
