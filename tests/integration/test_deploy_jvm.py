"""A fork whose service is a real JVM."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import psutil
import pytest

from pacecar.measurement.deploy import DeployError, ForkDied
from pacecar.measurement.deploy.jvm import collect
from pacecar.measurement.deploy.process.fork import ProcessFork as Fork
from pacecar.model.experiment import BuildKind, BuildRequest, Side, Target
from pacecar.system.resources import Resources
from support.process_forks import command_of, commanded, deployed, order_of, target_of

pytestmark = pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK")

SERVICE = """
import com.sun.net.httpserver.HttpServer;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;

public class Service {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 1) throw new IllegalStateException("cannot read " + arguments[1]);
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        server.createContext("/health", exchange -> {
            var runtime = ManagementFactory.getRuntimeMXBean();
            var body = runtime.getPid() + "\\n" + Runtime.getRuntime().availableProcessors() + "\\n"
                + Runtime.getRuntime().maxMemory() + "\\n" + System.getProperty("agent", "none") + "\\n"
                + java.nio.file.Files.createTempDirectory("unpacked");
            exchange.sendResponseHeaders(200, body.length());
            exchange.getResponseBody().write(body.getBytes());
            exchange.close();
        });
        server.createContext("/collect", exchange -> { System.gc(); exchange.sendResponseHeaders(204, -1); });
        server.createContext("/fill", exchange -> {
            var kept = new ArrayList<byte[]>();
            while (true) kept.add(new byte[1 << 20]);
        });
        server.start();
    }
}
"""

AGENT = """
public class Agent {
    public static void premain(String argument) { System.setProperty("agent", argument); }
}
"""


@pytest.fixture(scope="module")
def jars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`service.jar` and `agent.jar`, in a folder with a blank in its name."""
    folder = tmp_path_factory.mktemp("two words")
    for name, source, entry in (("Service", SERVICE, "Main-Class"), ("Agent", AGENT, "Premain-Class")):
        (folder / f"{name}.java").write_text(source)
        subprocess.run(["javac", "-d", folder / name, folder / f"{name}.java"], check=True)
        (folder / f"{name}.txt").write_text(f"{entry}: {name}\n")
        jar: list[str | Path] = [
            "jar",
            "cfm",
            folder / f"{name.lower()}.jar",
            folder / f"{name}.txt",
            "-C",
            folder / name,
            ".",
        ]
        subprocess.run(jar, check=True)
    return folder


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Resources]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    with Resources() as held:
        yield held


@pytest.fixture
def target(tmp_path: Path) -> Target:
    command = ("{java}", "-Xmx96m", "-XX:+UseSerialGC", "-jar", "{artifact}", "{port}")
    return target_of(*command, directory=tmp_path, timeout_s=60)


Start = Callable[..., Fork]


@pytest.fixture
def start(resources: Resources, tmp_path: Path, jars: Path) -> Start:
    def run(
        target: Target,
        *,
        jvm_args: tuple[str, ...] = (),
        cpus: tuple[int, ...] = (),
        agents: tuple[str, ...] = (),
    ) -> Fork:
        folder = tmp_path / "raw files"
        folder.mkdir(exist_ok=True)
        request = BuildRequest(kind=BuildKind.JAR, value="service.jar", label="orders", jvm_args=jvm_args)
        order = order_of(
            jars / "service.jar",
            folder=folder,
            scratch=resources.folder("fork"),
            request=request,
            side=Side.BASELINE,
            cpus=cpus,
        )
        fork = deployed(target, order, resources=resources, agents=agents)
        fork.await_ready()
        return fork

    return run


def ask(fork: Fork, path: str = "/health") -> list[str]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(fork.url + path, timeout=20) as answer:
        return answer.read().decode().splitlines()


def status_field(pid: int, name: str) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.partition(":")[2].strip() for line in lines if line.startswith(f"{name}:"))


def test_flags_version_and_gc_log_of_a_jvm(start: Start, target: Target, jars: Path) -> None:
    fork = start(target, agents=(f"{jars}/agent.jar=on board",))
    ask(fork, "/collect")
    assert ask(fork)[3] == "on board"
    record = fork.record()
    assert record.jvm_flags
    assert "-XX:+UseSerialGC" in record.jvm_flags
    assert f"-XX:MaxHeapSize={96 * 1024**2}" in record.jvm_flags
    assert record.jvm_version.startswith("OpenJDK 64-Bit Server VM ")
    assert record.command[1:3] == ("-Xmx96m", "-XX:+UseSerialGC")
    assert fork.gc_log.name == f"gc-{fork.pid}.log"
    assert "Pause Full (System.gc())" in fork.gc_log.read_text()
    assert "Safepoint" in fork.gc_log.read_text()
    fork.stop()


def test_a_sides_arguments_win_over_the_commands(start: Start, target: Target) -> None:
    fork = start(target, jvm_args=("-Xmx48m",))
    assert f"-XX:MaxHeapSize={48 * 1024**2}" in fork.record().jvm_flags
    assert int(ask(fork)[2]) < 64 * 1024**2
    assert fork.record().command[0] == "_JAVA_OPTIONS=-Xmx48m"


def test_a_jvm_on_its_cores(start: Start, target: Target) -> None:
    core = max(os.sched_getaffinity(0))
    fork = start(target, cpus=(core,))
    assert ask(fork)[1] == "1", "the JVM sizes its pools by the cores it will have"
    assert status_field(fork.pid, "Cpus_allowed_list") != str(core)
    fork.pin((core,))
    assert status_field(fork.pid, "Cpus_allowed_list") == str(core)


def test_a_jvm_behind_a_script_that_starts_another_one_first(start: Start, target: Target, tmp_path: Path) -> None:
    script = tmp_path / "start.sh"
    script.write_text('#!/bin/sh\njava -version 2>/dev/null\njava -Dfrom=script "$@"\nexit $?\n')
    script.chmod(0o755)
    fork = start(commanded(target, str(script), *command_of(target)[1:]))
    assert ask(fork)[0] == str(fork.pid)
    assert "-Dfrom=script" in Path(f"/proc/{fork.pid}/cmdline").read_text()
    assert fork.gc_log.exists()
    assert len(list(fork.gc_log.parent.glob("gc-*.log"))) == 2
    assert fork.jvm().flags
    fork.stop()
    assert not fork.alive()


def test_the_users_own_options_stay(start: Start, target: Target) -> None:
    fork = start(replace(target, env={"JAVA_TOOL_OPTIONS": """-Dagent="the user's" """}))
    assert ask(fork)[3] == "the user's"


def test_what_a_jvm_unpacks_goes_with_its_fork(start: Start, target: Target, resources: Resources) -> None:
    fork = start(target)
    unpacked = Path(ask(fork)[4])
    assert unpacked.is_dir()
    fork.stop()
    resources.close()
    assert not unpacked.exists()


def test_a_jvm_that_exits_at_once(start: Start, target: Target) -> None:
    with pytest.raises(DeployError, match=r"baseline of orders ended with status 1 before it was ready\.") as caught:
        start(commanded(target, *command_of(target), "settings.json"))
    assert "IllegalStateException: cannot read settings.json" in str(caught.value.hint)


def test_a_jvm_that_cannot_start_with_a_sides_arguments(start: Start, target: Target) -> None:
    with pytest.raises(DeployError, match="before it was ready") as caught:
        start(target, jvm_args=("-XX:+NoSuchFlag",))
    assert "NoSuchFlag" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("what", "how"),
    [
        ("out of memory", "ended with status 3 after java.lang.OutOfMemoryError: Java heap space"),
        ("killed", "was killed by SIGKILL"),
        ("terminated", "was killed by SIGTERM"),
    ],
)
def test_a_jvm_that_dies_in_a_window(start: Start, target: Target, what: str, how: str) -> None:
    fork = start(target, jvm_args=("-XX:+ExitOnOutOfMemoryError",))
    fork.check()
    if what == "out of memory":
        with pytest.raises(OSError):  # noqa: PT011  the connection breaks, in one way or another
            ask(fork, "/fill")
    else:
        os.kill(fork.pid, signal.SIGKILL if what == "killed" else signal.SIGTERM)
    while fork.alive():
        time.sleep(0.01)
    with pytest.raises(ForkDied) as caught:
        fork.check()
    assert caught.value.message == f"The baseline of orders {how}."
    assert fork.record().jvm_flags == (), "a dead JVM is not asked"


def test_a_heap_is_collected_on_demand(start: Start, target: Target, tmp_path: Path) -> None:
    fork = start(target)
    with Resources() as resources:
        asked = partial(collect, psutil.Process(fork.pid), resources=resources, folder=tmp_path)
        assert asked(timeout_s=20)
        # It was waited for: the log has the line of its start and that of its end.
        assert fork.gc_log.read_text().count("Pause Full (Diagnostic Command)") == 2
        assert fork.alive()
        os.kill(fork.pid, signal.SIGSTOP)
        assert not asked(timeout_s=1), "nor is an earlier answer taken for this one's"
        os.kill(fork.pid, signal.SIGCONT)
