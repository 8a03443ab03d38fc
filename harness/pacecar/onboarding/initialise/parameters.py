"""Parameters of a request's path and query, as a method declares them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from pacecar.onboarding.initialise.arguments import Unread, arguments_of, text_of
from pacecar.onboarding.initialise.constants import Constants
from pacecar.onboarding.initialise.guesses import Parameter
from pacecar.onboarding.initialise.source_text import SourceAnnotation, SourceText

_ANY = re.compile(r"@(?:\w{1,20}:)?([\w.]{1,100}+)")
_WORD = re.compile(r"\w+(?:\.\w+){0,5}")
_MODIFIERS = {"final", "vararg", "val", "var"}
#: What a request may give several of, each of the type that is named next.
_SEVERAL = {"List", "Set", "Collection", "Iterable", "Array", "MutableList", "MutableSet"}
#: What takes all parameters there are.
_ALL = {"Map", "MultiValueMap"}
#: What says which part of an answer is wanted.
_OF_A_PAGE = {"Pageable", "PageRequest", "Sort", "Limit"}
#: What says by which name a request's path holds a parameter.
_OF_A_PATH = ("PathVariable", "PathParam")
_PACKAGE = re.compile(r"\b(?:[a-z]\w{0,60}+\.){1,12}(?=[A-Z])", re.ASCII)


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


def path_parameters(listed: SourceText, *, constants: Constants, inside: str) -> list[Parameter]:
    """Those parameters of a method that a path may hold, by the names that it has for them.

    Arguments are those of `query_parameters`.
    """
    found = []
    for each in listed.listed():
        annotations, rest = _parted(each)
        name, declared, _ = _declared(rest)
        for mark in (annotations[mark] for mark in _OF_A_PATH if mark in annotations):
            with suppress(Unread):
                name = text_of(mark, "name", "value", constants=constants, inside=inside) or name
        found.append(Parameter(name=name, type=_types(declared)[0] or None))
    return found


def search_parameters(listed: SourceText, *, constants: Constants, inside: str) -> list[Parameter]:
    """What a request has to give to a query of Spring Data: all its parameters, but for pages and their order.

    Arguments and errors are those of `query_parameters`.
    """
    found = []
    for each in listed.listed():
        annotations, rest = _parted(each)
        name, declared, _ = _declared(rest)
        types = _types(declared)
        if types[0] not in _OF_A_PAGE:
            mark = annotations.get("Param")
            named = text_of(mark, "value", constants=constants, inside=inside) if mark else ""
            found.append(Parameter(name=named or name, type=types[types[0] in _SEVERAL] or None))
    return found


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
            or not annotations.keys().isdisjoint({"Default", "DefaultValue", "Nullable"})
            or (required is not None and required.text.strip() == "false")
        )
        types = _types(declared)
        named = text_of(annotation, "name", "value", constants=constants, inside=inside)
        if not optional and (named or types[0] not in _ALL):
            yield Parameter(name=named or name, type=types[types[0] in _SEVERAL] or None)


def _types(declared: str) -> list[str]:
    """The names in a type without their packages, the outermost first, and "" behind them."""
    return [*_WORD.findall(_PACKAGE.sub("", declared)), ""]


def _parted(parameter: SourceText) -> tuple[dict[str, SourceAnnotation], str]:
    """The annotations of a parameter by their names, and what it is without them."""
    found: dict[str, SourceAnnotation] = {}
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
