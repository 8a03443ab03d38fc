"""What a thread did at a wall-clock sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.sampled import STATES, Sampled
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, Pair

RUN = "java.lang.Thread.run"
DRIVER = f"{RUN}\ndb.Wire.exchange\nsun.nio.ch.Net.poll"
PARSING = f"{RUN}\ndb.Wire.parse"
QUEUE = f"{RUN}\nlog.Appender.loop\njava.util.concurrent.ArrayBlockingQueue.take"
UNKNOWN = f"{RUN}\nlib.Housekeeper.loop\njava.lang.Object.wait"
OWN = f"{RUN}\nshop.Mail.loop\njava.lang.Object.wait"
EITHER = f"{RUN}\nlib.Reporter.loop\njava.lang.Thread.sleep"
OR = f"{RUN}\nlib.Reporter.loop\njava.util.concurrent.LinkedBlockingQueue.poll"
MAIN = "shop.Main.main\nlib.Server.join\njava.lang.Thread.join"
COLLECTOR = "start_thread\nlibjvm.so.WorkerThread::run\nlibc.so.pthread_cond_wait"

ASLEEP = {DRIVER: "db-1", QUEUE: "log", UNKNOWN: "housekeeper", OWN: "mail", COLLECTOR: "GC Thread#0"} | {
    EITHER: "reporter",
    OR: "reporter",
    MAIN: "main",
}
AWAKE = {PARSING: "db-1"}


def _asleep(fork: ForkData) -> ForkData:
    """The fork, its wall-clock samples on the threads of `ASLEEP` and `AWAKE`."""
    stacks = fork.tables["stacks"].set_index("stack")["frames"]
    frames = fork.tables["samples"]["stack"].map(stacks)
    samples = fork.tables["samples"].assign(
        thread=frames.map(ASLEEP | AWAKE),
        state=frames.map(lambda each: "STATE_SLEEPING" if each in ASLEEP else "STATE_RUNNABLE"),
    )
    return replace(fork, tables=fork.tables | {"samples": samples})


def _states(pair: Pair, *, application: tuple[str, ...]) -> Mapping[str, set[str]]:
    """Leaf -> the states in which it was found on the candidate."""
    fork = MeasuredFork.of(replace(pair, forks={s: _asleep(f) for s, f in pair.forks.items()}), Side.CANDIDATE)
    sampled = Sampled.of([(None, fork)], application=application)
    leaves = [sampled.stacks.names[leaf] for leaf in sampled.stacks.whole.last.tolist()]
    found: dict[str, set[str]] = {}
    for stack, state in zip(sampled.rows["stack"].tolist(), sampled.rows["state"].tolist(), strict=True):
        found.setdefault(leaves[stack], set()).add(STATES[state])
    return found


@pytest.mark.parametrize("application", [(), ("shop.",)])
def test_waits_of_library_threads_within_work_do_not_vanish(make_pair, truth, application: tuple[str, ...]) -> None:
    pair = make_pair(candidate=truth(waits_ms={DRIVER: 4.0, PARSING: 1.0}))
    found = _states(pair, application=application)
    assert found == {"sun.nio.ch.Net.poll": {"waiting"}, "db.Wire.parse": {"running"}}


def test_who_waits_for_work_is_idle(make_pair, truth) -> None:
    found = _states(
        make_pair(candidate=truth(waits_ms={QUEUE: 4.0, UNKNOWN: 4.0, COLLECTOR: 4.0})), application=("shop.",)
    )
    assert found == {
        "java.util.concurrent.ArrayBlockingQueue.take": {"idle"},
        "java.lang.Object.wait": {"idle"},  # a place that nobody knows, but the thread is never anywhere else
        "libc.so.pthread_cond_wait": {"idle"},
    }


def test_a_thread_of_the_applications_own_is_at_work_even_where_it_is_never_elsewhere(make_pair, truth) -> None:
    assert _states(make_pair(candidate=truth(waits_ms={OWN: 4.0})), application=("shop.",)) == {
        "java.lang.Object.wait": {"waiting"}
    }


@pytest.mark.parametrize("application", [(), ("shop.",)])
def test_a_loop_with_two_places_to_sleep_is_idle_in_both(make_pair, truth, application: tuple[str, ...]) -> None:
    found = _states(make_pair(candidate=truth(waits_ms={EITHER: 4.0, OR: 3.0})), application=application)
    assert found == {"java.lang.Thread.sleep": {"idle"}, "java.util.concurrent.LinkedBlockingQueue.poll": {"idle"}}


def test_the_thread_that_started_the_program_and_waits_for_its_end_serves_nobody(make_pair, truth) -> None:
    found = _states(make_pair(candidate=truth(waits_ms={MAIN: 4.0})), application=("shop.",))
    assert found == {"java.lang.Thread.join": {"idle"}}


def test_a_sample_that_names_its_endpoint_is_at_work_however_long_the_thread_sleeps_there(make_pair, truth) -> None:
    pair = make_pair(candidate=truth(waits_ms={DRIVER: 4.0}, labels={DRIVER: "GET /orders"}))
    assert _states(pair, application=()) == {"sun.nio.ch.Net.poll": {"waiting"}}
    unnamed = make_pair(candidate=truth(waits_ms={DRIVER: 4.0}))
    assert _states(unnamed, application=()) == {"sun.nio.ch.Net.poll": {"idle"}}
