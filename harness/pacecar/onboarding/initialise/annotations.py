"""Endpoints as the sources tell them by the annotations of Spring, JAX-RS, Micronaut and Quarkus's reactive routes.

What is read is text that anybody may have written, see `source_text`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from pacecar.onboarding.initialise.arguments import Unread, arguments_of, text_of
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.declarations import Declaration, Outline
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, guessed, joined
from pacecar.onboarding.initialise.parameters import path_parameters, query_parameters
from pacecar.onboarding.initialise.source_text import Annotation, SourceText

#: More annotations in one file are left unread.
_MOST_IN_A_FILE = 300
#: Characters before the annotation of a method in which its others are looked for.
_LONGEST_SIGNATURE = 1500
_REST = re.compile(r"[^{};]{0,1500}+")
_LONGEST_SHOWN = 60

_SPRING = re.compile(r"@((?:Get|Post|Put|Patch|Delete|Request)Mapping)\b")
_SPRING_PREFIX = re.compile(r"@(RequestMapping)\b")
_SPRING_METHOD = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE)\b")
_JAX_RS = re.compile(r"@(GET|POST|PUT|PATCH|DELETE)\b(?!\s{0,20}+\()")
_JAX_RS_PATH = re.compile(r"@(Path)\b")
_JAX_RS_VARIABLE = re.compile(r"\{\s*+(\w++)\s*+:(?:[^{}]|\{[^{}]*+\}){0,100}\}", re.ASCII)
_APPLICATION_PATH = re.compile(r"@(ApplicationPath)\b")
_MICRONAUT = re.compile(r"@(Get|Post|Put|Patch|Delete)\b")
_MICRONAUT_PREFIX = re.compile(r"@(Controller)\b")
_MICRONAUT_CLIENT = re.compile(r"@Client\b")
_WORD = re.compile(r"\w++")
_REACTIVE = re.compile(r"@(Route)\b")
_REACTIVE_PREFIX = re.compile(r"@(RouteBase)\b")
_COLON_VARIABLE = re.compile(r"(?<=/):(\w++)", re.ASCII)
_URI_TEMPLATE_QUERY = re.compile(r"\{[?&][^{}]*+\}")
_VARIABLE = re.compile(r"\{\W?(\w++)")
#: Behind the parameters of a method that does nothing but throw: one that shows an error page, or is not there yet.
_FAILS = re.compile(r"\)?[^{};=]{0,300}+[{=]\s*+throw\b")
#: On an interface by which the service asks others.
_CLIENT = re.compile(r"@(?:RegisterRestClient|FeignClient)\b")


@dataclass(frozen=True, kw_only=True)
class Annotated:
    """What the annotations of one file tell.

    Attributes:
        endpoints: in the order in which they stand there.
        unread: annotations whose paths cannot be read, or cannot be asked for; their endpoints are left out.
        contracts: endpoints of interfaces of Micronaut, as (interface, endpoint); they lie below what implements it.
        controllers: its controllers, as (path, names in the heading), such as those of the interfaces they implement.
    """

    endpoints: tuple[GuessedEndpoint, ...] = ()
    unread: tuple[str, ...] = ()
    contracts: tuple[tuple[str, GuessedEndpoint], ...] = ()
    controllers: tuple[tuple[str, frozenset[str]], ...] = ()


def in_source(source: str, constants: Constants | None = None) -> Annotated:
    """What the annotations in the text of one Java or Kotlin file tell of endpoints. Anything may be in it.

    Args:
        source: the file.
        constants: what names stand for that other files declare; None when that is not known.
    """
    framework = _framework(source)
    if framework is None:
        return Annotated()
    marks, read = framework
    file = _File(SourceText.of(source), constants)
    endpoints: list[GuessedEndpoint] = []
    unread: list[str] = []
    contracts: list[tuple[str, GuessedEndpoint]] = []
    for method in file.methods(marks):
        try:
            if endpoint := read(file, method):
                endpoints.append(endpoint)
            elif marks is _MICRONAUT and (endpoint := _promised(file, method)):
                contracts.append((method.holder.name, endpoint))
        except Unread as problem:
            unread.append(str(problem))
    controllers = tuple(file.controllers(unread)) if marks is _MICRONAUT else ()
    return Annotated(
        endpoints=tuple(endpoints),
        unread=tuple(dict.fromkeys(unread)),
        contracts=tuple(contracts),
        controllers=controllers,
    )


def application_path(source: str, constants: Constants | None = None) -> str:
    """What `@ApplicationPath` in a file puts before the paths of all JAX-RS resources; "" without one.

    Arguments are those of `in_source`. Raises Unread when it cannot be read.
    """
    if "@ApplicationPath" not in source:
        return ""
    file = _File(SourceText.of(source), constants)
    return next((file.path(each, "value", inside=None) for each in file.text.annotations(_APPLICATION_PATH)), "")


@dataclass(frozen=True, kw_only=True)
class _Method:
    """A method that answers requests: the annotation that says so, its class, all its annotations, its parameters."""

    mark: Annotation
    holder: Declaration
    heading: SourceText
    parameters: SourceText


class _File:
    """A source, what it declares, and what names in it stand for."""

    def __init__(self, text: SourceText, constants: Constants | None) -> None:
        self.text = text
        self._outline = Outline(text)
        self._constants = Constants(constants_in(text), beyond=constants)

    def methods(self, marks: re.Pattern[str]) -> Iterator[_Method]:
        """The methods in classes that an annotation marks, in their order; not those of clients, or that only throw."""
        behind = 0
        for mark in islice(self.text.annotations(marks), _MOST_IN_A_FILE):
            holder = self._outline.holder(mark.start)
            if holder is None or _CLIENT.search(holder.head.masked):
                continue
            start, end = self.text.parameters(mark.end) or self._rest(mark.end)
            # A method's annotations come in any order. In Kotlin, the one before may end without a brace.
            since = max(self._outline.statement(mark.start), behind, mark.start - _LONGEST_SIGNATURE)
            behind = end
            if not _FAILS.match(self.text.masked, end):
                yield _Method(
                    mark=mark,
                    holder=holder,
                    heading=self.text.part(since, end),
                    parameters=self.text.part(start, end),
                )

    def _rest(self, at: int) -> tuple[int, int]:
        """What may be a method's annotations where its parameters cannot be found, and none of these."""
        match = _REST.match(self.text.masked, at)
        end = match.end() if match else at
        return end, end

    def controllers(self, unread: list[str]) -> Iterator[tuple[str, frozenset[str]]]:
        """Path of each controller of Micronaut, and the names in its heading; adds to `unread` what cannot be read."""
        for declared in self._outline.classes():
            try:
                path = self.prefix(declared, _MICRONAUT_PREFIX, "value")
            except Unread as problem:
                unread.append(str(problem))
                continue
            if path is not None and "$" in path:
                unread.append(f'@Controller("{path[:_LONGEST_SHOWN]}")')
            elif path is not None:
                heading = _REST.match(self.text.masked, declared.start)
                yield path, frozenset(_WORD.findall(heading[0] if heading else ""))

    def prefix(self, holder: Declaration, pattern: re.Pattern[str], *names: str) -> str | None:
        """The path that the annotation of a class gives; None without the annotation. Raises Unread."""
        *_, last = (None, *holder.head.annotations(pattern))
        return None if last is None else self.path(last, *names, inside=holder)

    def path(self, annotation: Annotation, *names: str, inside: Declaration | None) -> str:
        """The path that an annotation gives by one of these arguments. Raises Unread."""
        within = inside.name if inside else None
        return text_of(annotation, *names, constants=self._constants, inside=within)

    def endpoint(self, method: _Method, verb: str, route: str, *, query: str) -> GuessedEndpoint:
        """The endpoint of a method; `query` is the annotation of its parameters. Raises Unread."""
        known = set(_VARIABLE.findall(route))
        listed, inside = method.parameters, method.holder.name
        variables = path_parameters(listed, constants=self._constants, inside=inside)
        parameters = query_parameters(listed, query, constants=self._constants, inside=inside)
        asked = [each for each in parameters if each.name not in known]
        endpoint = guessed(verb, route, variables=variables, query=asked)
        if endpoint is None:
            raise Unread(method.mark.shown)
        return endpoint


def _spring(file: _File, method: _Method) -> GuessedEndpoint | None:
    verb = method.mark.name.removesuffix("Mapping").upper()
    if verb == "REQUEST":
        given = arguments_of(method.mark).get("method")
        found = _SPRING_METHOD.search(given.masked) if given else None
        if found is None:
            return None
        verb = found[0]
    prefix = file.prefix(method.holder, _SPRING_PREFIX, "path", "value") or ""
    route = joined(prefix, file.path(method.mark, "path", "value", inside=method.holder))
    return file.endpoint(method, verb, route, query="RequestParam")


def _jax_rs(file: _File, method: _Method) -> GuessedEndpoint | None:
    prefix = file.prefix(method.holder, _JAX_RS_PATH, "value")
    if prefix is None:  # a resource below another one, whose path only code knows
        return None
    own = next(method.heading.annotations(_JAX_RS_PATH), None)
    route = joined(prefix, file.path(own, "value", inside=method.holder) if own else "")
    # None has to be given, but what has no default is seldom looked at before it is used.
    return file.endpoint(method, method.mark.name, _JAX_RS_VARIABLE.sub(r"{\1}", route), query="QueryParam")


def _micronaut(file: _File, method: _Method) -> GuessedEndpoint | None:
    prefix = file.prefix(method.holder, _MICRONAUT_PREFIX, "value")
    if prefix is None:
        return None
    route = joined(prefix, file.path(method.mark, "uri", "value", "uris", inside=method.holder))
    return file.endpoint(method, method.mark.name.upper(), _URI_TEMPLATE_QUERY.sub("", route), query="QueryValue")


def _promised(file: _File, method: _Method) -> GuessedEndpoint | None:
    """An endpoint of an interface that controllers may implement."""
    if _MICRONAUT_CLIENT.search(method.holder.head.masked):
        return None
    route = joined(file.path(method.mark, "uri", "value", "uris", inside=method.holder))
    return file.endpoint(method, method.mark.name.upper(), _URI_TEMPLATE_QUERY.sub("", route), query="QueryValue")


def _reactive(file: _File, method: _Method) -> GuessedEndpoint | None:
    arguments = arguments_of(method.mark)
    if "path" not in arguments or "type" in arguments:  # by a pattern or the method's name, or for failures
        return None
    found = _SPRING_METHOD.search(arguments["methods"].masked) if "methods" in arguments else None
    prefix = file.prefix(method.holder, _REACTIVE_PREFIX, "path", "value") or ""
    route = joined(prefix, file.path(method.mark, "path", inside=method.holder))
    # Without a method, it answers to all of them.
    return file.endpoint(method, found[0] if found else "GET", _COLON_VARIABLE.sub(r"{\1}", route), query="Param")


_Framework = tuple[re.Pattern[str], Callable[[_File, _Method], GuessedEndpoint | None]]


def _framework(source: str) -> _Framework | None:
    if "Mapping" in source and "Controller" in source:
        return _SPRING, _spring
    if "io.quarkus.vertx.web" in source:
        return _REACTIVE, _reactive
    if "ws.rs" in source:
        return _JAX_RS, _jax_rs
    if "io.micronaut.http" in source:
        return _MICRONAUT, _micronaut
    return None
