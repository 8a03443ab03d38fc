"""A load generator behind its server, both real, without a pod around them; a shell script stands in the place of Java,
and a cluster that always says the same in that of a cluster.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from pacecar.measurement.load.errors import InjectorLost, LoadError
from pacecar.measurement.load.gatling.pod import injector as injectors
from pacecar.measurement.load.gatling.pod import layout
from pacecar.measurement.load.gatling.pod import server as servers
from pacecar.measurement.load.gatling.pod.injector import PodInjector, SentInjector
from pacecar.measurement.load.gatling.pod.server import GatlingServer
from pacecar.measurement.load.gatling.pod.told import Start
from pacecar.measurement.load.injector import LoadShare
from pacecar.measurement.load.load_run import LoadRun
from pacecar.system.cluster.pods import ContainerState, PodState
from pacecar.system.disk import NoRoom
from pacecar.system.resources import Resources

TOKEN = "the token of this generator"
AHEAD_NS = 250_000_000
#: A double holds no finer part of a time of day in ns.
_ROUNDED = 256
#: Says that it is ready, waits for the moment and announces it, sends nothing and says when.
OBEYS = """
echo '{"leadMs": 200}' > ready.partial; mv ready.partial ready.json
until [ -f begin ]; do sleep 0.01; done
printf '{"loadStartMs": %s, "measureStartMs": %s, "sliceMs": 5, "gapMs": 1, "final": true}' \
  $(cat begin) $(($(cat begin) + 9000)) > clock.partial
mv clock.partial clock.json
mkdir -p gatling/1; echo log > gatling/1/simulation.log
echo 'slice,side,endpoint,dueMs,sentMs,answeredMs,number' > arrivals.csv
echo "0,baseline,GET /,$(($(cat begin) + 9001)),$(($(cat begin) + 9002)),$(($(cat begin) + 9005)),1" >> arrivals.csv
echo 'startMs,durationMs' > hiccups.csv
echo "$(($(cat begin) + 9100)),7" >> hiccups.csv
"""


@dataclass
class Cluster:
    """Says that the pod runs, until it is to be gone."""

    there: bool = True
    removed: list[str] = field(default_factory=list)

    def pod(self, name: str) -> PodState | None:
        containers = {"gatling": ContainerState(running=True)}
        state = PodState(
            name=name, uid="uid", phase="Running", node="node-2", address="127.0.0.1", containers=containers
        )
        return state if self.there else None

    def remove(self, label: str) -> None:
        self.removed.append(label)

    def last_lines(self, pod: str, container: str, *, lines: int) -> str:
        return "nothing to see"

    def close(self) -> None:
        pass


@dataclass(frozen=True)
class Running:
    """A server, and how an injector of it is started whose Java is a script."""

    port: int
    shared: Path
    start: Callable[[str], PodInjector]
    cluster: Cluster
    end: Callable[[], None]


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    shared, folder, cluster = tmp_path / "shared", tmp_path / "here", Cluster()
    for each in (shared, folder):
        each.mkdir()
    loop = asyncio.new_event_loop()
    with Resources() as resources:
        runner = web.AppRunner(
            GatlingServer(token=TOKEN, shared=shared, resources=resources).application(), access_log=None
        )
        loop.run_until_complete(runner.setup())
        loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        port = runner.addresses[0][1]

        def start(script: str) -> PodInjector:
            programs = tmp_path / "programs"
            programs.mkdir()
            java = programs / "java"
            java.write_text(f"#!/bin/sh\n{script}\n")
            java.chmod(0o755)
            monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
            return injector(port, folder, cluster)

        def end() -> None:
            if thread.is_alive():
                asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
                loop.call_soon_threadsafe(loop.stop)
                thread.join()

        yield Running(port, shared, start, cluster, end)
        end()
        loop.close()


def injector(port: int, folder: Path, cluster: Any) -> PodInjector:
    start = Start(simulation="shop.Browsing", classpath=["000/kit.jar"], inherit=[], heap_bytes=1 << 26, index=0, of=2)
    (folder / "start.json").write_text(start.model_dump_json())
    (folder / "plan.json").write_text("{}")
    (folder / "kit.jar").write_bytes(b"jar")
    files = {name: folder / name for name in ("start.json", "plan.json")} | {"000/kit.jar": folder / "kit.jar"}
    sent = SentInjector(name="pacecar-1f-injector", uid="uid", port=port, token=TOKEN, files=files)
    return PodInjector(sent, share=LoadShare(index=0, of=2), folder=folder, connection=cluster)


def until_over(run: LoadRun) -> None:
    while not run.over:
        time.sleep(0.02)


def test_it_begins_when_it_is_told_and_its_files_come_here(running: Running, tmp_path: Path) -> None:
    run = LoadRun(injectors=(running.start(OBEYS),))
    clock = run.await_clock(20)
    assert clock.measure_start_ns == clock.load_start_ns + 9_000_000_000
    run.finish(20)
    (record,) = run.records()
    assert record.written
    assert (record.arrivals()["due_ns"] - clock.load_start_ns).tolist() == pytest.approx([9_001_000_000], abs=_ROUNDED)
    assert {path.name for path in record.files.values()} == {"simulation.log", "arrivals.csv", "hiccups.csv"}
    assert (tmp_path / "here" / "generator.log").exists()
    assert record.node is None, "it ran on this machine"
    assert running.cluster.removed == ["dev.pacecar/fork=pacecar-1f-injector"]
    assert (running.shared / "files" / "000" / "kit.jar").read_bytes() == b"jar"


def test_a_clock_that_is_ahead_is_taken_out_again(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "time", SimpleNamespace(time_ns=lambda: time.time_ns() + AHEAD_NS))
    monkeypatch.setattr(injectors, "boot_id", lambda: "another machine")
    run = LoadRun(injectors=(running.start(OBEYS),))
    clock = run.await_clock(20)
    told_ms = int((running.shared / "run" / "begin").read_text())
    ahead_ns = told_ms * 1_000_000 - clock.load_start_ns
    assert abs(ahead_ns - AHEAD_NS) <= 25_000_000
    run.finish(20)
    (record,) = run.records()
    assert (record.node, record.ahead_ns, run.cpu_ns()) == ("node-2", ahead_ns, 0)
    assert (record.arrivals()["due_ns"] - clock.load_start_ns).tolist() == pytest.approx([9_001_000_000], abs=_ROUNDED)
    assert (record.hiccups()["start_ns"] - clock.load_start_ns).tolist() == pytest.approx([9_100_000_000], abs=_ROUNDED)


def test_a_clock_that_jumps_loses_the_pair(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = iter([0] * 40)
    monkeypatch.setattr(servers, "time", SimpleNamespace(time_ns=lambda: time.time_ns() + next(steps, AHEAD_NS)))
    monkeypatch.setattr(injectors, "boot_id", lambda: "another machine")
    run = LoadRun(injectors=(running.start(f"{OBEYS} sleep 1"),))
    run.await_clock(20)
    until_over(run)
    with pytest.raises(InjectorLost, match=r"Injector 1 of 2 has a clock that jumped by 2\d\d ms"):
        run.finish(20)


def test_one_that_fails_says_why_as_it_would_here(running: Running, tmp_path: Path) -> None:
    run = LoadRun(injectors=(running.start('echo "Caused by: shop.Broken: no such user" >&2; exit 1'),))
    with pytest.raises(LoadError, match=r"while it ran shop\.Browsing: Broken: no such user") as caught:
        run.await_clock(20)
    assert str(tmp_path / "here") in (caught.value.hint or "")


def test_one_that_is_killed_is_lost(running: Running) -> None:
    run = LoadRun(injectors=(running.start("kill -KILL $$"),))
    with pytest.raises(InjectorLost, match=r"Injector 1 of 2 was killed by SIGKILL\."):
        run.await_clock(20)


def test_one_whose_pod_is_deleted_is_lost(running: Running) -> None:
    run = LoadRun(injectors=(running.start(f"{OBEYS} sleep 60"),))
    run.await_clock(20)
    running.cluster.there = False
    running.end()
    with pytest.raises(InjectorLost, match=r"Injector 1 of 2 is gone: somebody has deleted its pod\."):
        until_over(run)
    run.close()


def test_one_that_is_silent_is_lost(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(injectors, "_SILENCE_S", 0.0)
    run = LoadRun(injectors=(running.start(f"{OBEYS} sleep 60"),))
    run.await_clock(20)
    running.end()
    with pytest.raises(InjectorLost, match=r"Injector 1 of 2 is lost: The load generator at 127.0.0.1 does not answer"):
        until_over(run)
    run.close()


def test_one_that_is_ended_early_leaves_what_it_has(running: Running) -> None:
    run = LoadRun(injectors=(running.start(f"{OBEYS} sleep 60"),))
    run.await_clock(20)
    time.sleep(0.2)
    run.close()
    (record,) = run.records()
    assert record.written


def test_a_full_disk_is_told_and_the_pod_goes_all_the_same(running: Running, tmp_path: Path) -> None:
    run = LoadRun(injectors=(running.start(OBEYS),))
    run.await_clock(20)
    written = running.shared / "run" / "gatling" / "1" / "simulation.log"
    while not (written.exists() and written.stat().st_size):
        time.sleep(0.02)
    for name in ("simulation.log", "generator.log"):
        (tmp_path / "here" / f"{name}.part").symlink_to("/dev/full")
    with pytest.raises(NoRoom, match=r"No room to store .*\.log: No space left on device"):
        run.close()
    assert running.cluster.removed == ["dev.pacecar/fork=pacecar-1f-injector"]


@pytest.mark.hostile
@pytest.mark.parametrize("path", ["/start", "/standing", "/files/plan.json", "/left", "/left/generator.log", "/end"])
def test_nobody_without_the_token_is_answered(running: Running, path: str) -> None:
    for wrong in ("", "Bearer wrong", TOKEN):
        assert _post(running.port, path, Authorization=wrong) == 401
    assert not (running.shared / "run").exists()


@pytest.mark.hostile
def test_nothing_is_handed_out_but_what_gatling_has_left(running: Running, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    run = LoadRun(injectors=(running.start(f"{OBEYS} touch written; sleep 60"),))
    run.await_clock(20)
    while not (running.shared / "run" / "written").exists():
        time.sleep(0.02)
    for name in ("plan.json", "..%2F..%2Fsecret", "start.json", "nothing"):
        assert _post(running.port, f"/left/{name}") in (404, 422), name
    # A link that leads out of the folder, which the simulation could have made.
    (running.shared / "run" / "hiccups.csv").unlink()
    (running.shared / "run" / "hiccups.csv").symlink_to(tmp_path / "secret")
    assert _post(running.port, "/left/hiccups.csv") == 422
    run.close()


@pytest.mark.hostile
@pytest.mark.parametrize(
    "start", [b"", b"{}", b"[" * 100_000, b"\xff", json.dumps({"simulation": 3}).encode()], ids=range(5)
)
def test_what_is_no_start_starts_nothing(running: Running, start: bytes) -> None:
    (running.shared / "files").mkdir()
    (running.shared / layout.FILES.name / layout.START).write_bytes(start)
    assert _post(running.port, "/start") == 400
    assert _post(running.port, "/begin", b'{"at_ns": 1}') == 422


def _post(port: int, path: str, body: bytes = b"{}", **headers: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", path, body, {"Authorization": f"Bearer {TOKEN}", **headers})
    status = connection.getresponse().status
    connection.close()
    return status
