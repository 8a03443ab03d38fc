"""Parameters of a request's query, as a method declares them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pacecar.onboarding.initialise.arguments import arguments_of, text_of
from pacecar.onboarding.initialise.constants import Constants
from pacecar.onboarding.initialise.guesses import Parameter
from pacecar.onboarding.initialise.source_text import Annotation, SourceText

_ANY = re.compile(r"@(?:\w{1,20}:)?([\w.]{1,100}+)")
_WORD = re.compile(r"\w+")
_MODIFIERS = {"final", "vararg", "val", "var"}
#: What a request may give several of, each of the type that is named next.
_SEVERAL = {"List", "Set", "Collection", "Iterable", "Array", "MutableList", "MutableSet"}
#: What takes all parameters there are.
_ALL = {"Map", "MultiValueMap"}


def query_parameters(listed: SourceText, annotation: str, *, constants: Constants, inside: str) -> list[Parameter]:
    """Those parameters of the query without which a request would be refused, or seldom answered well.

    Args:
        listed: the parameters of a method.
        annotation: the name of what marks those of the query.
        constants: what names stand for.
        inside: the class of the method.

    Raises:
        Unread: when the name of one cannot be read.
    """
    return list(_required(listed, annotation, constants, inside))


def _required(listed: SourceText, mark: str, constants: Constants, inside: str) -> Iterator[Parameter]:
    for each in listed.listed():
        annotations, rest = _parted(each)
        annotation = annotations.get(mark)
        if annotation is None:
            continue
        name, declared, given = _declared(rest)
        arguments = arguments_of(annotation)
        required = arguments.get("required")
        optional = (
            given
            or declared.startswith("Optional")
            or declared.endswith("?")
            or "defaultValue" in arguments
            or not annotations.keys().isdisjoint({"DefaultValue", "Nullable"})
            or (required is not None and required.text.strip() == "false")
        )
        types = [*_WORD.findall(declared), ""]
        named = text_of(annotation, "name", "value", constants=constants, inside=inside)
        if not optional and (named or types[0] not in _ALL):
            yield Parameter(name=named or name, type=types[types[0] in _SEVERAL] or None)


def _parted(parameter: SourceText) -> tuple[dict[str, Annotation], str]:
    """The annotations of a parameter by their names, and what it is without them."""
    found: dict[str, Annotation] = {}
    rest, at = "", 0
    for each in parameter.annotations(_ANY):
        if each.start >= at:
            found[each.name.rpartition(".")[2]] = each
            rest += parameter.masked[at : each.start]
            at = each.end
    return found, rest + parameter.masked[at:]


def _declared(rest: str) -> tuple[str, str, bool]:
    """Name and type of a parameter, and whether it has a default: `String q`, or in Kotlin `q: String = ""`."""
    left, colon, right = rest.partition(":")
    words = [word for word in left.split() if word not in _MODIFIERS] or [""]
    if not colon:
        return words[-1], " ".join(words[:-1]), False
    declared, equals, _ = right.partition("=")
    return words[-1], declared.strip(), bool(equals)
