"""Endpoints as the sources tell them by the annotations of Spring, JAX-RS, Micronaut and Quarkus's reactive routes.

What is read is text that anybody may have written, see `source_text`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from pacecar.onboarding.initialise.arguments import Unread, arguments_of, text_of
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.contracts import Contract, Controller
from pacecar.onboarding.initialise.declarations import Declaration, Outline
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, guessed, joined, joined_as_written
from pacecar.onboarding.initialise.known import NOTHING, Known
from pacecar.onboarding.initialise.login_marks import asks_for_login
from pacecar.onboarding.initialise.parameters import path_parameters, query_parameters
from pacecar.onboarding.initialise.source_text import SourceAnnotation, SourceText

#: More annotations in one file are left unread.
_MOST_IN_A_FILE = 300
#: Characters before the annotation of a method in which its others are looked for.
_LONGEST_SIGNATURE = 1500
_REST = re.compile(r"[^{};]{0,1500}+")
_LONGEST_SHOWN = 60
_CLASS = re.compile(r"(?<![\w.:@])(?:class|interface|object|record)\s{1,20}+\w")
_IN_PARENTHESES = re.compile(r"\([^()]{0,1000}+\)")

#: Also those that others compose of them, such as `@AnonymousGetMapping`; and those of interfaces for both sides.
_SPRING = re.compile(
    r"@([A-Z]?\w{0,30}?(?:Get|Post|Put|Patch|Delete|Request)Mapping|(?:Get|Post|Put|Patch|Delete)Exchange)\b"
)
_SPRING_VERB = re.compile(r"(Get|Post|Put|Patch|Delete|Request)(?:Mapping|Exchange)\Z")
_SPRING_PREFIX = re.compile(r"@(RequestMapping|HttpExchange)\b")
_SPRING_PATH = ("path", "value", "url")
_SPRING_CONTROLLER = re.compile(r"@\w{0,60}Controller\b")
_BODY = re.compile(r"@RequestBody\b")
_SPRING_METHOD = re.compile(r"\b(?:GET|POST|PUT|PATCH|DELETE)\b")
_JAX_RS = re.compile(r"@(GET|POST|PUT|PATCH|DELETE)\b(?!\s{0,20}+\()")
_JAX_RS_PATH = re.compile(r"@(Path)\b")
_JAX_RS_VARIABLE = re.compile(r"\{\s*+(\w++)\s*+:(?:[^{}]|\{[^{}]*+\}){0,100}\}", re.ASCII)
_APPLICATION_PATH = re.compile(r"@(ApplicationPath)\b")
_MICRONAUT = re.compile(r"@(Get|Post|Put|Patch|Delete)\b")
_MICRONAUT_PREFIX = re.compile(r"@(Controller)\b")
_MICRONAUT_CLIENT = re.compile(r"@Client\b")
#: Armeria's have the same names; where their classes are put, only calls elsewhere say.
_ARMERIA = re.compile(r"@(Get|Post|Put|Patch|Delete)\b(?:)")
_ARMERIA_PREFIX = re.compile(r"@(PathPrefix)\b")
_NEVER = re.compile(r"(?!)")
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
        contracts: endpoints of interfaces and abstract classes of Spring and Micronaut.
        controllers: what may implement such.
        below: whether `@ApplicationPath` holds for the endpoints.
    """

    endpoints: tuple[GuessedEndpoint, ...] = ()
    unread: tuple[str, ...] = ()
    contracts: tuple[Contract, ...] = ()
    controllers: tuple[Controller, ...] = ()
    below: bool = False


def in_source(source: str, known: Known = NOTHING) -> Annotated:
    """What the annotations in the text of one Java or Kotlin file tell of endpoints. Anything may be in it.

    Args:
        source: the file.
        known: what names in it may mean.
    """
    framework = _framework(source)
    if framework is None:
        return Annotated()
    marks, read, promised = framework
    file = _File(SourceText.of(source), known)
    endpoints: list[GuessedEndpoint] = []
    unread: list[str] = []
    contracts: list[Contract] = []
    for method in file.methods(marks):
        try:
            if endpoint := read(file, method):
                endpoints.append(endpoint)
            elif promised and (contract := promised(file, method)):
                contracts.append(contract)
        except Unread as problem:
            unread.append(str(problem))
    controllers = tuple(file.controllers(marks, unread)) if promised else ()
    return Annotated(
        endpoints=tuple(endpoints),
        unread=tuple(dict.fromkeys(unread)),
        contracts=tuple(contracts),
        controllers=controllers,
        below=marks is _JAX_RS,
    )


def application_path(source: str, known: Known = NOTHING) -> str:
    """What `@ApplicationPath` in a file puts before the paths of all JAX-RS resources; "" without one.

    Arguments are those of `in_source`. Raises Unread when it cannot be read.
    """
    if "@ApplicationPath" not in source:
        return ""
    file = _File(SourceText.of(source), known)
    return next((file.path(each, "value", inside=None) for each in file.text.annotations(_APPLICATION_PATH)), "")


@dataclass(frozen=True, kw_only=True)
class _Method:
    """A method that answers requests: the annotation that says so, its class, all its annotations, its parameters."""

    mark: SourceAnnotation
    holder: Declaration
    heading: SourceText
    parameters: SourceText


class _File:
    """A source, what it declares, and what names in it stand for."""

    def __init__(self, text: SourceText, known: Known) -> None:
        self.text = text
        self._outline = Outline(text)
        self._known = known
        self._constants = Constants(constants_in(text), beyond=known.constants)

    def methods(self, marks: re.Pattern[str]) -> Iterator[_Method]:
        """The methods in classes that an annotation marks, in their order; not those of clients, or that only throw."""
        behind = 0
        for mark in islice(self.text.annotations(marks), _MOST_IN_A_FILE):
            holder = self._outline.holder(mark.start)
            if holder is None or _CLIENT.search(holder.head.masked):
                continue
            start, end = self.text.parameters(mark.end) or self._rest(mark.end)
            if _CLASS.search(self.text.masked, mark.end, start):  # it marks a class
                continue
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

    def controllers(self, marks: re.Pattern[str], unread: list[str]) -> Iterator[Controller]:
        """The controllers of Spring or Micronaut; adds to `unread` what cannot be read."""
        mark, prefix = _CONTROLLERS[marks]
        for declared in self._outline.classes():
            if not mark.search(declared.head.masked):
                continue
            try:
                path = self.prefix(declared, prefix, *_SPRING_PATH)
            except Unread as problem:
                unread.append(str(problem))
                continue
            if path is not None and "$" in path:
                unread += [each.shown for each in declared.head.annotations(prefix)]
                continue
            heading = _REST.match(self.text.masked, declared.start)
            # What a constructor of Kotlin is given is not implemented.
            words = _WORD.findall(_IN_PARENTHESES.sub("", heading[0] if heading else ""))
            yield Controller(path=path, names=frozenset(words))

    def prefix(self, holder: Declaration, pattern: re.Pattern[str], *names: str) -> str | None:
        """The path that the annotation of a class gives; None without the annotation. Raises Unread."""
        *_, last = (None, *holder.head.annotations(pattern))
        return None if last is None else self.path(last, *names, inside=holder)

    def path(self, annotation: SourceAnnotation, *names: str, inside: Declaration | None) -> str:
        """The path that an annotation gives by one of these arguments. Raises Unread."""
        within = inside.name if inside else None
        return self._known.filled_in(text_of(annotation, *names, constants=self._constants, inside=within))

    def endpoint(self, method: _Method, verb: str, route: str, *, query: str) -> GuessedEndpoint:
        """The endpoint of a method; `query` is the annotation of its parameters. Raises Unread."""
        named = set(_VARIABLE.findall(route))
        listed, inside = method.parameters, method.holder.name
        held = path_parameters(listed, constants=self._constants, inside=inside)
        parameters = query_parameters(listed, query, constants=self._constants, inside=inside)
        variables = [self._known.valued(each, inside=inside) for each in held]
        asked = [self._known.valued(each, inside=inside) for each in parameters if each.name not in named]
        endpoint = guessed(verb, route, variables=variables, query=asked)
        if endpoint is None:
            raise Unread(method.mark.shown)
        return replace(endpoint, login=asks_for_login(method.heading, method.holder.head))


def _spring(file: _File, method: _Method) -> GuessedEndpoint | None:
    if _is_promise(file, method):
        return None
    prefix = file.prefix(method.holder, _SPRING_PREFIX, *_SPRING_PATH) or ""
    return _of_spring(file, method, prefix)


def _of_spring(file: _File, method: _Method, prefix: str) -> GuessedEndpoint | None:
    named = _SPRING_VERB.search(method.mark.name)
    verb = named[1].upper() if named else "REQUEST"
    if verb == "REQUEST":
        given = arguments_of(method.mark).get("method")
        found = _SPRING_METHOD.search(given.masked) if given else None
        if given and found is None:
            return None
        # Without a method, it answers to all of them; with a body, it waits for one.
        otherwise = "POST" if _BODY.search(method.parameters.masked) else "GET"
        verb = found[0] if found else otherwise
    route = joined_as_written(prefix, file.path(method.mark, *_SPRING_PATH, inside=method.holder))
    return file.endpoint(method, verb, route, query="RequestParam")


def _is_promise(file: _File, method: _Method) -> bool:
    """Whether a controller elsewhere has the endpoint; an interface that is called one is not looked for in others."""
    holder, called = method.holder, "Controller" in file.text.masked
    # Those for both sides are a client's, unless a controller implements them.
    return holder.abstract and not (holder.kind == "interface" and called and not method.mark.name.endswith("Exchange"))


def _promised_by_spring(file: _File, method: _Method) -> Contract | None:
    if not _is_promise(file, method):
        return None
    prefix = file.prefix(method.holder, _SPRING_PREFIX, *_SPRING_PATH) or ""
    endpoint = _of_spring(file, method, "")
    return Contract(interface=method.holder.name, prefix=prefix, endpoint=endpoint) if endpoint else None


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


def _promised_by_micronaut(file: _File, method: _Method) -> Contract | None:
    if _MICRONAUT_CLIENT.search(method.holder.head.masked):
        return None
    route = joined(file.path(method.mark, "uri", "value", "uris", inside=method.holder))
    verb = method.mark.name.upper()
    endpoint = file.endpoint(method, verb, _URI_TEMPLATE_QUERY.sub("", route), query="QueryValue")
    return Contract(interface=method.holder.name, prefix="", endpoint=endpoint)


def _reactive(file: _File, method: _Method) -> GuessedEndpoint | None:
    arguments = arguments_of(method.mark)
    if "path" not in arguments or "type" in arguments:  # by a pattern or the method's name, or for failures
        return None
    found = _SPRING_METHOD.search(arguments["methods"].masked) if "methods" in arguments else None
    prefix = file.prefix(method.holder, _REACTIVE_PREFIX, "path", "value") or ""
    route = joined(prefix, file.path(method.mark, "path", inside=method.holder))
    # Without a method, it answers to all of them.
    return file.endpoint(method, found[0] if found else "GET", _COLON_VARIABLE.sub(r"{\1}", route), query="Param")


def _promised_by_armeria(file: _File, method: _Method) -> Contract | None:
    path = file.path(method.mark, "value", inside=method.holder)
    own = next(method.heading.annotations(_JAX_RS_PATH), None)
    route = path or (file.path(own, "value", inside=method.holder) if own else "")
    if ":" in route.partition("/")[0]:  # a pattern, such as `regex:`
        return None
    route = _COLON_VARIABLE.sub(r"{\1}", joined(file.prefix(method.holder, _ARMERIA_PREFIX, "value") or "", route))
    endpoint = file.endpoint(method, method.mark.name.upper(), route, query="Param")
    return Contract(interface=method.holder.name, prefix="", endpoint=endpoint)


#: What marks a controller, and its path.
_CONTROLLERS = {
    _SPRING: (_SPRING_CONTROLLER, _SPRING_PREFIX),
    _MICRONAUT: (_MICRONAUT_PREFIX, _MICRONAUT_PREFIX),
    _ARMERIA: (_NEVER, _NEVER),
}

_Read = Callable[[_File, _Method], GuessedEndpoint | None]
_Promised = Callable[[_File, _Method], Contract | None]


def _framework(source: str) -> tuple[re.Pattern[str], _Read, _Promised | None] | None:
    """What marks an endpoint, how it is read, and how one is that others have to implement."""
    if _is_spring(source):
        return _SPRING, _spring, _promised_by_spring
    if "io.quarkus.vertx.web" in source:
        return _REACTIVE, _reactive, None
    if "ws.rs" in source:
        return _JAX_RS, _jax_rs, None
    if "io.micronaut.http" in source:
        return _MICRONAUT, _micronaut, _promised_by_micronaut
    if "armeria.server.annotation" in source:
        return _ARMERIA, lambda *_: None, _promised_by_armeria
    return None


def _is_spring(source: str) -> bool:
    named = "org.springframework" in source
    # Resources of JAX-RS may be beans of Spring, and speak of mappings.
    if ("Controller" in source or named) and _SPRING.search(source):
        return True
    return "@RestController" in source or (named and "@Controller" in source)
