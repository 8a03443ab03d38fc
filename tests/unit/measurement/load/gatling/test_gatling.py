"""How a Gatling process is watched, with a small shell script in the place of `java`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.errors import UsageError
from pacecar.measurement.load.errors import InjectorLost, LoadError
from pacecar.measurement.load.gatling.run import GatlingRun, Generator
from pacecar.model.scenario import LoadModel, Scenario
from pacecar.system.resources import Resources

SCENARIO = Scenario(
    simulation="shop.Browsing",
    module=None,
    jar=None,
    sliced=False,
    model=LoadModel.OPEN,
    rate_per_s=12.5,
    users=1,
    think_time_s=0,
    endpoints=(),
    properties={"base": "{url}/v1", "howLong": "{seconds}", "rate": "{rate}", "template": "{id} {}"},
)
URL = "http://127.0.0.1:1"


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Resources]:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    with Resources() as resources:
        yield resources


def generator(resources: Resources, folder: Path, script: str, *, inherit: tuple[str, ...] = ()) -> Generator:
    java = folder / "java"
    java.write_text("#!/bin/sh\n" + script)
    java.chmod(0o755)
    return Generator(resources=resources, classpath=(Path("/a.jar"), Path("/b.jar")), java=java, inherit=inherit)


def start(
    resources: Resources, folder: Path, script: str, *, seconds: float = 30.0, inherit: tuple[str, ...] = ()
) -> GatlingRun:
    started_by = generator(resources, folder, script, inherit=inherit)
    return GatlingRun.start_plain(folder / "run", scenario=SCENARIO, url=URL, seconds=seconds, generator=started_by)


def test_passes_what_the_simulation_asks_for(resources: Resources, tmp_path: Path) -> None:
    # Properties stand in a file, one a line and in quotes; `java` itself reads it in the test below.
    script = 'for each in "$@"; do case "$each" in @*) cat "${each#@}" ;; *) printf "%s\\n" "$each" ;; esac; done'
    with start(resources, tmp_path, script) as run:
        run.finish(20)

    arguments = run.log.read_text().splitlines()
    assert '"-Dbase=http://127.0.0.1:1/v1"' in arguments
    assert '"-DhowLong=30"' in arguments
    assert '"-Drate=12.5"' in arguments
    assert '"-Dtemplate={id} {}"' in arguments
    tail = ["-cp", "/a.jar:/b.jar", "io.gatling.app.Gatling", "-s", "shop.Browsing", "-rf"]
    assert arguments[-len(tail) - 2 :] == [*tail, str(tmp_path / "run" / "gatling"), "-nr"]


def test_what_it_unpacks_is_gone_after_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACECAR_STATE", str(tmp_path / "state"))
    unpacks = """
for each in "$@"; do case "$each" in -Djava.io.tmpdir=*) folder="${each#*=}" ;; esac; done
touch "$folder/library.so" && echo "$folder" && kill -KILL $$
"""
    with Resources() as resources, start(resources, tmp_path, unpacks) as run:
        with pytest.raises(InjectorLost):
            run.finish(20)
        folder = Path(run.log.read_text().strip())
        assert [file.name for file in folder.iterdir()] == ["library.so"]
    assert not folder.exists()


def test_options_from_the_surroundings_do_not_reach_it(
    resources: Resources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-javaagent:/somebody/elses.jar")
    monkeypatch.setenv("A_TOKEN", "not asked for")
    monkeypatch.setenv("A_TOKEN_FOR_THE_SERVICE", "kept")

    with start(resources, tmp_path, "env", inherit=("A_TOKEN_FOR_THE_SERVICE",)) as run:
        run.finish(20)

    assert "elses.jar" not in run.log.read_text()
    assert "not asked for" not in run.log.read_text()
    assert "A_TOKEN_FOR_THE_SERVICE=kept" in run.log.read_text()


PRINTER = """
class Printer {
    public static void main(String[] arguments) throws Exception {
        var out = new java.io.PrintStream(System.out, true, "UTF-8");
        out.println("value=<" + System.getProperty("secret").replace("\\n", "|") + ">");
        out.println(java.nio.file.Files.readString(java.nio.file.Path.of("/proc/self/cmdline")).replace('\\0', ' '));
    }
}
"""


@pytest.mark.hostile
@pytest.mark.parametrize(
    "secret", ["plain", "a b  c", 'quo"te', "back\\slash\\", "#no comment", "new\nline", "@at", "'single' $HOME", "é€"]
)
def test_java_itself_reads_the_properties_and_nobody_sees_them(
    resources: Resources, tmp_path: Path, secret: str
) -> None:
    (tmp_path / "Printer.java").write_text(PRINTER)
    # The real `java`, with a class of ours in the place of Gatling's.
    script = f"""for each in "$@"; do case "$each" in @*) exec java "$each" {tmp_path}/Printer.java ;; esac; done"""
    scenario = replace(SCENARIO, properties={"secret": secret})

    with GatlingRun.start_plain(
        tmp_path / "run", scenario=scenario, url=URL, seconds=1, generator=generator(resources, tmp_path, script)
    ) as run:
        run.finish(60)

    output = run.log.read_text("utf-8")
    assert f"value=<{secret}>".replace("\n", "|") in output
    assert secret not in output.partition("value=<")[2].partition(">")[2]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("", "no output"),
        ("Killed", "Killed"),
        (
            'Exception in thread "main" java.lang.reflect.InvocationTargetException\n'
            "\tat x.Y\nCaused by: java.lang.IllegalStateException: no feeder file\n\t... 12 more\n"
            "Caused by: java.io.IOException: gone",
            "IllegalStateException: no feeder file",
        ),
        ("\x00" * 100 + "x" * 100_000, "x" * 300),
    ],
)
def test_an_early_end_is_one_sentence_with_the_reason(
    output: str, expected: str, resources: Resources, tmp_path: Path
) -> None:
    (tmp_path / "output").write_text(output)

    with (
        start(resources, tmp_path, f"cat {tmp_path}/output; exit 1") as run,
        pytest.raises(LoadError) as caught,
    ):
        run.finish(20)

    assert caught.value.message == f"Gatling failed with exit status 1 while it ran shop.Browsing: {expected}."
    assert str(run.log) in str(caught.value.hint)


def test_an_unknown_simulation_is_named(resources: Resources, tmp_path: Path) -> None:
    script = """echo 'Exception in thread "main" java.lang.ClassNotFoundException: shop.Browsing'; exit 1"""

    with start(resources, tmp_path, script) as run, pytest.raises(LoadError) as caught:
        run.finish(20)

    assert "no class shop.Browsing" in caught.value.message
    assert "simulation" in str(caught.value.hint)


def test_a_heap_that_is_too_small_is_told_with_its_key(resources: Resources, tmp_path: Path) -> None:
    script = """echo 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space'; exit 1"""

    with start(resources, tmp_path, script) as run, pytest.raises(LoadError) as caught:
        run.finish(20)

    assert caught.value.message == (
        "Gatling ran out of memory while it ran shop.Browsing: OutOfMemoryError: Java heap space (exit status 1)."
    )
    assert "scenario.heap" in str(caught.value.hint)


def test_failed_assertions_are_a_good_end(resources: Resources, tmp_path: Path) -> None:
    with start(resources, tmp_path, "exit 2") as run:
        run.finish(20)
        assert not run.failed


@pytest.mark.parametrize(
    ("script", "by"),
    [("kill -KILL $$", "SIGKILL"), ("kill -40 $$", "signal 40"), ("exit 143", "SIGTERM"), ("exit 129", "SIGHUP")],
)
def test_one_that_was_killed_is_lost(script: str, by: str, resources: Resources, tmp_path: Path) -> None:
    with start(resources, tmp_path, script) as run, pytest.raises(InjectorLost) as caught:
        run.finish(20)

    assert run.failed
    assert caught.value.injector == 0
    assert caught.value.message == f"The load generator was killed by {by}."


def test_one_that_does_not_end_is_ended(resources: Resources, tmp_path: Path) -> None:
    with start(resources, tmp_path, "sleep 60") as run:
        with pytest.raises(LoadError, match="was stopped"):
            run.finish(0.1)
        assert run.poll() is not None


def test_what_it_has_used_is_known_when_it_has_ended(resources: Resources, tmp_path: Path) -> None:
    with start(resources, tmp_path, "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done") as run:
        os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOWAIT)
        used_ns = run.cpu_ns()
        assert used_ns > 1_000_000
        assert (run.poll(), run.cpu_ns()) == (0, used_ns)
        run.finish(0)
        assert run.cpu_ns() == used_ns


def test_a_missing_log_is_said(resources: Resources, tmp_path: Path) -> None:
    with start(resources, tmp_path, "exit 0") as run:
        run.finish(20)
    with pytest.raises(LoadError, match=r"left no simulation\.log"):
        _ = run.log_path


def test_finds_the_log_below_the_results(resources: Resources, tmp_path: Path) -> None:
    with start(resources, tmp_path, "mkdir -p gatling/browsing-1; touch gatling/browsing-1/simulation.log") as run:
        run.finish(20)
    assert run.log_path == tmp_path / "run" / "gatling" / "browsing-1" / "simulation.log"


def test_refuses_to_leave_this_machine(resources: Resources, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="only on this machine"):
        GatlingRun.start_plain(
            tmp_path,
            scenario=SCENARIO,
            url="http://shop.example",
            seconds=1,
            generator=generator(resources, tmp_path, "exit 0"),
        )


def test_a_missing_java_is_said(resources: Resources, tmp_path: Path) -> None:
    absent = Generator(resources=resources, classpath=(), java=tmp_path / "absent")

    with pytest.raises(UsageError, match="Gatling: cannot start"):
        GatlingRun.start_plain(tmp_path, scenario=SCENARIO, url=URL, seconds=1, generator=absent)
