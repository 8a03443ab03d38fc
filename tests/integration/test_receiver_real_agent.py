"""The real profiling agent in a real JVM, uploading to the receiver; what it said is read and held against the facts.

The facts are `profiled/Workload.java`, the process's own CPU clock and the JDK's `jfr` tool.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from pacecar.inputs.toolchain import agent_jar
from pacecar.measurement.jfr import FlightRecording, Folded, Intervals, fold
from pacecar.measurement.receiver.server import Receiver
from pacecar.measurement.receiver.settings import agent_environment, token_environment
from pacecar.model.experiment import Profiler, Side
from pacecar.model.recording import Window
from pacecar.system.resources import Child, Resources

AGENT = "io.pyroscope:agent:2.9.2"
WORKLOAD = Path(__file__).parent / "profiled" / "Workload.java"
#: An interval above the kernel's tick, so that samples are as many as were asked for.
PROFILER = Profiler(upload_interval_s=2.0, cpu_interval_ms=10.0, wall_interval_ms=20.0, allocation_bytes=524_288)
#: The JVM has its first chunks behind it by then: starting the compiler and the agent takes most of a second each.
SETTLED_S = 4.0
WINDOW_S = 8.0
LIFE_S = 60
FORK = "01-baseline"


@dataclass(frozen=True, kw_only=True)
class Profiled:
    chunks: tuple[Path, ...]
    notes: tuple[str, ...]
    window: Window
    covered: bool
    cpu_ns: int
    folded: Folded


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agent")
    subprocess.run(
        ["mvn", "-q", "-B", "-ntp", "dependency:copy", f"-Dartifact={AGENT}", f"-DoutputDirectory={folder}"],
        check=True,
        cwd=folder,
        timeout=300,
    )
    return next(folder.glob("*.jar"))


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resources]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PACECAR_STATE", str(tmp_path_factory.mktemp("state")))
        with Resources() as held:
            yield held


def command(*agents: Path | str, temporary: Path) -> list[str]:
    # The profiling agent unpacks its library and leaves it.
    options = ("-Xmx256m", f"-Djava.io.tmpdir={temporary}", *(f"-javaagent:{agent}" for agent in agents))
    return ["java", *options, str(WORKLOAD), str(LIFE_S)]


@pytest.fixture(scope="module")
def profiled(agent: Path, resources: Resources, tmp_path_factory: pytest.TempPathFactory) -> Profiled:
    folder = tmp_path_factory.mktemp("profiled")
    with Receiver(resources.folder("uploads")) as receiver:
        labels = {"side": "baseline", "pair": "1"}
        upload_endpoint = receiver.admit(FORK)
        environment = agent_environment(
            PROFILER, server=upload_endpoint.url, application="pacecar.workload", labels=labels
        )
        child = resources.spawn(
            command(agent, temporary=folder),
            name="workload",
            log=folder / "log",
            env={**os.environ, **environment, **token_environment(upload_endpoint.token)},
        )
        await_ready(child)
        time.sleep(SETTLED_S)
        start_ns, cpu_before = time.time_ns(), cpu_ns(child.pid)
        time.sleep(WINDOW_S)
        end_ns, cpu_after = time.time_ns(), cpu_ns(child.pid)
        covered = receiver.wait_until(FORK, end_ns, 20.0)
        resources.release(child)
        chunks = receiver.collect(FORK, folder / "profile")
        notes = receiver.notes(FORK)
    window = Window(index=0, side=Side.BASELINE, start_ns=start_ns, end_ns=end_ns)
    return Profiled(
        chunks=chunks,
        notes=notes,
        window=window,
        covered=covered,
        cpu_ns=cpu_after - cpu_before,
        folded=fold(chunks, [window], Intervals.of(PROFILER)),
    )


def test_jvms_of_one_fork_are_told_apart(agent: Path, resources: Resources, tmp_path: Path) -> None:
    counters = agent_jar(resources=resources, log_dir=tmp_path)
    with Receiver(resources.folder("two")) as receiver:
        upload_endpoint = receiver.admit(FORK)
        environment = agent_environment(PROFILER, server=upload_endpoint.url, application="two", labels={"pair": "1"})
        agents = (f"{counters}={tmp_path / 'socket'}", agent)
        own, other = (
            resources.spawn(
                command(*agents, temporary=tmp_path),
                name=name,
                log=tmp_path / name,
                env={**os.environ, **environment, **token_environment(upload_endpoint.token)},
            )
            for name in ("own", "other")
        )
        for child in (own, other):
            await_ready(child)
        now_ns = time.time_ns()
        assert receiver.wait_until(FORK, now_ns, 20.0, jvm=own.pid)
        resources.release(own)
        assert not receiver.wait_until(FORK, now_ns + 60_000_000_000, 5.0, jvm=own.pid), "the other one uploads yet"
        assert receiver.wait_until(FORK, time.time_ns(), 20.0, jvm=other.pid)
        resources.release(other)
        assert receiver.collect(FORK, tmp_path / "profile", jvm=own.pid)


def await_ready(child: Child) -> None:
    deadline = time.monotonic() + 60
    while "ready" not in child.tail():
        assert child.poll() is None, child.tail()
        assert time.monotonic() < deadline, child.tail()
        time.sleep(0.1)


def cpu_ns(pid: int) -> int:
    """CPU time of a whole process, ended threads included: its clock's id is made of its pid (clock_getcpuclockid)."""
    return time.clock_gettime_ns((~pid << 3) | 2)


@pytest.fixture(scope="module")
def table(profiled: Profiled) -> pd.DataFrame:
    """The window's samples with their stacks, and the leaf of each."""
    joined = profiled.folded.samples.merge(profiled.folded.stacks, on="stack")
    return joined.assign(leaf=joined["frames"].str.rpartition("\n")[2])


def share(table: pd.DataFrame, part: pd.Series[bool]) -> float:
    return float(table.loc[part, "weight"].sum() / table["weight"].sum())


def test_everything_arrived(profiled: Profiled) -> None:
    assert profiled.covered
    assert profiled.notes == ()
    assert profiled.folded.counts.unreadable == ()
    assert profiled.folded.counts.chunks == len(profiled.chunks) >= WINDOW_S / PROFILER.upload_interval_s


def test_all_events(table: pd.DataFrame) -> None:
    assert set(table["event"]) == {"cpu", "wall", "alloc", "lock"}


def test_cpu_is_in_the_hot_method(table: pd.DataFrame) -> None:
    cpu = table[table["event"] == "cpu"]
    by_leaf = cpu.groupby("leaf")["weight"].sum()
    assert by_leaf.idxmax() == "Workload.hotMethod"
    assert by_leaf.max() / by_leaf.sum() > 0.5
    assert share(cpu, (cpu["thread"] == "burner") & cpu["frames"].str.contains(r"Workload\$\$Lambda.applyAsLong")) > 0.5


def test_sampled_cpu_is_the_cpu_that_was_used(profiled: Profiled) -> None:
    assert profiled.folded.counts.sampled_cpu_ns == pytest.approx(profiled.cpu_ns, rel=0.15)


def test_stacks_are_usable(profiled: Profiled) -> None:
    counts = profiled.folded.counts
    assert counts.failed_stacks <= 0.05 * counts.samples
    assert counts.samples > 0


def test_deep_stacks_are_marked(table: pd.DataFrame) -> None:
    diving = table[(table["thread"] == "diver") & (table["kinds"].str.len() > 500)]
    assert len(diving) > 0
    assert diving["frames"].str.startswith("[truncated]\nWorkload.dive\n").all()


def test_allocation_is_the_allocators(table: pd.DataFrame) -> None:
    alloc = table[table["event"] == "alloc"]
    assert share(alloc, (alloc["thread"] == "allocator") & (alloc["leaf"] == "Workload.allocate")) > 0.8


def test_the_waiter_waits_for_the_lock(table: pd.DataFrame, profiled: Profiled) -> None:
    lock = table[table["event"] == "lock"]
    assert share(lock, lock["thread"].isin(["waiter", "holder"])) > 0.9
    waited = lock.loc[lock["thread"] == "waiter", "weight"].sum() / 1e9
    assert 0.2 * profiled.window.seconds < waited < profiled.window.seconds


@pytest.mark.parametrize(("thread", "state"), [("sleeper", "STATE_SLEEPING"), ("holder", "STATE_SLEEPING")])
def test_wall_time_by_thread_and_state(thread: str, state: str, table: pd.DataFrame, profiled: Profiled) -> None:
    wall = table[(table["event"] == "wall") & (table["thread"] == thread)]
    # Batches are cut at the window's edges; a busy machine samples somewhat late.
    assert wall["weight"].sum() / 1e9 == pytest.approx(profiled.window.seconds, rel=0.15)
    assert share(wall, wall["state"] == state) > 0.8


def test_the_burner_is_runnable_while_it_burns(table: pd.DataFrame) -> None:
    wall = table[(table["event"] == "wall") & (table["thread"] == "burner")]
    assert share(wall, wall["state"] == "STATE_RUNNABLE") > 0.4


def test_jdk_counts_the_same_events(profiled: Profiled) -> None:
    names = {
        "jdk.ExecutionSample": "cpu",
        "profiler.WallClockSample": "wall",
        "jdk.ObjectAllocationInNewTLAB": "alloc",
        "jdk.ObjectAllocationOutsideTLAB": "alloc",
        "jdk.JavaMonitorEnter": "lock",
        "jdk.ThreadPark": "lock",
    }
    chunk = profiled.chunks[-2]
    (ours,) = FlightRecording(paths=[chunk], intervals=Intervals.of(PROFILER)).samples()
    theirs: Counter[str] = Counter()
    for name, count in re.findall(r"^\s*(\S+)\s+(\d+)\s+\d+\s*$", jfr("summary", chunk), flags=re.MULTILINE):
        theirs[names.get(name, "")] += int(count)
    del theirs[""]
    assert ours["event"].value_counts().to_dict() == +theirs


def test_jdk_prints_the_same_leaves(profiled: Profiled) -> None:
    chunk = profiled.chunks[-2]
    printed = jfr("print", "--events", "jdk.ExecutionSample", "--stack-depth", "1", chunk)
    theirs = printed.count("Workload.hotMethod(")
    folded = fold([chunk], [Window(index=0, side=Side.BASELINE, start_ns=0, end_ns=1 << 61)], Intervals.of(PROFILER))
    ours = folded.samples.merge(folded.stacks, on="stack").query("event == 'cpu'")
    assert theirs > 0
    assert ours.loc[ours["frames"].str.endswith("Workload.hotMethod"), "samples"].sum() == theirs


def jfr(*arguments: str | Path) -> str:
    return subprocess.run(["jfr", *map(str, arguments)], check=True, capture_output=True, text=True, timeout=60).stdout
