"""A fork's life, with a real process and a real socket."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from pacecar.errors import UsageError
from pacecar.measurement.deploy import DeployError, ForkDied, readiness
from pacecar.measurement.deploy.jvm import LASTING_COMPILERS
from pacecar.measurement.deploy.process.fork import ProcessFork as Fork
from pacecar.model.experiment import BuildRequest, Readiness, Side, Target
from pacecar.system.resources import Resources
from support.process_forks import command_of, commanded
from support.watchdogs import WATCHDOG_S

Start = Callable[..., Fork]
Mode = Callable[[str], Target]


def ask(fork: Fork, path: str = "/") -> dict[str, dict[str, str]]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(fork.url + path, timeout=10) as answer:
        return json.load(answer)


def gone(pid: int) -> bool:
    """Whether a process has ended, even if nobody has collected it yet."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_a_fork_comes_up_and_goes_down(start: Start, target: Target) -> None:
    fork = start(target)
    fork.await_ready()
    fork.check()
    assert fork.alive()
    assert fork.ready_s > 0
    assert ask(fork)["pid"] == fork.pid == fork.jvm_id
    assert fork.log.read_text() == "starting in mode plain\n"
    fork.stop()
    fork.stop()
    assert gone(fork.pid)
    assert not fork.alive()


def test_two_forks_at_once_have_ports_of_their_own(start: Start, target: Target, tmp_path: Path) -> None:
    forks = [start(target, side=side, folder=tmp_path / side.value) for side in Side]
    for fork in forks:
        fork.await_ready()
    assert len({fork.url for fork in forks}) == 2
    assert [ask(fork)["pid"] for fork in forks] == [fork.pid for fork in forks]


class TestEnvironment:
    """What a fork sees, and what is recorded of it."""

    def test_is_small(self, start: Start, target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not yours")
        monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dleaked=yes")
        fork = start(target)
        fork.await_ready()
        env = ask(fork)["env"]
        ours = {"PACECAR_OWNER", "JAVA_TOOL_OPTIONS"}
        pythons = {"LC_CTYPE"}
        assert env.keys() - ours - pythons <= {"PATH", "HOME", "JAVA_HOME", "LANG", "TMPDIR"}
        assert "leaked" not in env["JAVA_TOOL_OPTIONS"]

    def test_holds_the_targets_the_sides_and_the_agents_settings(
        self, start: Start, target: Target, request_: BuildRequest, tmp_path: Path
    ) -> None:
        fork = start(
            replace(target, env={"A": "target", "B": "target", "URL": "http://127.0.0.1:{port}/{x}"}),
            request=replace(request_, env={"B": "side"}),
            agent_env={"PYROSCOPE_FORMAT": "jfr"},
        )
        fork.await_ready()
        answer = ask(fork)
        env = answer["env"]
        assert (env["A"], env["B"], env["PYROSCOPE_FORMAT"]) == ("target", "side", "jfr")
        assert env["URL"] == fork.url + "/{x}"
        assert answer["cwd"] == str(tmp_path)

    def test_options_for_the_jvm_keep_the_users_own(
        self, start: Start, target: Target, request_: BuildRequest, tmp_path: Path
    ) -> None:
        raw = tmp_path / "raw files"
        raw.mkdir()
        fork = start(
            replace(target, env={"JAVA_TOOL_OPTIONS": "-Duser=1", "_JAVA_OPTIONS": "-Xss1m"}),
            request=replace(request_, jvm_args=("-Xmx64m", "-Dname=two words")),
            agents=("counter.jar=/run/c.sock", "profiler.jar"),
            folder=raw,
        )
        fork.await_ready()
        env = ask(fork)["env"]
        assert env["JAVA_TOOL_OPTIONS"] == (
            "-javaagent:counter.jar=/run/c.sock -javaagent:profiler.jar "
            f"""'-Xlog:gc*,safepoint:file="{raw}/gc-%p.log":time,uptime,level,tags:filecount=3,filesize=32M' """
            f"{LASTING_COMPILERS} -Djava.io.tmpdir={fork.socket.parent / 'tmp'} -Duser=1"
        )
        assert env["_JAVA_OPTIONS"] == "-Xss1m -Xmx64m '-Dname=two words'"

    def test_secrets_reach_the_fork_and_nothing_else(
        self, start: Start, target: Target, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("ORDERS_DB_PASSWORD", "hunter2")
        fork = start(replace(target, secrets={"DB_PASSWORD": "ORDERS_DB_PASSWORD"}, env={"DB_USER": "orders"}))
        fork.await_ready()
        assert ask(fork)["env"]["DB_PASSWORD"] == "hunter2"
        record = fork.record()
        assert record.command[:2] == ("DB_PASSWORD=$ORDERS_DB_PASSWORD", "DB_USER=***")
        assert record.command[2:] == (*command_of(target)[:2], fork.url.rpartition(":")[2], "plain")
        assert "hunter2" not in repr(record)
        fork.stop()
        assert not any(b"hunter2" in path.read_bytes() for path in (tmp_path / "raw").iterdir())

    @pytest.mark.hostile
    @pytest.mark.parametrize("where", ["secrets", "env", "argument", "jvm"])
    def test_what_a_service_prints_of_its_secrets_is_struck_out(
        self,
        start: Start,
        target: Target,
        request_: BuildRequest,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        where: str,
    ) -> None:
        monkeypatch.setenv("ORDERS_DB_PASSWORD", "hunter2")
        script = "import os, sys; sys.exit(f'cannot connect: {sys.argv} {dict(os.environ)}')"
        target = commanded(target, sys.executable, "-c", script, "{port}")
        request = replace(request_, jvm_args=("-Ddb.password=hunter2",)) if where == "jvm" else request_
        if where == "secrets":
            target = replace(target, secrets={"ANY_NAME": "ORDERS_DB_PASSWORD"})
        elif where == "env":
            target = replace(target, env={"DB_PASSWORD": "hunter2"})
        elif where == "argument":
            target = commanded(target, *command_of(target), "--db.password=hunter2")

        fork = start(target, request=request)
        with pytest.raises(DeployError) as caught:
            fork.await_ready()
        assert "cannot connect" in str(caught.value.hint)
        assert "hunter2" not in caught.value.told

        assert b"hunter2" in (tmp_path / "raw" / "service.log").read_bytes()
        fork.struck.out_of_files(tmp_path / "raw")  # as a pair does before it is kept
        assert b"hunter2" not in (tmp_path / "raw" / "service.log").read_bytes()

    def test_a_secret_that_is_not_set(self, start: Start, target: Target) -> None:
        with pytest.raises(DeployError, match="secret variable NO_SUCH_SECRET of target orders is not set") as caught:
            start(replace(target, secrets={"PASSWORD": "NO_SUCH_SECRET"}))
        assert caught.value.hint == "export NO_SUCH_SECRET=…"


class TestReadiness:
    """A fork that does not come up is one sentence, with what it printed last."""

    @pytest.mark.parametrize(
        ("name", "how"),
        [
            ("silent", "nothing listens there yet"),
            ("broken", "status 503"),
            ("redirect", "status 302"),
            ("garbage", r"no valid HTTP answer \(LineTooLong\)"),
        ],
    )
    def test_never(self, start: Start, mode: Mode, name: str, how: str) -> None:
        fork = start(replace(mode(name), ready=Readiness(path="/health", timeout_s=0.6)))
        with pytest.raises(DeployError, match=rf"candidate of orders was not ready after .*: GET /health: {how}\."):
            fork.await_ready()

    def test_a_page_that_redirects_all_the_time_is_not_waited_for_to_the_end(
        self, start: Start, mode: Mode, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(readiness, "LASTING_S", 0.3)
        fork = start(replace(mode("redirect"), ready=Readiness(path="/health", timeout_s=WATCHDOG_S)))
        latest = time.monotonic() + WATCHDOG_S
        with pytest.raises(DeployError, match=r"was not ready after .*: GET /health: status 302\.") as caught:
            fork.await_ready()
        assert time.monotonic() < latest, "only the time that it had has ended the wait"
        assert "name a page in target.ready that answers 2xx itself" in str(caught.value.hint)

    def test_accepts_but_never_answers(self, start: Start, target: Target) -> None:
        script = "import socket, sys, time; s = socket.create_server(('127.0.0.1', int(sys.argv[1]))); time.sleep(60)"
        mute = commanded(target, sys.executable, "-c", script, "{port}")
        mute = replace(mute, ready=Readiness(path="/", timeout_s=1))
        with pytest.raises(DeployError, match=r"GET /: no answer within 2 s"):
            start(mute).await_ready()

    def test_exits_at_once(self, start: Start, mode: Mode) -> None:
        with pytest.raises(DeployError, match=r"orders ended with status 1 before it was ready\.") as caught:
            start(mode("exits")).await_ready()
        assert caught.value.hint == "It printed last:\nstarting in mode exits\ncannot open the database"
        assert not isinstance(caught.value, ForkDied)

    def test_is_killed_at_once(self, start: Start, mode: Mode) -> None:
        with pytest.raises(DeployError, match=r"orders was killed by SIGKILL before it was ready\."):
            start(mode("killed")).await_ready()

    def test_a_program_that_does_not_exist(self, start: Start, target: Target) -> None:
        with pytest.raises(UsageError, match=r"orders \(candidate\): cannot start 'no-such-java'"):
            start(commanded(target, "no-such-java", "-jar", "{artifact}"))

    def test_a_proxy_is_not_asked(self, start: Start, target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
        start(target).await_ready()

    def test_a_fixed_port_that_is_taken(self, start: Start, target: Target) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            with pytest.raises(DeployError, match=rf"Port {port} is already in use\.") as caught:
                start(replace(target, port=port))
        assert "{port}" in str(caught.value.hint)

    def test_a_fixed_port_that_is_free(self, start: Start, target: Target) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        fork = start(replace(target, port=port))
        fork.await_ready()
        assert fork.url == f"http://127.0.0.1:{port}"


class TestDeath:
    """A fork that ends while it is measured."""

    def died(self, fork: Fork) -> ForkDied:
        while fork.alive():
            time.sleep(0.01)
        with pytest.raises(ForkDied) as caught:
            fork.check()
        return caught.value

    def test_says_how_and_what_it_printed_last(self, start: Start, target: Target) -> None:
        fork = start(target)
        fork.await_ready()
        ask(fork, "/die")
        death = self.died(fork)
        assert death.side is Side.CANDIDATE
        assert death.message == (
            "The candidate of orders ended with status 3 after java.lang.OutOfMemoryError: Java heap space."
        )
        assert death.hint.endswith("java.lang.OutOfMemoryError: Java heap space")
        assert death.exit_code == 3

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
    def test_by_a_signal(self, start: Start, target: Target, number: signal.Signals) -> None:
        fork = start(target)
        fork.await_ready()
        os.kill(fork.pid, number)
        assert self.died(fork).message == f"The candidate of orders was killed by {number.name}."

    def test_inside_a_script(self, start: Start, target: Target) -> None:
        script = '"$@"; status=$?; sleep 0.3; exit $status'
        fork = start(commanded(target, "sh", "-c", script, "sh", *command_of(target)))
        fork.await_ready()
        os.kill(fork.pid, signal.SIGKILL)
        assert self.died(fork).message == "The candidate of orders was killed by SIGKILL."


class TestScripts:
    """Commands that are not the service themselves."""

    def test_the_service_is_found_behind_a_script(self, start: Start, target: Target) -> None:
        fork = start(commanded(target, "sh", "-c", '"$@"; :', "sh", *command_of(target)))
        fork.await_ready()
        assert ask(fork)["pid"] == fork.pid
        assert fork.socket.name == f"counters.sock.{fork.pid}", "a JVM that it starts listens elsewhere"
        fork.stop()
        assert gone(fork.pid)

    def test_a_service_in_a_session_of_its_own_ends_too(self, start: Start, target: Target) -> None:
        fork = start(commanded(target, "sh", "-c", 'setsid "$@"; :', "sh", *command_of(target)))
        fork.await_ready()
        assert os.getsid(fork.pid) == fork.pid
        fork.stop()
        assert gone(fork.pid)


class TestHooks:
    """Setup before, reset after, and in between what needs a fork that is up."""

    def write(self, text: str) -> tuple[str, ...]:
        return ("sh", "-c", f"echo {text} >> hooks.txt")

    def test_run_around_the_fork(self, start: Start, target: Target, tmp_path: Path) -> None:
        fork = start(
            replace(
                target,
                setup=(self.write("one {port}"), self.write("two")),
                once_ready=(self.write("up {port} {url}"),),
                reset=(self.write("reset $JAVA_TOOL_OPTIONS"),),
            )
        )
        port = fork.url.rpartition(":")[2]
        assert (tmp_path / "hooks.txt").read_text() == f"one {port}\ntwo\n"
        fork.await_ready()
        fork.fill()
        fork.stop()
        assert (tmp_path / "hooks.txt").read_text() == f"one {port}\ntwo\nup {port} {fork.url}\nreset\n"

    def test_a_setup_that_fails(self, start: Start, target: Target, tmp_path: Path) -> None:
        failing = ("sh", "-c", "echo no such table; exit 7")
        with pytest.raises(DeployError, match=r"The setup command `sh -c .*` ended with status 7") as caught:
            start(replace(target, setup=(failing, self.write("never")), reset=(self.write("reset"),)))
        assert caught.value.hint == "no such table"
        assert (tmp_path / "hooks.txt").read_text() == "reset\n"
        assert not (tmp_path / "raw" / "service.log").exists()

    def test_a_service_that_cannot_be_filled(self, start: Start, target: Target) -> None:
        fork = start(replace(target, once_ready=(("sh", "-c", "echo no such page; exit 22"),)))
        fork.await_ready()
        with pytest.raises(DeployError, match=r"The ready command `sh -c .*` ended with status 22") as caught:
            fork.fill()
        assert caught.value.hint == "no such page"

    def test_a_reset_that_fails_leaves_no_fork(self, start: Start, target: Target) -> None:
        fork = start(replace(target, reset=(("false",),)))
        fork.await_ready()
        with pytest.raises(DeployError, match="The reset command `false` ended with status 1"):
            fork.stop()
        assert gone(fork.pid)


def test_a_fork_runs_on_its_cores(start: Start, target: Target) -> None:
    core = max(os.sched_getaffinity(0))
    fork = start(target)
    fork.await_ready()
    assert fork.cpus == ()
    fork.pin((core,))
    assert os.sched_getaffinity(fork.pid) == {core}
    assert fork.record().cpus == (core,)


def test_a_service_that_is_no_jvm_is_not_asked_for_flags(start: Start, target: Target) -> None:
    fork = start(target)
    fork.await_ready()
    record = fork.record()
    assert (record.jvm_flags, record.jvm_version) == ((), None)


def test_the_owner_ends_a_fork_that_nobody_stopped(target: Target, start: Start, resources: Resources) -> None:
    fork = start(target)
    fork.await_ready()
    resources.close()
    assert gone(fork.pid)
    assert not fork.socket.parent.exists()
