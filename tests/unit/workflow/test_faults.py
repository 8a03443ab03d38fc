"""Every write, rename and flush of a run fails once: what was whole stays so, and the exit code says what happened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.checkout import CHECKOUT

pytestmark = pytest.mark.hostile

_CODES = {"ENOSPC": 3, "EIO": 2}
#: What may fail without loss: a lock without a name is a lock, a folder may be there already, and what the kernel
#: cannot copy itself is read and written.
_HARMLESS = ("pwrite .owner", "mkdir ", "sendfile ")
_WATCHDOG_S = 900

Outcome = dict[str, Any]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    done = subprocess.run(
        [sys.executable, "-m", "unit.workflow.faults", tmp_path_factory.mktemp("faults")],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(CHECKOUT / folder) for folder in ("harness", "tests")),
            # Whoever forks may have no threads.
            "OMP_NUM_THREADS": "1",
            "ARROW_DEFAULT_MEMORY_POOL": "system",
            "JE_ARROW_MALLOC_CONF": "background_thread:false",
        },
        capture_output=True,
        text=True,
        timeout=_WATCHDOG_S,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _whole(outcomes: list[Outcome], story: str) -> Outcome:
    return next(each for each in outcomes if each["case"]["story"] == story and not each["case"]["call"])


def _wrong(outcomes: list[Outcome], is_right: Callable[[Outcome], bool]) -> list[Outcome]:
    return [each for each in outcomes if not is_right(each)]


def test_without_a_fault_all_is_written_and_the_verdict_is_a_regression(outcomes: list[Outcome]) -> None:
    stored, judged = (_whole(outcomes, story) for story in ("store", "judge"))
    assert (stored["code"], stored["pairs"], stored["failed"]) == (0, [1, 2], "")
    assert (judged["code"], judged["pairs"], judged["failed"]) == (1, [1, 2], "")


def test_every_kind_of_call_was_tried(outcomes: list[Outcome]) -> None:
    tried = {(each["case"]["story"], each["failed"].partition(" ")[0]) for each in outcomes}
    both = {(story, kind) for story in ("store", "judge") for kind in ("mkdir", "create", "write", "fsync", "replace")}
    assert tried >= both | {("store", "rename"), ("store", "sendfile"), ("store", "pwrite")}
    assert len(outcomes) > 120
    assert all(each["failed"] for each in outcomes if each["case"]["call"])


def test_the_exit_code_says_what_happened(outcomes: list[Outcome]) -> None:
    def is_right(outcome: Outcome) -> bool:
        whole = _whole(outcomes, outcome["case"]["story"])
        if outcome["code"] != whole["code"]:
            return bool(outcome["code"] == _CODES[outcome["case"]["error"]])
        harmless = not outcome["case"]["call"] or outcome["failed"].startswith(_HARMLESS)
        return harmless and (outcome["files"], outcome["pairs"]) == (whole["files"], whole["pairs"])

    assert _wrong(outcomes, is_right) == []


def test_a_failure_is_one_sentence(outcomes: list[Outcome]) -> None:
    def is_right(outcome: Outcome) -> bool:
        said: str = outcome["said"]
        if outcome["code"] in (0, 1):
            return said == ""
        return said.startswith("error: ") and said.count("\n") <= 2 and "Traceback" not in said

    assert _wrong(outcomes, is_right) == []


def test_a_broken_disk_is_told_with_the_file(outcomes: list[Outcome]) -> None:
    failed = [each for each in outcomes if each["case"]["error"] == "EIO" and each["code"] == 2]
    assert len(failed) > 10
    assert _wrong(failed, lambda outcome: " cannot be used: Input/output error.\n" in outcome["said"]) == []


def test_pairs_are_whole_or_not_there(outcomes: list[Outcome]) -> None:
    def is_right(outcome: Outcome) -> bool:
        kept = [1, 2] if outcome["case"]["story"] == "judge" else outcome["returned"]
        return outcome["damaged"] == [] and set(kept) <= set(outcome["pairs"])

    assert _wrong(outcomes, is_right) == []


def test_nothing_unfinished_is_left(outcomes: list[Outcome]) -> None:
    def is_right(outcome: Outcome) -> bool:
        names = [Path(file).name for file in outcome["files"]]
        runs = [file for file in outcome["files"] if file.startswith("runs/") and file.count("/") == 1]
        unreadable = [run for run in runs if f"{run}/manifest.json" not in outcome["files"]]
        return not unreadable and not [name for name in names if name.endswith(".part") or name == ".owner"]

    assert _wrong(outcomes, is_right) == []


def test_the_next_command_does_what_the_first_could_not(outcomes: list[Outcome]) -> None:
    tried = [each for each in outcomes if each["again"] is not None]
    assert {each["case"]["story"] for each in tried} == {"store", "judge"}

    def is_right(outcome: Outcome) -> bool:
        code = _whole(outcomes, outcome["case"]["story"])["code"]
        return outcome["again"] == code and outcome["pairs_again"] == [1, 2] and outcome["again_said"] == ""

    assert _wrong(tried, is_right) == []
