"""Who is reached where: a pod by us, we by a pod."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.pods import PodState

#: Set where pods reach us otherwise than we would think: the address.
OWN = "PACECAR_POD_ADDRESS"
_LOOPBACK = "127.0.0.1"
#: An address that nobody has (RFC 5737): the way there is the default route.
_ANYWHERE = "192.0.2.1"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def address_of(pod: PodState) -> str:
    """Where the services of a pod that is on a node are reached: at its own address, or on loopback where its network
    is ours.
    """
    if pod.node_network and pod.node_address in _own_addresses():
        return _LOOPBACK
    assert pod.address is not None  # of one that is on a node
    return pod.address


def own_address(connection: Connection, *, node_network: bool) -> str:
    """Where a pod reaches us.

    That is what `PACECAR_POD_ADDRESS` says, else the address from which we reach the cluster's API. An API on our own
    loopback interface means a cluster on this machine: a pod of it with a network of its own reaches us where the rest
    of the world does.

    Args:
        connection: to the cluster.
        node_network: the pod has the network of its node.
    """
    if known := os.environ.get(OWN):
        return known
    api = urlsplit(connection.server)
    found = _way_to(api.hostname or _LOOPBACK, api.port or 443)
    if not node_network and ipaddress.ip_address(found).is_loopback:
        return _way_to(_ANYWHERE, 9)
    return found


def boot_id() -> str:
    """What tells this machine from all others until it is started anew."""
    return _BOOT.read_text().strip()


def _way_to(host: str, port: int) -> str:
    """Our address on the way to `host`. Nothing is sent: the kernel only chooses a way."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as way:
        way.connect((host, port))
        return str(way.getsockname()[0])
    return _LOOPBACK


def _own_addresses() -> set[str]:
    return {each.address for addresses in psutil.net_if_addrs().values() for each in addresses}
