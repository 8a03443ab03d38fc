"""Manifests of older schema versions, brought to today's one version at a time.

A step takes the plain JSON of one version and returns that of the next; what it cannot know it leaves to the defaults
of `recording`. Files on disk stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pacecar.model.recording import SCHEMA_VERSION
from pacecar.system.foreign import toml

Document = dict[str, Any]


def migrated(document: Document) -> Document:
    """`document`, a manifest of any version up to today's, as one of today's."""
    for version in range(document["schema_version"], SCHEMA_VERSION):
        document = _STEPS[version](document) | {"schema_version": version + 1}
    return document


def _with_deployment(document: Document) -> Document:
    """Version 1 did not say what else a side was deployed with; its configuration does, by the build's name."""
    named = _named_builds(document.get("configuration"))
    builds = document.get("builds")
    if not isinstance(builds, dict):
        return document
    return document | {"builds": {side: _deployed(built, named) for side, built in builds.items()}}


def _deployed(built: Any, named: Document) -> Any:
    table = named.get(str(built.get("label"))) if isinstance(built, dict) else None
    if not isinstance(table, dict):
        return built
    return {name: table[name] for name in ("jvm_args", "env", "profiler", "spans") if name in table} | built


def _named_builds(configuration: Any) -> Document:
    try:
        named = toml.loads(configuration)["builds"]["named"]
    except (TypeError, ValueError, KeyError, AttributeError):
        return {}
    return named if isinstance(named, dict) else {}


#: Version -> the step to the next one.
_STEPS: dict[int, Callable[[Document], Document]] = {1: _with_deployment}
