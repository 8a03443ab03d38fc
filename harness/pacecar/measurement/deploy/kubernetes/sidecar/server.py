"""The server of a sidecar: what it answers about the service of its pod."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from pacecar.measurement.deploy.age import age_s
from pacecar.measurement.deploy.jvm import describe, gc_log, runs, version_in
from pacecar.measurement.deploy.kubernetes.sidecar import layout
from pacecar.measurement.deploy.kubernetes.sidecar.found import FoundService, find_service
from pacecar.measurement.deploy.live_heap import live_heap
from pacecar.measurement.pods.files import Incoming, Refused
from pacecar.measurement.pods.serving import RequestBody, Responder, application, handed_out, in_pool
from pacecar.measurement.probes.process import ProcessGone
from pacecar.measurement.watch import wire
from pacecar.measurement.watch.local import LocalWatch
from pacecar.measurement.watch.watch import Watched
from pacecar.system.foreign import files
from pacecar.system.resources import Resources

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MOST_LOGS, _MOST_LOG = 20, 64 << 20
_LONGEST_S = 300.0


class Sidecar:
    """The service beside it, and whoever asks for it.

    Args:
        token: that requests must carry.
        port: where the service listens.
        shared: the volume that it shares with the service, see `layout`.
        resources: of the programs that ask its JVM.
    """

    def __init__(self, *, token: str, port: int, shared: Path, resources: Resources) -> None:
        self._token = token
        self._port = port
        self._resources = resources
        self._scratch, self._logs, self._completed = shared / "run", shared / "log", shared / "complete"
        self._incoming = Incoming(shared / "files")
        for folder in (self._scratch, self._logs):
            folder.mkdir(exist_ok=True)
        #: Everything was fetched: nobody needs us any more.
        self.released = False
        self._found: FoundService | None = None
        # Readings one after the other, beside what a JVM is asked for in words, which may take long.
        self._reading, self._asking = ThreadPoolExecutor(1), ThreadPoolExecutor(1)

    def application(self) -> web.Application:
        """The server."""
        app = application(token=self._token, incoming=self._incoming, answers=self._answers(), inside=self._gone)
        app.router.add_post("/logs/{name}", self._log)
        return app

    def _answers(self) -> dict[str, Responder]:
        def read(what: Callable[[RequestBody], bytes]) -> Responder:
            return lambda asked: in_pool(self._reading, functools.partial(what, asked))

        def ask(what: Callable[[RequestBody], bytes]) -> Responder:
            return lambda asked: in_pool(self._asking, functools.partial(what, asked))

        return {
            "complete": read(self._complete),
            "release": read(self._release),
            "status": read(self._status),
            "edge": read(
                lambda asked: wire.packed(self._watch(asked).at_edge(asked["edge"], page_within_s=_within(asked)))
            ),
            "counters": read(lambda asked: wire.packed(self._watch(asked).counters())),
            "warmth": read(lambda asked: wire.packed(self._watch(asked).warmth())),
            "page": read(lambda asked: wire.packed_page(self._watch(asked).page())),
            "rehearse": read(self._rehearse),
            "heap": ask(self._heap),
            "jvm": ask(self._jvm),
            "logs": ask(self._logged),
        }

    @web.middleware
    async def _gone(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except ProcessGone:
            self._found = None
            return web.Response(status=layout.GONE, text="the service is gone")

    def _logged(self, asked: RequestBody) -> bytes:
        """Names of the logs of one JVM, or of every one: a launcher, or what the service starts, has its own."""
        jvm = asked["jvm"]
        wanted = "gc-*" if jvm is None else f"{gc_log(self._logs, int(jvm)).name}*"
        return json.dumps([log.name for log in islice(self._logs.glob(wanted), _MOST_LOGS)]).encode()

    async def _log(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if not name.startswith("gc-") or "/" in name:
            raise Refused("no log of collections")

        try:
            # The service could write there, links included.
            log = files.opened(self._logs / name, most=_MOST_LOG, inside=self._logs)
        except OSError:
            raise Refused("no such log") from None
        return await handed_out(request, log, self._asking)

    def _complete(self, _: RequestBody) -> bytes:
        self._completed.touch()
        return b"{}"

    def _release(self, _: RequestBody) -> bytes:
        self.released = True
        return b"{}"

    def _status(self, _: RequestBody) -> bytes:
        """See `connected.Status`."""
        try:
            found = self._service()
        except ProcessGone:
            found = None
        age, jvm = (None, None) if found is None else (age_s(found.first), found.jvm_id)
        now = {"time_ns": time.time_ns(), "boot": _BOOT.read_text().strip()}
        return json.dumps({**now, "age_s": age, "jvm": jvm}).encode()

    def _service(self) -> FoundService:
        if self._found is None or not runs(self._found.process):
            self._found = find_service(port=self._port, socket=self._scratch / "counters.sock")
        if self._found is None:
            raise ProcessGone(0)
        return self._found

    def _watch(self, asked: RequestBody) -> LocalWatch:
        path = asked["metrics_path"]
        if path is not None and not (isinstance(path, str) and path.startswith("/")):
            raise ValueError(path)
        calls, in_windows = (asked[each] is True for each in ("calls", "calls_in_windows"))
        return LocalWatch(self._service(), Watched(metrics_path=path, calls=calls, calls_in_windows=in_windows))

    def _rehearse(self, asked: RequestBody) -> bytes:
        self._watch(asked).rehearse(within_s=min(_LONGEST_S, float(asked["within_s"])))
        return b"{}"

    def _heap(self, asked: RequestBody) -> bytes:
        found, timeout_s = self._service(), min(_LONGEST_S, float(asked["timeout_s"]))
        kept = live_heap(
            found.process, socket=found.socket, resources=self._resources, folder=self._answers_in, timeout_s=timeout_s
        )
        return json.dumps(None if kept is None else asdict(kept)).encode()

    def _jvm(self, _: RequestBody) -> bytes:
        found = self._service()
        told = describe(found.process, resources=self._resources, folder=self._answers_in)
        # One without jcmd beside us, or that belongs to somebody else, cannot be asked.
        version = told.version or version_in(gc_log(self._logs, found.jvm_id))
        return json.dumps({"flags": told.flags, "version": version}).encode()

    @functools.cached_property
    def _answers_in(self) -> Path:
        return self._resources.folder("jcmd")


def _within(asked: RequestBody) -> float | None:
    within_s = asked["page_within_s"]
    return None if within_s is None else min(_LONGEST_S, float(within_s))
