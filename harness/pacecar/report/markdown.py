"""Text of a build in GitHub's Markdown: shown as it is, never as markup, and without calling anybody or anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

#: Invisible, and no word goes on across it: what stands before and after is no longer a mention, a reference or a link.
_BREAK = "\N{WORD JOINER}"
_MARKUP = re.compile(r"([\\`*_\[\]|~$])")
#: A mention, an address of mail, a reference to an issue, a link: GitHub finds them in plain text after rendering.
_CALLS = re.compile(r"(@|#|\bGH-|(?<=[A-Za-z]):(?=//)|\bwww(?=\.))", re.IGNORECASE)
_CODE = str.maketrans({"`": "\N{RIGHT SINGLE QUOTATION MARK}", "|": "\N{BROKEN BAR}"})
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def prose(text: str) -> str:
    """`text` within a sentence or a cell of a table."""
    return _CALLS.sub(rf"\1{_BREAK}", _MARKUP.sub(r"\\\1", _one_line(text)).translate(_HTML))


def code(text: str) -> str:
    """`text` as code in a sentence or a cell. GitHub finds nothing in code; signs that would end it are replaced."""
    return f"`{_one_line(text).translate(_CODE) or ' '}`"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; cells are Markdown already."""
    lines = [headings, ["---"] * len(headings), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def folded(title: str, lines: Sequence[str]) -> list[str]:
    """Lines that are shown once a reader asks for them."""
    return ["<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>"]


def _one_line(text: str) -> str:
    return " ".join(text.split())
