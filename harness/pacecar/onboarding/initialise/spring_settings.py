"""The settings of a Spring Boot service: which of its files count, and for which profiles."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise.filtered import filled_in_by_maven
from pacecar.onboarding.initialise.settings import (
    FOLDER,
    Settings,
    SettingsDocument,
    conditions,
    documents,
    settings_of,
)

#: What is named later counts more: properties more than YAML beside them, and the folder `config` more than either.
_PLACES = tuple(
    f"{folder}{{name}}{ending}" for folder in ("", "config/") for ending in (".yaml", ".yml", ".properties")
)
#: Those of Spring Cloud are read first, and count less.
_NAMES = ("bootstrap", "application")
_PROFILE = re.compile(r"[A-Za-z0-9_][\w.-]{0,60}", re.ASCII)
_MOST_PROFILES = 10
_OF_PROFILES = {"spring.config.activate.onprofile", "spring.profiles"}


def read_spring_settings(module: Path) -> Settings:
    """The settings of a module with the profiles that these themselves turn on; what cannot be read is left out."""
    fill = filled_in_by_maven(module)
    common = [document for name in _NAMES for document in _documents(module, name, fill)]
    profiles = _active(settings_of(_holding(common, ())))
    names = [f"{name}-{each}" for name in _NAMES for each in profiles]
    special = [document for name in names for document in _documents(module, name, fill)]
    return settings_of(_holding([*common, *special], profiles))


def _documents(module: Path, name: str, fill: Callable[[str], str]) -> Iterator[SettingsDocument]:
    for place in _PLACES:
        yield from documents(module / FOLDER / place.format(name=name), fill=fill)


def _holding(found: Sequence[SettingsDocument], profiles: Sequence[str]) -> Iterator[SettingsDocument]:
    """Those documents whose conditions hold."""
    for document in found:
        if all(_holds(name, value, profiles) for name, value in conditions(document).items()):
            yield document


def _active(settings: Settings) -> tuple[str, ...]:
    """Profiles that are on unless somebody says otherwise, in their order; () where that cannot be told."""
    listed = ",".join((settings.get("spring.profiles.active"), settings.get("spring.profiles.include")))
    found: dict[str, None] = {}
    for name in islice((each.strip() for each in listed.split(",")), _MOST_PROFILES):
        members = settings.get(f"spring.profiles.group.{name}").split(",")
        found |= dict.fromkeys(each.strip() for each in (name, *members) if _PROFILE.fullmatch(each.strip()))
    return tuple(islice(found, _MOST_PROFILES))


def _holds(name: str, value: str, profiles: Sequence[str]) -> bool:
    """Whether a condition is known to be met. Those of several words are not looked into."""
    return name in _OF_PROFILES and any(each.strip() in profiles for each in value.split(","))
