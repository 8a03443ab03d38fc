"""What a compose file says of the service that is a fork, and what it says that two forks at once cannot bear."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pacecar.model.deployment import ComposeDeployment
from pacecar.system import engine
from pacecar.system.engine.compose import ComposeFileError, Resolved

_JVM_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The service of a fork.

    Attributes:
        resolved: the compose file.
        together: the service and all that it depends on, itself first.
        port: where it listens inside its container.
        cpus: its limit of CPU in cores; None where it has none.
        memory_bytes: its limit of memory; likewise.
    """

    resolved: Resolved
    together: tuple[str, ...]
    port: int
    cpus: float | None
    memory_bytes: int | None

    @property
    def service(self) -> str:
        """Its name."""
        return self.together[0]

    @property
    def loads_nothing_from_tmp(self) -> bool:
        """Whether its /tmp is in memory, from where libraries may not be loaded, or cannot be written to at all."""
        service = self.resolved.service(self.service)
        in_memory = [str(each).partition(":")[0] for each in service.get("tmpfs") or ()]
        in_memory += [str(each["target"]) for each in service.get("volumes") or () if each.get("type") == "tmpfs"]
        return bool(service.get("read_only")) or any(path.rstrip("/") == "/tmp" for path in in_memory)  # noqa: S108

    def jvm_options(self, image: str) -> dict[str, str]:
        """The JVM's own variables as the file has them, or else the image."""
        variables = {name: text for name, text in _image_environment(image).items() if name in _JVM_OPTIONS}
        stated = self.resolved.service(self.service).get("environment") or {}
        return variables | {name: str(stated[name]) for name in _JVM_OPTIONS if stated.get(name) is not None}


def facts_of(resolved: Resolved, compose: ComposeDeployment) -> Facts:
    """What `resolved` says of the service that `compose` names.

    Raises:
        ComposeFileError: when it has no such service, its port is not known, or two of it cannot be up side by side.
    """
    together = resolved.together(compose.service)
    _refuse_shared(resolved, together)
    service = resolved.service(compose.service)
    limits = ((service.get("deploy") or {}).get("resources") or {}).get("limits") or {}
    cpus = compose.cpus or _number(limits.get("cpus")) or _number(service.get("cpus"))
    memory = compose.memory_bytes or _number(limits.get("memory")) or _number(service.get("mem_limit"))
    return Facts(
        resolved=resolved,
        together=together,
        port=compose.port or _only_port(service, compose),
        cpus=cpus,
        memory_bytes=None if memory is None else int(memory),
    )


def processors(cpus: tuple[int, ...], limit: float | None) -> int | None:
    """How many cores a JVM is to arrange itself for: those it is pinned to, or as many as its limit of CPU is worth."""
    if limit is None:
        return len(cpus) or None
    worth = max(1, math.ceil(limit))
    return min(len(cpus), worth) if cpus else worth


def _only_port(service: Mapping[str, Any], compose: ComposeDeployment) -> int:
    published = {int(port["target"]) for port in service.get("ports") or () if port.get("protocol", "tcp") == "tcp"}
    exposed = {int(str(port).partition("/")[0]) for port in service.get("expose") or () if str(port)[:1].isdigit()}
    found = published or exposed
    if len(found) != 1:
        what = "names no port" if not found else f"names {len(found)} ports"
        raise ComposeFileError(
            f"Service {compose.service} of {compose.file} {what}, so Pacecar cannot tell which one takes the load.",
            hint="Set target.compose.port to the port on which it listens inside its container.",
        )
    return found.pop()


def _refuse_shared(resolved: Resolved, together: Iterable[str]) -> None:
    for name in together:
        service = resolved.service(name)
        if mode := service.get("network_mode"):
            raise _refused(resolved, name, f"has network_mode {mode!r}, so two forks would use the same ports")
        for network in service.get("networks") or ():
            if resolved.networks.get(network, {}).get("external"):
                raise _refused(
                    resolved, name, f"is on the external network {network!r}, where both forks have its name"
                )
        for volume in service.get("volumes") or ():
            if why := _shared(resolved, volume):
                raise _refused(resolved, name, f"writes to {why}, which both forks would share")


def _shared(resolved: Resolved, volume: Mapping[str, Any]) -> str:
    source = str(volume.get("source", ""))
    if volume.get("read_only"):
        return ""
    if volume.get("type") == "bind" and Path(source).is_dir():
        return f"the folder {source}"
    if volume.get("type") == "volume" and resolved.volumes.get(source, {}).get("external"):
        return f"the external volume {source!r}"
    return ""


def _refused(resolved: Resolved, name: str, why: str) -> ComposeFileError:
    return ComposeFileError(
        f"Service {name} of {resolved.file} {why}.",
        hint="Mount it read-only (`:ro`) or use a named volume, which is fresh for every fork; or keep a compose file "
        "for measuring and name it in target.compose.file.",
    )


def _image_environment(image: str) -> dict[str, str]:
    found = engine.inspect("image", image) or {}
    variables = (found.get("Config") or {}).get("Env") or ()
    return dict(variable.split("=", 1) for variable in variables if "=" in variable)


def _number(value: Any) -> float | None:
    try:
        return float(value) or None
    except (TypeError, ValueError):
        return None
