"""Calls that the counter agent counts in real JVMs, of a real driver and real clients: every JDK on this machine."""

from __future__ import annotations

import os
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pacecar.inputs.toolchain import agent_jar
from pacecar.inputs.toolchain.maven import DEPENDENCY_PLUGIN, Maven
from pacecar.measurement.deploy.jvm import agent_socket
from pacecar.measurement.probes.calls import CallCounts, CallsMissing, read_calls
from pacecar.measurement.probes.counters import read_counters
from pacecar.measurement.session import called
from pacecar.model.calls import CallKind
from pacecar.system.resources import Resources
from support.watchdogs import line_of

DRIVER = "com.h2database:h2:2.3.232"

# Does its work whenever it is told to on stdin. The driver comes from a loader that knows the JDK and its jar alone.
PROGRAM = """
import com.sun.net.httpserver.HttpServer;
import java.net.*;
import java.net.http.*;
import java.nio.file.Path;
import java.sql.*;
import java.util.Properties;

public class Program {
    static Connection connection;
    static URI address;
    static final HttpClient CLIENT = HttpClient.newHttpClient();

    static class Orders {
        static void store() throws Exception {
            try (PreparedStatement insert = connection.prepareStatement("insert into lines (amount) values (?)")) {
                for (int amount = 0; amount < 7; amount++) {
                    insert.setInt(1, amount);
                    insert.addBatch();
                }
                insert.executeBatch();
            }
        }

        static void list() throws Exception {
            try (Statement statement = connection.createStatement()) {
                for (int page = 0; page < 5; page++) statement.executeQuery("select * from lines").close();
            }
        }
    }

    static class Stock {
        static void ask() throws Exception {
            HttpRequest request = HttpRequest.newBuilder(address).build();
            CLIENT.send(request, HttpResponse.BodyHandlers.discarding());
            CLIENT.sendAsync(request, HttpResponse.BodyHandlers.discarding()).join();
            HttpURLConnection old = (HttpURLConnection) address.toURL().openConnection();
            if (old.getResponseCode() != 204) throw new IllegalStateException();
        }
    }

    public static void main(String[] arguments) throws Exception {
        URL[] jars = {Path.of(arguments[0]).toUri().toURL()};
        ClassLoader alone = new URLClassLoader(jars, ClassLoader.getPlatformClassLoader());
        Driver driver = (Driver) alone.loadClass("org.h2.Driver").getConstructor().newInstance();
        connection = driver.connect("jdbc:h2:mem:", new Properties());
        connection.createStatement().execute("create table lines (amount int)");
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> { exchange.sendResponseHeaders(204, -1); exchange.close(); });
        server.start();
        address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        System.out.println("ready");
        while (System.in.read() == '\\n') {
            Orders.store();
            Orders.list();
            Stock.ask();
            System.out.println("done");
        }
        System.exit(0);
    }
}
"""
WORK = {
    ("statements", "Program$Orders.store"): 1,
    ("batched", "Program$Orders.store"): 7,
    ("statements", "Program$Orders.list"): 5,
    ("calls", "Program$Stock.ask"): 3,
}


def jdks() -> dict[str, Path]:
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += sorted(Path("/usr/lib/jvm").glob("*"))
    found = {home.resolve() for home in homes if (home / "bin" / "java").exists() and (home / "bin" / "javac").exists()}
    return {home.name: home for home in sorted(found)}


@pytest.fixture(params=list(jdks().values()), ids=list(jdks()))
def jdk(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture(scope="module")
def jars(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """The agent, and the driver."""
    folder = tmp_path_factory.mktemp("jars")
    with Resources() as resources:
        maven = Maven(resources=resources, log_dir=folder)
        maven.run(
            f"{DEPENDENCY_PLUGIN}:copy", f"-Dartifact={DRIVER}", f"-DoutputDirectory={folder}", job="driver", cwd=folder
        )
        (driver,) = folder.glob("h2-*.jar")
        yield agent_jar(resources=resources, log_dir=folder), driver


@contextmanager
def running(jdk: Path, agents: list[str], driver: Path, folder: Path) -> Iterator[subprocess.Popen[str]]:
    (folder / "Program.java").write_text(PROGRAM)
    options = [f"-javaagent:{agent}" for agent in agents]
    command = [str(jdk / "bin" / "java"), "-Xmx96m", *options, str(folder / "Program.java"), str(driver)]
    with (folder / "stderr").open("w") as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
    try:
        assert line_of(process, errors=folder / "stderr") == "ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def work(process: subprocess.Popen[str], folder: Path) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert line_of(process, errors=folder / "stderr") == "done\n"


def within(start: CallCounts, end: CallCounts) -> dict[tuple[str, str], int]:
    rows = called.table({0: (start, end)})
    return {(row["kind"], row["caller"]): row["count"] for row in rows.to_dict("records") if row["count"]}


def test_every_call_is_counted_once_by_who_made_it(jdk: Path, jars: tuple[Path, Path], tmp_path: Path) -> None:
    agent, driver = jars
    socket = tmp_path / "counters"
    with running(jdk, [f"{agent}={socket}|calls|Program"], driver, tmp_path) as process:
        before = read_calls(agent_socket(socket, process.pid))
        work(process, tmp_path)
        once = read_calls(agent_socket(socket, process.pid))
        work(process, tmp_path)
        twice = read_calls(agent_socket(socket, process.pid))
        quiet = read_calls(agent_socket(socket, process.pid))
    assert within(before, once) == WORK
    assert within(once, twice) == WORK
    assert within(twice, quiet) == {}
    assert once.failed == 0
    assert (tmp_path / "stderr").read_text() == ""


def test_nothing_is_counted_before_somebody_asks(jdk: Path, jars: tuple[Path, Path], tmp_path: Path) -> None:
    agent, driver = jars
    with running(jdk, [f"{agent}={tmp_path / 'counters'}|calls|Program"], driver, tmp_path) as process:
        socket = agent_socket(tmp_path / "counters", process.pid)
        read_counters(socket)
        work(process, tmp_path)
        before = read_calls(socket)
        work(process, tmp_path)
        assert before.counts == {}
        assert within(before, read_calls(socket)) == WORK


def test_without_prefixes_the_caller_is_no_library(jdk: Path, jars: tuple[Path, Path], tmp_path: Path) -> None:
    agent, driver = jars
    socket = tmp_path / "counters"
    with running(jdk, [f"{agent}={socket}|calls"], driver, tmp_path) as process:
        before = read_calls(agent_socket(socket, process.pid))
        work(process, tmp_path)
        assert within(before, read_calls(agent_socket(socket, process.pid))) == WORK


def test_who_is_not_asked_to_count_instruments_nothing(jdk: Path, jars: tuple[Path, Path], tmp_path: Path) -> None:
    agent, driver = jars
    socket = tmp_path / "counters"
    with running(jdk, [f"{agent}={socket}"], driver, tmp_path) as process:
        work(process, tmp_path)
        with pytest.raises(CallsMissing, match="counts no calls"):
            read_calls(agent_socket(socket, process.pid))


def test_a_jvm_that_lets_nobody_count_is_measured_without(jdk: Path, jars: tuple[Path, Path], tmp_path: Path) -> None:
    """Here because another agent of the kind was there first."""
    agent, driver = jars
    first, second = tmp_path / "first", tmp_path / "second"
    agents = [f"{agent}={first}|calls|Program", f"{agent}={second}|calls|Program"]
    with running(jdk, agents, driver, tmp_path) as process:
        before = read_calls(agent_socket(first, process.pid))
        work(process, tmp_path)
        assert within(before, read_calls(agent_socket(first, process.pid))) == WORK
        assert read_counters(agent_socket(second, process.pid)).allocated_bytes > 0
        with pytest.raises(CallsMissing, match="counts no calls"):
            read_calls(agent_socket(second, process.pid))
    (complaint,) = (tmp_path / "stderr").read_text().splitlines()
    assert complaint.startswith("pacecar-agent: counts no calls: ")


def test_the_jar_holds_nothing_under_anothers_name(jars: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(jars[0]) as jar:
        classes = [name for name in jar.namelist() if name.endswith(".class")]
    assert any(name.startswith("dev/pacecar/agent/asm/") for name in classes)
    assert all(name.startswith("dev/pacecar/agent/") for name in classes)


def test_every_kind_of_call_is_among_those_that_are_made_here() -> None:
    assert {kind for kind, _ in WORK} == {kind.value for kind in CallKind}
