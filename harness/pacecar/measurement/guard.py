"""Who may speak to a server of ours: whoever has the token, and no browser.

A page that somebody looks at on this machine can send requests to loopback, too. It cannot know a token; besides, what
only browsers send is refused before anything else is looked at, and so is a `Host` that is not where the request came
in, which is what a name that was made to point here (DNS rebinding) looks like.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable

from aiohttp import hdrs, web

LOOPBACK = ("127.0.0.1", "::1", "localhost")

_FETCH_METADATA = "Sec-Fetch-"
_BROWSER = (hdrs.ORIGIN, "Sec-GPC", "Sec-Purpose", hdrs.REFERER, hdrs.COOKIE)
_TOKEN_BYTES = 32
_METHODS = ("POST",)
#: How a body may come; the second is how its length is told.
_PLAIN = ("identity", "chunked")


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def is_authorized(request: web.Request, token: str | None) -> bool:
    """Whether the request carries the token. Takes equally long for a wrong one and for a fork without any."""
    given = request.headers.getall(hdrs.AUTHORIZATION, [])
    expected = new_token() if token is None else token
    sent = given[0] if len(given) == 1 else ""
    return hmac.compare_digest(sent.encode("utf-8", "surrogateescape"), f"Bearer {expected}".encode())


@web.middleware
async def refuse_strangers(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuse browsers, foreign hosts and other methods, whatever the path. No answer allows another origin."""
    if any(name in request.headers for name in _BROWSER) or any(
        name.lower().startswith(_FETCH_METADATA.lower()) for name in request.headers
    ):
        return _refusal(403, "no requests of browsers")
    if request.headers.getall(hdrs.HOST, []) not in [[host] for host in _hosts(request)]:
        return _refusal(421, "a request for another host")
    if request.method not in _METHODS:
        return _refusal(405, "no such method", allow=", ".join(_METHODS))
    encodings = [
        *request.headers.getall(hdrs.CONTENT_ENCODING, []),
        *request.headers.getall(hdrs.TRANSFER_ENCODING, []),
    ]
    if any(encoding.lower() not in _PLAIN for encoding in encodings):
        # It would be unpacked on the way in, while a window is measured.
        return _refusal(415, "no encoded bodies")
    return await handler(request)


def _hosts(request: web.Request) -> list[str]:
    """What the address that the request came in by is called."""
    local = request.transport.get_extra_info("sockname") if request.transport else None
    if not local:
        return []
    address, port = str(local[0]), local[1]
    names = [address, "localhost"] if address in LOOPBACK else [address]
    return [f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names]


def _refusal(status: int, text: str, *, allow: str | None = None) -> web.Response:
    response = web.Response(status=status, text=text, headers={hdrs.ALLOW: allow} if allow else None)
    # What else came over this connection, a body that nobody reads above all, goes with it.
    response.force_close()
    return response
