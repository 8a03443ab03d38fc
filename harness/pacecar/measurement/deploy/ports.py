"""A loopback port for a fork."""

from __future__ import annotations

import errno
import random
import socket

from pacecar.measurement.deploy import DeployError
from pacecar.model.check import Check

#: Below the ports that Linux gives to outgoing connections (32768 and up), of which a load generator opens thousands.
_FIRST, _LAST = 20_000, 31_999
_ATTEMPTS = 200
_LOOPBACK = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))

#: A fork listens only seconds after it got its port; until then nobody but us knows that it is taken.
_handed_out: set[int] = set()


def free_port() -> int:
    """A port on which nothing listens and which nobody else in this process was given.

    Raises:
        DeployError: when none is found.
    """
    for _ in range(_ATTEMPTS):
        port = random.randint(_FIRST, _LAST)  # noqa: S311  any port will do
        if port not in _handed_out and _can_listen(port):
            _handed_out.add(port)
            return port
    raise DeployError(f"There is no free port between {_FIRST} and {_LAST}.", hint="See what listens: ss -ltn")


def require_free(port: int) -> int:
    """`port`, when nothing accepts connections on it.

    Raises:
        DeployError: when something does.
    """
    if any(accepts(family, address, port) for family, address in _LOOPBACK):
        raise DeployError(
            f"Port {port} is already in use.",
            hint="Stop what listens there, or let Pacecar choose: use {port} in the target's command or env "
            f"and leave out the fixed port. To see who it is: ss -ltnp 'sport = :{port}'",
        )
    return port


def accepts(family: socket.AddressFamily, address: str, port: int) -> bool:
    """Whether something accepts connections there; nothing does where the kernel lacks the `family`, such as IPv6."""
    try:
        probe = socket.socket(family)
    except OSError as error:
        if error.errno == errno.EAFNOSUPPORT:
            return False
        raise
    with probe:
        probe.settimeout(1.0)
        return probe.connect_ex((address, port)) == 0


def checks(port: int | None) -> tuple[Check, ...]:
    """Whether a fixed `port` is free; nothing where any port will do."""
    if port is None:
        return ()
    try:
        require_free(port)
    except DeployError as error:
        return (Check(name="port", ok=False, found=error.message, remedy=error.hint),)
    return (Check(name="port", ok=True, found=f"nothing listens on {port}"),)


def _can_listen(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
