"""Who is reached where."""

from __future__ import annotations

import ipaddress
import socket
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from pacecar.system.cluster import addresses
from pacecar.system.cluster.addresses import address_of, own_address
from pacecar.system.cluster.pods import PodState


def connection(server: str) -> Any:
    return SimpleNamespace(server=server)


def pod(**changes: Any) -> PodState:
    return PodState(name="a", uid="1", phase="Running", address="10.1.2.3", **changes)


def other_than_loopback() -> str:
    found = (each for every in psutil.net_if_addrs().values() for each in every if each.family == socket.AF_INET)
    return next(each.address for each in found if not each.address.startswith("127."))


def test_a_pod_is_reached_at_its_own_address() -> None:
    assert address_of(pod(node_address="10.0.0.9")) == "10.1.2.3"
    assert address_of(pod(node_address=other_than_loopback())) == "10.1.2.3"
    assert address_of(pod(node_address="10.255.255.254", node_network=True)) == "10.1.2.3", "a node that is not ours"


def test_on_loopback_where_its_network_is_ours() -> None:
    assert address_of(pod(node_address=other_than_loopback(), node_network=True)) == "127.0.0.1"


def test_what_the_user_says_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(addresses.OWN, "10.9.9.9")
    assert own_address(connection("https://127.0.0.1:6443"), node_network=False) == "10.9.9.9"


def test_a_cluster_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(addresses.OWN, raising=False)
    on_loopback = connection("https://127.0.0.1:6443")
    assert own_address(on_loopback, node_network=True) == "127.0.0.1"
    reached = own_address(on_loopback, node_network=False)
    # A machine without a default route has nothing better.
    assert not ipaddress.ip_address(reached).is_loopback or addresses._way_to("192.0.2.1", 9) == "127.0.0.1"


def test_a_cluster_elsewhere() -> None:
    own = other_than_loopback()
    assert own_address(connection(f"https://{own}:6443"), node_network=False) == own
