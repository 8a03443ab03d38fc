"""What a fork needs beside it, with real processes and real sockets."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from pacecar.errors import UsageError
from pacecar.measurement.deploy import DeployError, ForkDied
from pacecar.measurement.deploy.dependencies import Dependencies, _Line, bring_up
from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.deploy.log_limit import MOST
from pacecar.measurement.deploy.process.fork import ProcessFork
from pacecar.model.deployment import Dependency
from pacecar.model.experiment import Side, Target
from pacecar.system.resources import Resources
from support.process_forks import command_of, deployed, needing, order_of
from support.small_store import STORE, about, gone, stores_left, until

Make = Callable[..., Dependency]
Up = Callable[..., Dependencies]


@pytest.fixture
def store(tmp_path: Path) -> Make:
    """A dependency, with something odd about it."""
    script = tmp_path / "store.py"
    script.write_text(STORE)

    def made(mode: str = "plain", *more: str, name: str = "store", **changes: Any) -> Dependency:
        command = (sys.executable, str(script), "{port}", "{folder}", mode, *more)
        return replace(Dependency(name=name, command=command, directory=tmp_path, timeout_s=20), **changes)

    return made


@pytest.fixture
def up(resources: Resources, target: Target, tmp_path: Path) -> Iterator[Up]:
    """Starts dependencies of a side and waits for them; they end with the test."""
    with ExitStack() as ends:

        def started(*wanted: Dependency, side: Side = Side.CANDIDATE, cpus: tuple[int, ...] = ()) -> Dependencies:
            folder = tmp_path / side.value
            folder.mkdir(exist_ok=True)
            order = order_of(tmp_path / "orders.jar", folder=folder, scratch=folder, side=side, aside=cpus)
            found = deployer_of(needing(target, *wanted), resources=resources).dependencies(order)
            ends.callback(found.end)
            bring_up([found])
            return found

        yield started


@pytest.fixture
def fork(resources: Resources, target: Target, tmp_path: Path) -> Iterator[Callable[..., ProcessFork]]:
    """Deploys the target beside what it needs, as a pair does; both end with the test."""
    with ExitStack() as ends:

        def started(*wanted: Dependency, **changes: Any) -> ProcessFork:
            folder = tmp_path / "raw"
            folder.mkdir()
            whole = replace(needing(target, *wanted), **changes)
            order = order_of(tmp_path / "orders.jar", folder=folder, scratch=resources.folder("fork"))
            needs = deployer_of(whole, resources=resources).dependencies(order)
            ends.callback(needs.end)
            bring_up([needs])
            fork = deployed(whole, replace(order, dependencies=needs), resources=resources)
            ends.callback(fork.stop)
            return fork

        yield started


class TestUp:
    """Up one after the other, down in the opposite order, with nothing left."""

    def test_without_any_nothing_happens(self, up: Up) -> None:
        found = up()
        assert (found.names, found.places, found.roots, found.records) == ((), {}, {}, ())
        found.check()

    @pytest.mark.parametrize(
        "sign", [{}, {"ready_path": "/"}, {"ready_line": "ready to serve"}], ids=["port", "path", "line"]
    )
    def test_it_is_awaited(self, up: Up, store: Make, sign: dict[str, str]) -> None:
        found = up(store(**sign))
        with socket.create_connection(("127.0.0.1", int(found.places["store.port"])), timeout=10):
            pass
        (record,) = found.records
        assert record.ready_s > 0
        assert record.command[2] == found.places["store.port"]
        pid, folder = about(found)["pid"], Path(found.places["store.folder"])
        assert found.roots == {"store": (pid,)}
        found.end()
        assert gone(pid)
        assert not folder.exists()
        found.end()

    def test_a_line_that_comes_in_pieces(self, up: Up, store: Make) -> None:
        code = "import sys, time\nfor c in 'x' * 99 + 'now I am up': print(c, end='', flush=True); time.sleep(0.005)\n"
        up(store(command=(sys.executable, "-c", code + "time.sleep(60)"), ready_line="I am up"))

    def test_a_line_in_a_log_that_is_cut_or_gone(self, tmp_path: Path) -> None:
        log = tmp_path / "log"
        line = _Line(log, "open")
        assert not line.came()
        log.write_text("shut " * 10)
        assert not line.came()
        log.write_text("op")
        assert not line.came()
        with log.open("a") as more:
            more.write("en")
        assert line.came()

    def test_the_second_knows_the_first(self, up: Up, store: Make) -> None:
        first = store(name="store")
        second = store("plain", "--behind={store.port}", name="proxy", env={"DATA": "{store.folder}/x-{proxy}"})
        found = up(first, second)
        known = about(found, "proxy")
        assert known["arguments"] == [f"--behind={found.places['store.port']}"]
        assert known["env"]["DATA"] == f"{found.places['store.folder']}/x-{{proxy}}"
        assert about(found)["started"] < known["started"]

    def test_they_end_in_the_opposite_order(self, up: Up, store: Make, tmp_path: Path) -> None:
        code = (
            "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(print('end', flush=True)))\n"
        )
        code += "print('up', flush=True)\ntime.sleep(60)"
        said = [store(name=name, command=(sys.executable, "-c", code), ready_line="up") for name in ("one", "two")]
        up(*said).end()
        logs = [tmp_path / "candidate" / f"{name}.log" for name in ("one", "two")]
        assert [log.read_text() for log in logs] == ["up\nend\n"] * 2
        assert logs[1].stat().st_mtime_ns < logs[0].stat().st_mtime_ns

    def test_both_sides_have_their_own(self, up: Up, store: Make) -> None:
        sides = [up(store(), side=side) for side in Side]
        assert len({each.places["store.port"] for each in sides}) == 2
        assert len({each.places["store.folder"] for each in sides}) == 2
        sides[0].end()
        sides[1].check()

    def test_all_sides_are_brought_up_before_any_fork(
        self, store: Make, tmp_path: Path, resources: Resources, target: Target
    ) -> None:
        deployer = deployer_of(needing(target, store(), store(name="second")), resources=resources)
        sides = []
        for side in Side:
            (tmp_path / side.value).mkdir()
            order = order_of(tmp_path / "a.jar", folder=tmp_path / side.value, scratch=tmp_path, side=side)
            sides.append(deployer.dependencies(order))
        assert sides[0].names == ("store", "second")
        bring_up(sides)
        first = [about(each)["started"] for each in sides]
        second = [about(each, "second")["started"] for each in sides]
        assert max(first) < min(second)
        for each in sides:
            each.end()

    def test_it_runs_on_the_cores_of_the_load_generator(self, up: Up, store: Make) -> None:
        core = max(os.sched_getaffinity(0))
        before = os.sched_getaffinity(0)
        assert about(up(store(), cpus=(core,)))["cpus"] == [core]
        assert os.sched_getaffinity(0) == before

    def test_its_log_is_capped(self, up: Up, store: Make, tmp_path: Path) -> None:
        up(store("chatty")).end()
        log = tmp_path / "candidate" / "store.log"
        # Cut while it was written, it went on from there.
        assert log.stat().st_size <= MOST
        assert log.read_bytes().startswith(b"store in mode chatty")
        assert b"[pacecar] log cut at 64 MiB" in log.read_bytes()


class TestEnvironment:
    """What a dependency sees, and what is recorded of it."""

    def test_is_small_and_its_own(self, up: Up, store: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not yours")
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dleaked=yes")
        env = about(up(store(env={"SIZE": "small"})))["env"]
        ours = {"PACECAR_OWNER", "PACECAR_PART", "LC_CTYPE"}
        assert env.keys() - ours <= {"PATH", "HOME", "JAVA_HOME", "LANG", "TMPDIR", "SIZE"}

    @pytest.mark.hostile
    def test_a_secret_reaches_it_and_nothing_else(self, up: Up, store: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("STORE_PASSWORD", "hunter2")
        found = up(store(secrets={"PASSWORD": "STORE_PASSWORD"}))
        assert about(found)["env"]["PASSWORD"] == "hunter2"
        assert "hunter2" not in repr(found.records)

    @pytest.mark.hostile
    @pytest.mark.parametrize("where", ["secrets", "env", "argument"])
    def test_what_it_prints_of_its_secrets_is_struck_out(
        self, up: Up, store: Make, monkeypatch: pytest.MonkeyPatch, where: str
    ) -> None:
        monkeypatch.setenv("STORE_PASSWORD", "hunter2")
        script = "import os, sys; sys.exit(f'cannot open: {sys.argv} {dict(os.environ)}')"
        command: tuple[str, ...] = (sys.executable, "-c", script, "{port}")
        changes: dict[str, Any] = {"command": command}
        if where == "secrets":
            changes["secrets"] = {"ANY_NAME": "STORE_PASSWORD"}
        elif where == "env":
            changes["env"] = {"DB_PASSWORD": "hunter2"}
        else:
            changes["command"] = (*command, "--password=hunter2")
        with pytest.raises(DeployError) as caught:
            up(store(**changes))
        assert "cannot open" in str(caught.value.hint)
        assert "hunter2" not in caught.value.told

    def test_a_secret_that_is_not_set(self, up: Up, store: Make) -> None:
        with pytest.raises(DeployError, match="secret variable NO_SUCH of dependency store is not set"):
            up(store(secrets={"PASSWORD": "NO_SUCH"}))


class TestFailure:
    """One sentence, with what it printed last; nothing is left running."""

    @pytest.mark.parametrize(
        ("mode", "sign", "why"),
        [
            ("silent", {}, r"nothing accepts connections on its port \d+"),
            ("silent", {"ready_path": "/up"}, "GET /up: nothing listens there yet"),
            ("broken", {"ready_path": "/up"}, "GET /up: status 503"),
            ("silent", {"ready_line": "ready to serve"}, 'it has not printed "ready to serve"'),
        ],
    )
    def test_never_ready(
        self, up: Up, store: Make, resources: Resources, mode: str, sign: dict[str, str], why: str
    ) -> None:
        with pytest.raises(
            DeployError, match=rf"store of the candidate of orders was not ready after .*: {why}\."
        ) as e:
            up(store(mode, timeout_s=0.6, **sign))
        assert e.value.exit_code == 3
        assert e.value.hint.startswith(f"It printed last:\nstore in mode {mode}")
        assert e.value.side is None

    def test_exits_at_once(self, up: Up, store: Make) -> None:
        expected = r"The dependency store of the candidate of orders ended with status 1 before it was ready\."
        with pytest.raises(DeployError, match=expected) as caught:
            up(store("exits"))
        assert caught.value.hint == "It printed last:\nstore in mode exits\nno space left"

    def test_the_second_fails_and_the_first_ends(self, up: Up, store: Make, resources: Resources) -> None:
        with pytest.raises(DeployError, match="The dependency second of the candidate"):
            up(store(), store("exits", name="second"))
        resources.close()
        assert not stores_left()

    def test_goes_to_the_background(self, up: Up, store: Make) -> None:
        with pytest.raises(DeployError, match=r"ended with status 0 before it was ready\.") as caught:
            up(store("away", ready_line="never said"))
        assert caught.value.hint.startswith("What it started keeps running in the background: make its command stay")

    def test_a_program_that_does_not_exist(self, up: Up, store: Make) -> None:
        said = r"store, a dependency of orders \(candidate\): cannot start 'no-such-store': No such file"
        with pytest.raises(UsageError, match=said) as caught:
            up(store(command=("no-such-store", "{port}")))
        assert caught.value.exit_code == 2
        assert "pacecar doctor" in str(caught.value.hint)

    def test_dies_before_the_service_is_ready(self, fork: Callable[..., ProcessFork], store: Make) -> None:
        found = fork(store())
        os.kill(about(found.dependencies)["pid"], signal.SIGKILL)
        until(lambda: gone(found.dependencies.roots["store"][0]))
        expected = r"store of the candidate of orders was killed by SIGKILL before the service was ready\."
        with pytest.raises(DeployError, match=expected):
            found.await_ready()

    def test_dies_while_it_is_measured(self, fork: Callable[..., ProcessFork], store: Make) -> None:
        found = fork(store())
        found.await_ready()
        found.check()
        pid = about(found.dependencies)["pid"]
        os.kill(pid, signal.SIGKILL)
        until(lambda: gone(pid))
        # As with a service in containers: the pair is no evidence about the build, and the run ends.
        with pytest.raises(DeployError, match=r"store .* was killed by SIGKILL while it was measured\.") as caught:
            found.check()
        assert not isinstance(caught.value, ForkDied)
        assert caught.value.exit_code == 3
        os.kill(found.pid, signal.SIGKILL)
        until(lambda: not found.alive())
        with pytest.raises(DeployError, match="The dependency store"):  # the service may have died of it
            found.check()


class TestNothingIsLeft:
    """Whatever a dependency starts ends with it."""

    def test_a_process_that_has_gone_elsewhere_and_listens(self, up: Up, store: Make) -> None:
        found = up(store("leaves", ready_line="ready to serve"))
        port = int(Path(found.places["store.folder"], "left").read_text())
        pids = found.roots["store"]
        assert len(pids) == 2, "the store, and what it has left behind"
        found.end()
        assert all(map(gone, pids))
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0

    def test_one_that_does_not_want_to_end(self, up: Up, store: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pacecar.measurement.deploy.dependencies._GRACE_S", 0.2)
        found = up(store("stubborn"))
        found.end()
        assert not stores_left()

    def test_the_owner_ends_what_nobody_ended(self, up: Up, store: Make, resources: Resources) -> None:
        found = up(store())
        pid, folder = about(found)["pid"], Path(found.places["store.folder"])
        resources.close()
        assert gone(pid)
        assert not folder.exists()


class TestFork:
    """The service beside what it needs."""

    def test_knows_where_it_is_and_outlives_nothing(
        self, fork: Callable[..., ProcessFork], store: Make, target: Target, tmp_path: Path
    ) -> None:
        hook = ("sh", "-c", 'echo "$0" >> hooks.txt', "{store.port}")
        found = fork(store(), env={"STORE_URL": "http://127.0.0.1:{store.port}/"}, setup=(hook,), reset=(hook,))
        found.await_ready()
        port = found.dependencies.places["store.port"]
        environment = psutil.Process(found.pid).environ()
        assert environment["STORE_URL"] == f"http://127.0.0.1:{port}/"
        assert "PACECAR_PART" not in environment
        assert found.ready_s < time.time() - about(found.dependencies)["started"]
        (record,) = found.record().dependencies
        assert (record.name, record.command[0]) == ("store", command_of(target)[0])
        found.stop()
        assert not gone(about(found.dependencies)["pid"])  # it ends after the service, and by whoever started it
        assert (tmp_path / "hooks.txt").read_text() == f"{port}\n" * 2
        found.dependencies.end()
        assert not stores_left()
