"""What each medium makes of a document, read back by a parser that is not ours: nothing may be live but our own."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import lru_cache
from html.parser import HTMLParser
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from markdown_it.token import Token
from prometheus_client.parser import text_string_to_metric_families

from pacecar.reporting.comment import MARKER

#: Documents that differ in one place often come to the same text, and parsers are slow. So many texts are remembered.
_REMEMBERED = 256
#: The page that our own link leads to.
REPORT_URL = "https://github.example/shop/orders/actions/runs/1#artifacts"
_ADDRESSES = ("#", "data:image/svg+xml,", "http://pyroscope.example:4040/comparison-diff?")
_OWN_HTML = {
    f"{MARKER}\n",
    "<details>\n",
    "<summary>If it is expected, accept it for a time in <code>pacecar.toml</code></summary>\n",
    "<summary>How it was measured</summary>\n",
    "<summary>What that rests on</summary>\n",
    "<summary>The quick tier</summary>\n",
    "<summary>The full tier</summary>\n",
    "</details>\n",
    "</details>",
}
_OWN_SUMMARY = re.compile(r"<summary>(?:All \d+ metrics|\d+ of \d+ metrics|and \d+ more)</summary>\n")
_BLOCKS = {"paragraph", "heading", "table", "thead", "tbody", "tr", "th", "td", "bullet_list", "list_item"}
_INLINE = {"text", "text_special", "code_inline", "softbreak"}
#: What GitHub makes live in text that no parser of CommonMark looks at.
_CALLS = re.compile(
    r"@\w|#\d|\bGH-\d|https?://|\bwww\.\w|\b(?:mailto|xmpp):\w|(?<!\w):[\w+-]+:|\w@[0-9a-f]{7}", re.IGNORECASE
)
_ELEMENTS = {
    "testsuites",
    "testsuite",
    "properties",
    "property",
    "testcase",
    "failure",
    "error",
    "skipped",
    "system-out",
}
_SGR = re.compile(r"\x1b\[[0-9;]*m")
_COMMAND = re.compile(r"::(error|warning|notice) (?:(?:file|line|endLine|title)=[^,:\r\n]*(?:,(?=[a-z])|(?=::)))+::.*")
#: All that ends a line for somebody.
_LINES = re.compile("[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")


def check_text(text: str, *, ends: str = "\n") -> None:
    """No character acts: none moves a cursor, turns a direction or is invisible, but for ends of lines."""
    for character in set(text) - set(ends) - {"\N{WORD JOINER}"}:
        name = f"U+{ord(character):04X}"
        assert unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}, name
    text.encode()


@lru_cache(maxsize=_REMEMBERED)
def check_comment(text: str) -> None:
    """Nothing is rendered but text, code, tables and lists; nothing is called, shown or linked that is not ours."""
    check_text(text)
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    assert sum(token.type == "heading_open" for token in tokens) == 1
    assert tokens[0].content.strip() == MARKER
    assert sum(MARKER in token.content for token in tokens if token.type == "html_block") == 1
    for token in tokens:
        _check_block(token)
    html = "".join(token.content for token in tokens if token.type == "html_block")
    assert html.count("<details>") == html.count("</details>")


def _check_block(token: Token) -> None:
    if token.type == "html_block":
        pieces = token.content.splitlines(keepends=True)
        strange = [piece for piece in pieces if piece not in _OWN_HTML and not _OWN_SUMMARY.fullmatch(piece)]
        assert not strange, strange
    elif token.type == "fence":
        assert token.info == "toml"
    elif token.type == "inline":
        _check_inline(token.children or [])
    else:
        assert token.type.removesuffix("_open").removesuffix("_close") in _BLOCKS, token


def _check_inline(children: list[Token]) -> None:
    words, own = "", 0
    for child in children:
        if child.type == "link_open":
            assert child.attrs["href"] == REPORT_URL, child
            own += 1
        elif child.type in ("em_open", "em_close"):
            assert [each.content for each in children][1].startswith("The rest did not fit"), children
        elif child.type != "link_close":
            assert child.type in _INLINE, child
        words += child.content if child.type in ("text", "text_special") else " "
    assert own <= 1
    found = _CALLS.search(words)
    assert found is None, (found, words)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.scripts: list[str] = []
        self._raw = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._raw = tag if tag in ("script", "style") else ""
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._raw = ""

    def handle_data(self, data: str) -> None:
        if self._raw == "script":
            self.scripts[-1] += data
        elif not self._raw:
            self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def page_of(text: str) -> _Page:
    """The page as a parser reads it."""
    page = _Page()
    page.feed(str(text))  # of markup, every piece would be escaped anew when it is put to the others
    page.close()
    return page


def check_page(text: str, benign: _Page) -> None:
    """No tag, attribute or script that the page of a harmless document has not; no address but that of its server."""
    page = page_of(text)
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in benign.tags} | {"p", "strong", "ul", "li", "details"}
    names = {name for _, attributes in page.tags for name in attributes}
    assert names <= {name for _, attributes in benign.tags for name in attributes}, names
    assert not any(name.startswith("on") or name == "style" for name in names)
    for tag, attributes in page.tags:
        address = attributes.get("href") or attributes.get("src") or ""
        assert tag in ("a", "link") or not address
        assert not address or address.startswith(_ADDRESSES), address
    assert page.scripts[-1] == benign.scripts[-1]
    for script in page.scripts[:-1]:
        json.loads(script, parse_constant=lambda constant: (_ for _ in ()).throw(AssertionError(constant)))
    assert "nan" not in "".join(
        value or ""
        for _, attributes in page.tags
        for name, value in attributes.items()
        if name in ("x", "x1", "x2", "cx", "width")
    )


def check_terminal(text: str, *, colour: bool) -> None:
    """Nothing but text and, where colours are wanted, colours."""
    check_text(_SGR.sub("", text) if colour else text)


def check_command(line: str) -> None:
    """One line, one command, one of those that make a note."""
    assert _COMMAND.fullmatch(line), line
    assert len(_LINES.split(line)) == 1


def check_log(text: str) -> None:
    """No line of it is a command for a runner, wherever it may end lines."""
    for line in _LINES.split(text):
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line, line


def check_junit(text: str, *, cases: int) -> None:
    """Well-formed, of known elements, with one case for each metric."""
    suites = ElementTree.fromstring(text)
    known = {
        "testsuites",
        "testsuite",
        "properties",
        "property",
        "testcase",
        "failure",
        "error",
        "skipped",
        "system-out",
    }
    assert {element.tag for element in suites.iter()} <= known
    assert len(list(suites.iter("testcase"))) == cases
    check_text(text)


def check_metrics(text: str, *, families: set[str]) -> None:
    """Prometheus' own parser finds the families of a harmless document, and no other."""
    assert _families_in(text) <= families
    check_text(text)


@lru_cache(maxsize=_REMEMBERED)
def _families_in(text: str) -> frozenset[str]:
    return frozenset(family.name for family in text_string_to_metric_families(text))
