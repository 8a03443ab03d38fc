"""What the arguments of an annotation say: `@GetMapping(path = {"/a", "/b"})`, in Kotlin `(path = ["/a", "/b"])`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pacecar.onboarding.initialise.constants import Constants
from pacecar.onboarding.initialise.source_text import SourceAnnotation, SourceText

_NAME = re.compile(r"\s*+(\w{1,100}+)\s*+=(?!=)")
_LIST = re.compile(r"\s*+(?:\{|\[|arrayOf\s{0,9}+\()")


class Unread(Exception):
    """A text that an annotation gives in a way that cannot be read; the message is the annotation."""


def arguments_of(annotation: SourceAnnotation) -> Mapping[str, SourceText]:
    """The arguments by their names; the first one without a name is the `value`. Raises Unread."""
    if annotation.arguments is None:
        raise Unread(annotation.shown)
    found: dict[str, SourceText] = {}
    for each in annotation.arguments.listed():
        name = _NAME.match(each.masked)
        found.setdefault(name[1] if name else "value", each.part(name.end() if name else 0, len(each.text)))
    return found


def text_of(annotation: SourceAnnotation, *names: str, constants: Constants, inside: str | None) -> str:
    """The text that the first of the arguments `names` gives, the first of a list; "" where it gives none.

    Args:
        annotation: such as `@GetMapping("/a")`.
        names: of arguments.
        constants: what names in it stand for.
        inside: the class in which it stands; None where it stands in none.

    Raises:
        Unread: when it gives one that cannot be read.
    """
    arguments = arguments_of(annotation)
    given = next((arguments[name] for name in names if name in arguments), None)
    first = None if given is None else _first(given)
    if first is None:
        return ""
    text = constants.text(first.text, inside=inside)
    if text is None:
        raise Unread(annotation.shown)
    return text


def _first(value: SourceText) -> SourceText | None:
    """The first of a list, None of an empty one; what is no list by itself."""
    opening = _LIST.match(value.masked)
    if opening is None:
        return value
    inner = value.part(opening.end(), len(value.masked.rstrip()) - 1)
    return next(iter(inner.listed()), None)
