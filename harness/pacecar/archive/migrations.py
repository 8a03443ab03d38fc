"""Records of older schema versions, brought to today's one version at a time.

A step takes the plain JSON of one version and returns that of the next; what it cannot know it leaves to the defaults
of the shape. Files on disk stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pacecar.model import bisection, recording
from pacecar.system.foreign import toml

#: A record as JSON has it.
PlainRecord = dict[str, Any]

#: What the key of a setting began with among the options, up to version 2 of a manifest and 1 of a bisection.
_SET = "set "


@dataclass(frozen=True, kw_only=True)
class Migration:
    """The way of one kind of record to today's version.

    Attributes:
        newest: that version.
        steps: version -> the step to the next one.
    """

    newest: int
    steps: Mapping[int, Callable[[PlainRecord], PlainRecord]]

    def migrated(self, document: PlainRecord) -> PlainRecord:
        """`document`, of any version up to today's, as one of today's."""
        for version in range(document["schema_version"], self.newest):
            document = self.steps[version](document) | {"schema_version": version + 1}
        return document


def _with_deployment(document: PlainRecord) -> PlainRecord:
    """Version 1 did not say what else a side was deployed with; its configuration does, by the build's name."""
    named = _named_builds(document.get("configuration"))
    builds = document.get("builds")
    if not isinstance(builds, dict):
        return document
    return document | {"builds": {side: _deployed(built, named) for side, built in builds.items()}}


def _deployed(built: Any, named: PlainRecord) -> Any:
    table = named.get(str(built.get("label"))) if isinstance(built, dict) else None
    if not isinstance(table, dict):
        return built
    return {name: table[name] for name in ("jvm_args", "env", "profiler", "spans") if name in table} | built


def _named_builds(configuration: Any) -> PlainRecord:
    try:
        named = toml.loads(configuration)["builds"]["named"]
    except (TypeError, ValueError, KeyError, AttributeError):
        return {}
    return named if isinstance(named, dict) else {}


def _with_shaped_options(document: PlainRecord) -> PlainRecord:
    """Version 2 kept options as words by their name."""
    words = document.get("options", {})
    if not isinstance(words, dict):
        return document
    names = ("config", "baseline", "candidate", "stored", "bisection")
    options = {name: words[name] for name in names if name in words}
    plan = {name: _whole(words[name]) for name in ("pairs", "seed") if name in words}
    return document | {"options": options | {"plan": plan, "settings": _settings(words)}}


def _with_nulls(document: PlainRecord) -> PlainRecord:
    """Version 2 called it "" when a side had no commit or no patch."""
    builds = document.get("builds")
    if not isinstance(builds, dict):
        return document
    return document | {"builds": {side: without_blanks(built, "commit", "patch") for side, built in builds.items()}}


def without_blanks(document: Any, *names: str) -> Any:
    """`document` with null in place of "" under `names`: that is how earlier Pacecars wrote that there is nothing."""
    if not isinstance(document, dict):
        return document
    return document | {name: None for name in names if document.get(name) == ""}


def _with_named_options(document: PlainRecord) -> PlainRecord:
    """Version 1 kept what the command line said as words by their name."""
    words = document.get("options", {})
    if not isinstance(words, dict):
        return document
    asked = {name: words[name] for name in ("config", "metric", "endpoint") if name in words}
    return document | asked | {"settings": _settings(words)}


def _settings(words: PlainRecord) -> PlainRecord:
    return {name.removeprefix(_SET): value for name, value in words.items() if name.startswith(_SET)}


def _whole(text: Any) -> Any:
    """The number that `text` says; what is none stays as it is, for the shape to refuse."""
    try:
        return int(text) if isinstance(text, str) else text
    except ValueError:
        return text


MANIFEST = Migration(
    newest=recording.SCHEMA_VERSION,
    steps={1: _with_deployment, 2: lambda document: _with_nulls(_with_shaped_options(document))},
)
BISECTION = Migration(newest=bisection.SCHEMA_VERSION, steps={1: _with_named_options})
