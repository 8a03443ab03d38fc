"""Text of a build in GitHub's Markdown: shown as it is, never as markup, and without calling anybody or anything.

`Markdown` is the only text that may be published as such: `Markdown.of` escapes what it is given, `code` shows it as
code. Nothing else makes Markdown of data.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Self
from urllib.parse import quote

from pacecar.text.marked import Marked
from pacecar.text.plain import cleaned

#: Invisible, and no word goes on across it: what stands before and after is no longer a mention, a reference or a link.
_BREAK = "\N{WORD JOINER}"
_MARKUP = re.compile(r"([\\`*_\[\]|~$])")
#: A mention, an address of mail, a reference to an issue, a link, a picture by its name: GitHub finds them in plain
#: text after rendering.
_CALLS = re.compile(r"(@|#|\bGH-|(?<=[A-Za-z]):(?=//)|\bwww(?=\.)|\b(?:mailto|xmpp):|:(?=[\w+-]+:))", re.IGNORECASE)
#: What makes a list, a heading of the line above, or a rule of a whole line, but only at its beginning.
_LINE = re.compile(r"^(?:([-+])(?=\s|$)|([-=])(?=[-=\s]*$)|(\d{1,9})([.)])(?=\s|$))")
_CODE = str.maketrans({"`": "\N{RIGHT SINGLE QUOTATION MARK}", "|": "\N{BROKEN BAR}"})
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
#: Signs of an address that cannot end the link around it.
_ADDRESS = "/:#?&=%@+~.-_,;"


class Markdown(Marked):
    """Text that GitHub may render."""

    __slots__ = ()

    @classmethod
    def escape(cls, text: str) -> Self:
        """`text` within a sentence, a heading or a cell of a table."""
        marked = _LINE.sub(_at_the_beginning, _MARKUP.sub(r"\\\1", _one_line(text)))
        return cls(_CALLS.sub(rf"\1{_BREAK}", marked.translate(_HTML)))


def prose(text: str) -> Markdown:
    """`text` within a sentence, a heading or a cell of a table."""
    return Markdown.escape(text)


def code(text: str) -> Markdown:
    """`text` as code in a sentence or a cell. GitHub finds nothing in code; signs that would end it are replaced."""
    return Markdown(f"`{_one_line(text).translate(_CODE) or ' '}`")


def link(words: Markdown, address: str) -> Markdown:
    """`words` that lead to `address`, a page of the server that runs the job."""
    return Markdown(f"[{words}]({quote(address, safe=_ADDRESS)})")


def fenced(language: str, lines: Iterable[str]) -> list[Markdown]:
    """`lines` as a block of code. None of them may begin with a fence; such a sign is replaced."""
    shown = (cleaned(line).replace("```", "\N{RIGHT SINGLE QUOTATION MARK}" * 3) for line in lines)
    return [Markdown(f"```{language}"), *map(Markdown, shown), Markdown("```")]


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[Markdown]:
    """The lines of a table; cells that are not Markdown already are escaped."""
    rule = [Markdown("---")] * len(headings)
    lines = [Markdown.joined(" | ", cells) for cells in (headings, rule, *rows)]
    return [Markdown.of("| {cells} |", cells=cells) for cells in lines]


def folded(title: Markdown, lines: Sequence[Markdown]) -> list[Markdown]:
    """Lines that are shown once a reader asks for them."""
    heading = Markdown.of("<summary>{title}</summary>", title=title)
    return [Markdown("<details>"), heading, Markdown(""), *lines, Markdown(""), Markdown("</details>")]


def _at_the_beginning(match: re.Match[str]) -> str:
    sign, rule, number, end = match.groups()
    return rf"{number}\{end}" if number else rf"\{sign or rule}"


def _one_line(text: str) -> str:
    return " ".join(cleaned(text).split())
