"""Endpoints of a service: from annotations, else from an OpenAPI document, else from calls that add routes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.access import Access
from pacecar.onboarding.initialise.annotations import application_path, in_source
from pacecar.onboarding.initialise.arguments import Unread
from pacecar.onboarding.initialise.armeria import served_by_armeria
from pacecar.onboarding.initialise.constants import Constant, Constants, constants_in
from pacecar.onboarding.initialise.contracts import Contract, Controller
from pacecar.onboarding.initialise.enums import enums_in
from pacecar.onboarding.initialise.functional import functions_in
from pacecar.onboarding.initialise.generated import repositories_in, resources_of_panache
from pacecar.onboarding.initialise.graphql import GraphQl, queries_in
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, below
from pacecar.onboarding.initialise.handlers import paths_of_handlers
from pacecar.onboarding.initialise.http4k import routes_of_http4k
from pacecar.onboarding.initialise.known import Known
from pacecar.onboarding.initialise.mounts import endpoints_of
from pacecar.onboarding.initialise.openapi import in_documents
from pacecar.onboarding.initialise.resources import Resource, paths_of, resources_in
from pacecar.onboarding.initialise.routes import Routing, routing_in
from pacecar.onboarding.initialise.settings import Settings
from pacecar.onboarding.initialise.source_text import SourceText
from pacecar.onboarding.initialise.specs import read_specs

_MOST = 20
_NAMED_IN_A_REMARK = 2
_LONGEST_NAME = 40
#: Of two routes that differ in the name of a variable only, a service has one.
_VARIABLE = re.compile(r"\{[^{}]*+\}")


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """Endpoints of a service.

    Attributes:
        found: at most 20, those that only read first.
        total: how many there are.
        remarks: what was left out.
    """

    found: tuple[GuessedEndpoint, ...] = ()
    total: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Around:
    """What the settings and the framework of a service say of its endpoints.

    Attributes:
        settings: for placeholders in paths; None where there are none.
        base: what all endpoints lie below.
        slashed: whether the first page of all lies at the base with a slash behind it only.
        resources: what those of JAX-RS lie below besides; None for what `@ApplicationPath` says.
        repositories: what those of Spring Data REST lie below; None where nothing exports them.
        graphql: where queries of GraphQL are asked; None where none are.
        access: rules that say which of them ask for a login.
    """

    settings: Settings | None = None
    base: str = "/"
    slashed: bool = False
    resources: str | None = None
    repositories: str | None = None
    graphql: GraphQl | None = None
    access: Access = field(default_factory=Access)


def guessed_endpoints(*modules: Path, around: Around | None = None) -> Endpoints:
    """Endpoints of a service.

    Args:
        modules: folders that hold `src/main`: the service's own, then those of other modules whose code it runs.
        around: what else is known of it.
    """
    around = around or Around()
    known = Known(enums=enums_in(_texts(modules)), settings=around.settings)
    seen = _seen(modules, around, known)
    if seen.unread or any(each.path is None for each in seen.resources):
        seen = _seen(modules, around, replace(known, constants=Constants(_constants(modules))))
    seen.annotated += queries_in(modules, around.graphql) if around.graphql else []
    remarks = (_left_out(seen.unread),) if seen.unread else ()
    documented = [each for module in modules for each in in_documents(module, base=around.base)]
    if seen.annotated:
        annotated = list(_all_below(around, seen.annotated))
        # Interfaces that are generated from a document have no annotations to be read.
        generated = any(read_specs(module).served for module in modules)
        more = documented if generated or len(documented) > len(annotated) else []
        return _chosen([*annotated, *more], around, remarks)
    if documented:
        return _chosen(documented, around)
    routes = endpoints_of(seen.routings, paths_of(seen.resources))
    return _chosen(_all_below(around, routes), around, remarks)


@dataclass(kw_only=True)
class _Seen:
    """What the sources of a service tell: endpoints by annotations and the like, routes by functions, by calls and the
    classes that stand for paths in these, interfaces and controllers that belong together, what is before JAX-RS, what
    is unread.
    """

    annotated: list[GuessedEndpoint] = field(default_factory=list)
    resourced: list[GuessedEndpoint] = field(default_factory=list)
    functional: list[Routing] = field(default_factory=list)
    routings: list[Routing] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)
    contracts: list[Contract] = field(default_factory=list)
    controllers: list[Controller] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    below: str | None = None
    rooted: bool = True


def _seen(modules: Sequence[Path], around: Around, known: Known) -> _Seen:
    seen = _Seen(below=around.resources)
    for folder, path in files.sources(*modules):
        source = files.text(folder / path)
        unread = _read(seen, source, around, known)
        if len(seen.unread) <= _NAMED_IN_A_REMARK:
            seen.unread += (f"{each} in {path.name[:_LONGEST_NAME]}" for each in unread)
    seen.annotated += endpoints_of(seen.functional, {})
    seen.annotated += _implemented(seen)
    if seen.rooted:
        seen.annotated += _below(seen.below or "", seen.resourced)
    return seen


def _read(seen: _Seen, source: str, around: Around, known: Known) -> list[str]:
    """Add what a file tells to what was seen, and return what could not be read in it."""
    found = in_source(source, known)
    unread = list(found.unread)
    try:
        seen.below = seen.below or application_path(source, known)
    except Unread as problem:
        seen.rooted = False
        unread.append(str(problem))
    (seen.resourced if found.below else seen.annotated).extend(found.endpoints)
    served = served_by_armeria(source, known)
    seen.annotated += (*served.endpoints, *paths_of_handlers(source, known))
    seen.contracts += found.contracts
    seen.controllers += (*found.controllers, *served.controllers)
    exported = repositories_in(source, all_of_them=around.repositories is not None, known=known)
    bound = routes_of_http4k(source, file=len(seen.functional), known=known)
    functional = bound if bound.routes or bound.mounts else functions_in(source, file=len(seen.functional), known=known)
    seen.functional.append(functional)
    seen.annotated += (made := list(_below(around.repositories or "", exported)))
    seen.resourced += resources_of_panache(source, known)
    unread += functional.unread
    if not found.endpoints and not made and not functional.routes and not unread:
        seen.resources += resources_in(source, known.constants)
        seen.routings.append(routing := routing_in(source, file=len(seen.routings), constants=known.constants))
        unread += routing.unread
    return unread


def _implemented(seen: _Seen) -> Iterator[GuessedEndpoint]:
    """Endpoints that controllers have by an interface or an abstract class."""
    for controller in seen.controllers:
        for contract in seen.contracts:
            if contract.interface in controller.names:
                before = contract.prefix if controller.path is None else controller.path
                yield from _below(before, [contract.endpoint])


def _texts(modules: Sequence[Path]) -> Iterator[str]:
    for folder, path in files.sources(*modules):
        yield files.text(folder / path)


def _constants(modules: Sequence[Path]) -> Iterator[Constant]:
    for source in _texts(modules):
        if "String" in source or "const val" in source:
            yield from constants_in(SourceText.of(source))


def _left_out(unread: list[str]) -> str:
    named = ", ".join(unread[:_NAMED_IN_A_REMARK]) + (", …" if len(unread) > _NAMED_IN_A_REMARK else "")
    return f"endpoints whose paths could not be read were left out: {named}"


def _below(base: str, endpoints: Iterable[GuessedEndpoint]) -> Iterable[GuessedEndpoint]:
    if not base.strip("/"):
        return endpoints
    return [found for each in endpoints if (found := below(base, each))]


def _all_below(around: Around, endpoints: Iterable[GuessedEndpoint]) -> Iterator[GuessedEndpoint]:
    for endpoint in _below(around.base, endpoints):
        first = around.slashed and endpoint.route == around.base
        yield replace(endpoint, route=f"{around.base}/", path=f"{around.base}/") if first else endpoint


def _chosen(endpoints: Iterable[GuessedEndpoint], around: Around, remarks: tuple[str, ...] = ()) -> Endpoints:
    """Each once, and of too many those for which least had to be made up: they are likeliest to be answered well."""
    found: dict[str, GuessedEndpoint] = {}
    for endpoint in endpoints:
        found.setdefault(_VARIABLE.sub("{}", endpoint.name), endpoint)
    if len(found) > _MOST:
        told = f"of {len(found)} endpoints, {_MOST} are used: first those that only read and need least made up"
        remarks = (*remarks, told)
    known = [around.access.told(each, base=around.base) for each in found.values()]
    first = sorted(known, key=lambda each: (not each.reads, bool(each.login), len(each.guesses), each.route))[:_MOST]
    chosen = sorted(first, key=lambda each: (not each.reads, each.route))
    return Endpoints(found=tuple(chosen), total=len(found), remarks=remarks)
