"""An endpoint that was found, made into a request that can be asked: what a variable may hold is a guess."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

#: Characters of a path that need no escaping. A `$` would be one of Spring's own placeholders.
_PLAIN = r"[\w./~%@!&'()*+,;=:-]*"
_SAFE_PATH = re.compile(rf"/{_PLAIN}(?:\{{[\w:.*+^?|\[\]-]*\}}{_PLAIN})*", re.ASCII)
_SAFE_NAME = re.compile(r"[\w.-]{1,60}", re.ASCII)
_SAFE_VALUE = re.compile(r"[\w.-]{1,40}", re.ASCII)
_VARIABLE = re.compile(r"\{([^{}]*)\}")
#: What `Parameter.guess` makes: `${int(1,10)}`, `${pick(a,b)}`.
_TEMPLATE = re.compile(r"\$\{(?:int\((\d++),\d++\)|pick\(([^,()]++)[^()]*+\))\}")
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
    "LocalDateTime": ("2025-01-15T10:15:00", "2025-02-03T16:40:00"),
    "Instant": ("2025-01-15T10:15:00Z", "2025-02-03T16:40:00Z"),
    "OffsetDateTime": ("2025-01-15T10:15:00Z", "2025-02-03T16:40:00Z"),
    "ZonedDateTime": ("2025-01-15T10:15:00Z", "2025-02-03T16:40:00Z"),
    "YearMonth": ("2025-01", "2025-02"),
    "UUID": ("0b5c3b52-6a3c-4c1f-9b1e-2f6f0a7d9c11",),
}
_TEXTS = {"String", "CharSequence", "string"}
#: How variables of a path are called that hold a number, even as text.
_NUMBERED = ("id", "number", "no")
_MOST_VALUES = 5
#: How a part of a path begins that a GET changes something by, whatever the standard says.
_CHANGES = {"clear", "delete", "destroy", "drop", "insert", "logout", "purge", "remove", "reset", "save", "shutdown"}
_CHANGES |= {
    "add",
    "cancel",
    "create",
    "evict",
    "flush",
    "gc",
    "kill",
    "publish",
    "reboot",
    "reindex",
    "restart",
    "send",
}
_CHANGES |= {"signout", "truncate", "unsubscribe", "update"}
_FIRST_WORD = re.compile(r"/([a-z]+|[A-Z]+[a-z]*)", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class GuessedEndpoint:
    """An endpoint as its annotation tells it.

    Attributes:
        method: HTTP method.
        route: path with `{variables}`.
        path: the same as a template that can be asked for.
        guesses: what was made up, such as the range of a variable.
        login: whether it asks for a login; None when that cannot be told.
        label: tells it from others at the same path; None where there are none.
        body: what is sent, of a request that reads although it sends something; None without one.
    """

    method: str
    route: str
    path: str
    guesses: tuple[str, ...]
    login: bool | None = None
    label: str | None = None
    body: str | None = None

    @property
    def name(self) -> str:
        """`GET /orders/{id}`, `POST /graphql books`."""
        return " ".join(filter(None, (self.method, self.route, self.label)))

    @property
    def is_page(self) -> bool:
        """Whether it can be asked for by its path alone, and that only reads."""
        return self.reads and self.body is None

    @property
    def example(self) -> str:
        """The path with the first of the values that may be asked for."""
        return _TEMPLATE.sub(lambda match: match[1] or match[2], self.path)

    @property
    def reads(self) -> bool:
        """Whether it leaves everything as it is, as far as its method and the words of its path tell."""
        if self.body is not None:
            return True
        return self.method == "GET" and _CHANGES.isdisjoint(map(str.lower, _FIRST_WORD.findall(self.route)))


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

    def within_path(self) -> Parameter:
        """The same as part of a path: a number, as most are, where its type does not say otherwise."""
        if self.values or (self.type in _TEXTS and not self.name.lower().endswith(_NUMBERED)):
            return self
        return self if self._plain in _SAMPLES or self._plain in _NUMBERS else replace(self, type="int")

    @property
    def _plain(self) -> str:
        return (self.type or "").removesuffix("Param")  # Dropwizard has its own, such as `LocalDateParam`

    def guess(self) -> tuple[str, str]:
        """A template for its value, and the guess in words; "" where the values are known."""
        known = [value for value in self.values if _SAFE_VALUE.fullmatch(value)][:_MOST_VALUES]
        if known:
            return f"${{pick({','.join(known)})}}", ""
        if self._plain in _NUMBERS:
            return "${int(1,10)}", f"{self.name} is 1 to 10"
        values = _SAMPLES.get(self._plain, ("a", "b"))
        return f"${{pick({','.join(values)})}}", f"{self.name} is {' or '.join(values)}"


def joined(*parts: str) -> str:
    """A route of parts, with one slash between them."""
    return "/" + "/".join(stripped for part in parts if (stripped := part.strip("/")))


def joined_as_written(*parts: str) -> str:
    """The same with the slash at the end of the last part: to many frameworks, `/orders/` is not `/orders`."""
    route = joined(*parts)
    last = next((part for part in reversed(parts) if part), "")
    return f"{route}/" if last.endswith("/") and route != "/" else route


def guessed(
    method: str,
    route: str,
    *,
    variables: Sequence[Parameter] = (),
    query: Sequence[Parameter] = (),
) -> GuessedEndpoint | None:
    """The endpoint of a route; None when its path holds what cannot be asked for as it stands.

    Args:
        method: HTTP method.
        route: path with `{variables}`.
        variables: what is known of the route's variables; of one that is unknown, that it is a number, as most are.
        query: parameters that must be given.
    """
    if len(route) > _LONGEST_PATH or not _SAFE_PATH.fullmatch(route):
        return None
    if not all(_SAFE_NAME.fullmatch(each.name) for each in query):
        return None
    known = {each.name: each for each in variables}
    guesses: list[str] = []

    def filled_in(match: re.Match[str]) -> str:
        found = _VARIABLE_NAME.match(match[1])
        name = found[0] if found else ""
        template, guess = known.get(name, Parameter(name=name or match[0])).within_path().guess()
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


def below(base: str, endpoint: GuessedEndpoint) -> GuessedEndpoint | None:
    """The endpoint below another path, which may have variables, too; None where that cannot be asked for."""
    before = guessed(endpoint.method, joined(base))
    if before is None:
        return None
    join = joined if endpoint.route == "/" else joined_as_written
    route, path = join(before.route, endpoint.route), join(before.path, endpoint.path)
    return replace(endpoint, route=route, path=path, guesses=(*before.guesses, *endpoint.guesses))
