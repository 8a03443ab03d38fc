"""Documents that somebody means ill by, generated from the schemas: every text, every number, every list.

`variants` walks a schema beside an example that fills all of it, and sets one place, or all places of a kind, to what
might do harm there. What the schema itself refuses (a text in an enumeration, say) is left out by `accepted`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pacecar.reporting.document.files import DOCUMENT_BYTES, validator

#: Name -> what it tries. Each stands alone and between other words.
PAYLOADS = {
    "image": "![x](https://evil.example/x.png)",
    "link": "[x](https://evil.example)",
    "reference": "[x][y] [y]: https://evil.example",
    "autolink": "<https://evil.example> https://b.example www.evil.example mailto:a@evil.example xmpp:a@b.example",
    "mention": "@octocat @org/team a@b.example",
    "issue": "#12 GH-7 owner/repository#3 owner/repository@0123456789abcdef0123456789abcdef01234567",
    "html": "</details><img src=x onerror=alert(1)><script>alert(1)</script>",
    "comment": "<!-- pacecar: comparison --> <!--",
    "entity": "&lt;img src=x&gt; &#60;b&#62; &colon;",
    "attribute": "\" autofocus onfocus=alert(1) x=\"' onclick=alert(1) '",
    "template": "{{ 7 * 7 }} {% raw %} ${7*7} #{7*7} {mark} {0}",
    "json in a page": "</script><!--<script>\u2028\u2029 ]]>",
    "table": "a | b || c |\n| --- | --- |",
    "code": "`a` ``b`` ```c",
    "fence": "```\n@octocat\n```",
    "tildes": "~~~\n@octocat\n~~~",
    "heading": "# heading\n## heading",
    "underlined": "heading\n=======",
    "rule": "---",
    "list": "- item\n+ item\n1. item\n2) item",
    "quote": "> quote\n> [!WARNING]",
    "emphasis": "**bold** __bold__ *a* _a_ ~~gone~~ $x^2$ $`x`$",
    "emoji": ":shipit: :+1:",
    "backslashes": "\\@octocat \\[x\\](https://evil.example) \\`a\\` \\\\",
    "footnote": "[^1] [^1]: a note",
    "escape": "\x1b[2J\x1b[31mred\x1b]0;title\x07\x1b]8;;https://evil.example\x1b\\x\x9b31m",
    "backspace": "ok\x08\x08\x7f\x00\x0b\x0c",
    "carriage return": "ok\rFAILED\r::error::gone",
    "workflow command": "::add-mask::e\n::set-output name=verdict::improved\r::stop-commands::x\u2028::error::x",
    "older command": "##[add-mask]e ##[error]x\r\n##[group]",
    "direction": "\u202egnp.exe\u202c \u2066a\u2069 \u200f\u061c",
    "invisible": "a\u200bb\u200dc\u2060d\ufeffe\u00adf\u3164g\u115fh\U000e0041i\u034fj",
    "marks": "z" + "\u0301" * 300,
    "surrogate": "a\ud800b",
    "markup of Rich": "[red]x[/red] [/] [link=https://evil.example]x[/link] [bold",
    "formula": "=cmd|' /C calc'!A0",
    "prometheus": 'x"} 1\npacecar_overall_verdict{verdict="improved"} 1\\',
    "xml": "]]><failure/><!ENTITY x SYSTEM 'file:///etc/passwd'>&x;\x01\ufffe",
    "long": "x" * 400,
    "wide": "\N{SNAIL}" * 400,
    "nothing": " \t ",
    "empty": "",
}
NUMBERS: tuple[Any, ...] = (
    0,
    -1,
    1,
    -0.0,
    5e-324,
    -5e-324,
    1e308,
    -1e308,
    1.7976931348623157e308,
    1e15,
    2**53 - 1,
    2**53,
    10**400,
    -(10**400),
    10**4000,
    1e-7,
    0.5,
    None,
    True,
)
#: Days at the ends of the calendar, and such as are none.
DATES = ("9999-12-31", "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00Z", "2026-02-30", "0000-00-00", "", "9" * 40)


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where in a document a schema says something: the keys that lead there, and what it says."""

    path: tuple[str | int, ...]
    schema: dict[str, Any]

    def __str__(self) -> str:
        return "/".join(map(str, self.path))

    @property
    def kinds(self) -> frozenset[str]:
        told = self.schema.get("type", ())
        return frozenset([told] if isinstance(told, str) else told)


def places(name: str, example: Any) -> list[Place]:
    """Every place of the schema `name` in `example`, one entry of each list. Fails where `example` leaves one empty."""
    whole: Any = validator(name).schema
    found = list(_places(whole, whole, example, ()))
    for place in found:
        assert "array" not in place.kinds or _at(example, place.path), f"the example has nothing at {place}"
    return found


def _places(whole: dict[str, Any], schema: dict[str, Any], value: Any, path: tuple[str | int, ...]) -> Iterator[Place]:
    if "oneOf" in schema:
        assert value is not None, f"the example has nothing at {path}"
        schema = schema["oneOf"][0]
    if "$ref" in schema:
        schema = whole["$defs"][schema["$ref"].rpartition("/")[2]]
    yield Place(path=path, schema=schema)
    for key, inner in schema.get("properties", {}).items():
        yield from _places(whole, inner, value[key], (*path, key))
    if "items" in schema and value:
        yield from _places(whole, schema["items"], value[0], (*path, 0))


def with_value(example: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """`example` with `value` at `path`."""
    changed = copy.deepcopy(example)
    _at(changed, path[:-1])[path[-1]] = value
    return changed


def everywhere(example: Any, found: list[Place], kind: str, value: Any) -> Any:
    """`example` with `value` at every place of `kind` that the schema lets have it."""
    changed = copy.deepcopy(example)
    for place in found:
        if kind in place.kinds and place.path and validator_allows(place, value):
            _at(changed, place.path[:-1])[place.path[-1]] = value
    return changed


def validator_allows(place: Place, value: Any) -> bool:
    """Whether the schema of one place takes `value`."""
    plain = {key: each for key, each in place.schema.items() if key not in ("items", "properties")}
    return bool(validator("document").evolve(schema=plain).is_valid(value))


def filled(example: Any, found: list[Place]) -> Any:
    """`example` with every list as long as the schema allows; its entries are one, the first, for copies take long."""
    changed = copy.deepcopy(example)
    for place in sorted(found, key=lambda place: -len(place.path)):
        if "array" in place.kinds and "maxItems" in place.schema:
            entries = _at(changed, place.path)
            most = place.schema["maxItems"]
            entries[:] = [entries[0]] * most
    return changed


def fitted(example: Any, found: list[Place], text: str, *, most: int = DOCUMENT_BYTES) -> Any:
    """Every text and every list at its cap, then lists cut, the largest first, to at most `most` bytes."""
    whole = filled(everywhere(example, found, "string", text), found)
    lists = [
        (part, key) for part in (whole, whole.get("provenance", {})) for key in part if isinstance(part[key], list)
    ]
    sizes = [len(encoded(part[key])) for part, key in lists]
    total = len(encoded(whole))
    while total > most:
        place = max(range(len(lists)), key=sizes.__getitem__)
        part, key = lists[place]
        assert part[key], "no list is left to cut"
        part[key] = part[key][: len(part[key]) * 9 // 10]
        cut = len(encoded(part[key]))
        sizes[place], total = cut, total - (sizes[place] - cut)
    return whole


def encoded(plain: Any) -> bytes:
    """As small as JSON gets; lone surrogates, which no UTF-8 has, as escapes."""
    try:
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(plain, separators=(",", ":")).encode()


def _at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def texts(place: Place) -> Iterator[str]:
    """What is tried at one place of text: all payloads, as many together as there is room for."""
    room = place.schema.get("maxLength", 400)
    together = ""
    for text in PAYLOADS.values():
        if len(together) + len(text) >= room:
            yield together[:room]
            together = ""
        together += f"{text} "
    yield together[:room]
    yield ""
