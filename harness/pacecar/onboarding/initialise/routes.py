"""Endpoints as calls tell them: `app.get("/orders/{id}", …)`, for services without annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from pacecar.onboarding.initialise.calls import Call, Calls
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.declarations import Outline
from pacecar.onboarding.initialise.guesses import joined, joined_as_written
from pacecar.onboarding.initialise.source_text import SourceText

#: In a file that names one of these, a path may be relative to that of a call around it.
_FRAMEWORK = re.compile(r"\bio\.(?:ktor|javalin|helidon|vertx)\b|\bimport\s{1,9}+(?:static\s{1,9}+)?spark\.")
#: To these, `get("/")` below `/a` answers to `/a/` only.
_STRICT = re.compile(r"\bio\.ktor\b|\bimport\s{1,9}+(?:static\s{1,9}+)?spark\.")
_ABSOLUTE = re.compile(r"\b(?:get|post|put|patch|delete)\s{0,5}+\(\s{0,20}+\"/")
_VERBS = {"get", "post", "put", "patch", "delete"}
#: What answers no request, but makes one or looks something up.
_NO_ROUTER = re.compile(
    r"client|request|response|header|session|cookie|config|settings|cache|propert|param|context|ctx|json|template"
    r"|(?:map|paths?|files?|rest|given|when|repository|service|dao|store)\Z",
    re.IGNORECASE,
)
#: How an argument begins that answers: a lambda, a method, an object.
_HANDLER = re.compile(r"\s*+(?:\(?[\w\s,:<>?]{0,100}\)?\s*->|\{|[\w.]{1,100}::|new\s|this\b)")
#: How a short handler sends the client elsewhere.
_REDIRECTS = re.compile(r"\b(?:redirect|sendRedirect|respondRedirect|seeOther)\s{0,5}+\(")
_SHORT = 150
_TEXT = re.compile(r"\s*+(?:\"|'|\d)")
_NAMED = re.compile(r"\s*+path\s{0,5}+=(?!=)")
CONSTANT = re.compile(r"\s*+(?:[A-Z][\w.]{0,99}\.)?[A-Z][A-Z0-9_]{1,99}\s*+\Z", re.ASCII)
_HTTP_METHOD = re.compile(
    r"\s*+(?:[\w.]{1,60}\.)?HttpMethod\.(get|post|put|patch|delete)\s*+\Z", re.IGNORECASE | re.ASCII
)
#: Behind the path of a router of Vert.x below another one.
_WILD_END = re.compile(r"/?\*\Z")
#: What functions extend in Kotlin that add routes.
_ROUTING = {"Route", "Routing", "Router", "Application"}
#: `UserRoutes users` of Java, with what follows it; `users: UserRoutes` and `users = UserRoutes(` of Kotlin.
_TYPED = re.compile(
    r"(?<![\w@.])(?:(?P<type>[A-Z]\w{0,99}+)\s{1,9}+(?P<name>[a-z]\w{0,99}+)\s{0,9}+[=;,)]"
    r"|(?P<later>[a-z]\w{0,99}+)\s{0,5}+(?::|=(?!=)\s{0,5}+(?:new\s)?+)\s{0,5}+(?P<of>[A-Z]\w{0,99}+))",
    re.ASCII,
)
#: What else may add routes, elsewhere: `users()`, `UserRoutes::add`, `new UserRoutes()`, and `users` by itself.
_REFERENCE = re.compile(
    r"(?<![\w@$])(?:(\w{1,100}+)\s{0,5}+(?:\.|::)\s{0,5}+)?+(\w{1,100}+)(?=\s{0,5}+[(,)])", re.ASCII
)
_MOST_REFERENCES = 1_000
_LONGEST_SHOWN = 60
#: Stands for a path that cannot be read: like that of a page for whatever is asked for, it makes no endpoint.
UNKNOWN = "*"


@dataclass(frozen=True, kw_only=True)
class SourceLocation:
    """Where in the sources something stands: the file, the class, the function, and the type that this extends."""

    file: int
    owner: str | None
    function: str | None
    extends: str | None = None


@dataclass(frozen=True, kw_only=True)
class Route:
    """A route that a call adds.

    Attributes:
        method: HTTP method.
        path: as the calls around it in the same file tell it.
        place: where the call stands.
        receiver: the name of what it is called on; None without one.
        resource: the class whose path it takes; None where it has its own.
        login: whether what stands around it asks for a login.
    """

    method: str
    path: str
    place: SourceLocation
    receiver: str | None
    resource: str | None
    login: bool = False


@dataclass(frozen=True, kw_only=True)
class RouteMount:
    """A place in which routes are added that stand elsewhere.

    Attributes:
        path: what precedes theirs.
        qualifier: `UserRoutes` of `UserRoutes.add()`; None without one.
        type: the class of the variable that the qualifier is; None where it is none, or its class is not known.
        name: of a function, class or variable that may hold them.
        called: whether it is called, as a variable is not.
        place: where it stands.
        login: whether what stands around it asks for a login.
    """

    path: str
    qualifier: str | None
    type: str | None
    name: str
    called: bool
    place: SourceLocation
    login: bool = False


@dataclass(frozen=True, kw_only=True)
class PathScope:
    """A part of a file that lies below a path.

    Attributes:
        start: where it begins.
        end: behind it.
        path: None where it cannot be read.
    """

    start: int
    end: int
    path: str | None


@dataclass(frozen=True, kw_only=True)
class Routing:
    """What the calls of one file tell.

    Attributes:
        routes: that they add.
        mounts: of what stands elsewhere.
        unread: calls whose paths cannot be read.
    """

    routes: tuple[Route, ...] = ()
    mounts: tuple[RouteMount, ...] = ()
    unread: tuple[str, ...] = ()


def routing_in(source: str, *, file: int, constants: Constants | None = None) -> Routing:
    """What calls in the text of one Java or Kotlin file tell of routes. Anything may be in it.

    Args:
        source: the file.
        file: its number.
        constants: what names stand for that other files declare; None when that is not known.
    """
    if not _FRAMEWORK.search(source) and not _ABSOLUTE.search(source):
        return Routing()
    return _Reader(SourceText.of(source), file, constants).read()


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A name in a source that may be of what adds routes: where it stands, what stands before its dot, its class."""

    at: int
    qualifier: str | None
    type: str | None
    name: str
    called: bool

    def mounted(self, path: str, place: SourceLocation) -> RouteMount:
        """What it mounts below a path, in the place where it stands."""
        return RouteMount(
            path=path, qualifier=self.qualifier, type=self.type, name=self.name, called=self.called, place=place
        )


def references(masked: str) -> Iterator[Reference]:
    """Such names in a source, at most 1,000."""
    found = islice(_TYPED.finditer(masked), _MOST_REFERENCES)
    types = {each["name"] or each["later"]: each["type"] or each["of"] for each in found}
    for match in islice(_REFERENCE.finditer(masked), _MOST_REFERENCES):
        called = masked[match.end() : match.end() + 10].lstrip().startswith("(")
        kind = types.get(match[1]) if match[1] else None
        yield Reference(at=match.start(2), qualifier=match[1], type=kind, name=match[2], called=called)


class _Reader:
    """One file, and what was found in it so far."""

    def __init__(self, text: SourceText, file: int, constants: Constants | None) -> None:
        self._text = text
        self._file = file
        self._calls = Calls(text)
        self._outline = Outline(text)
        self._constants = Constants(constants_in(text), beyond=constants)
        self._framed = _FRAMEWORK.search(text.text) is not None
        self._strict = _STRICT.search(text.text) is not None
        #: Where what lies below a path begins and ends; None for a path that cannot be read.
        self._scopes: list[tuple[int, int, str | None]] = []
        self._handlers: list[tuple[int, int]] = []
        self._routes: list[Route] = []
        self._unread: dict[str, None] = {}

    def read(self) -> Routing:
        handled = 0
        for call in self._calls.found():
            if call.start < handled or _NO_ROUTER.search(call.receiver or ""):
                continue
            route = self._route(call) if call.name in _VERBS else self._scope(call)
            if route is not None:
                if not self._redirects(call):
                    self._routes.append(route)
                handled = call.end
                self._handlers.append((call.start, call.end))
        mounts = tuple(self._mounts()) if self._framed else ()
        return Routing(routes=tuple(self._routes), mounts=mounts, unread=tuple(self._unread))

    def _redirects(self, call: Call) -> bool:
        """Whether it does nothing but send the client to another page, which is no work to measure."""
        handler = self._text.masked[call.start : min(call.end, call.start + _SHORT)]
        return call.end - call.start <= _SHORT and _REDIRECTS.search(handler) is not None

    def _route(self, call: Call) -> Route | None:
        """The route of a call with the name of a method, None where it is none."""
        before = self._before(call.start)
        if before is None and self._below(call.start):
            return None
        if call.given is not None:
            return self._made(call, call.name, before or "", resource=call.given) if call.block else None
        first, *others = call.arguments or (None,)
        if first is None or _HANDLER.match(first.masked):
            inside = before is not None or self._extends(call.start)
            answers = call.block if first is None else self._framed and not call.chained
            return self._made(call, call.name, before or "") if inside and answers and self._framed else None
        path = self._path(first, call)
        if path is None:
            return None
        whole = (joined if path == "/" and not self._strict else joined_as_written)(before or "", path)
        if path.startswith("/") or not path:
            return self._made(call, call.name, whole)
        answered = call.block or (bool(others) and not _TEXT.match(others[0].masked))
        related = self._framed and answered and (before is not None or call.block)
        return self._made(call, call.name, whole) if related else None

    def _scope(self, call: Call) -> Route | None:
        """Take note of what lies below the path of a call; the route that it may add by itself."""
        if not self._framed or not call.arguments:
            return None
        methods = [found[1] for each in call.arguments if (found := _HTTP_METHOD.match(each.masked))]
        texts = [each for each in call.arguments if not _HTTP_METHOD.match(each.masked)]
        if not texts or _HANDLER.match(texts[0].masked):
            return None
        if call.handled and not methods:
            methods = [] if _WILD_END.search(texts[0].text.strip(' "')) else [call.handled]
        holds = call.block or len(texts) > 1 or call.mounts
        if not holds and not methods:
            return None
        path = self._path(texts[0], call)
        before = self._before(call.start)
        lost = path is None or (before is None and self._below(call.start))
        whole = None if lost or path is None else joined(before or "", _WILD_END.sub("", path))
        if methods and whole is not None:
            return self._made(call, methods[0], whole)
        self._scopes.append((call.start, call.end, whole))
        return None

    def _path(self, argument: SourceText, call: Call) -> str | None:
        """The path that an argument gives; None where it gives none that can be read."""
        named = _NAMED.match(argument.masked)
        expression = argument.text[named.end() if named else 0 :].strip()
        holder = self._outline.holder(call.start)
        path = self._constants.text(expression, inside=holder.name if holder else None)
        # What Kotlin could not fill in is as unknown as a name.
        if path is not None and "$" not in path:
            return path
        answered = call.block or len(call.arguments) > 1 or call.mounts
        if self._framed and answered and (path is not None or CONSTANT.match(expression)):
            shown = f"{call.name}({' '.join(expression.split())})"
            self._unread[shown[:_LONGEST_SHOWN]] = None
        return None

    def _before(self, position: int) -> str | None:
        """The path of the innermost call around `position`; None without one that can be read."""
        around = [scope for scope in self._scopes if scope[0] < position < scope[1]]
        return max(around)[2] if around else None

    def _below(self, position: int) -> bool:
        return any(start < position < end for start, end, _ in self._scopes)

    def _extends(self, position: int) -> bool:
        function = self._calls.function(position)
        return function is not None and function.extends in _ROUTING

    def _made(self, call: Call, method: str, path: str, *, resource: str | None = None) -> Route:
        return Route(
            method=method.upper(),
            path=path,
            place=self._place(call.start),
            receiver=call.receiver,
            resource=resource,
            login=self._guarded(call.start),
        )

    def _guarded(self, position: int) -> bool:
        return any(start < position < end for start, end in self._calls.guarded)

    def _place(self, position: int) -> SourceLocation:
        function = self._calls.function(position)
        holder = self._outline.holder(position)
        return SourceLocation(
            file=self._file,
            owner=holder.name if holder and position < holder.end else None,
            function=function.name if function else None,
            extends=function.extends if function else None,
        )

    def _mounts(self) -> Iterator[RouteMount]:
        for each in references(self._text.masked):
            if any(start < each.at < end for start, end in self._handlers):
                continue
            path = self._before(each.at)
            if path is None:
                path = UNKNOWN if self._below(each.at) else ""
            yield replace(each.mounted(path, self._place(each.at)), login=self._guarded(each.at))
