"""`pacecar size` on real parts: real Gatling, a real JVM, and a configuration whose rate is a guess."""

from __future__ import annotations

import json
import signal

import pytest

#: A load that the small service hardly notices.
IDLE = {'rate = "100/s"': 'rate = "20/s" # GUESS'}


@pytest.fixture
def guessed(small):
    project, service = small
    service.commit_as_it_is("As it was at first")
    project.edit(IDLE)
    return project


def test_what_is_proposed_is_written_and_nothing_else_is_changed(guessed) -> None:
    config = guessed.folder / "pacecar.toml"
    before = config.read_text()
    sized = guessed.pacecar("size", "--write", "--json")
    assert sized.returncode == 0, sized.stderr
    told = json.loads(sized.stdout)
    assert told["steps"][0]["load"] == 20
    proposed = told["proposed"]
    assert proposed["value"] in [f"{step['load']:g}/s" for step in told["steps"]]
    assert proposed["written"] is True
    assert config.read_text() == before.replace('rate = "20/s" # GUESS', f'rate = "{proposed["value"]}" # GUESS')
    assert proposed["line"] == config.read_text().split("\n").index(f'rate = "{proposed["value"]}" # GUESS') + 1
    assert guessed.left_behind() == []


@pytest.mark.shares_machine
def test_requests_that_fail_are_told_and_nothing_is_proposed(guessed) -> None:
    guessed.edit({'path = "/report"': 'path = "/nowhere"'})
    before = (guessed.folder / "pacecar.toml").read_text()
    sized = guessed.pacecar("size", "--write")
    assert sized.returncode == 3, sized.stderr
    assert "requests failed, most often:\n  GET /report: answered with status 404\n" in sized.stdout
    assert "No load fits: most requests failed under the first load." in sized.stdout
    assert (guessed.folder / "pacecar.toml").read_text() == before
    assert guessed.left_behind() == []


@pytest.mark.shares_machine
def test_whoever_interrupts_it_leaves_nothing(guessed) -> None:
    process = guessed.start("size")
    guessed.wait(guessed.services, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, (out, err)
    assert guessed.left_behind() == []
    assert guessed.services() == []
