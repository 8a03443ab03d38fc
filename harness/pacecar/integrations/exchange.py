"""One HTTP exchange after another with a server of the user's, all of them together bounded in time."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

import aiohttp

_ANSWER_BYTES = 1 << 20
_CONNECT_S = 5.0
_ENDING_S = 2.0
_BEGINNING, _END = 60, 200

Result = TypeVar("Result")


class Unanswered(Exception):
    """Why there is no answer, as the end of a sentence that begins with the server's name."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where a server is, and what it wants to be shown.

    Attributes:
        url: its address, without credentials and without a slash at the end.
        headers: credentials and tenant; not part of anything that is printed.
    """

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Status and body, as they came."""

    status: int
    body: bytes


class HttpConnection:
    """A connection to one server for as long as `talk` lets it be used."""

    def __init__(self, server: Server, session: aiohttp.ClientSession) -> None:
        self._server = server
        self._session = session

    async def get(self, path: str, query: Mapping[str, str], *, limit: int = _ANSWER_BYTES) -> Answer:
        """Ask for `path`. Raises Unanswered."""
        return await self._exchange("GET", path, limit=limit, params=dict(query))

    async def post_form(self, path: str, form: Mapping[str, str], *, limit: int = _ANSWER_BYTES) -> Answer:
        """Send a form to `path`. Raises Unanswered."""
        return await self._exchange("POST", path, limit=limit, data=dict(form))

    async def post_json(self, path: str, content: object, *, limit: int = _ANSWER_BYTES) -> Answer:
        """Send JSON to `path`. Raises Unanswered."""
        headers = {"Content-Type": "application/json"}
        return await self._exchange("POST", path, limit=limit, data=json.dumps(content).encode(), headers=headers)

    async def _exchange(self, method: str, path: str, *, limit: int, **content: Any) -> Answer:
        try:
            # A redirect is an answer like any other: following it would show our credentials to whom it names.
            async with self._session.request(
                method, self._server.url + path, allow_redirects=False, **content
            ) as response:
                return Answer(status=response.status, body=await _read(response, limit))
        except TimeoutError as error:
            raise Unanswered("did not answer in time") from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise Unanswered(_why(error)) from error


def talk(server: Server, said: Callable[[HttpConnection], Coroutine[Any, Any, Result]], *, each_s: float) -> Result:
    """Carry out `said` on a thread of its own and return what it returns.

    The calling thread only waits, so that a signal ends the waiting at once and the talk with it.

    Args:
        server: who is talked to.
        said: the talk; bounds its own number of exchanges.
        each_s: longest time of one exchange.
    """
    loop = asyncio.new_event_loop()
    outcome: Future[Result] = Future()
    task = asyncio.Task(_talk(server, said, each_s), loop=loop)

    def run() -> None:
        try:
            outcome.set_result(loop.run_until_complete(task))
        except BaseException as error:  # handed on to whoever waits, whatever it is
            outcome.set_exception(error)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    thread = threading.Thread(target=run, name="pacecar-peer", daemon=True)
    thread.start()
    try:
        return outcome.result()
    except BaseException:
        if not outcome.done():
            loop.call_soon_threadsafe(task.cancel)
        raise
    finally:
        thread.join(_ENDING_S)


async def _talk(server: Server, said: Callable[[HttpConnection], Coroutine[Any, Any, Result]], each_s: float) -> Result:
    limits = aiohttp.ClientTimeout(total=each_s, sock_connect=min(each_s, _CONNECT_S))
    async with aiohttp.ClientSession(
        timeout=limits,
        # What is not packed cannot unpack to more than its size.
        headers={**server.headers, "Accept-Encoding": "identity"},
        auto_decompress=False,
        trust_env=False,
        cookie_jar=aiohttp.DummyCookieJar(),
    ) as session:
        return await said(HttpConnection(server, session))


async def _read(response: aiohttp.ClientResponse, limit: int) -> bytes:
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > limit:
            raise Unanswered(f"answered with more than {limit} bytes")
    return bytes(body)


def _why(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return "presents a certificate that this machine does not trust"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "cannot be reached: its name is not known"
    if isinstance(error, aiohttp.ClientConnectorError):
        number = error.os_error.errno or 0
        return f"cannot be reached: {os.strerror(number) if number > 0 else type(error.os_error).__name__}"
    return f"broke off: {type(error).__name__}"


def plain(text: str) -> str:
    """What a server said, on one line and not long: servers begin with what they complain of and end with why."""
    shown = "".join(letter if letter.isprintable() else " " for letter in text)
    return shown if len(shown) <= _BEGINNING + _END else f"{shown[:_BEGINNING]}...{shown[-_END:]}"
