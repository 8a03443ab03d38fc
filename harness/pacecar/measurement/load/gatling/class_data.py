"""Gatling's classes as a JVM has read and checked them once: an archive, with which it is up in half the time.

The JVM maps the archive in place of reading some thousand classes from a hundred jars (class data sharing, JEP 350). It
holds the archive against the class path, and does without it where one jar is another.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from pacecar.inputs.toolchain.store import digest, product
from pacecar.measurement.load import load_run
from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.gatling import jvm
from pacecar.measurement.load.gatling.generator import Gatling
from pacecar.measurement.load.gatling.run import Generator
from pacecar.measurement.load.injector import SlicedLoad
from pacecar.model.experiment import Plan, Side
from pacecar.model.scenario import Endpoint, LoadModel, Scenario
from pacecar.system.resources import Resources

_PRODUCT = "class-data"
_ARCHIVE = "gatling.jsa"
_START_S, _END_S = 60.0, 120.0
#: A second of load: what is sent once has loaded what sends it.
_PLAN = Plan(
    pairs=1,
    side_s=0.5,
    slice_s=0.5,
    gap_s=0.1,
    warmup_s=1.0,
    burst_s=0.5,
    burst_users=1,
    seed=1,
    pin=False,
    steady=False,
)
_SCENARIO = Scenario(
    simulation="dev.pacecar.scenarios.EndpointMix",
    module=None,
    jar=None,
    sliced=True,
    model=LoadModel.OPEN,
    rate_per_s=20.0,
    users=1,
    think_time_s=0.0,
    endpoints=(Endpoint(name="GET /", method="GET", path="/", weight=1.0),),
)


def class_data(classpath: Sequence[Path], *, java: Path, resources: Resources) -> Path | None:
    """The archive for Gatling on `classpath`, which is the kit's own; some seconds the first time, then milliseconds.

    None where this JVM makes none. It is asked once.

    Args:
        classpath: jars, in their order.
        java: program that will run Gatling.
        resources: nobody removes the archive before they end.

    Raises:
        ToolchainError: when the archive is not what it was when it was made.
    """

    def make(folder: Path) -> None:
        try:
            _rehearse(folder / _ARCHIVE, Generator(resources=resources, classpath=classpath, java=java))
        except LoadError:
            (folder / _ARCHIVE).unlink(missing_ok=True)

    made = product(_PRODUCT, key=_key(classpath, java), make=make, resources=resources)
    archive = made.folder / _ARCHIVE
    return archive if archive.is_file() else None


def _key(classpath: Sequence[Path], java: Path) -> str:
    """What the JVM holds an archive against: itself, and place, size and time of each jar, in whole seconds, which is
    all that most archives of files keep.
    """
    program = java.resolve()
    files = (program, *program.parent.parent.glob("lib/modules"), *classpath)
    facts = [(str(file), file.stat()) for file in files]
    return digest([], *(f"{name} {fact.st_size} {int(fact.st_mtime)}" for name, fact in facts))


def _rehearse(archive: Path, generator: Generator) -> None:
    """Have Gatling send a second of load to a server of ours, and its JVM keep what it loaded for that."""
    folder = generator.resources.folder("rehearsal")
    gatling = Gatling(_SCENARIO, process=replace(generator, sharing=jvm.archiving(archive)))
    with _server() as url:
        load = SlicedLoad(plan=_PLAN, order=(Side.BASELINE,), urls={Side.BASELINE: url}, seed=1)
        with load_run.sliced(gatling, folder, load) as run:
            run.await_clock(_START_S)
            run.finish(_END_S)


class _Answer(BaseHTTPRequestHandler):
    """Says that all is well."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Called by the server."""
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def _server() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
