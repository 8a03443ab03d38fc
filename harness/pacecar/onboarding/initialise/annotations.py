"""Endpoints as the sources tell them: by the annotations of Spring, JAX-RS and Micronaut, or by calls that add routes.

What is read is text that anybody may have written: every pattern is bounded, so that the search is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pacecar.onboarding.initialise.guesses import GuessedEndpoint, Parameter, guessed, joined

# Each alternative also ends with its line or the text, so that the search is linear whatever is left open.
_STRING_OR_COMMENT = re.compile(r'("(?:[^"\\\n]|\\[^\n])*"?)|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"?')
_LIST = re.compile(r"(?<=[(=])\s{0,20}\{[^{};]{0,400}\}")
_CLASS = re.compile(r"\b(?:class|interface|record)\s+\w+")
# Bounded, so that a file full of unclosed parentheses costs no more than its length.
_ARGUMENTS = r"(?:\s{0,20}\(((?:[^()\"]|\"[^\"\n]{0,300}\"|\([^()]{0,300}\)){0,400})\))?"
_FIRST_PATH = re.compile(r"^\s*\{?\s*\"([^\"]*)\"")
_NAMED_PATH = re.compile(r"\b(?:path|value|uri)\s*=\s*\{?\s*\"([^\"]*)\"")
_LONGEST_SIGNATURE = 1500
_SIGNATURE = re.compile(r"[^{;]{0,1500}")
#: More annotations or calls in one file are left unread.
_MOST_IN_A_FILE = 300

_SPRING_PREFIX = re.compile(r"@RequestMapping\b" + _ARGUMENTS)
_SPRING = re.compile(r"@(Get|Post|Put|Patch|Delete)Mapping\b" + _ARGUMENTS)
_SPRING_LONG = re.compile(r"@RequestMapping\b" + _ARGUMENTS)
_SPRING_METHOD = re.compile(r"\bmethod\s*=\s*\{?\s*(?:RequestMethod\.)?(GET|POST|PUT|PATCH|DELETE)\b")
_SPRING_PARAMETER = re.compile(
    r"@RequestParam\b(?:\(([^)]*)\))?\s+(?:@\w+(?:\([^)]*\))?\s+)*(?P<type>\w+)(?:<\w+>)?\s+(?P<name>\w+)", re.ASCII
)
_JAX_RS = re.compile(r"@(GET|POST|PUT|PATCH|DELETE)\b(?!\s*\()")
_JAX_RS_PATH = re.compile(r"@Path\b" + _ARGUMENTS)
_JAX_RS_PARAMETER = re.compile(
    r"@QueryParam\(\s*\"(?P<name>[^\"\n]{1,60})\"\s*\)\s+(?P<more>(?:@\w+(?:\([^)]*\))?\s+){0,5})"
    r"(?:final\s+)?(?P<type>\w+)\s+\w+",
    re.ASCII,
)
_JAX_RS_VARIABLE = re.compile(r"\{\s*(\w+)\s*:(?:[^{}]|\{[^{}]*\}){0,100}\}", re.ASCII)
_MICRONAUT_PREFIX = re.compile(r"@Controller\b" + _ARGUMENTS)
_MICRONAUT = re.compile(r"@(Get|Post|Put|Patch|Delete)\b" + _ARGUMENTS)
_URI_TEMPLATE_QUERY = re.compile(r"\{[?&][^{}]*\}")
_ROUTE = re.compile(r"\b(get|post|put|patch|delete)\s{0,5}\(\s{0,20}\"(/[^\"\n]{0,150})\"\s{0,20}[,)]")
_ROUTE_VARIABLE = re.compile(r":(\w+)|<(\w+)>", re.ASCII)
_APPLICATION_PATH = re.compile(r"@ApplicationPath\b" + _ARGUMENTS)


def in_source(source: str) -> Iterator[GuessedEndpoint]:
    """Endpoints that the annotations in the text of one Java or Kotlin file name. Anything may be in it."""
    if "Mapping" in source and "Controller" in source:
        yield from _spring(without_comments(source))
    elif "ws.rs" in source:
        yield from _jax_rs(without_comments(source))
    elif "io.micronaut.http" in source:
        yield from _micronaut(without_comments(source))


def routes_in_source(source: str) -> Iterator[GuessedEndpoint]:
    """Endpoints that calls such as `app.get("/orders/{id}", …)` seem to add."""
    for match in islice(_ROUTE.finditer(without_comments(source)), _MOST_IN_A_FILE):
        route = _ROUTE_VARIABLE.sub(lambda found: f"{{{found[1] or found[2]}}}", match[2])
        if endpoint := guessed(match[1].upper(), joined(route)):
            yield endpoint


def application_path(source: str) -> str:
    """What `@ApplicationPath` in a file puts before the paths of all JAX-RS resources; "" without one."""
    match = _APPLICATION_PATH.search(without_comments(source)) if "@ApplicationPath" in source else None
    return _path(match[1] or "") if match else ""


def without_comments(source: str) -> str:
    """`source` with a blank for each comment."""
    return _STRING_OR_COMMENT.sub(lambda match: match[1] or " ", source)


def _spring(source: str) -> Iterator[GuessedEndpoint]:
    declared = _CLASS.search(source)
    if declared is None:
        return
    prefix = _prefix(_SPRING_PREFIX, source[: declared.start()])
    for match in islice(_SPRING.finditer(source, declared.end()), _MOST_IN_A_FILE):
        yield from _mapped(source, match, match[1].upper(), joined(prefix, _path(match[2] or "")))
    for match in islice(_SPRING_LONG.finditer(source, declared.end()), _MOST_IN_A_FILE):
        if method := _SPRING_METHOD.search(match[1] or ""):
            yield from _mapped(source, match, method[1], joined(prefix, _path(match[1])))


def _mapped(source: str, match: re.Match[str], method: str, route: str) -> Iterator[GuessedEndpoint]:
    signature = _signature(source, match.end())
    query = [
        Parameter(name=each["name"], type=each["type"])
        for each in _SPRING_PARAMETER.finditer(signature)
        if "defaultValue" not in (each[1] or "") and not re.search(r"required\s*=\s*false", each[1] or "")
    ]
    if endpoint := guessed(method, route, signature=signature, query=query):
        yield endpoint


def _jax_rs(source: str) -> Iterator[GuessedEndpoint]:
    declared = _CLASS.search(source)
    if declared is None:
        return
    prefix = _prefix(_JAX_RS_PATH, source[: declared.start()])
    masked = _masked(source)
    for match in islice(_JAX_RS.finditer(masked, declared.end()), _MOST_IN_A_FILE):
        # The annotations of one method come in any order, between the end of what is before it and its own body.
        start = max(0, match.start() - _LONGEST_SIGNATURE)
        before = max(masked.rfind(end, start, match.start()) for end in ("{", "}", ";"))
        after = _SIGNATURE.match(masked, match.end())
        block = source[max(before + 1, start) : after.end() if after else match.end()]
        path = _JAX_RS_PATH.search(block)
        route = _JAX_RS_VARIABLE.sub(r"{\1}", joined(prefix, _path(path[1] or "") if path else ""))
        # None has to be given, but what has no default is seldom looked at before it is used.
        query = [
            Parameter(name=each["name"], type=each["type"])
            for each in _JAX_RS_PARAMETER.finditer(block)
            if "@DefaultValue" not in block[: each.start()].rpartition(",")[2] + each["more"]
        ]
        if endpoint := guessed(match[1], route, signature=block, query=query):
            yield endpoint


def _micronaut(source: str) -> Iterator[GuessedEndpoint]:
    declared = _CLASS.search(source)
    if declared is None or not _MICRONAUT_PREFIX.search(source[: declared.start()]):
        return
    prefix = _prefix(_MICRONAUT_PREFIX, source[: declared.start()])
    for match in islice(_MICRONAUT.finditer(source, declared.end()), _MOST_IN_A_FILE):
        route = _URI_TEMPLATE_QUERY.sub("", joined(prefix, _path(match[2] or "")))
        if endpoint := guessed(match[1].upper(), route, signature=_signature(source, match.end())):
            yield endpoint


def _prefix(annotation: re.Pattern[str], head: str) -> str:
    found = annotation.search(head)
    return _path(found[1] or "") if found else ""


def _path(arguments: str) -> str:
    match = _FIRST_PATH.search(arguments) or _NAMED_PATH.search(arguments)
    return match[1] if match else ""


def _signature(source: str, start: int) -> str:
    match = _SIGNATURE.match(source, start)
    return match[0] if match else ""


def _masked(source: str) -> str:
    """`source`, of the same length, without the braces of texts and of lists in annotations, which are no bodies."""
    blank = _STRING.sub(lambda match: "x" * len(match[0]), source)
    return _LIST.sub(lambda match: "x" * len(match[0]), blank)
