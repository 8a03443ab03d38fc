"""The network of a fork's own, on which there is nothing but the service and this machine.

The agents in the service send what they record to this machine's address on it. Containers on it cannot reach each
other by it, nor anything beyond this machine.
"""

from __future__ import annotations

import ipaddress

from pacecar.measurement.deploy import DeployError
from pacecar.system import engine
from pacecar.system.engine import EngineError

_OPTIONS = (
    "com.docker.network.bridge.enable_icc=false",
    "com.docker.network.bridge.enable_ip_masquerade=false",
)


def make_bridge(name: str, *, labels: dict[str, str]) -> str:
    """Make the network `name`; returns this machine's address on it.

    Raises:
        DeployError: when the engine refuses.
        EngineError: when it cannot be reached.
    """
    arguments = ["network", "create", "--driver", "bridge"]
    for option in _OPTIONS:
        arguments += ["--opt", option]
    for label, value in labels.items():
        arguments += ["--label", f"{label}={value}"]
    status, _, complaint = engine.call([*arguments, name])
    if status != 0:
        raise DeployError(
            f"The engine cannot make a network for the fork: {engine.last_words(complaint)}",
            hint="If it has no addresses left, remove unused networks: docker network prune",
        )
    found = engine.inspect("network", name) or {}
    for pool in (found.get("IPAM") or {}).get("Config") or ():
        gateway = str(pool.get("Gateway", "")).partition("/")[0]
        try:
            if ipaddress.ip_address(gateway).version == 4:
                return gateway
        except ValueError:
            continue
    raise EngineError(f"The network {name} has no address of this machine on it.", hint="docker network inspect bridge")
