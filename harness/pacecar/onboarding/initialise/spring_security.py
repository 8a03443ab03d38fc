"""The rules of Spring Security that sources hold: `requestMatchers("/api/**").permitAll()` and its relatives."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.access import Access, AccessRule
from pacecar.onboarding.initialise.calls import Calls, pairs
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.settings import Settings
from pacecar.onboarding.initialise.source_text import SourceText
from pacecar.onboarding.initialise.spring_conditions import holds

_MATCHERS = r"requestMatchers|antMatchers|mvcMatchers|pathMatchers|anyRequest|anyExchange"
#: `authorize("/a", permitAll)` is Kotlin's.
_RULE = re.compile(rf"(?<![\w@$])({_MATCHERS}|authorize)\s{{0,9}}+\(")
_VERDICT = re.compile(r"\)\s*+\.\s*+(\w{1,40}+)")
_WORD = re.compile(r"\s*+(\w{1,40}+)")
_OPEN = {"permitAll", "anonymous"}
_CLOSED = {"authenticated", "fullyAuthenticated", "denyAll", "hasRole", "hasAnyRole", "hasAllRoles"}
_CLOSED |= {"hasAuthority", "hasAnyAuthority", "hasAllAuthorities", "hasScope", "hasAnyScope"}
#: Where code of its own decides.
_BY_CODE = {"access", "hasIpAddress"}
_ANY = {"anyRequest", "anyExchange"}
#: By these, the rules of one method are for some paths, beside those of others for other paths.
_APART = re.compile(r"(?:\bsecurityMatchers?|(?<!Matcher)\.\s{0,99}(?:ant|mvc|request)Matcher)\s{0,9}+\(")
_ALL = ["/**"]
#: Before such a method: which rules come first.
_ORDER = re.compile(r"@Order\s{0,9}+\(\s{0,9}+(?:value\s{0,9}+=\s{0,9}+)?(\d{1,9})\s{0,9}+\)")
_LONGEST_HEADING, _LAST = 600, 1 << 31
_IGNORED = re.compile(r"\bignoring\s{0,9}+\(\s*+\)\s*+\.\s*+\Z")
_LONGEST_BEFORE = 60
_METHOD = re.compile(r"(?:\w{1,40}\.)?(GET|POST|PUT|PATCH|DELETE|OPTIONS|HEAD)", re.ASCII)
_METHOD_WITHIN = re.compile(r"\bHttpMethod\.(GET|POST|PUT|PATCH|DELETE|OPTIONS|HEAD)\b")
#: A name of several paths; Kotlin spreads them by a star.
_LIST_NAME = re.compile(r"\*?(?:this\.)?(?:\w{1,60}\.)?(\w{1,60})(?:\.toTypedArray\(\))?", re.ASCII)
#: By these, Spring Boot has a service ask for a login for everything but its health, unless something says otherwise.
_STARTERS = {"spring-boot-starter-security", "spring-boot-starter-oauth2-resource-server"}
_STARTERS |= {"spring-boot-starter-security-oauth2-resource-server"}
_UNCONFIGURED = Access(rules=(AccessRule(patterns=("/actuator/health/**",), login=False),), otherwise=True)
_CONFIGURED = re.compile(
    r"\b(?:Security(?:Web)?FilterChain|(?:WebSecurity|ResourceServer)ConfigurerAdapter|EnableWeb(?:Flux)?Security"
    r"|SecurityAutoConfiguration)\b"
)
_BY_METHODS = re.compile(r"\bEnable(?:Global|Reactive)?MethodSecurity\b")
#: `secure.ignored.urls`
_LET_IN = re.compile(r"ignor|permit|white|allow|exclude|anon|public|skip|unauth")
_STRING = re.compile(r'"([^"\\\n$]{1,150})"')
_ACTUATOR = "EndpointRequest"
_MOST_RULES, _MOST_LISTED = 200, 100


def read_access(*modules: Path, settings: Settings, words: Collection[str]) -> Access:
    """The rules that sources of modules hold; none where there are several sets of them, or none that can be read.

    Args:
        modules: folders that hold sources.
        settings: of the service, which may list paths that a rule in the sources lets in.
        words: names in its build files.
    """
    sources = list(_sources(modules))
    holding = [each for each in sources if holds(each, settings)]
    # Where none is among the sources, a library turns them on: nobody writes what says nothing.
    on = [each for each in sources if _BY_METHODS.search(each)]
    access = _of(holding, settings, words)
    return replace(access, annotations=not on or any(_BY_METHODS.search(each) for each in holding))


def _of(sources: list[str], settings: Settings, words: Collection[str]) -> Access:
    found = [rules for each in sources if (rules := tuple(rules_in(each)))]
    # Of several sets for all paths, nobody knows which one holds.
    several = sum(any(each is None or each.within is None for each in rules) for rules in found) > 1
    if several or not found:
        off = "SecurityAutoConfiguration" in settings.get("spring.autoconfigure.exclude")
        own = off or any(_CONFIGURED.search(each) for each in sources)
        return Access() if own or _STARTERS.isdisjoint(words) else _UNCONFIGURED
    listed = tuple(_listed(settings))
    instead = AccessRule(patterns=listed, login=False) if listed else None
    known = [instead if each is None else each for rules in found for each in rules]
    return Access(rules=tuple(sorted(known, key=lambda each: each is None or each.within is None)))


def _listed(settings: Settings) -> Iterator[str]:
    """Paths in settings whose names say that whoever asks for these is let in."""
    for name, value in settings.values.items():
        paths = [each.strip() for each in value.split(",") if each.strip()][:_MOST_LISTED]
        if paths and _LET_IN.search(name) and all(each.startswith("/") for each in paths):
            yield from paths


def _sources(modules: tuple[Path, ...]) -> Iterator[str]:
    for folder, path in files.sources(*modules):
        source = files.text(folder / path)
        if "springframework.security" in source or "SecurityAutoConfiguration" in source:
            yield source


def rules_in(source: str) -> Iterator[AccessRule | None]:
    """The rules in the text of a Java or Kotlin file, None for one that cannot be read. Anything may be in it."""
    if not _RULE.search(source):
        return
    reader = _Reader(SourceText.of(source))
    chains = reader.chains()
    found = list(islice(reader.rules(), _MOST_RULES)) if chains is not None else []
    if chains is None or sum(each.left and each.function not in chains for each in found) > 1:
        return
    for each in sorted(
        found, key=lambda each: chains.get(each.function, _FOR_ALL).order if not each.ignored else (-1, 0)
    ):
        chain = chains.get(each.function)
        yield replace(each.rule, within=chain.within) if each.rule and chain and not each.ignored else each.rule


@dataclass(frozen=True, kw_only=True)
class _Chain:
    """Rules for some paths: which, and which of several such come first."""

    within: tuple[str, ...]
    order: tuple[int, int]


_FOR_ALL = _Chain(within=(), order=(_LAST + 1, 0))


@dataclass(frozen=True, kw_only=True)
class _Found:
    """A rule, None where it cannot be read.

    Attributes:
        rule: what it says.
        function: where the method begins in which it stands; None where it stands in none.
        left: whether it is for whatever is left.
        ignored: whether it has Spring Security look away, which it does before all rules.
    """

    rule: AccessRule | None
    function: int | None
    left: bool
    ignored: bool


class _Reader:
    """A source and the names in it."""

    def __init__(self, text: SourceText) -> None:
        self._text = text
        self._closed = dict(pairs(text.masked))
        self._constants = Constants(constants_in(text))
        self._calls = Calls(text)
        #: What names of several paths stand for, so that each is looked for once.
        self._lists: dict[str, list[str]] = {}

    def chains(self) -> dict[int | None, _Chain] | None:
        """The methods whose rules are for some paths only; None where one does not say for which in plain words."""
        found: dict[int | None, _Chain] = {}
        for match in islice(_APART.finditer(self._text.masked), _MOST_RULES):
            closing, function = self._closed.get(match.end() - 1), self._function(match.start())
            arguments = self._text.part(match.end(), closing).listed() if closing else []
            patterns = [pattern for each in arguments for pattern in self._patterns(each)]
            if not patterns or function is None:
                return None
            if patterns != _ALL:
                heading = self._text.text[max(0, function - _LONGEST_HEADING) : function]
                *_, order = (_LAST, *map(int, _ORDER.findall(heading.rpartition("}")[2])))
                found[function] = _Chain(within=tuple(patterns), order=(order, function))
        return found

    def _function(self, position: int) -> int | None:
        function = self._calls.function(position)
        return function.start if function else None

    def rules(self) -> Iterator[_Found]:
        """The rules in their order."""
        masked = self._text.masked
        for match in _RULE.finditer(masked):
            closing = self._closed.get(match.end() - 1)
            if closing is None:
                continue
            arguments = self._text.part(match.end(), closing).listed()
            if match[1] == "authorize":
                verdict = _WORD.match(arguments.pop().masked) if len(arguments) > 1 else None
            else:
                verdict = _VERDICT.match(masked, closing)
            before = masked[max(0, match.start() - _LONGEST_BEFORE) : match.start()]
            ignored = _IGNORED.search(before) is not None
            word = "permitAll" if ignored else (verdict[1] if verdict else "")
            if word in _OPEN | _CLOSED | _BY_CODE:
                login = None if word in _BY_CODE else word in _CLOSED
                left = match[1] in _ANY or (match[1] == "authorize" and arguments[0].text.strip() in _ANY)
                rule = AccessRule(login=login) if left else self._of(arguments, login=login)
                yield _Found(rule=rule, function=self._function(match.start()), left=left, ignored=ignored)

    def _of(self, arguments: list[SourceText], *, login: bool | None) -> AccessRule | None:
        method: str | None = None
        patterns: list[str] = []
        for each in arguments[:_MOST_LISTED]:
            text = each.text.strip()
            if found := _METHOD.fullmatch(text):
                method = found[1]
                continue
            known = self._patterns(each)
            if not known:
                return None
            within = _METHOD_WITHIN.search(each.masked)
            method = within[1] if within else method
            patterns += known
        if not patterns and method is None:
            return None
        return AccessRule(patterns=tuple(patterns) or None, method=method, login=login)

    def _patterns(self, argument: SourceText) -> list[str]:
        """The patterns that an argument stands for; [] where it cannot be read."""
        text = argument.text.strip()
        if (whole := self._constants.text(text, inside=None)) is not None:
            return [whole]
        if name := _LIST_NAME.fullmatch(text):
            if name[1] not in self._lists:
                self._lists[name[1]] = self._listed(name[1])
            return self._lists[name[1]]
        strings = _STRING.findall(text)[:_MOST_LISTED]
        if _ACTUATOR in argument.masked:
            return [f"/actuator/{each}/**" for each in strings] or ["/actuator/**"]
        return strings if all(each.startswith(("/", "*")) for each in strings) else []

    def _listed(self, name: str) -> list[str]:
        """The texts of an array or list of that name."""
        declared = re.compile(rf"(?<![\w.]){name}\b[^=;{{}}()\n]{{0,80}}=[^={{}}();]{{0,80}}?([{{(])")
        found = declared.search(self._text.masked)
        closing = self._closed.get(found.start(1)) if found else None
        if found is None or closing is None:
            return []
        items = self._text.part(found.end(), closing).listed()[:_MOST_LISTED]
        texts = [self._constants.text(each.text.strip(), inside=None) for each in items]
        return [each for each in texts if each is not None] if None not in texts else []
