"""The server of a program of ours in a pod: a request is a POST with its token, an answer is JSON or a file."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, TypeVar

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from pacecar.measurement.guard import is_authorized, refuse_strangers
from pacecar.measurement.pods.files import DIGEST, Incoming, Refused

#: Variables of the program: where it listens, its token, and the address of its pod.
PORT, TOKEN, ADDRESS = "PACECAR_SERVER_PORT", "PACECAR_SERVER_TOKEN", "PACECAR_SERVER_ADDRESS"

_MOST_ASKED = 4096
_PIECE_BYTES = 1 << 20
#: How long a connection may be idle: between two pairs of readings lies a whole window.
_IDLE_S = 600.0
_POLL_S = 0.2
_T = TypeVar("_T")
#: The JSON that comes with a question.
RequestBody = dict[str, Any]
#: What answers it, with the body of the answer.
Responder = Callable[[RequestBody], Awaitable[bytes]]


def application(
    *, token: str, incoming: Incoming, answers: Mapping[str, Responder], inside: Middleware | None = None
) -> web.Application:
    """A server that takes files and answers questions.

    Args:
        token: that requests must carry.
        incoming: what takes files.
        answers: path -> what answers.
        inside: sees what an answer raises before anybody else does.
    """

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not is_authorized(request, token):
            return web.Response(status=401, text="wrong or missing token")
        try:
            return await handler(request)
        except Refused as refused:
            return web.Response(status=422, text=str(refused))
        except (KeyError, RecursionError, TypeError, ValueError):
            return web.Response(status=400, text="not a question of ours")

    async def take(request: web.Request) -> web.Response:
        digest = request.headers.get(DIGEST, "")
        await incoming.take(request.match_info["name"], digest, request.content.iter_chunked(_PIECE_BYTES))
        return web.Response()

    app = web.Application(middlewares=[refuse_strangers, guard, *([inside] if inside else [])])
    app.router.add_post("/files/{name:.+}", take)
    for name, answer in answers.items():
        app.router.add_post(f"/{name}", functools.partial(_answered, answer))
    return app


async def handed_out(request: web.Request, file: BinaryIO, pool: ThreadPoolExecutor) -> web.StreamResponse:
    """The answer that is `file`, piece by piece as a thread of `pool` reads it; the file is closed then."""
    with file:
        answer = web.StreamResponse()
        await answer.prepare(request)
        while piece := await in_pool(pool, functools.partial(file.read, _PIECE_BYTES)):
            await answer.write(piece)
        await answer.write_eof()
    return answer


async def in_pool(pool: ThreadPoolExecutor, what: Callable[[], _T]) -> _T:
    """What `what` returns, called by a thread of `pool`."""
    return await asyncio.get_running_loop().run_in_executor(pool, what)


def serve(app: web.Application, *, released: Callable[[], bool], linger_s: float) -> None:
    """Serve where the environment says until we are told to end, and then until nobody needs us, for so long at most.

    The kubelet ends a sidecar once the service's container has ended, however it did; somebody may still want its logs.
    """
    asyncio.run(_serve(app, released, linger_s))


async def _serve(app: web.Application, released: Callable[[], bool], linger_s: float) -> None:
    told, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    runner = web.AppRunner(app, access_log=None, handle_signals=False, keepalive_timeout=_IDLE_S)
    await runner.setup()
    # The pod's own address and its loopback interface: which of both we are reached by is the network's affair.
    for address in dict.fromkeys((os.environ[ADDRESS], "127.0.0.1")):
        await web.TCPSite(runner, address, int(os.environ[PORT])).start()
    await told.wait()
    until = loop.time() + linger_s
    while not released() and loop.time() < until:
        await asyncio.sleep(_POLL_S)
    await runner.cleanup()


async def _answered(answer: Responder, request: web.Request) -> web.Response:
    body = await request.content.read(_MOST_ASKED)
    asked = json.loads(body or b"{}")
    if not isinstance(asked, dict):
        raise ValueError("no question")
    return web.Response(body=await answer(asked), content_type="application/json")
