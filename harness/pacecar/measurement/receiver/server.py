"""The receiver: an HTTP server on a thread of its own that the profiling agents upload to.

Every fork gets an address of its own, `http://127.0.0.1:PORT/<fork>`, and a token of its own. Each of its JVMs adds the
id that it has where it runs, and the agent `/ingest`: the path tells forks and JVMs apart, so nothing in an upload has
to be read or trusted for that. Spans go to `/v1/traces` below the address of the fork.
"""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from aiohttp import web
from aiohttp.client_exceptions import ClientError
from aiohttp.http_exceptions import HttpProcessingError

from pacecar.errors import MeasurementError
from pacecar.measurement.guard import LOOPBACK, is_authorized, new_token, refuse_strangers
from pacecar.measurement.receiver.allowance import RUN_BYTES, Allowance
from pacecar.measurement.receiver.inbox import Inbox
from pacecar.measurement.receiver.spool import SPANS_BYTES, About, Limits, Spool, SpoolFull, Sum
from pacecar.system.disk import room_for

_FORK = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PIECE_BYTES = 64 << 10
_POLL_S = 0.1
_START_S = 10.0
_SHUTDOWN_S = 1.0
#: A connection ends when no whole head of a request has come for so long, be it idle or slow. Longer than the agent's
#: usual time between two uploads, so that it need not connect anew.
_IDLE_S = 15
#: How long what follows a refused request is still read, so that whoever sends it sees the answer.
_LINGER_S = 2.0
#: The agent sends a dozen headers, the longest of them its token.
_CONNECTIONS: dict[str, Any] = {
    "keepalive_timeout": _IDLE_S,
    "lingering_time": _LINGER_S,
    "auto_decompress": False,
    "max_headers": 64,
    "max_field_size": 4096,
    "max_line_size": 4096,
}
#: What aiohttp says of a broken request holds pieces of it, a token among them; nobody prints that.
_SILENT = logging.getLogger("pacecar.receiver")
_SILENT.disabled = True
_HEADER_CHARACTERS, _QUERY_CHARACTERS, _PID_DIGITS = 256, 1024, 10
#: OTLP over HTTP, binary: where its traces go, and what they are called.
_TRACES = "v1/traces"
_TRACES_TYPE = "application/x-protobuf"
_QUERY_KEYS = ("name", "from", "until", "format", "spyName", "sampleRate", "units", "aggregationType")


@dataclass(frozen=True, kw_only=True)
class UploadEndpoint:
    """Where one fork's agent uploads to, and the bearer token it must send."""

    url: str
    token: str = field(repr=False)

    @property
    def traces(self) -> str:
        """Where the spans of its requests go, with the same token."""
        return f"{self.url}/{_TRACES}"


class ProfileMissing(MeasurementError):
    """No profile came from a fork that should have sent one."""


class Receiver:
    """Takes uploads of any number of forks. Use as a context manager, or `start` and `stop`.

    Args:
        folder: an empty folder for what arrives; the caller removes it.
        host: address to listen on.
        limits: what one fork, and all of them, may send.
    """

    def __init__(self, folder: Path, *, host: str = "127.0.0.1", limits: Limits | None = None) -> None:
        self._folder = folder
        self._host = host
        self._limits = limits or Limits()
        self._span_limits = replace(self._limits, upload_bytes=SPANS_BYTES)
        self._sent = Sum()
        self._allowance = Allowance(limit=RUN_BYTES, of="a run")
        self._spools: dict[str, Spool] = {}
        self._span_spools: dict[str, Spool] = {}
        self._inboxes: dict[str, Inbox] = {}
        self._tokens: dict[str, str] = {}
        self._sites: dict[str, web.TCPSite] = {}
        self._thread: threading.Thread | None = None
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._failure: OSError | None = None
        self._port = 0
        self._runner: web.AppRunner | None = None

    def __enter__(self) -> Receiver:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """Address of the server itself; agents need that of `fork`."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"

    def start(self) -> None:
        """Listen, on a free port. Raises MeasurementError when that is not possible."""
        self._thread = threading.Thread(target=self._serve, name="pacecar-receiver", daemon=True)
        self._thread.start()
        self._started.wait(_START_S)
        if self._failure is not None:
            raise _cannot_listen(self._host, str(self._failure.strerror)) from self._failure

    def stop(self) -> None:
        """Stop listening; what arrived stays on disk."""
        if self._thread is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._thread = None

    def fork(self, fork: str) -> str:
        """Expect uploads of `fork` (letters, digits, `._-`) and return the server address for its agent.

        The agent must send `token(fork)`.
        """
        if not _FORK.fullmatch(fork) or fork in self._spools:
            raise ValueError(f"not a new fork: {fork!r}")
        folder = self._folder / fork
        self._inboxes[fork] = Inbox(folder, Allowance(whole=self._allowance))
        self._tokens[fork] = new_token()
        self._spools[fork] = Spool(folder, self._limits, self._sent)
        self._span_spools[fork] = Spool(self._span_folder(fork), self._span_limits, self._sent)
        return f"{self.url}/{fork}"

    def token(self, fork: str) -> str:
        """The bearer token that the agent of `fork` must send, and no other."""
        return self._tokens[fork]

    def admit(self, fork: str, *, host: str = "127.0.0.1") -> UploadEndpoint:
        """Like `fork`, for an agent that reaches this machine at `host`.

        Anything but loopback is listened on for this fork alone, until `collect`.

        Raises:
            MeasurementError: when nothing can listen on `host`.
        """
        url = self.fork(fork)
        if host in LOOPBACK:
            return UploadEndpoint(url=url, token=self._tokens[fork])
        listening = asyncio.run_coroutine_threadsafe(self._listen(fork, host), self._loop)
        try:
            port = listening.result(_START_S)
        except (OSError, TimeoutError) as error:
            raise _cannot_listen(host, str(error)) from error
        return UploadEndpoint(url=f"http://{host}:{port}/{fork}", token=self._tokens[fork])

    def wait_until(self, fork: str, end_ns: int, timeout_s: float, *, jvm: int | None = None) -> bool:
        """Wait until a chunk of `fork` reaches `end_ns` (since the epoch). False when none did in `timeout_s`.

        With `jvm`, what others sent is dropped (`Fork.jvm_id`). Opens what has arrived: not for the time of a window.
        """
        inbox = self._inboxes[fork]
        deadline = time.monotonic() + timeout_s
        while True:
            inbox.open_new(jvm)
            if inbox.covered_until_ns >= end_ns:
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_S)

    def collect(
        self, fork: str, destination: Path, *, jvm: int | None = None, required: bool = False
    ) -> tuple[Path, ...]:
        """Move the chunks of `fork` to `destination` and take no more of it.

        Args:
            fork: as given to `fork`.
            destination: folder, made when missing.
            jvm: as for `wait_until`.
            required: whether no chunk at all is an error.

        Returns:
            The files `NNNN.jfr` in the order of arrival; `NNNN.labels.json` lies beside one that had labels.

        Raises:
            ProfileMissing: no chunk came, and one was required.
        """
        self._refuse_more(fork)
        inbox = self._inboxes[fork]
        inbox.open_new(jvm)
        chunks = inbox.move(destination)
        self._remove(fork)
        if required and not chunks:
            raise ProfileMissing(
                f"The profiling agent of {fork} sent no profile.",
                hint="See the agent's lines in the service's log: its profiler library may not be allowed to load.",
            )
        return chunks

    def forget(self, fork: str) -> None:
        """Take no more of `fork` and drop what came, if it was expected at all; it may then be expected anew."""
        self._refuse_more(fork)
        self._remove(fork)

    def spans(self, fork: str, destination: Path) -> tuple[Path, ...]:
        """Move the bodies of the uploads of spans that came so far to `destination`, a new folder; before `collect`.

        Returns:
            The files, as they came, in the order of arrival.
        """
        bodies = sorted(self._span_folder(fork).glob("*.upload"))
        with room_for(destination):
            destination.mkdir(parents=True)
            return tuple(Path(shutil.move(body, destination / body.name)) for body in bodies)

    def notes(self, fork: str) -> tuple[str, ...]:
        """One sentence per upload of `fork` that came but could not be used."""
        return tuple(self._inboxes[fork].unreadable)

    def _refuse_more(self, fork: str) -> None:
        self._spools.pop(fork, None)
        self._span_spools.pop(fork, None)
        if (site := self._sites.pop(fork, None)) is not None:
            asyncio.run_coroutine_threadsafe(site.stop(), self._loop).result(_START_S)

    def _remove(self, fork: str) -> None:
        for folder in (self._folder / fork, self._span_folder(fork)):
            shutil.rmtree(folder, ignore_errors=True)

    def _span_folder(self, fork: str) -> Path:
        return self._folder / f"{fork}.spans"

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.set_exception_handler(_say_nothing)
        app = web.Application(middlewares=[refuse_strangers])
        app.router.add_post("/{fork}/ingest", self._ingest)
        app.router.add_post("/{fork}/{jvm:[^/]+}/ingest", self._ingest)
        app.router.add_post(f"/{{fork}}/{_TRACES}", self._take_spans)
        runner = web.AppRunner(
            app, logger=_SILENT, access_log=None, handle_signals=False, shutdown_timeout=_SHUTDOWN_S, **_CONNECTIONS
        )
        self._runner = runner
        try:
            self._loop.run_until_complete(runner.setup())
            self._loop.run_until_complete(web.TCPSite(runner, self._host, 0).start())
            self._port = runner.addresses[0][1]
            self._started.set()
            self._loop.run_forever()
        except OSError as error:
            self._failure = error
        finally:
            self._started.set()
            self._loop.run_until_complete(runner.cleanup())
            self._loop.close()

    async def _listen(self, fork: str, host: str) -> int:
        assert self._runner is not None  # `start` has returned
        site = web.TCPSite(self._runner, host, 0)
        await site.start()
        self._sites[fork] = site
        return next(int(port) for address, port in self._runner.addresses if address == host)

    async def _ingest(self, request: web.Request) -> web.Response:
        fork = request.match_info["fork"]
        if not is_authorized(request, self._tokens.get(fork)):
            return _answer(401, "wrong or missing token")
        spool = self._spools.get(fork)
        if spool is None:
            # Its profile was collected. The agent of a service that is going down need not hear of an error for that.
            return _answer(200, "too late to be kept")
        about = _about(request)
        if about is None:
            return _answer(400, "not an upload of the profiling agent")
        return await self._spool(request, spool, about)

    async def _take_spans(self, request: web.Request) -> web.Response:
        fork = request.match_info["fork"]
        if not is_authorized(request, self._tokens.get(fork)):
            return _answer(401, "wrong or missing token")
        spool = self._span_spools.get(fork)
        if spool is None:
            return _answer(200, "too late to be kept")
        if request.content_type != _TRACES_TYPE:
            return _answer(415, f"not {_TRACES_TYPE}")
        about = About(received_ns=time.time_ns(), content_type=_TRACES_TYPE, query={})
        return await self._spool(request, spool, about)

    async def _spool(self, request: web.Request, spool: Spool, about: About) -> web.Response:
        try:
            async with asyncio.timeout(self._limits.upload_s):
                await _take(request, spool, about)
        except SpoolFull as error:
            return _answer(413, str(error))
        except TimeoutError:
            return _answer(408, "the upload took too long")
        except (ClientError, HttpProcessingError):
            return _answer(400, "the body is broken")
        except OSError as error:
            return _answer(507, f"the upload could not be stored: {error.strerror}")
        return _answer(200, "")


def _say_nothing(_: asyncio.AbstractEventLoop, __: dict[str, Any]) -> None:
    """What the loop would print of connections that broke, or were open when it stopped."""


def _cannot_listen(host: str, why: str) -> MeasurementError:
    return MeasurementError(f"The profile receiver cannot listen on {host}: {why}.", hint="pacecar doctor")


async def _take(request: web.Request, spool: Spool, about: About) -> None:
    with spool.upload(about) as upload:
        async for piece in request.content.iter_chunked(_PIECE_BYTES):
            upload.write(piece)
        upload.keep()


def _about(request: web.Request) -> About | None:
    content_type = request.headers.get("Content-Type", "")
    query = {key: request.query[key] for key in _QUERY_KEYS if key in request.query}
    if len(content_type) > _HEADER_CHARACTERS or any(len(value) > _QUERY_CHARACTERS for value in query.values()):
        return None
    if query.get("format") != "jfr" or not content_type.startswith("multipart/form-data"):
        return None
    if not all(query.get(key, "0").isdecimal() for key in ("from", "until")):
        return None
    told = request.match_info.get("jvm", "")
    jvm = int(told) if told.isdecimal() and len(told) <= _PID_DIGITS else None
    return About(received_ns=time.time_ns(), content_type=content_type, query=query, jvm=jvm)


def _answer(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=text)
