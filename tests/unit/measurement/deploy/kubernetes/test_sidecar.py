"""The server of a sidecar, without a pod around it: who may ask, which files it takes, what it hands out."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import pytest
from aiohttp import web

from pacecar.measurement.deploy.kubernetes import connected
from pacecar.measurement.deploy.kubernetes.connected import RemoteWatch, SidecarLost
from pacecar.measurement.deploy.kubernetes.sidecar.server import Sidecar
from pacecar.measurement.probes.process import ProcessGone
from pacecar.measurement.watch import wire
from pacecar.measurement.watch.reading import CounterReading
from pacecar.measurement.watch.watch import Watched
from pacecar.system.resources import Resources
from support.watched_forks import ourselves

TOKEN = "the token of this fork"


@dataclass(frozen=True)
class Running:
    folder: Path
    port: int
    client: connected.SidecarClient

    def post(self, path: str, body: bytes = b"{}", method: str = "POST", **headers: str) -> int:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body, {"Authorization": f"Bearer {TOKEN}", **headers})
        status = connection.getresponse().status
        connection.close()
        return status


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    shared = tmp_path / "shared"
    shared.mkdir()
    loop = asyncio.new_event_loop()
    with Resources() as resources:
        sidecar = Sidecar(token=TOKEN, port=1, shared=shared, resources=resources)
        runner = web.AppRunner(sidecar.application(), access_log=None)
        loop.run_until_complete(runner.setup())
        loop.run_until_complete(web.TCPSite(runner, "127.0.0.1", 0).start())
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        port = runner.addresses[0][1]
        client = connected.SidecarClient(host="127.0.0.1", port=port, token=TOKEN)
        yield Running(shared, port, client)
        client.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(runner.cleanup())
        loop.close()


def digest(content: bytes) -> dict[str, str]:
    return {"X-Content-SHA256": hashlib.sha256(content).hexdigest()}


@pytest.mark.hostile
@pytest.mark.parametrize("path", ["/status", "/complete", "/files/jar", "/logs", "/logs/gc-1.log", "/edge", "/nothing"])
def test_nobody_without_the_token_is_answered(running: Running, path: str) -> None:
    for wrong in ("", "Bearer ", "Bearer wrong", f"Basic {TOKEN}", TOKEN):
        assert running.post(path, Authorization=wrong) == 401
    assert {path.name for path in running.folder.rglob("*")} == {"run", "log"}


@pytest.mark.hostile
def test_browsers_and_other_hosts_are_refused(running: Running) -> None:
    assert running.post("/status", Origin="http://127.0.0.1") == 403
    assert running.post("/status", Host="rebound.example") == 421
    assert running.post("/status", method="GET") == 405


def test_files_arrive_whole(running: Running, tmp_path: Path) -> None:
    jar = tmp_path / "orders.jar"
    jar.write_bytes(bytes(range(256)) * 20_000)
    running.client.put("0/orders.jar", jar)
    running.client.put("jar/lib/some lib-1.0$x.jar", jar)
    for name in ("0/orders.jar", "jar/lib/some lib-1.0$x.jar"):
        assert (running.folder / "files" / name).read_bytes() == jar.read_bytes()
    assert not (running.folder / "complete").exists()
    running.client.complete()
    assert (running.folder / "complete").exists()


@pytest.mark.hostile
@pytest.mark.parametrize(
    "name",
    ["../run/x", "a/../../x", "%2e%2e/x", "/etc/x", "a//b", ".hidden", "a" * 201, "/".join("abcdefghijklmn"), "a%00b"],
)
def test_no_file_lands_elsewhere(running: Running, name: str) -> None:
    assert running.post(f"/files/{name}", b"x", **digest(b"x")) in (400, 404, 422)
    found = [path.name for path in running.folder.rglob("*") if path.is_file()]
    assert found == []


@pytest.mark.hostile
def test_half_a_file_is_none(running: Running, tmp_path: Path) -> None:
    assert running.post("/files/jar", b"other", **digest(b"some")) == 422
    assert running.post("/files/jar", b"some") == 422
    assert running.post("/files/jar", b"some", **digest(b"some")) == 200
    assert running.post("/files/jar", b"some", **digest(b"some")) == 422, "nobody replaces it"
    assert [path.name for path in (running.folder / "files").iterdir()] == ["jar"]


@pytest.mark.hostile
def test_no_log_is_handed_out_but_those_of_collections(running: Running, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    logs = running.folder / "log"
    (logs / "gc-link.log").symlink_to(secret)
    (logs / "other.log").write_text("secret")
    (logs / "gc-7.log").write_text("[0.1s] GC(0)")
    for name in ("gc-link.log", "other.log", "..%2Fgc-7.log", "gc-none.log", "gc-..%2F..%2Fsecret"):
        assert running.post(f"/logs/{name}") in (404, 422), name
    kept = tmp_path / "kept"
    kept.mkdir()
    (logs / "gc-link.log").unlink()
    assert [path.read_text() for path in running.client.keep_logs(kept, None)] == ["[0.1s] GC(0)"]


def test_only_the_log_of_the_jvm_that_serves_is_kept(running: Running, tmp_path: Path) -> None:
    """A launcher, or a program that the service starts, logs beside it."""
    for name in ("gc-1.log", "gc-12.log", "gc-12.log.0", "gc-123.log"):
        (running.folder / "log" / name).write_text(name)
    kept = running.client.keep_logs(tmp_path, 12)
    assert sorted(path.read_text() for path in kept) == ["gc-12.log", "gc-12.log.0"]
    assert len(running.client.keep_logs(tmp_path, None)) == 4


def test_a_pod_without_a_service_yet(running: Running) -> None:
    assert (running.client.status().age_s, running.client.status().jvm) == (None, None)
    with pytest.raises(ProcessGone):
        running.client.jvm()
    with pytest.raises(ProcessGone):
        RemoteWatch(sidecar=running.client, watched=Watched()).counters()


@pytest.mark.hostile
@pytest.mark.parametrize(
    "asked",
    [b"[]", b"\xff", b"[" * 4_000, b"{" * 10_000, json.dumps({"metrics_path": "http://elsewhere"}).encode()],
    ids=["a list", "no text", "deep", "long", "another host"],
)
def test_a_question_that_is_none(running: Running, asked: bytes) -> None:
    for path in ("/edge", "/counters", "/heap", "/rehearse", "/status"):
        assert running.post(path, asked) in (200, 400, 410)


@pytest.mark.hostile
@pytest.mark.parametrize(
    "answer", [b"", b"{}", b'"text"', b'{"time_ns":-1,"boot":"","age_s":null,"jvm":null}', b"[" * 5_000], ids=range(5)
)
def test_an_answer_that_is_none(monkeypatch: pytest.MonkeyPatch, answer: bytes, tmp_path: Path) -> None:
    client = connected.SidecarClient(host="127.0.0.1", port=9, token=TOKEN)
    monkeypatch.setattr(connected.SidecarClient, "_ask", lambda *_, **__: answer)
    for asked in (client.status, client.jvm, lambda: client.keep_logs(tmp_path, None), lambda: client.live_heap(1)):
        with pytest.raises(SidecarLost, match="gave an answer that cannot be read"):
            asked()


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("rows", "lacking"),
    [
        ({}, "cpu_ns"),
        ({"counters": {}}, "cpu_ns"),
        ({"counters": {"cpu_ns": 1}}, "jit"),
        ({"counters": {"cpu_ns": 0.5, "jit_cpu_ns": 1.0, "jit_ms": 1.0}}, "cpu_ns"),
        ({"counters": {"cpu_ns": math.nan, "jit_cpu_ns": 1.0, "jit_ms": 1.0}}, "cpu_ns"),
    ],
)
def test_a_reading_without_what_was_asked(
    monkeypatch: pytest.MonkeyPatch, rows: dict[str, dict[str, float]], lacking: str
) -> None:
    answer = wire.packed(CounterReading(time_ns=1, rows=rows))
    client = connected.SidecarClient(host="127.0.0.1", port=9, token=TOKEN)
    monkeypatch.setattr(connected.SidecarClient, "_ask", lambda *_, **__: answer)
    watch = RemoteWatch(sidecar=client, watched=Watched())
    for ask in (watch.warmth, watch.counters, lambda: watch.at_edge("start", page_within_s=None)):
        with pytest.raises(SidecarLost, match=f"did not tell its {lacking}"):
            ask()


def test_a_whole_reading_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = ourselves(tmp_path).watch(Watched())
    client = connected.SidecarClient(host="127.0.0.1", port=9, token=TOKEN)
    watch = RemoteWatch(sidecar=client, watched=Watched())
    for ask, reading in ((watch.warmth, sent.warmth()), (watch.counters, sent.counters())):
        packed = functools.partial(wire.packed, reading)
        monkeypatch.setattr(connected.SidecarClient, "_ask", lambda *_, packed=packed, **__: packed())
        assert ask().rows.keys() == reading.rows.keys()


def test_a_sidecar_that_is_not_there() -> None:
    client = connected.SidecarClient(host="127.0.0.1", port=9, token=TOKEN)
    with pytest.raises(SidecarLost, match=r"The sidecar at 127\.0\.0\.1 does not answer"):
        client.status()
    assert TOKEN not in repr(client)
