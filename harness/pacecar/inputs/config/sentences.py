"""What pydantic found wrong, as one sentence that says where and what is expected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from pacecar.inputs.config import schema
from pacecar.inputs.config.config_text import ConfigError, ConfigText
from pacecar.inputs.config.lines import Location
from pacecar.inputs.config.suggestion import did_you_mean

_SENTENCES: Mapping[str, str] = {
    "missing": "missing, and it has no default",
    "string_type": "expected text in quotes",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "finite_number": "expected a finite number",
    "bool_type": "expected true or false",
    "date_type": "expected a day without quotes, such as 2027-01-31",
    "date_from_datetime_inexact": "expected a day without a time, such as 2027-01-31",
    "list_type": "expected a list in [ ]",
    "dict_type": "expected a table",
    "model_type": "expected a table",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "string_too_long": "longer than {max_length} characters",
    "too_long": "holds more than {max_length} entries",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be less than {lt:g}",
    "less_than_equal": "must be at most {le:g}",
}


def first_error(error: ValidationError, written: ConfigText) -> ConfigError:
    """The most telling of the problems in `error`.

    Unknown keys come first, since a mistyped key is also missing under its right name; then the order of the file.
    """

    def rank(problem: ErrorDetails) -> tuple[bool, int]:
        return problem["type"] != "extra_forbidden", written.line(_location(problem))

    problem = min(error.errors(include_url=False, include_input=True), key=rank)
    location = _location(problem)
    missing = problem["type"] == "missing" and location[0] == "target"
    hint = "Every key with its meaning: docs/reference/configuration.md" if missing else None
    return written.error(location, _sentence(problem, location), hint=hint)


def unknown_key(location: Location) -> str:
    """The sentence for a key that no table knows, with the key or the table that was meant."""
    depth = 1
    while depth < len(location) and schema.type_at(location[:depth]) is not None:
        depth += 1
    key, around = str(location[depth - 1]), location[: depth - 1]
    known = did_you_mean(key, schema.keys_at(around))
    elsewhere = schema.tables_with(key)
    if not known and elsewhere:
        return f"unknown key here; it belongs in [{elsewhere[0]}]"
    return f"unknown key{known}"


def _location(problem: ErrorDetails) -> Location:
    location = problem["loc"]
    return location[:-1] if location and location[-1] == "[key]" else location


def _sentence(problem: ErrorDetails, location: Location) -> str:
    special: dict[str, Callable[[], str]] = {
        "extra_forbidden": lambda: unknown_key(location),
        "literal_error": lambda: _choice(problem["input"], problem["ctx"]["expected"]),
        "enum": lambda: _choice(problem["input"], problem["ctx"]["expected"]),
        "value_error": lambda: str(problem["ctx"]["error"]),
    }
    kind = problem["type"]
    if kind in special:
        return special[kind]()
    if kind in _SENTENCES:
        return _SENTENCES[kind].format(**problem.get("ctx", {}))
    return problem["msg"][:1].lower() + problem["msg"][1:]


def _choice(given: Any, expected: str) -> str:
    choices = expected.replace("'", '"')
    words = expected.replace("'", "").replace(" or ", ", ").split(", ")
    return f"expected {choices}{did_you_mean(given, words) if isinstance(given, str) else ''}"
