"""`pacecar bisect` on real parts: a short history, a commit that does not build, an interruption."""

from __future__ import annotations

import json
import signal


def test_the_commit_that_made_a_service_slower_is_found(small) -> None:
    project, service = small
    service.commit("First report")
    service.tag("v1")
    service.commit("Say what a report is")
    service.revert_to("v1")
    broken = service.commit("Return early", broken=True)
    harmless = service.commit("Rename nothing\u202e of importance")
    slow = service.commit("Write reports \x1b[31mtwenty times\x1b[0m, to be sure", copies=20)
    service.commit("Say why", copies=20)
    checkout = service.head()

    # Some 200 requests a side: three pairs of 75 samples a side, as at 128 KiB, once did not suffice for a cause.
    often = ("--set", "profiler.allocation=32 KiB")
    begun = project.start("bisect", "--good", "v1", "--bad", "main", "--metric", "allocation", *often)
    project.wait(lambda: list((project.folder / ".pacecar").glob("runs/*/pairs/01")), begun)
    begun.send_signal(signal.SIGINT)
    _, errors = begun.communicate(timeout=120)
    assert begun.returncode == 130, errors
    (stored,) = (project.folder / ".pacecar" / "bisections").iterdir()
    assert f"To continue: pacecar bisect --resume {stored.stem}" in errors
    assert project.left_behind() == []

    resumed = project.pacecar("bisect", "--resume", stored.stem)
    assert resumed.returncode == 0, resumed.stderr
    assert project.left_behind() == []
    assert service.head() == checkout
    assert "\x1b" not in resumed.stdout
    assert "\u202e" not in resumed.stdout
    assert resumed.stdout.startswith("FOUND  ")

    again = project.pacecar("bisect", "--resume", stored.stem, "--json")
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)
    assert found["commit"]["commit"] == slow, resumed.stdout
    assert found["commit"]["subject"].startswith("Write reports")
    outcomes = {step["commit"]: step["outcome"] for step in found["steps"]}
    # The one in the middle does not build; whichever good ones are tried, the last of them clears it.
    assert (outcomes[slow], outcomes[broken], outcomes[harmless]) == ("bad", "skipped", "good")
    assert "does not build" in next(step["reason"] for step in found["steps"] if step["commit"] == broken)
    allocation = next(row for row in found["metrics"] if row["metric"] == "allocation")
    assert 1 < allocation["low"] < allocation["change"] < allocation["high"]
    assert "Report.write" in found["cause"]
    # The run that was interrupted was gone on with, and every comparison is a run like any other.
    runs = sorted(path.name for path in (project.folder / ".pacecar" / "runs").iterdir())
    assert runs == sorted(step["run"] for step in found["steps"] if step["run"])
    judged = project.pacecar("judge", found["run"], "--recorded-budgets", "--json")
    assert (judged.returncode, json.loads(judged.stdout)["verdict"]) == (1, "regressed")
