"""Text of a build in Markdown, read back by a Markdown parser that is not ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from pacecar.reporting.markdown import code, prose, table
from pacecar.text.plain import cleaned

BREAK = "\N{WORD JOINER}"


def _shown(markdown: str) -> str:
    """The text a reader sees; fails when there is anything but text, code and tables."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    seen = []
    for block in parser.parse(markdown):
        for token in block.children or []:
            assert token.type in {"text", "code_inline", "text_special"}, token
            seen.append(token.content)
    return "".join(seen)


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)>",
        "</details><script>alert(1)</script>",
        "**bold** _it_ ~~gone~~ [link](https://example.org) ![image](x)",
        "a | b \\| c",
        "`code` and ``more``",
        "&lt;b&gt; &copy;",
        "$x^2$",
        "\\",
    ],
)
def test_markup_is_shown_as_it_is(text: str) -> None:
    assert _shown(f"in a sentence: {prose(text)}").replace(BREAK, "") == f"in a sentence: {text}"


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Zl", "Zp", "Zs"]), min_size=1))
def test_any_text_is_shown_as_it_is(text: str) -> None:
    assert _shown(f"so: {prose(text)}").replace(BREAK, "") == f"so: {cleaned(text)}"


@pytest.mark.parametrize(
    ("text", "kept_apart"),
    [
        ("thanks @octocat", "@octocat"),
        ("see owner/repository#12 or GH-7", "#12"),
        ("see owner/repository#12 or GH-7", "GH-7"),
        ("from https://example.org/issues/1", "https://"),
        ("www.example.org", "www."),
        ("someone@example.org", "@example"),
    ],
)
def test_nobody_is_called_and_nothing_linked(text: str, kept_apart: str) -> None:
    escaped = prose(text)
    assert kept_apart not in escaped
    assert _shown(escaped).replace(BREAK, "") == text


@pytest.mark.parametrize("text", ["a`b", "``", "<b>@x", "a|b", "  ", ""])
def test_code_is_one_piece_of_code(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(f"x {code(text)} y")[1].children
    assert tokens is not None
    assert [token.type for token in tokens] == ["text", "code_inline", "text"]


def test_a_cell_stays_a_cell() -> None:
    rows: list[list[str]] = [[prose("a|b"), code("c|d")], ["e", "f"]]
    tokens = MarkdownIt("commonmark").enable("table").parse("\n".join(table(["one", "two"], rows)))
    cells = [token for token in tokens if token.type == "td_open"]
    assert len(cells) == 4
