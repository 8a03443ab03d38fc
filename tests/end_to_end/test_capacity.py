"""Rising load on real parts: what four threads bear that sleep is known beforehand."""

from __future__ import annotations

import itertools
import signal

import pytest

_WRITES = "var body = Report.write();"
#: Four threads that sleep so long answer 400 and 285 requests a second, and no more.
_SLEEPS = "try {{ Thread.sleep({ms}); }} catch (InterruptedException gone) {{ return; }} " + _WRITES
_THREADS = "Executors.newFixedThreadPool(4)"
#: They answer first who came last. Under a rate that is too high, some then wait for seconds from the first moment on,
#: so that hardly a step is in doubt and made again.
_LAST_FIRST = """new java.util.concurrent.ThreadPoolExecutor(
            4, 4, 0, java.util.concurrent.TimeUnit.SECONDS, new java.util.concurrent.LinkedBlockingDeque<Runnable>() {
                public boolean offer(Runnable asked) { return offerFirst(asked); }
            })"""


def _sleeping(service, *, ms: int) -> str:
    source = service.folder / "Service.java"
    text = source.read_text().replace(_THREADS, _LAST_FIRST)
    at = text.index(_WRITES)
    start = text.rindex("\n", 0, at) + 1
    source.write_text(text[:start] + _SLEEPS.format(ms=ms) + text[at + len(_WRITES) :])
    return service.commit_as_it_is(f"Sleeps {ms} ms")


def test_a_staircase_is_recorded_and_judged_with_all_else(small) -> None:
    project, service = small
    before, after = (_sleeping(service, ms=ms) for ms in (10, 14))
    project.edit({'rate = "100/s"': 'rate = "220/s"\nmodel = "staircase"\nwithin = "100 ms"'})
    told = project.pacecar(
        *("compare", "--baseline", before, "--candidate", after, "--pairs", "1", "--fail-on", "nothing"),
    )
    assert told.returncode == 0, told.stderr
    document = project.document
    bears = {climb["side"]: climb["capacity_per_s"] for climb in document["climbs"]}
    assert 300 < bears["baseline"] < 440
    assert 220 <= bears["candidate"] < 310
    (judged,) = [each for each in document["judgements"] if each["name"] == "capacity"]
    assert judged["role"] == "guaranteed"
    assert judged["estimate"]["change"] == pytest.approx(bears["candidate"] / bears["baseline"] - 1, abs=0.01)
    steps = [step for climb in document["climbs"] for step in climb["steps"]]
    assert all(step["busy"] < 0.9 for step in steps)  # threads that sleep use no core
    assert any(pool["cores"] > 0 for step in steps for pool in step["pools"])
    assert "Rising load" in (project.run / "report.html").read_text()
    assert project.left_behind() == []


@pytest.mark.shares_machine
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--within", "soon"], '--within: "soon" is not a duration'),
        (["--within", "0 s"], "--within: 0 s is not above zero and at most 60 s."),
        (["--budget", "200%"], "--budget: 200% is not between 0% and 100%."),
        (["--build", ".", "--candidate", "."], "--build is one build alone"),
        (["--set", "scenario.rate=1/s"], "A step of 1 requests per second has too few"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(small, arguments: list[str], said: str) -> None:
    project, service = small
    service.commit_as_it_is("As it was at first")
    told = project.pacecar("capacity", *arguments)
    assert told.returncode == 2
    assert said in told.stderr
    assert "Traceback" not in told.stderr


@pytest.mark.shares_machine
def test_an_interrupt_keeps_the_steps_so_far(small) -> None:
    project, service = small
    service.commit_as_it_is("As it was at first")
    process = project.start("capacity", "--within", "2 s")
    assert process.stderr is not None
    warmed = (line for line in process.stderr if "warm-up" in line)
    begun = list(itertools.islice(warmed, 2))  # each step has one: the first is over
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=120)
    assert len(begun) == 2
    assert process.returncode == 130
    assert " 100 " in told  # the first rate
    assert "No further step was made: it was stopped early." in told
    assert project.left_behind() == []


@pytest.mark.shares_machine
def test_users_who_wait_for_answers_have_no_rate(small) -> None:
    project, service = small
    service.commit_as_it_is("As it was at first")
    project.edit({'rate = "100/s"': 'model = "closed"\nusers = 4'})
    told = project.pacecar("capacity")
    assert told.returncode == 2
    assert told.stderr == (
        "error: A capacity is a rate, and this scenario does not send requests at one.\n"
        '  Set scenario.model = "open" with scenario.rate, and use a simulation on the kit.\n'
    )
