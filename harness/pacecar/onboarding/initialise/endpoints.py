"""Endpoints of a module: from annotations, else from an OpenAPI document, else from calls that add routes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pacecar.onboarding.initialise import files
from pacecar.onboarding.initialise.annotations import application_path, in_source, routes_in_source
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, joined
from pacecar.onboarding.initialise.openapi import in_documents

_MOST = 20


def guessed_endpoints(module: Path, *, base: str = "") -> tuple[GuessedEndpoint, ...]:
    """Endpoints of `module`, at most 20, those that only read first.

    Args:
        module: folder that holds `src/main`.
        base: what all of them lie below, by the service's settings.
    """
    found: list[GuessedEndpoint] = []
    routes: list[GuessedEndpoint] = []
    below = ""
    for folder, path in files.sources(module):
        source = files.text(folder / path)
        below = below or application_path(source)
        annotated = list(in_source(source))
        found += annotated
        routes += [] if annotated else routes_in_source(source)
    if found:
        return _chosen(_below(joined(base, below), found))
    return _chosen(in_documents(module, base=base)) or _chosen(_below(base, routes))


def _below(base: str, endpoints: Iterable[GuessedEndpoint]) -> Iterable[GuessedEndpoint]:
    if not base.strip("/"):
        return endpoints
    return [replace(each, route=joined(base, each.route), path=joined(base, each.path)) for each in endpoints]


def _chosen(endpoints: Iterable[GuessedEndpoint]) -> tuple[GuessedEndpoint, ...]:
    found: dict[str, GuessedEndpoint] = {}
    for endpoint in endpoints:
        found.setdefault(endpoint.name, endpoint)
    return tuple(sorted(found.values(), key=lambda endpoint: (endpoint.method != "GET", endpoint.route))[:_MOST])
