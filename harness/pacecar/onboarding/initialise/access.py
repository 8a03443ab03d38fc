"""Which requests are answered without a login, as rules for paths say: the first that fits counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from pacecar.onboarding.initialise.guesses import GuessedEndpoint
from pacecar.onboarding.initialise.settings import Settings

#: `{id}` and `{id:\d+}` stand for one part of a path, as a star does.
_VARIABLE = re.compile(r"\{[^{}]*+\}")
_LONGEST, _MOST_PARTS, _MOST = 150, 20, 200
_OF_QUARKUS = re.compile(r"quarkus\.http\.auth\.permission\.([\w\"-]{1,60})\.paths")
_OF_MICRONAUT = re.compile(r"micronaut\.security\.intercepturlmap\[(\d{1,3})\]\.pattern")


@dataclass(frozen=True, kw_only=True)
class AccessRule:
    """What holds for some requests.

    Attributes:
        patterns: of their paths, as Ant writes them; None for whatever is left.
        method: of theirs; None for any.
        within: patterns of the paths that the rule and others with it are for; None where they are for all.
        login: whether they are asked for a login; None where only code knows.
    """

    patterns: tuple[str, ...] | None = None
    method: str | None = None
    within: tuple[str, ...] | None = None
    login: bool | None

    def fits(self, method: str, path: str) -> bool:
        """Whether it holds for a request, whose path may have variables."""
        if self.method not in {None, method}:
            return False
        if self.within is not None and not any(_fits(each, path) for each in self.within):
            return False
        return self.patterns is None or any(_fits(each, path) for each in self.patterns)


@dataclass(frozen=True, kw_only=True)
class Access:
    """The rules of a service.

    Attributes:
        rules: in their order; None in place of one that cannot be read.
        otherwise: what holds for endpoints that no rule fits; None when that cannot be told.
        annotations: whether those that ask for a login are looked at.
        annotations_first: whether one that asks for none overrides the rules.
    """

    rules: tuple[AccessRule | None, ...] = ()
    otherwise: bool | None = None
    annotations: bool = True
    annotations_first: bool = False

    def asks(self, method: str, path: str, *, surely: bool = False) -> bool | None:
        """Whether the rules have a request asked for a login; None when they do not tell.

        Args:
            method: of the request.
            path: of the request, below what all paths of the service begin with.
            surely: None also where a rule that cannot be read may come first.
        """
        unread = False
        for rule in self.rules:
            if rule is None:
                unread = True
            elif rule.fits(method, path):
                # What cannot be read lets some requests in, as a rule: it is seldom there to keep them out.
                return None if unread and (surely or not rule.login) else rule.login
        return None

    def told(self, endpoint: GuessedEndpoint, *, base: str) -> GuessedEndpoint:
        """An endpoint that knows whether it asks for a login; `base` is what its path has before the one of rules."""
        if endpoint.login and not self.annotations:
            endpoint = replace(endpoint, login=None)
        opened = endpoint.login is False
        if endpoint.login or (opened and self.annotations_first):
            return endpoint
        # An annotation that opens it may well be what a rule that cannot be read is made of.
        asked = self.asks(endpoint.method, within(base, endpoint.route), surely=opened)
        if asked is None:
            return endpoint if opened else replace(endpoint, login=self.otherwise)
        return replace(endpoint, login=asked)


def within(base: str, path: str) -> str:
    """A path as it is below the `base` of a service."""
    below = path.removeprefix(base) if base.strip("/") else path
    return below if below.startswith("/") else f"/{below}"


def of_settings(settings: Settings, *, framework: str | None, guarded: bool) -> Access:
    """The rules that the settings of a service of Quarkus or Micronaut hold; none for other frameworks.

    Args:
        settings: of the service.
        framework: its name.
        guarded: whether something among its libraries asks for logins.
    """
    if framework == "Quarkus":
        return Access(rules=tuple(_of_quarkus(settings)), annotations_first=True)
    guarded = guarded or settings.has("micronaut.security.intercept-url-map")
    if framework == "Micronaut" and guarded and settings.get("micronaut.security.enabled") != "false":
        # Where nothing says who may ask for an endpoint, Micronaut lets nobody.
        return Access(rules=tuple(_of_micronaut(settings)), otherwise=True, annotations_first=True)
    return Access()


def _of_quarkus(settings: Settings) -> Iterator[AccessRule]:
    """Of rules that fit, Quarkus takes the one with the longest path."""
    found: list[tuple[str, bool]] = []
    for key, paths in settings.values.items():
        if name := _OF_QUARKUS.fullmatch(key):
            policy = settings.get(f"quarkus.http.auth.permission.{name[1]}.policy")
            # At its end, a star stands for all that is below.
            patterns = [re.sub(r"/\*\Z", "/**", each.strip()) for each in paths.split(",")]
            found += [(each, policy != "permit") for each in patterns]
    for pattern, login in sorted(found, key=lambda each: -len(each[0].rstrip("*")))[:_MOST]:
        yield AccessRule(patterns=(pattern,), login=login)


def _of_micronaut(settings: Settings) -> Iterator[AccessRule]:
    numbers = sorted(int(found[1]) for found in map(_OF_MICRONAUT.fullmatch, settings.values) if found)
    for number in numbers[:_MOST]:
        table = f"micronaut.security.intercept-url-map[{number}]"
        yield AccessRule(
            patterns=(settings.get(f"{table}.pattern"),),
            method=settings.get(f"{table}.http-method").upper() or None,
            login="anonymous" not in settings.get(f"{table}.access").lower(),
        )


def _fits(pattern: str, path: str) -> bool:
    if len(pattern) > _LONGEST or "[" in pattern:
        return False
    wanted = _VARIABLE.sub("*", pattern).strip("/").split("/")
    given = path.partition("?")[0].strip("/").split("/")
    if max(len(wanted), len(given)) > _MOST_PARTS:
        return False
    # For every beginning of the pattern, which beginnings of the path it fits.
    fitting = {0}
    for part in wanted:
        if part == "**":
            fitting = set(range(min(fitting), len(given) + 1)) if fitting else set()
        else:
            fitting = {at + 1 for at in fitting if at < len(given) and fnmatchcase(given[at], part)}
    return len(given) in fitting
