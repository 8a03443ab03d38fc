"""Routes of many files put together: what stands in `fun Route.users()` lies below the path where `users()` is called.

Files are told apart by the names in them, so another function of the same name may be taken for the one that is meant.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pacecar.onboarding.initialise.guesses import GuessedEndpoint, guessed, joined, joined_as_written
from pacecar.onboarding.initialise.routes import Route, RouteMount, Routing, SourceLocation

#: A router lies below another one, and that below another one again.
_DEEPEST = 5
#: Paths below which the same routes may lie.
_MOST_PATHS = 4
#: Mounts of one name that are looked at, and routes in all.
_MOST_MOUNTS, _MOST_ROUTES = 200, 2_000
#: `:id` of Vert.x and Spark, `<id>` of Javalin, `{id?}` and `{id...}` of Ktor.
_VARIABLE = re.compile(r"(?<=/):(\w+)|<(\w+)>|\{(\w+)(?:\?|\.\.\.)\}", re.ASCII)
#: What Ktor calls "whatever follows".
_REST = re.compile(r"/?\{\.\.\.\}\Z")


def endpoints_of(routings: Sequence[Routing], resources: Mapping[str, str]) -> Iterator[GuessedEndpoint]:
    """Endpoints that the routes of all files make.

    Args:
        routings: of the files.
        resources: path of each class that stands for one.
    """
    mounts = _Mounts(routings)
    routes = [route for routing in routings for route in routing.routes][:_MOST_ROUTES]
    for route in routes:
        own = resources.get(route.resource) if route.resource else ""
        if own is None:
            continue
        for before in mounts.paths(route):
            join = joined if route.path == "/" else joined_as_written
            path = _REST.sub("", join(before, route.path, own))
            path = _VARIABLE.sub(lambda found: f"{{{found[1] or found[2] or found[3]}}}", path)
            # A star is a page for whatever else is asked for.
            if "*" not in path and (endpoint := guessed(route.method, path)):
                yield replace(endpoint, login=True) if route.login or mounts.guard(route) else endpoint


@dataclass(frozen=True, kw_only=True)
class _Held:
    """What may be mounted: where it stands, and the variable that it is called on."""

    place: SourceLocation
    receiver: str | None = None


class _Mounts:
    def __init__(self, routings: Iterable[Routing]) -> None:
        self._named: dict[str, list[RouteMount]] = defaultdict(list)
        #: Classes in which functions of a name hold routes.
        self._owners: dict[str, set[str | None]] = defaultdict(set)
        #: What was found out already, so that each place is looked at once.
        self._known: dict[tuple[_Held, int], list[str]] = {}
        for routing in routings:
            for mount in routing.mounts:
                if len(self._named[_key(mount.name)]) < _MOST_MOUNTS:
                    self._named[_key(mount.name)].append(mount)
            for route in routing.routes:
                if route.place.function:
                    self._owners[route.place.function].add(route.place.owner)

    def paths(self, route: Route) -> list[str]:
        """The paths below which a route lies; the empty one where nothing tells another."""
        held = _Held(place=route.place, receiver=route.receiver)
        return self._paths(held, _DEEPEST)

    def guard(self, route: Route) -> bool:
        """Whether all that calls the function of a route asks for a login."""
        named = self._named.get(_key(route.place.function or ""), ())
        # What stands in no function declares it.
        calls = [each for each in named if each.place.function and self._calls(each, route.place)]
        return bool(calls) and all(each.login for each in calls)

    def _paths(self, held: _Held, depth: int) -> list[str]:
        if not depth:
            return [""]
        if (held, depth) not in self._known:
            found: dict[str, None] = {}
            for mount in self._of(held):
                for before in self._paths(_Held(place=mount.place), depth - 1):
                    found[joined(before, mount.path).rstrip("/")] = None
                if len(found) > _MOST_PATHS:
                    break
            # The same name without a path is often something else.
            self._known[held, depth] = [path for path in found if path][:_MOST_PATHS] or [""]
        return self._known[held, depth]

    def _of(self, held: _Held) -> Iterator[RouteMount]:
        place = held.place
        names = dict.fromkeys(_key(name) for name in (place.function, place.owner, held.receiver) if name)
        for mount in (each for name in names for each in self._named.get(name, ())):
            if mount.place == place and mount.name != held.receiver:
                continue
            if self._calls(mount, place) or self._makes(mount, place) or _holds(mount, held):
                yield mount

    def _calls(self, mount: RouteMount, place: SourceLocation) -> bool:
        """Whether a mount calls the function of a place: `users()` here or of Kotlin, `UserRoutes.users()` anywhere."""
        if mount.name != place.function:
            return False
        if place.owner is None or place.extends is not None:
            return True
        if mount.type in self._owners[place.function]:
            return mount.type == place.owner
        if mount.qualifier is None or mount.qualifier in {"this", "super"}:
            return mount.place.owner == place.owner
        if mount.qualifier[:1].isupper():
            return mount.qualifier == place.owner
        return _key(mount.qualifier) == _key(place.owner) or len(self._owners[place.function]) == 1

    def _makes(self, mount: RouteMount, place: SourceLocation) -> bool:
        """Whether a mount is of an object of the class of a place."""
        named = place.owner is not None and _key(mount.name) == _key(place.owner)
        return named and bool(mount.path) and mount.place.owner != place.owner


def _holds(mount: RouteMount, held: _Held) -> bool:
    """Whether a mount is of the variable on which something was called, in the same function."""
    same = (mount.place.file, mount.place.function) == (held.place.file, held.place.function)
    return same and mount.name == held.receiver and not mount.called and bool(mount.path)


def _key(name: str) -> str:
    """A class and the variable that is named after it have the same."""
    return name[:1].lower() + name[1:]
