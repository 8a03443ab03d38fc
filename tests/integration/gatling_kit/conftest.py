"""A generator and two servers, which the tests of a module share."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer

import pytest

from integration.gatling_kit.sides import SCENARIO, Handler, Servers
from pacecar.inputs.toolchain import gatling_classpath
from pacecar.measurement.load.gatling import jvm
from pacecar.measurement.load.gatling.class_data import class_data
from pacecar.measurement.load.gatling.run import Generator
from pacecar.model.experiment import Side
from pacecar.system import paths
from pacecar.system.resources import Resources


@pytest.fixture(scope="module")
def resources() -> Iterator[Resources]:
    with Resources() as resources:
        yield resources


@pytest.fixture(scope="module")
def generator(resources: Resources, tmp_path_factory: pytest.TempPathFactory) -> Generator:
    classpath = gatling_classpath(SCENARIO, resources=resources, log_dir=tmp_path_factory.mktemp("logs"))
    archive = class_data(classpath, java=paths.java(), resources=resources)
    assert archive is not None
    return Generator(resources=resources, classpath=classpath, sharing=jvm.from_archive(archive))


@pytest.fixture(scope="module")
def both_sides() -> Iterator[Servers]:
    servers, listening = Servers(), []
    for side in Side:
        handler = type("SideHandler", (Handler,), {"side": side, "seen": servers.seen})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever).start()
        listening.append(server)
        servers.urls[side] = f"http://127.0.0.1:{server.server_address[1]}"
    yield servers
    for server in listening:
        server.shutdown()
        server.server_close()


@pytest.fixture
def servers(both_sides: Servers) -> Servers:
    both_sides.seen.clear()
    return both_sides
