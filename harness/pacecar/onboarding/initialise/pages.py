"""Pages by which to tell that a service is up: told by their names, and no part of the load; or its first page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pacecar.onboarding.initialise.access import Access, within
from pacecar.onboarding.initialise.frameworks import Service, path_of
from pacecar.onboarding.initialise.guesses import GuessedEndpoint
from pacecar.onboarding.initialise.settings import FOLDER, Settings

#: Last part of the path of a page that says when a service is up, the surest first.
_READY = (
    "ready",
    "readyz",
    "isready",
    "readiness",
    "health",
    "healthz",
    "healthcheck",
    "livez",
    "liveness",
    "isalive",
    "ping",
)
_METRICS = ("prometheus", "metrics")
#: Folders from which a framework serves files as they are.
_STATIC = {
    "Spring Boot": ("META-INF/resources", "resources", "static", "public"),
    "Quarkus": ("META-INF/resources",),
}
_FIRST_PAGE = "index.html"


def without_pages(
    service: Service, endpoints: Sequence[GuessedEndpoint]
) -> tuple[Service, tuple[GuessedEndpoint, ...]]:
    """The service with the pages that its endpoints' names tell of, and the other endpoints.

    Of a framework, whose own pages are known, no other one is a metrics page, and none is asked whether it is up where
    the framework has one for that.
    """
    ready = _named(endpoints, _READY)
    metrics = [] if service.framework else _named(endpoints, _METRICS)
    load = tuple(each for each in endpoints if each not in (*ready, *metrics))
    remarks = []
    if ready and not service.ready:
        service = replace(service, ready=ready[0].path)
        remarks.append(f"{ready[0].path} was chosen by its name as the page that says when it is up")
    if metrics:
        service = replace(service, metrics=metrics[0].path, exposed=True)
        remarks.append(f"{metrics[0].path} was chosen by its name as a page in Prometheus format")
    return replace(service, remarks=(*service.remarks, *remarks)), load


def with_open_page(service: Service, access: Access, endpoints: Sequence[GuessedEndpoint]) -> Service:
    """The service with another page that says when it is up, where the rules have its own one ask for a login."""
    asked = access.asks("GET", within(service.base, service.ready), surely=True) if service.ready else None
    if asked is None:
        return service
    if not asked:
        return replace(service, guarded=False)
    remark = f"{service.ready} asks for a login, as the rules for its paths say"
    instead = next((each for each in endpoints if each.is_page and not each.login and not each.guesses), None)
    if instead is None:
        remark += ": let that page be asked for without one, or name another in target.ready"
        return replace(service, guarded=False, remarks=(*service.remarks, remark))
    remark += f", so {instead.path} stands in for it"
    return replace(service, ready=instead.path, guarded=False, remarks=(*service.remarks, remark))


def first_page(module: Path, service: Service, settings: Settings, access: Access) -> str | None:
    """The path of a file that the framework serves as the first page of a service; None without one that asks no login.

    Args:
        module: folder that holds `src/main`.
        service: as its framework settles it.
        settings: of the service.
        access: the rules that say who may ask for it.
    """
    page = _first_page(module, service, settings)
    asked = access.asks("GET", within(service.base, page)) if page else None
    return None if asked or (asked is None and access.otherwise) else page


def _first_page(module: Path, service: Service, settings: Settings) -> str | None:
    folders = _STATIC.get(service.framework or "", ())
    if not any((module / FOLDER / folder / _FIRST_PAGE).is_file() for folder in folders):
        return None
    if service.framework == "Quarkus":  # files do not lie below the path of its resources
        return f"{path_of(settings.get('quarkus.http.root-path'))}/{_FIRST_PAGE}"
    off = "false" in (settings.get("spring.web.resources.add-mappings"), settings.get("spring.resources.add-mappings"))
    return None if off else f"{service.base}/{_FIRST_PAGE}"


def _named(endpoints: Sequence[GuessedEndpoint], names: Sequence[str]) -> list[GuessedEndpoint]:
    """Those without a variable that end with one of `names`, in the order of these."""
    plain = {each: each.path.rstrip("/").rpartition("/")[2].lower() for each in endpoints if each.method == "GET"}
    found = [each for each, last in plain.items() if last in names and not each.guesses]
    return sorted(found, key=lambda each: names.index(plain[each]))
