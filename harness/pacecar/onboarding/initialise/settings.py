"""What a service's settings say: `application.properties`, `application.yml` and their relatives, as flat names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from pacecar.onboarding.initialise import files

FOLDER = Path("src", "main", "resources")
#: What is named later counts more. With Spring it is the other way round, see `spring_settings`.
_NAMES = ("META-INF/microprofile-config.properties", "application.properties", "application.yaml", "application.yml")
#: Between the documents of one file of Spring's.
_BORDER = re.compile(r"^[#!]---[ \t]*+$", re.MULTILINE)
_LINE = re.compile(r"^[ \t]*+([^#!\s=:][^\s=:]*+)[ \t]*+[=:][ \t]*+([^\n]*+)", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\$\{([^{}:\s]{1,100})(?::([^{}]{0,200}))?\}")
#: Only names that follow the convention: others are properties of the settings themselves.
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_CONDITION = "spring.config.activate."
_OF_A_PROFILE = "spring.profiles"
_MOST_VARIABLES = 10
_DEEPEST = 12
_MOST_VALUES = 5_000
_MOST_LETTERS = 1 << 20
_MOST_ITEMS = 1_000
_LONGEST_NAME = 300
#: A placeholder may stand for others, and these for others again. No setting that is asked for is longer.
_DEEPEST_PLACEHOLDER, _LONGEST_VALUE = 4, 2_000
_UNKNOWN = "\0"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings by their plain names, see `plain`.

    Attributes:
        values: as they are written, placeholders included.
        names: as they are written, which is how others than Spring want them.
        variables: environment variables that are asked for without a default.
    """

    values: Mapping[str, str]
    names: Mapping[str, str] = field(default_factory=dict)
    variables: tuple[str, ...] = ()

    def get(self, *names: str) -> str:
        """The first of `names` that has a value that can be known; "" when none has."""
        for name in names:
            if value := self.filled_in(self.values.get(plain(name), "")):
                return value
        return ""

    def filled_in(self, text: str) -> str:
        """`text` with values in place of its placeholders; "" where one of them cannot be known."""
        filled = self._filled_in(text)
        return "" if _UNKNOWN in filled else filled

    def has(self, beginning: str) -> bool:
        """Whether any name begins so."""
        return any(name.startswith(plain(beginning)) for name in self.values)

    def _filled_in(self, text: str) -> str:
        for _ in range(_DEEPEST_PLACEHOLDER):
            if "${" not in text or len(text) > _LONGEST_VALUE:
                break
            text = _PLACEHOLDER.sub(self._meant, text)
        return _UNKNOWN if "${" in text or len(text) > _LONGEST_VALUE else text

    def _meant(self, placeholder: re.Match[str]) -> str:
        value = self.values.get(plain(placeholder[1]), placeholder[2] or _UNKNOWN)
        return value if len(value) <= _LONGEST_NAME else _UNKNOWN


@dataclass(frozen=True, kw_only=True)
class SettingsDocument:
    """What one document of a file sets.

    Attributes:
        values: by plain names.
        names: as they are written, by plain names.
    """

    values: Mapping[str, str]
    names: Mapping[str, str]

    @classmethod
    def of(cls, written: Iterable[tuple[str, str]]) -> SettingsDocument:
        """These names and values; what is named later counts more."""
        pairs = [(plain(name), name, value) for name, value in written]
        return cls(
            values={each: value for each, _, value in pairs},
            names={each: name for each, name, _ in pairs},
        )


def plain(name: str) -> str:
    """`server.servlet.contextPath` and `server.servlet.context-path` are one name to Spring."""
    return name.lower().replace("-", "").replace("_", "")


def read_settings(module: Path) -> Settings:
    """The settings of a module that hold whatever the profile; what cannot be read is left out."""
    found = (document for name in _NAMES for document in documents(module / FOLDER / name))
    return settings_of(document for document in found if not conditions(document))


def settings_of(found: Iterable[SettingsDocument]) -> Settings:
    """What these documents set, of which a later one counts more, and the variables that they ask for."""
    values: dict[str, str] = {}
    names: dict[str, str] = {}
    for document in found:
        values |= document.values
        names |= document.names
    asked = {match[1] for value in values.values() for match in _PLACEHOLDER.finditer(value) if match[2] is None}
    variables = sorted(name for name in asked if _VARIABLE.fullmatch(name) and plain(name) not in values)
    return Settings(values=values, names=names, variables=tuple(variables[:_MOST_VARIABLES]))


def documents(path: Path, *, fill: Callable[[str], str] = str) -> Iterator[SettingsDocument]:
    """What each document of a file of properties or YAML sets; nothing of what cannot be read.

    Args:
        path: of the file.
        fill: what the build does to its text.
    """
    if path.suffix == ".properties":
        yield from (SettingsDocument.of(_of_properties(part)) for part in _BORDER.split(fill(files.text(path))))
    else:
        yield from (SettingsDocument.of(flat(document)) for document in files.yaml_documents(path, fill=fill))


def conditions(document: SettingsDocument) -> dict[str, str]:
    """Those settings of a document that say when the others hold: for a profile or a platform."""
    found = document.values.items()
    return {name: value for name, value in found if name == _OF_A_PROFILE or name.startswith(_CONDITION)}


def _of_properties(text: str) -> Iterator[tuple[str, str]]:
    found = [(match[1], match[2].rstrip()) for match in _LINE.finditer(text)]
    # Quarkus writes the profile before the name; a service that is deployed runs with "prod".
    yield from ((name, value) for name, value in found if not name.startswith("%"))
    yield from ((name.removeprefix("%prod."), value) for name, value in found if name.startswith("%prod."))


def flat(document: object) -> Iterator[tuple[str, str]]:
    """The values of a document by names that dots join; a list of texts is one value, with commas between these."""
    # An alias lets a few bytes stand for many values, so what comes out is counted, not what went in.
    left, letters = _MOST_VALUES, _MOST_LETTERS
    todo: list[tuple[str, object, int]] = [("", document, 0)]
    while todo and left > 0 and letters > 0:
        left -= 1
        name, value, depth = todo.pop()
        letters -= len(name)
        if len(name) > _LONGEST_NAME:
            continue
        if isinstance(value, dict) and depth < _DEEPEST:
            todo += [(f"{name}.{key}".strip("."), inner, depth + 1) for key, inner in islice(value.items(), left)]
        elif isinstance(value, list):
            joined = ",".join(item for item in islice(value, _MOST_ITEMS) if isinstance(item, str))
            letters -= len(joined)
            yield name, joined
            tables = ((index, item) for index, item in enumerate(islice(value, _MOST_ITEMS)) if isinstance(item, dict))
            todo += [(f"{name}[{index}]", item, depth + 1) for index, item in tables if depth < _DEEPEST]
        elif isinstance(value, str):
            yield name, value
