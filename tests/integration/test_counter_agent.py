"""The counter agent in real JVMs: every JDK on this machine that can run a program from its source."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pacecar.inputs.toolchain import agent_jar
from pacecar.measurement.deploy.jvm import agent_socket
from pacecar.system.resources import Resources
from support.watchdogs import line_of

MIB = 1 << 20

# Allocates so many MiB on the main thread and on threads that end, whenever it is told to on stdin.
PROGRAM = """
public class Program {
    static volatile byte[] sink;

    static void allocate(int mebibytes) {
        for (int i = 0; i < mebibytes; i++) sink = new byte[1 << 20];
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        while (System.in.read() == '\\n') {
            allocate(120);
            for (int i = 0; i < 4; i++) {
                Thread thread = new Thread(() -> {
                    allocate(20);
                    try { Thread.sleep(250); } catch (InterruptedException e) { throw new RuntimeException(e); }
                });
                thread.start();
                thread.join();
            }
            System.out.println("done");
        }
    }
}
"""


def jdks() -> dict[str, Path]:
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += sorted(Path("/usr/lib/jvm").glob("*"))
    found = {home.resolve() for home in homes if (home / "bin" / "java").exists() and (home / "bin" / "javac").exists()}
    return {home.name: home for home in sorted(found)}


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with Resources() as resources:
        yield agent_jar(resources=resources, log_dir=tmp_path_factory.mktemp("logs"))


@pytest.fixture(params=list(jdks().values()), ids=list(jdks()))
def jdk(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@contextmanager
def running(jdk: Path, agent: Path, folder: Path, socket_path: Path) -> Iterator[subprocess.Popen[str]]:
    (folder / "Program.java").write_text(PROGRAM)
    command = [str(jdk / "bin" / "java"), "-Xmx64m", f"-javaagent:{agent}={socket_path}", str(folder / "Program.java")]
    with (folder / "stderr").open("w") as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def work(process: subprocess.Popen[str], folder: Path) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert line_of(process, errors=folder / "stderr") == "done\n"


def read(path: Path) -> dict[str, Any]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(str(path))
        text = b"".join(iter(lambda: connection.recv(4096), b""))
    assert text.isascii()
    assert text.endswith(b"\n")
    assert len(text) < 4096
    return dict(json.loads(text))


def test_tells_what_was_allocated_by_living_and_ended_threads(jdk: Path, agent: Path, tmp_path: Path) -> None:
    path = tmp_path / "counters"
    with running(jdk, agent, tmp_path, path) as process:
        assert line_of(process, errors=tmp_path / "stderr") == "ready\n"
        own = agent_socket(path, process.pid)
        work(process, tmp_path)  # loads the classes it needs
        before = read(own)
        work(process, tmp_path)
        after = read(own)
        quiet = read(own)

    expected = 200 * MIB
    assert after["allocatedBytes"] - before["allocatedBytes"] == pytest.approx(expected, rel=0.02)
    assert quiet["allocatedBytes"] - after["allocatedBytes"] < 0.001 * expected  # its own work is left out
    assert after["threadsEnded"] - before["threadsEnded"] == 4
    assert after["gcCount"] > before["gcCount"]
    assert after["uptimeMs"] > before["uptimeMs"]
    for reading in (before, after):
        assert reading["allocationSource"] in ("total", "threads")
        assert reading["threads"] >= 2
        assert reading["jitMs"] > 0
        assert 0 < reading["heapUsedBytes"] <= 64 * MIB
        assert 0 < reading["heapAfterGcBytes"] <= 64 * MIB
        assert reading["loadedClasses"] > 100
    assert (tmp_path / "stderr").read_text() == ""


def test_a_jvm_that_comes_later_does_not_answer_in_its_place(jdk: Path, agent: Path, tmp_path: Path) -> None:
    path = tmp_path / "counters"
    (tmp_path / "later").mkdir()
    with running(jdk, agent, tmp_path, path) as process:
        assert line_of(process, errors=tmp_path / "stderr") == "ready\n"
        with running(jdk, agent, tmp_path / "later", path) as later:
            assert line_of(later, errors=tmp_path / "later" / "stderr") == "ready\n"
            age_ms = read(agent_socket(path, later.pid))["uptimeMs"]
            assert read(agent_socket(path, process.pid))["uptimeMs"] > age_ms
        assert read(agent_socket(path, process.pid))["uptimeMs"] > age_ms


def test_a_socket_that_cannot_be_leaves_the_program_alone(jdk: Path, agent: Path, tmp_path: Path) -> None:
    with running(jdk, agent, tmp_path, tmp_path / ("long" * 40)) as process:
        assert line_of(process, errors=tmp_path / "stderr") == "ready\n"
        work(process, tmp_path)

    complaint = (tmp_path / "stderr").read_text().splitlines()
    assert len(complaint) == 1
    assert complaint[0].startswith("pacecar-agent: gave up: ")
