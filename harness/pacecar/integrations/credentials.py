"""What a server wants to know of us: only ever from the environment, so that no file and no recording holds it.

    PACECAR_PROMETHEUS_TOKEN                            bearer token
    PACECAR_PROMETHEUS_USER, PACECAR_PROMETHEUS_PASSWORD   basic authentication
    PACECAR_PROMETHEUS_TENANT                           X-Scope-OrgID of servers with tenants

and the same with PYROSCOPE.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from contextlib import contextmanager

from pacecar.errors import UsageError
from pacecar.integrations.exchange import Server

_KINDS = ("TOKEN", "USER", "PASSWORD", "TENANT")


class CredentialsError(UsageError):
    """The environment variables for a server contradict each other, or hold what no header can."""


def server(url: str, *, kind: str) -> Server:
    """The server at `url` with the credentials of its `kind`, `PROMETHEUS` or `PYROSCOPE`.

    Raises:
        CredentialsError: when a variable makes no sense.
    """
    token, user, password, tenant = _given(kind)
    headers: dict[str, str] = {}
    if token and (user or password):
        raise CredentialsError(
            f"Both {_name(kind, 'TOKEN')} and {_name(kind, 'USER')} or _PASSWORD are set.",
            hint="Keep the one the server wants, and unset the other.",
        )
    if token:
        headers["Authorization"] = f"Bearer {token}"
    elif user or password:
        headers["Authorization"] = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
    if tenant:
        headers["X-Scope-OrgID"] = tenant
    return Server(url=url, headers=headers)


@contextmanager
def withdrawn() -> Iterator[None]:
    """Without any of these variables in the environment, those of servers that nobody asked for too.

    Builds, services and load generators that are started within need not see them. Afterwards they are there again: a
    process may measure more than once, as a search does, and two tiers of one comparison.
    """
    taken = {name: os.environ.pop(name) for name in variables() if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(taken)


def variables() -> tuple[str, ...]:
    """The names of all of them."""
    return tuple(_name(kind, each) for kind in ("PROMETHEUS", "PYROSCOPE") for each in _KINDS)


def _given(kind: str) -> tuple[str, ...]:
    values = tuple(os.environ.get(_name(kind, each), "") for each in _KINDS)
    for each, value in zip(_KINDS, values, strict=True):
        if each in ("TOKEN", "TENANT") and not (value.isascii() and value.isprintable()):
            raise CredentialsError(
                f"{_name(kind, each)} holds a character that is not allowed in an HTTP header.",
                hint="Look for a line break at its end.",
            )
    return values


def _name(kind: str, each: str) -> str:
    return f"PACECAR_{kind}_{each}"
