"""The live set of a real JVM, by its own collections and the counter agent."""

from __future__ import annotations

import os
import shutil
import signal
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pacecar.inputs.toolchain import agent_jar
from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.deploy.fork import Attachment, Fork, ForkOrder
from pacecar.measurement.session.live_heap import collect
from pacecar.model.experiment import BuildKind, BuildRequest, Side
from pacecar.system.resources import Resources
from support.process_forks import target_of

pytestmark = pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK")

MIB = 1 << 20

# Keeps a mebibyte for every request to /leak; what /waste allocates is garbage at once. /renew replaces a tenth of what
# is kept.
SERVICE = """
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

public class Service {
    static final List<byte[]> KEPT = new ArrayList<>();
    static volatile byte[] wasted;

    public static void main(String[] arguments) throws Exception {
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        server.createContext("/health", exchange -> { exchange.sendResponseHeaders(204, -1); exchange.close(); });
        server.createContext("/leak", exchange -> {
            for (int i = 0; i < 16; i++) KEPT.add(new byte[(1 << 16) - 16]); // G1 gives large ones regions of their own
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.createContext("/renew", exchange -> {
            for (int i = 0; i < KEPT.size(); i += 10) KEPT.set(i, new byte[(1 << 16) - 16]);
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.createContext("/waste", exchange -> {
            for (int i = 0; i < 16; i++) wasted = new byte[1 << 20];
            wasted = null;
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
    }
}
"""

Start = Callable[..., Fork]


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with Resources() as resources:
        yield agent_jar(resources=resources, log_dir=tmp_path_factory.mktemp("logs"))


@pytest.fixture
def start(tmp_path: Path, agent: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    source = tmp_path / "Service.java"
    source.write_text(SERVICE)
    with Resources() as resources:

        def run(side: Side, *options: str, attached: bool = True) -> Fork:
            target = target_of("{java}", "-Xmx96m", *options, str(source), "{port}", directory=tmp_path, timeout_s=60)
            folder = tmp_path / side.value
            folder.mkdir()
            order = ForkOrder(
                request=BuildRequest(kind=BuildKind.JAR, value="service.jar", label="orders"),
                side=side,
                jar=source,
                folder=folder,
                scratch=resources.folder(side.value[0]),
            )
            fork = deployer_of(target, resources=resources).deploy(
                order, lambda view: Attachment(agents=(f"{agent}={view.counters}",) if attached else ())
            )
            fork.await_ready()
            return fork

        yield run


def asked(fork: Fork, path: str, times: int) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(times):
        opener.open(f"{fork.url}{path}", timeout=10).close()


@pytest.mark.parametrize("collector", ["-XX:+UseSerialGC", "-XX:+UseParallelGC", "-XX:+UseG1GC", "-XX:+UseZGC"])
def test_the_live_set_grows_by_what_is_kept_and_not_by_what_is_thrown_away(start: Start, collector: str) -> None:
    forks = {side: start(side, collector) for side in Side}
    before = collect(forks, timeout_s=30)
    asked(forks[Side.CANDIDATE], "/leak", 20)
    for fork in forks.values():
        asked(fork, "/waste", 5)
    after = collect(forks, timeout_s=30)

    grown = {side: (after[side].used_bytes - before[side].used_bytes) / MIB for side in Side}
    tolerance = 6 if collector == "-XX:+UseZGC" else 2  # it counts whole pages, of 2 MiB
    assert grown[Side.CANDIDATE] == pytest.approx(20, abs=tolerance)
    assert grown[Side.BASELINE] == pytest.approx(0, abs=tolerance)
    assert all(after[side].time_ns > before[side].time_ns for side in Side)


@pytest.mark.parametrize("collector", ["-XX:+UseSerialGC", "-XX:+UseG1GC"])
def test_the_live_set_stays_where_one_thing_is_kept_in_place_of_another(start: Start, collector: str) -> None:
    fork = start(Side.BASELINE, collector, "-Xmx256m")
    asked(fork, "/leak", 60)
    levels = []
    for _ in range(4):
        levels.append(collect({Side.BASELINE: fork}, timeout_s=30)[Side.BASELINE].used_bytes / MIB)
        asked(fork, "/renew", 1)
    assert max(levels) - min(levels) < 2, levels


def test_of_a_jvm_that_was_not_collected_or_does_not_tell_nothing_is_known(start: Start) -> None:
    hanging, silent = start(Side.BASELINE), start(Side.CANDIDATE, attached=False)
    os.kill(hanging.pid, signal.SIGSTOP)
    try:
        assert collect({Side.BASELINE: hanging, Side.CANDIDATE: silent}, timeout_s=3) == {}
    finally:
        os.kill(hanging.pid, signal.SIGCONT)
