"""`pacecar compare` with a load that two processes share: each request is recorded once, and one that is lost takes its
pair with it, no more.
"""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from end_to_end.conftest import command_of
from support.two_injectors import check_fork

pytestmark = pytest.mark.shares_machine


def test_a_pair_whose_injector_is_killed_is_left_out_and_the_run_goes_on(project) -> None:
    project.edit({'rate = "50/s"': 'rate = "50/s"\ninjectors = 2'})
    compare = project.start("compare")
    project.wait(lambda: len(_measuring(project)) == 2, compare)
    time.sleep(1)
    os.kill(_measuring(project)[1], signal.SIGKILL)
    _, errors = compare.communicate(timeout=300)

    assert "Traceback" not in errors
    assert compare.returncode in (0, 3), errors
    document = project.document
    assert compare.returncode == (3 if document["verdict"] == "invalid" else 0), errors
    assert [pair["number"] for pair in document["pairs"]] == [1, 2]
    assert document["pairs"][0]["voided"] == "Injector 2 of 2 was killed by SIGKILL"
    assert project.left_behind() == []
    _check_what_was_sent(project)


def _measuring(project) -> list[int]:
    """Injectors whose first window is known, in their order."""
    found = {}
    for process in project.processes():
        if "io.gatling.app.Gatling" in command_of(process):
            with suppress(psutil.Error, OSError):
                folder = Path(process.cwd())
                if json.loads((folder / "clock.json").read_text())["final"]:
                    found[folder] = process.pid
    return [found[folder] for folder in sorted(found)]


def _check_what_was_sent(project) -> None:
    rows = []
    for side in ("baseline", "candidate"):
        arrivals = check_fork(project.run / "pairs" / "02" / side)
        rows.append(arrivals.groupby(["injector", "endpoint"]).size().to_dict())
    assert rows[0] == rows[1], "both sides are asked the same by the same injector"
