"""Kinds of value in the file: quantities with their bounds, names, paths.

Each is an annotated type for the models: what the file says goes in, the number the harness uses comes out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from pacecar.inputs.config.suggestion import did_you_mean, quoted
from pacecar.model.experiment import QUERY_PLACEHOLDERS
from pacecar.system.environment import is_never_passed
from pacecar.text import units

#: Of every table: no unknown keys, no conversions.
AS_WRITTEN = ConfigDict(strict=True, extra="forbid", frozen=True)

#: As container runtimes read them; a digest may follow.
_IMAGE = re.compile(r"[a-z0-9][A-Za-z0-9._/:-]{0,254}(@sha256:[0-9a-f]{64})?")
_LABEL = re.compile(r"([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_WORKLOAD = re.compile(rf"([A-Za-z]{{1,63}}/)?{_NAME.pattern}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_CLASS = re.compile(r"[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*)*", re.ASCII)
_CLASSES = re.compile(r"[A-Za-z_$*][\w$*]*(\.[A-Za-z_$*][\w$*]*)*", re.ASCII)
_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}?")
_INT = re.compile(r"int\(\s*(-?[0-9]{1,9})\s*,\s*(-?[0-9]{1,9})\s*\)")
_PICK = re.compile(r"pick\([^()]+\)")
_STORE_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s?#]{0,400}")
_CREDENTIAL = re.compile(r"key|secret|token|password|passwd|credential|connection_string")
_QUERY_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")
#: PromQL's own braces hold a label's name and its value, never a word alone.
_QUERY_WORD = re.compile(r"\{([A-Za-z_]+)\}")
_MOST_QUERY = 4096
_LIMITS = ("1 s", "2 min")
_MOST_TEXT = 65_536
_MOST_NAME = 200
#: A token signed with a long key has some thousand characters; servers take headers of 8 KiB, hardly any takes more.
_MOST_HEADER_BYTES = 8 << 10


def quantity(kind: str, parse: Callable[[str], float], *, example: str, least: str, most: str) -> BeforeValidator:
    """Text with a unit, between `least` and `most` inclusive, to a number.

    Args:
        kind: what it is called in messages, such as "a duration".
        parse: one of the parsers of `units`.
        example: a value to show to whoever left out the unit.
        least: lower bound, as text of the same kind.
        most: upper bound.
    """
    low, high = parse(least), parse(most)

    def to_number(value: Any) -> float:
        if not isinstance(value, str):
            raise ValueError(f"expected {kind} with its unit in quotes, such as {quoted(example)}")
        number = parse(value)
        if not low <= number <= high:
            raise ValueError(f"{quoted(value)} is outside {least} to {most}")
        return number

    return BeforeValidator(to_number)


def duration_between(least: str, most: str) -> BeforeValidator:
    """Seconds."""
    return quantity("a duration", units.parse_duration_s, example="20 s", least=least, most=most)


def rate_between(least: str, most: str) -> BeforeValidator:
    """Events per second."""
    return quantity("a rate", units.parse_rate_per_s, example="150/s", least=least, most=most)


def size_between(least: str, most: str) -> BeforeValidator:
    """Bytes."""
    return quantity("a size", units.parse_bytes, example="512 KiB", least=least, most=most)


def _printable(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty")
    if len(value) > _MOST_NAME:
        raise ValueError(f"longer than {_MOST_NAME} characters")
    if not value.isprintable():
        raise ValueError("holds control characters")
    return value


def _without_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("holds a NUL character")
    if len(value) > _MOST_TEXT:
        raise ValueError(f"longer than {_MOST_TEXT} characters")
    return value


def _header_value(value: str) -> str:
    # Never shown: it may be a credential.
    if not value.replace("\t", " ").isprintable():
        raise ValueError("holds control characters")
    if len(value.encode()) > _MOST_HEADER_BYTES:
        raise ValueError(f"longer than {_MOST_HEADER_BYTES >> 10} KiB")
    return value


def _like(pattern: re.Pattern[str], what: str) -> AfterValidator:
    def check(value: str) -> str:
        if pattern.fullmatch(value) is None:
            raise ValueError(f"{quoted(value)} is not {what}")
        return value

    return AfterValidator(check)


def _path_of_url(value: str) -> str:
    # Only a path, never a host: load goes to the fork on this machine and nowhere else.
    if not value.startswith("/") or value.startswith("//"):
        raise ValueError(f'{quoted(value)} is not a path of the service; write it as "/orders", without a host')
    if any(letter <= " " or letter == "\x7f" for letter in _PLACEHOLDER.sub("", value)):
        raise ValueError(f"{quoted(value)} holds spaces or control characters; percent-encode them")
    return _without_nul(value)


def _absolute_jar(value: str) -> str:
    if not value.startswith("/") or ".." in value.split("/") or not value.endswith((".jar", ".war")):
        raise ValueError(f'{quoted(value)} is not an absolute path of a jar, such as "/opt/orders/orders.jar"')
    return value


def server_url(value: str) -> str:
    """`value`, when it is the address of a server and nothing more; raises ValueError."""
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if "@" in value:  # before anything is quoted: what stands there is a secret
        raise ValueError("holds a user or password; give credentials by environment variables")
    if parts.scheme not in ("http", "https") or not host or not value.isascii() or not value.isprintable():
        raise ValueError(f'{quoted(value)} is not the address of a server; write it as "http://127.0.0.1:9090"')
    if any(letter in value for letter in ' ?#\\"<>'):
        raise ValueError(f"{quoted(value)} must be the address of the server alone, without a query")
    return value.rstrip("/")


def placeholders(value: str) -> str:
    """`value`, when all it holds in braces is something that is filled in. Raises ValueError."""
    for word in _QUERY_WORD.findall(value):
        if word not in QUERY_PLACEHOLDERS:
            raise ValueError(f"{{{word}}} is not filled in{did_you_mean(word, QUERY_PLACEHOLDERS)}")
    return value


def _relative_pattern(value: str) -> str:
    if value.startswith("/") or ".." in value.split("/"):
        raise ValueError(f"{quoted(value)} must lie below source.root")
    if value.count("*") > 1:
        raise ValueError(f"{quoted(value)} holds more than one *")
    return value


def template(value: str) -> str:
    """`value`, when its placeholders are those the kit draws (`dev.pacecar.scenarios.Template`). Raises ValueError."""
    for match in _PLACEHOLDER.finditer(value):
        expression = match.group(1).strip()
        if not match.group().endswith("}"):
            raise ValueError(f"{quoted(match.group())} opens a placeholder and does not close it")
        numbers = _INT.fullmatch(expression)
        if numbers is not None and int(numbers.group(1)) > int(numbers.group(2)):
            raise ValueError(f"{quoted(match.group())} puts the larger number first")
        if numbers is None and _PICK.fullmatch(expression) is None:
            function = expression.partition("(")[0]
            known = did_you_mean(function, ["int", "pick"]) if function not in {"int", "pick"} else ""
            raise ValueError(f"{quoted(match.group())} is neither ${{int(1,100)}} nor ${{pick(a,b)}}{known}")
    return value


def _store_url(value: str) -> str:
    if _STORE_URL.fullmatch(value) is None:
        raise ValueError(f'{quoted(value)} is not the URL of a store; write it as "s3://bucket/prefix"')
    if "@" in value:
        # Not shown: what stands before the @ may be a secret.
        raise ValueError("holds an @; credentials come from the environment, never from this file")
    return value


def _option_name(value: str) -> str:
    if _VARIABLE.fullmatch(value) is None:
        raise ValueError(f"{quoted(value)} is not the name of an option")
    if _CREDENTIAL.search(value.lower()):
        raise ValueError(
            f"{quoted(value)} looks like a credential; those come from the environment, never from this file"
        )
    return value


def _may_be_passed(value: str) -> str:
    if is_never_passed(value):
        raise ValueError(
            f"{quoted(value)} belongs to the job that Pacecar runs in, and is never passed on; set a separate "
            "variable for whatever needs it"
        )
    return value


def _worsening(value: Any) -> str:
    # What it may be depends on the metric, so the text is read once that is known.
    if not isinstance(value, str):
        raise ValueError('expected a percentage with its unit in quotes, such as "10 %"')
    return _without_nul(value)


def _port(value: Any) -> int | None:
    if value == "free":
        return None
    if isinstance(value, int) and not isinstance(value, bool) and 1024 <= value <= 65_535:
        return value
    raise ValueError('expected "free" or a port number from 1024 to 65535')


def _limit(value: Any) -> float | None:
    if value is False:
        return None
    if not isinstance(value, str):
        raise ValueError('expected a duration with its unit in quotes, such as "10 s", or false')
    seconds = units.parse_duration_s(value)
    low, high = _LIMITS
    if not units.parse_duration_s(low) <= seconds <= units.parse_duration_s(high):
        raise ValueError(f"{quoted(value)} is outside {low} to {high}; false switches it off")
    return seconds


Text = Annotated[str, AfterValidator(_without_nul)]
StoreUrl = Annotated[str, AfterValidator(_without_nul), AfterValidator(_store_url)]
OptionName = Annotated[str, AfterValidator(_option_name)]
Title = Annotated[str, AfterValidator(_printable)]
HeaderValue = Annotated[str, AfterValidator(_header_value)]
CommandLine = list[Text]
FilePath = Annotated[str, AfterValidator(_printable)]
ArtifactPath = Annotated[str, AfterValidator(_printable), AfterValidator(_relative_pattern)]
JarInImage = Annotated[str, AfterValidator(_printable), AfterValidator(_absolute_jar)]
WorkloadName = Annotated[
    str, _like(_WORKLOAD, 'the name of a workload such as "orders", or with its kind "Deployment/orders"')
]
Name = Annotated[str, _like(_NAME, 'a short name such as "orders-v2"')]
ImageName = Annotated[str, _like(_IMAGE, 'the name of an image such as "registry.example/pacecar:0.1"')]
KubeContext = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_printable)]
NodeLabels = Annotated[
    dict[
        Annotated[str, _like(_LABEL, 'the name of a label such as "example.com/pool"')],
        Annotated[str, _like(_LABEL_VALUE, 'the value of a label such as "performance"')],
    ],
    Field(max_length=20),
]
Variable = Annotated[str, _like(_VARIABLE, "the name of an environment variable")]
Inherited = Annotated[Variable, AfterValidator(_may_be_passed)]
ClassName = Annotated[str, _like(_CLASS, 'a Java name such as "shop.orders"')]
ClassPattern = Annotated[
    str,
    AfterValidator(_printable),
    _like(_CLASSES, 'a Java name, in which * stands for anything, such as "shop.orders" or "shop.*.Cache*"'),
]
UrlPath = Annotated[str, AfterValidator(_path_of_url)]
UrlTemplate = Annotated[str, AfterValidator(_path_of_url), AfterValidator(template)]
BodyTemplate = Annotated[str, AfterValidator(_without_nul), AfterValidator(template)]
ServerUrl = Annotated[str, AfterValidator(_printable), AfterValidator(server_url)]
QueryName = Annotated[str, _like(_QUERY_NAME, 'a short name without dots such as "queue-length"')]
QueryText = Annotated[str, Field(min_length=1, max_length=_MOST_QUERY), AfterValidator(placeholders)]
Worsening = Annotated[str, BeforeValidator(_worsening)]
Port = Annotated[int | None, BeforeValidator(_port)]
#: How long something may take that can be switched off: seconds, or None for `false`.
LimitOrOff = Annotated[float | None, BeforeValidator(_limit)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
