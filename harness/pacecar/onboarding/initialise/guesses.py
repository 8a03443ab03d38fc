"""An endpoint that was found, made into a request that can be asked: what a variable may hold is a guess."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

#: Characters of a path that need no escaping. A `$` would be one of Spring's own placeholders.
_PLAIN = r"[\w./~%@!&'()*+,;=:-]*"
_SAFE_PATH = re.compile(rf"/{_PLAIN}(?:\{{[\w:.*+^?|\[\]-]*\}}{_PLAIN})*", re.ASCII)
_SAFE_NAME = re.compile(r"[\w.-]{1,60}", re.ASCII)
_SAFE_VALUE = re.compile(r"[\w.-]{1,40}", re.ASCII)
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_VARIABLE_NAME = re.compile(r"\w+", re.ASCII)
_LONGEST_PATH = 150
_NUMBERS = {"int", "long", "short", "Int", "Integer", "Long", "Short", "integer", "number"}
_NUMBERS |= {"double", "float", "Double", "Float", "BigDecimal", "BigInteger"}
#: Types of which not any text will do -> values that will.
_SAMPLES = {
    "boolean": ("true", "false"),
    "Boolean": ("true", "false"),
    "LocalDate": ("2025-01-15", "2025-02-03"),
    "LocalTime": ("10:15", "16:40"),
    "UUID": ("0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11",),
}
_MOST_VALUES = 5


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


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A variable of a path, or one of the query that must be given.

    Attributes:
        name: its name.
        type: of Java, Kotlin or JSON Schema; None when unknown.
        values: some that are known to be right.
    """

    name: str
    type: str | None = None
    values: tuple[str, ...] = ()

    def guess(self) -> tuple[str, str]:
        """A template for its value, and the guess in words; "" where the values are known."""
        known = [value for value in self.values if _SAFE_VALUE.fullmatch(value)][:_MOST_VALUES]
        if known:
            return f"${{pick({','.join(known)})}}", ""
        if self.type in _NUMBERS:
            return "${int(1,10)}", f"{self.name} is 1 to 10"
        values = _SAMPLES.get(self.type or "", ("a", "b"))
        return f"${{pick({','.join(values)})}}", f"{self.name} is {' or '.join(values)}"


def joined(*parts: str) -> str:
    """A route of parts, with one slash between them."""
    return "/" + "/".join(stripped for part in parts if (stripped := part.strip("/")))


def guessed(
    method: str,
    route: str,
    *,
    signature: str = "",
    variables: Sequence[Parameter] = (),
    query: Sequence[Parameter] = (),
) -> GuessedEndpoint | None:
    """The endpoint of a route; None when its path holds what cannot be asked for as it stands.

    Args:
        method: HTTP method.
        route: path with `{variables}`.
        signature: of the method that serves it, in which the types of variables stand.
        variables: what is known of the route's variables.
        query: parameters that must be given.
    """
    if len(route) > _LONGEST_PATH or not _SAFE_PATH.fullmatch(route):
        return None
    if not all(_SAFE_NAME.fullmatch(each.name) for each in query):
        return None
    known = {each.name: each for each in variables}
    guesses: list[str] = []

    def filled_in(match: re.Match[str]) -> str:
        name = _VARIABLE_NAME.match(match[1])
        parameter = known.get(name[0] if name else "") or Parameter(
            name=match[0], type=_type(name[0] if name else "", signature)
        )
        template, guess = parameter.guess()
        guesses.append(guess)
        return template

    path = _VARIABLE.sub(filled_in, route)
    asked = []
    for parameter in query:
        template, guess = parameter.guess()
        asked.append(f"{parameter.name}={template}")
        guesses.append(guess)
    path += "?" + "&".join(asked) if asked else ""
    return GuessedEndpoint(method=method, route=route, path=path, guesses=tuple(filter(None, guesses)))


def _type(variable: str, signature: str) -> str:
    """The type of a path's variable: text where the signature says so, else a number, as most are."""
    declared = rf"\bString\s+{re.escape(variable)}\b|\b{re.escape(variable)}\s*:\s*String\b"
    is_text = bool(variable) and re.search(declared, signature) is not None
    return "String" if is_text and not variable.lower().endswith(("id", "number", "no")) else "int"
