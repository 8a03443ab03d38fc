"""The file that is laid over the user's compose file for one fork.

It is YAML whose values are JSON, but for two tags of Compose's own: `!override` puts a value in place of the user's
instead of adding to it, `!reset` takes the user's away.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pacecar.measurement.deploy.compose.facts import Facts
from pacecar.system import engine

#: The network of a fork's own by which its agents reach us.
BRIDGE = "pacecar"
#: What variables with secret values are called in the environment of the `docker compose` command.
_SECRET = "PACECAR_SECRET_{number}"  # noqa: S105  a name


@dataclass(frozen=True, kw_only=True)
class Mount:
    """A file or folder of this machine in the container."""

    source: Path
    target: str
    read_only: bool = True


@dataclass(frozen=True, kw_only=True)
class Overlay:
    """What differs from the user's file in one fork.

    Attributes:
        facts: of the service.
        project: name of the fork's project.
        resources: value of the owner's label.
        port: published on this machine's loopback address.
        bridge: name of the network that was made for it.
        images: service -> id.
        environment: variables of the service.
        secrets: likewise, with values that are handed to Compose and never written.
        mounts: in the service's container.
        in_memory: folder of the service that is in memory, and from which libraries may be loaded; None for none.
        cpus: cores of the service; empty for all.
        others: cores of what it depends on; likewise.
    """

    facts: Facts
    project: str
    resources: str
    port: int
    bridge: str
    images: Mapping[str, str]
    environment: Mapping[str, str]
    secrets: Mapping[str, str] = field(default_factory=dict)
    mounts: Sequence[Mount] = ()
    in_memory: str | None = None
    cpus: tuple[int, ...] = ()
    others: tuple[int, ...] = ()

    def write(self, path: Path) -> dict[str, str]:
        """Write the file; returns the environment that `docker compose` needs to fill in the secrets."""
        path.touch(mode=0o600)
        path.write_text(_yaml(self._content()))
        return {_SECRET.format(number=number): value for number, value in enumerate(self.secrets.values())}

    def _content(self) -> dict[str, Any]:
        resolved = self.facts.resolved
        services = {name: self._common(name) for name in self.facts.together}
        services[self.facts.service] |= self._service()
        used = {network for name in self.facts.together for network in resolved.service(name).get("networks") or ()}
        volumes = {
            str(mount.get("source"))
            for name in self.facts.together
            for mount in resolved.service(name).get("volumes") or ()
            if mount.get("type") == "volume" and mount.get("source")
        }
        # Names of their own: a network or volume that the user has given a fixed name would be shared by both sides.
        own = {
            kind: {name: self._labelled(name) for name in names}
            for kind, names in (("networks", used), ("volumes", {name for name in volumes if not self._external(name)}))
        }
        own["networks"][BRIDGE] = {"external": True, "name": self.bridge}
        return {"services": services, **own}

    def _external(self, volume: str) -> bool:
        return bool(self.facts.resolved.volumes.get(volume, {}).get("external"))

    def _labelled(self, name: str) -> dict[str, Any]:
        return {"name": f"{self.project}_{name}", "labels": self._labels()}

    def _labels(self) -> dict[str, str]:
        return {engine.OWNER: self.resources, engine.FORK: self.project}

    def _common(self, name: str) -> dict[str, Any]:
        cores = self.cpus if name == self.facts.service else self.others
        return {
            "image": self.images[name],
            "build": _Reset(None),
            "container_name": _Reset(None),
            "ports": _Reset([]),
            "profiles": _Reset([]),
            "pull_policy": "never",
            "restart": "no",
            "logging": _Override({"driver": "json-file", "options": {"max-size": "64m", "max-file": "2"}}),
            "labels": self._labels(),
            **({"cpuset": ",".join(map(str, cores))} if cores else {}),
        }

    def _service(self) -> dict[str, Any]:
        stated = self.facts.resolved.service(self.facts.service)
        networks = stated.get("networks") or {"default": None}
        hidden = {name: f"${{{_SECRET.format(number=number)}}}" for number, name in enumerate(self.secrets)}
        return {
            "ports": _Override([f"127.0.0.1:{self.port}:{self.facts.port}"]),
            "networks": {**dict.fromkeys(networks), BRIDGE: None},
            "environment": {name: _literal(value) for name, value in self.environment.items()} | hidden,
            "volumes": [
                {
                    "type": "bind",
                    "source": _literal(str(mount.source)),
                    "target": mount.target,
                    "read_only": mount.read_only,
                    "bind": {"create_host_path": False},
                }
                for mount in self.mounts
            ],
            **({"tmpfs": [f"{self.in_memory}:exec,mode=1777"]} if self.in_memory else {}),
            **self._limits(),
        }

    def _limits(self) -> dict[str, Any]:
        limits: dict[str, str] = {}
        if self.facts.cpus is not None:
            limits["cpus"] = f"{self.facts.cpus:g}"
        if self.facts.memory_bytes is not None:
            limits["memory"] = str(self.facts.memory_bytes)
        if not limits:
            return {}
        # A file may say it in two ways, which must not differ.
        return {"cpus": _Reset(None), "mem_limit": _Reset(None), "deploy": {"resources": {"limits": limits}}}


@dataclass(frozen=True)
class _Reset:
    value: Any


@dataclass(frozen=True)
class _Override:
    value: Any


def _literal(value: str) -> str:
    """`value` as Compose reads it back unchanged: it would fill in variables."""
    return value.replace("$", "$$")


def _yaml(value: Any) -> str:
    if isinstance(value, _Reset):
        return f"!reset {json.dumps(value.value)}"
    if isinstance(value, _Override):
        return f"!override {json.dumps(value.value)}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {_yaml(each)}" for name, each in value.items()) + "}"
    return json.dumps(value)
