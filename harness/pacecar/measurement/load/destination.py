"""Load goes to this machine, and to pods that were made to take it."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

from pacecar.measurement.load.errors import LoadError


def require_ours(url: str, made: Collection[str] = ()) -> str:
    """`url` itself, when it is an HTTP address of this machine's loopback interface, or one of `made`.

    Names other than `localhost` are not looked up: what they resolve to may change.

    Args:
        url: where load is to go.
        made: addresses that exist for this run alone, because it has made who has them.

    Raises:
        LoadError: when it is anything else.
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise _refusal(url) from None
    if parts.scheme not in ("http", "https") or not (host in made or _loopback(host)):
        raise _refusal(url)
    return url


def is_loopback(url: str) -> bool:
    """Whether a URL that `require_ours` lets pass is on a loopback interface."""
    return _loopback(urlsplit(url).hostname or "")


def _refusal(url: str) -> LoadError:
    return LoadError(
        f"Pacecar puts load only on this machine, and {url!r} is not a loopback address.",
        hint="Let the target listen on 127.0.0.1.",
    )


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
