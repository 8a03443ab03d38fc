"""Pages that a service of one's own making has for whoever runs it: told by their names, and no part of the load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pacecar.onboarding.initialise.frameworks import Service
from pacecar.onboarding.initialise.guesses import GuessedEndpoint

#: Last part of the path of a page that says when a service is up, the surest first.
_READY = ("ready", "readyz", "readiness", "health", "healthz", "healthcheck", "livez", "liveness", "ping")
_METRICS = ("prometheus", "metrics")


def without_pages(
    service: Service, endpoints: Sequence[GuessedEndpoint]
) -> tuple[Service, tuple[GuessedEndpoint, ...]]:
    """The service with the pages that its endpoints' names tell of, and the other endpoints.

    Of a framework, whose own pages are known, both as they are.
    """
    if service.framework:
        return service, tuple(endpoints)
    ready, metrics = _named(endpoints, _READY), _named(endpoints, _METRICS)
    load = tuple(each for each in endpoints if each not in (*ready, *metrics))
    remarks = []
    if ready:
        service = replace(service, ready=ready[0].path)
        remarks.append(f"{ready[0].path} was chosen by its name as the page that says when it is up")
    if metrics:
        service = replace(service, metrics=metrics[0].path, exposed=True)
        remarks.append(f"{metrics[0].path} was chosen by its name as a page in Prometheus format")
    return replace(service, remarks=(*service.remarks, *remarks)), load


def _named(endpoints: Sequence[GuessedEndpoint], names: Sequence[str]) -> list[GuessedEndpoint]:
    """Those without a variable that end with one of `names`, in the order of these."""
    plain = {each: each.path.rpartition("/")[2].lower() for each in endpoints if each.method == "GET"}
    found = [each for each, last in plain.items() if last in names and not each.guesses]
    return sorted(found, key=lambda each: names.index(plain[each]))
