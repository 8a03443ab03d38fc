"""What Compose says when a fork does not come up, as a sentence."""

from __future__ import annotations

import re

from pacecar.system import engine

_PORT = re.compile(
    r"(?:Bind for (\S+) failed: port is already allocated|listen tcp4? (\S+?): bind: address already in use)"
)
_UNHEALTHY = re.compile(r"container (\S+) is unhealthy")
_EXITED = re.compile(r"container (\S+) exited \((\d+)\)")
_FAILED = re.compile(r"service \"(\S+)\" didn't complete successfully: exit (\d+)")
_MISSING = re.compile(r"[Nn]o such image: (\S+)")
_CPUS = re.compile(r"[Rr]ange of CPUs is from .*")


def complaint_of(log: str, *, project: str) -> tuple[str, str | None]:
    """Why the containers of `project` did not come up, as the end of a sentence, and the service to blame, if any.

    Args:
        log: what `docker compose up` has printed.
        project: the fork's; its name is left out of those of containers.
    """
    if match := _PORT.search(log):
        return f"could not be started: port {(match[1] or match[2]).rpartition(':')[2]} is already in use", None
    if match := _UNHEALTHY.search(log):
        service = _service(match[1], project)
        return f"did not come up: its service {service} is unhealthy", service
    if match := _EXITED.search(log) or _FAILED.search(log):
        service = _service(match[1], project)
        return f"did not come up: its service {service} ended with status {match[2]}", service
    if match := _MISSING.search(log):
        return f"could not be started: there is no image {match[1]} any more", None
    if match := _CPUS.search(log):
        return f"could not be started: {match[0]}", None
    return f"could not be started: {engine.last_words(log)}", None


def _service(container: str, project: str) -> str:
    return re.sub(r"-\d+$", "", container.strip('"').removeprefix(f"{project}-"))
