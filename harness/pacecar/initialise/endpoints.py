"""Endpoints guessed from the annotations of Spring controllers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pacecar.initialise import files

_MOST = 20
# Each alternative also ends with its line or the text, so that the search is linear whatever is left open.
_STRING_OR_COMMENT = re.compile(r'("(?:[^"\\\n]|\\[^\n])*"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_CLASS = re.compile(r"\b(?:class|interface|record)\s+\w+")
# Bounded, so that a file full of unclosed parentheses costs no more than its length.
_ARGUMENTS = r"(?:\s{0,20}\(((?:[^()\"]|\"[^\"\n]{0,300}\"|\([^()]{0,300}\)){0,400})\))?"
_PREFIX = re.compile(r"@RequestMapping" + _ARGUMENTS)
_MAPPING = re.compile(r"@(Get|Post|Put|Patch|Delete)Mapping\b" + _ARGUMENTS)
_FIRST_PATH = re.compile(r"^\s*\{?\s*\"([^\"]*)\"")
_NAMED_PATH = re.compile(r"\b(?:path|value)\s*=\s*\{?\s*\"([^\"]*)\"")
_SIGNATURE = re.compile(r"[^{;]{0,1500}")
_PARAMETER = re.compile(
    r"@RequestParam\b(?:\(([^)]*)\))?\s+(?:@\w+(?:\([^)]*\))?\s+)*(?P<type>\w+)(?:<\w+>)?\s+(?P<name>\w+)", re.ASCII
)
_VARIABLE = re.compile(r"\{[^{}]*\}")
#: Characters of a path that need no escaping. A `$` would be one of Spring's own placeholders.
_PLAIN = r"[\w./~%@!&'()*+,;=:-]*"
_SAFE_PATH = re.compile(rf"/{_PLAIN}(?:\{{[\w:.*+^?|\[\]-]*\}}{_PLAIN})*", re.ASCII)
_LONGEST_PATH = 150
_NUMBERS = {"int", "long", "short", "Integer", "Long", "Short"}


@dataclass(frozen=True, kw_only=True)
class GuessedEndpoint:
    """An endpoint as its annotation tells it.

    Attributes:
        method: HTTP method.
        route: path with `{variables}`.
        path: the same as a template that can be asked for.
        guesses: what was made up, such as the range of a variable.
    """

    method: str
    route: str
    path: str
    guesses: tuple[str, ...]

    @property
    def name(self) -> str:
        """`GET /orders/{id}`."""
        return f"{self.method} {self.route}"


def guessed_endpoints(module: Path) -> tuple[GuessedEndpoint, ...]:
    """Endpoints of the controllers below `module`, at most 20, those that only read first."""
    found: dict[str, GuessedEndpoint] = {}
    for folder, path in files.sources(module):
        source = files.text(folder / path)
        if "Controller" in source and "Mapping" in source:
            for endpoint in in_source(source):
                found.setdefault(endpoint.name, endpoint)
    return tuple(sorted(found.values(), key=lambda endpoint: (endpoint.method != "GET", endpoint.route))[:_MOST])


def in_source(source: str) -> Iterator[GuessedEndpoint]:
    """Endpoints in the text of one Java or Kotlin file. Anything may be in it."""
    source = _STRING_OR_COMMENT.sub(lambda match: match[1] or " ", source)
    declared = _CLASS.search(source)
    if declared is None:
        return
    on_class = _PREFIX.search(source[: declared.start()])
    prefix = _path(on_class[1] or "") if on_class else ""
    for match in _MAPPING.finditer(source, declared.end()):
        route = _joined(prefix, _path(match[2] or ""))
        if len(route) <= _LONGEST_PATH and _SAFE_PATH.fullmatch(route):
            signature = _SIGNATURE.match(source, match.end())
            yield _guessed(match[1].upper(), route, signature[0] if signature else "")


def _path(arguments: str) -> str:
    match = _FIRST_PATH.search(arguments) or _NAMED_PATH.search(arguments)
    return match[1] if match else ""


def _joined(prefix: str, path: str) -> str:
    return "/" + "/".join(part for part in (prefix.strip("/"), path.strip("/")) if part)


def _guessed(method: str, route: str, signature: str) -> GuessedEndpoint:
    guesses = [f"{variable} is 1 to 100" for variable in _VARIABLE.findall(route)]
    query = []
    for match in _PARAMETER.finditer(signature):
        if "defaultValue" in (match[1] or "") or re.search(r"required\s*=\s*false", match[1] or ""):
            continue
        number = match["type"] in _NUMBERS
        query.append(f"{match['name']}={'${int(1,100)}' if number else '${pick(a,b)}'}")
        guesses.append(f"{match['name']} is {'1 to 100' if number else 'a or b'}")
    path = _VARIABLE.sub("${int(1,100)}", route) + ("?" + "&".join(query) if query else "")
    return GuessedEndpoint(method=method, route=route, path=path, guesses=tuple(guesses))
