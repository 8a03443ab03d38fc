"""The server in the pod of a load generator: starts Gatling once, says how it stands, hands out what it leaves."""

from __future__ import annotations

import functools
import json
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aiohttp import web

from pacecar.measurement.load.errors import InjectorLost, LoadError
from pacecar.measurement.load.gatling.pod import layout
from pacecar.measurement.load.gatling.pod.told import FOLDER, BlocksTold, ClockTold, Failure, GatlingStatus, Left, Start
from pacecar.measurement.load.gatling.run import GatlingRun, Generator
from pacecar.measurement.load.injector import LoadShare
from pacecar.measurement.pods.files import Incoming, Refused
from pacecar.measurement.pods.serving import RequestBody, Responder, application, handed_out, in_pool
from pacecar.measurement.probes.gc_log import parts_of
from pacecar.system.cluster.addresses import boot_id
from pacecar.system.foreign import files
from pacecar.system.resources import Resources

_MOST_BYTES = 2 << 30
_MOST_TOLD = 1 << 20


class GatlingServer:
    """Gatling, and whoever asks for it.

    Args:
        token: that requests must carry.
        shared: the folder that everything lies in, see `layout`.
        resources: of Gatling.
    """

    def __init__(self, *, token: str, shared: Path, resources: Resources) -> None:
        self._token = token
        self._resources = resources
        self._files, self._folder = shared / layout.FILES.name, shared / layout.RUN.name
        self._incoming = Incoming(self._files)
        self._run: GatlingRun | None = None
        # One after the other: what is asked of one process does not contend for it.
        self._asking = ThreadPoolExecutor(1)

    def application(self) -> web.Application:
        """The server."""
        app = application(token=self._token, incoming=self._incoming, answers=self._answers())
        app.router.add_post("/left/{name}", self._hand_out)
        return app

    def _answers(self) -> dict[str, Responder]:
        def answer(what: Callable[[RequestBody], Any]) -> Responder:
            return lambda asked: in_pool(self._asking, lambda: json.dumps(what(asked)).encode())

        return {
            "start": answer(self._start),
            "standing": answer(lambda _: self._standing().model_dump(mode="json")),
            "begin": answer(lambda asked: self._started.begin(int(asked["at_ns"]))),
            "burst": answer(lambda asked: self._started.end_burst(int(asked["at_ns"]))),
            "open": answer(lambda asked: self._started.open_blocks(int(asked["count"]))),
            "end-blocks": answer(lambda _: self._started.end_blocks()),
            "blocks": answer(lambda _: self._blocks().model_dump(mode="json")),
            "end": answer(lambda _: self._started.close()),
            "left": answer(
                lambda _: Left(files={path.name: path.stat().st_size for path in self._left()}).model_dump()
            ),
        }

    @property
    def _started(self) -> GatlingRun:
        if self._run is None:
            raise Refused("nothing was started")
        return self._run

    def _start(self, _: RequestBody) -> None:
        if self._run is not None:
            raise Refused("it was started already")
        start = Start.model_validate_json(files.content(self._files / layout.START, most=_MOST_TOLD))
        self._folder.mkdir(exist_ok=True)
        plan = self._folder / layout.PLAN
        shutil.copyfile(self._files / layout.PLAN, plan)
        generator = Generator(
            resources=self._resources,
            classpath=[self._files / entry for entry in start.classpath],
            inherit=start.inherit,
            heap_bytes=start.heap_bytes,
        )
        share = LoadShare(index=start.index, of=start.of)
        self._run = GatlingRun.start_sliced(plan, simulation=start.simulation, generator=generator, share=share)

    def _standing(self) -> GatlingStatus:
        run, now = self._run, functools.partial(GatlingStatus, time_ns=time.time_ns(), boot=boot_id())
        if run is None:
            return now(status=None, cpu_ns=0, lead_ns=None, clock=None, sent={}, failure=None)
        status = run.poll()
        clock, failure = self._clock(run)
        return now(
            status=status,
            cpu_ns=run.cpu_ns(),
            lead_ns=run.lead_ns(),
            clock=clock,
            sent=run.sent(),
            failure=failure if status is None else self._failure_of(run) or failure,
        )

    def _clock(self, run: GatlingRun) -> tuple[ClockTold | None, Failure | None]:
        try:
            clock = run.clock()
        except LoadError as error:
            return None, self._failure(error)
        return (None if clock is None else ClockTold(**asdict(clock))), None

    def _failure_of(self, run: GatlingRun) -> Failure | None:
        """Why a Gatling that has ended did so."""
        try:
            run.finish(timeout_s=0)
        except LoadError as error:
            return self._failure(error)
        return None

    def _failure(self, error: LoadError) -> Failure:
        hint = (error.hint or "").replace(str(self._folder), FOLDER) or None
        return Failure(message=error.message, hint=hint, lost=isinstance(error, InjectorLost))

    def _blocks(self) -> BlocksTold:
        blocks = self._started.blocks()
        return BlocksTold(operations=blocks.operations, answered=list(blocks.answered))

    def _left(self) -> Iterator[Path]:
        run = self._started
        record = run.record()
        yield from record.files.values()
        yield from parts_of(record.gc_log)
        yield run.log

    async def _hand_out(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        path = next(
            (path for path in await in_pool(self._asking, lambda: list(self._left())) if path.name == name), None
        )
        if path is None:
            raise Refused("no file of Gatling's")
        try:
            # The simulation could write there, links included.
            file = files.opened(path, most=_MOST_BYTES, inside=self._folder)
        except OSError:
            raise Refused("no such file") from None
        return await handed_out(request, file, self._asking)
