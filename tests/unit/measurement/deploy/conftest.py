from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from pacecar.measurement.deploy.process.fork import ProcessFork
from pacecar.model.experiment import BuildKind, BuildRequest, Target
from pacecar.system.resources import Resources
from support.process_forks import command_of, commanded, deployed, order_of, target_of

#: A service of a few lines. Arguments: port, and what is odd about it.
SERVICE = """
import http.server, json, os, signal, sys, time
port, mode = int(sys.argv[1]), sys.argv[2]
print("starting in mode", mode, flush=True)
if mode == "exits":
    sys.exit("cannot open the database")
if mode == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if mode == "silent":
    time.sleep(60)

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if mode == "garbage":
            self.wfile.write(b"hello" * 100_000)
            return
        self.send_response({"broken": 503, "redirect": 302}.get(mode, 200))
        self.send_header("Location", "http://127.0.0.1:1/")
        self.end_headers()
        self.wfile.write(json.dumps({"env": dict(os.environ), "cwd": os.getcwd(), "pid": os.getpid()}).encode())
        if self.path == "/die":
            print("java.lang.OutOfMemoryError: Java heap space", flush=True)
            os._exit(3)
    def log_message(self, *arguments):
        pass

http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def resources() -> Iterator[Resources]:
    with Resources() as held:
        yield held


@pytest.fixture
def target(tmp_path: Path) -> Target:
    service = tmp_path / "service.py"
    service.write_text(SERVICE)
    return target_of(sys.executable, str(service), "{port}", "plain", directory=tmp_path)


@pytest.fixture
def mode(target: Target) -> Callable[[str], Target]:
    """The target with something odd about it."""
    return lambda name: commanded(target, *command_of(target)[:-1], name)


@pytest.fixture
def request_() -> BuildRequest:
    return BuildRequest(kind=BuildKind.JAR, value="orders.jar", label="orders")


@pytest.fixture
def start(resources: Resources, tmp_path: Path, request_: BuildRequest) -> Callable[..., ProcessFork]:
    """Deploys a target; the fork ends with the test."""

    def run(
        target: Target,
        *,
        agents: tuple[str, ...] = (),
        agent_env: Mapping[str, str] | None = None,
        **changes: object,
    ) -> ProcessFork:
        (tmp_path / "raw").mkdir(exist_ok=True)
        order = order_of(
            tmp_path / "orders.jar",
            **{"folder": tmp_path / "raw", "scratch": resources.folder("fork"), "request": request_, **changes},  # type: ignore[arg-type]
        )
        return deployed(target, order, resources=resources, agents=agents, agent_env=agent_env)

    return run
