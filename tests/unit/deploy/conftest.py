from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.custody import Custody
from pacecar.deploy.process import Fork, deploy
from pacecar.experiment import BuildKind, BuildRequest, Readiness, Side, Target

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
def custody() -> Iterator[Custody]:
    with Custody() as held:
        yield held


@pytest.fixture
def target(tmp_path: Path) -> Target:
    service = tmp_path / "service.py"
    service.write_text(SERVICE)
    return Target(
        name="orders",
        command=(sys.executable, str(service), "{port}", "plain"),
        directory=tmp_path,
        env={},
        secrets={},
        port=None,
        ready=Readiness(path="/health", timeout_s=20),
        metrics_path=None,
        application=(),
    )


@pytest.fixture
def mode(target: Target) -> Callable[[str], Target]:
    """The target with something odd about it."""
    return lambda name: replace(target, command=(*target.command[:-1], name))


@pytest.fixture
def request_() -> BuildRequest:
    return BuildRequest(kind=BuildKind.JAR, value="orders.jar", label="orders")


@pytest.fixture
def start(custody: Custody, tmp_path: Path, request_: BuildRequest) -> Callable[..., Fork]:
    """Deploys a target; the fork ends with the test."""

    def run(target: Target, **options: object) -> Fork:
        arguments = {
            "artifact": tmp_path / "orders.jar",
            "request": request_,
            "side": Side.CANDIDATE,
            "folder": tmp_path / "raw",
            "scratch": custody.folder("fork"),
            "custody": custody,
        }
        (tmp_path / "raw").mkdir(exist_ok=True)
        return deploy(target, **{**arguments, **options})  # type: ignore[arg-type]

    return run
