"""Which ports are free, with real sockets."""

from __future__ import annotations

import errno
import socket

import pytest

from pacecar.measurement.deploy import DeployError, ports


def lacked() -> socket.AddressFamily:
    """An address family that this kernel lacks, as others lack IPv6."""
    for family in (socket.AF_ECONET, socket.AF_WANPIPE, socket.AF_IPX):
        try:
            socket.socket(family).close()
        except OSError as error:
            if error.errno == errno.EAFNOSUPPORT:
                return family
    pytest.skip("this kernel has every address family")


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")])
def test_a_port_on_which_something_listens(family: socket.AddressFamily, address: str) -> None:
    try:
        server = socket.create_server((address, 0), family=family)
    except OSError:
        pytest.skip("this machine has no such address")
    with server:
        port = server.getsockname()[1]
        with pytest.raises(DeployError, match=f"Port {port} is already in use"):
            ports.require_free(port)
    assert ports.require_free(port) == port


def test_on_a_kernel_without_the_family_nothing_listens() -> None:
    assert not ports.accepts(lacked(), "::1", 20_000)
