"""Whether a configuration of Spring holds: what `@ConditionalOnProperty` and `@Profile` say, held against settings."""

from __future__ import annotations

import re
from itertools import islice

from pacecar.onboarding.initialise.settings import Settings
from pacecar.onboarding.initialise.source_text import without_comments

_PROPERTY = re.compile(r"@ConditionalOnProperty\s{0,9}+\(([^()]{0,400}+)\)")
_PROFILE = re.compile(r"@Profile\s{0,9}+\(([^()]{0,400}+)\)")
_NAMED = r"\b{name}\s{{0,9}}+=\s{{0,9}}+(?:[\[{{]\s{{0,9}}+)?\"([^\"\n]{{1,200}})\""
_STRING = re.compile(r"\"([^\"\n]{1,200})\"")
_IF_MISSING = re.compile(r"\bmatchIfMissing\s{0,9}+=\s{0,9}+true\b")
_MOST = 20


def holds(source: str, settings: Settings) -> bool:
    """Whether a file of Java or Kotlin counts for a service with these settings. Anything may be in it."""
    text = without_comments(source)
    properties = (_has(match[1], settings) for match in islice(_PROPERTY.finditer(text), _MOST))
    return all(properties) and all(_is_on(match[1], settings) for match in islice(_PROFILE.finditer(text), _MOST))


def _has(condition: str, settings: Settings) -> bool:
    name = _argument(condition, "name") or _argument(condition, "value")
    first = _STRING.search(condition)
    name = name or (first[1] if first else "")
    prefix = _argument(condition, "prefix").rstrip(".")
    value = settings.get(f"{prefix}.{name}" if prefix else name)
    if not value:
        return _IF_MISSING.search(condition) is not None
    wanted = _argument(condition, "havingValue")
    return value.lower() == wanted.lower() if wanted else value.lower() != "false"


def _is_on(condition: str, settings: Settings) -> bool:
    """Whether one of the profiles that are named is on, or one that must be off is."""
    active = {each.strip() for each in settings.get("spring.profiles.active").split(",")}
    named = _STRING.findall(condition)
    return any(each[1:] not in active if each.startswith("!") else each in active for each in named)


def _argument(condition: str, name: str) -> str:
    found = re.search(_NAMED.format(name=name), condition)
    return found[1] if found else ""
