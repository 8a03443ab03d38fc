"""Who is reached where: a pod by us, we by a pod."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.pods import PodState

#: Set where we run in a pod ourselves: its address.
OWN = "PACECAR_POD_ADDRESS"
_LOOPBACK = "127.0.0.1"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def address_of(pod: PodState) -> str:
    """Where the services of a pod that is on a node are reached: at its own address, or on loopback where its network
    is ours.
    """
    if pod.node_network and pod.node_address in _own_addresses():
        return _LOOPBACK
    assert pod.address is not None  # of one that is on a node
    return pod.address


def own_address(connection: Connection) -> str:
    """Where a pod reaches us: the address of our own pod, else the one from which we reach the cluster's API."""
    if known := os.environ.get(OWN):
        return known
    api = urlsplit(connection.server)
    try:
        # Nothing is sent: the kernel only chooses a way.
        with socket.socket(
            socket.AF_INET6 if ":" in (api.hostname or "") else socket.AF_INET, socket.SOCK_DGRAM
        ) as way:
            way.connect((api.hostname, api.port or 443))
            return str(way.getsockname()[0])
    except OSError:
        return _LOOPBACK


def boot_id() -> str:
    """What tells this machine from all others until it is started anew."""
    return _BOOT.read_text().strip()


def _own_addresses() -> set[str]:
    return {each.address for addresses in psutil.net_if_addrs().values() for each in addresses}
