"""What `pacecar size` says of what it has tried."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from pacecar.cli.size_text import as_json, conclusion, planned_by, row
from pacecar.errors import UsageError
from pacecar.inputs.config import load
from pacecar.model.experiment import Side
from pacecar.model.options import RunOptions
from pacecar.model.sizing import Step, StopReason
from pacecar.workflow.experiments import experiment_of
from pacecar.workflow.requests import sizing
from pacecar.workflow.sizing import Sizing, range_of

PLAIN = """
[target]
name = "shop"
command = ["{java}", "-jar", "{artifact}", "{port}"]
ready = "/ready"

[builds]
baseline = "jar:old.jar"

"""
OPEN = '[scenario]\nrate = "50/s"\n[[scenario.endpoints]]\nname = "GET /a"\npath = "/a"\n'
CLOSED = '[scenario]\nmodel = "closed"\nusers = 4\n'


def step(amount: float, busy: float, **other: Any) -> Step:
    facts: dict[str, Any] = {"planned": 300, "answered": 300, "failed": 0, "slow_ms": 5.0}
    return Step(amount=amount, busy=busy, **(facts | other))


def found(folder: Path, *steps: Step, end: StopReason = StopReason.FITS, scenario: str = OPEN) -> Sizing:
    path = folder / "pacecar.toml"
    path.write_text(PLAIN + scenario)
    (folder / "old.jar").touch()
    experiment = experiment_of(load(path), options=RunOptions(), sides=(Side.BASELINE,))
    return Sizing(experiment=experiment, steps=steps, end=end)


def said(sizing: Sizing, *, line: int | None = 11, written: bool = False) -> str:
    planned = planned_by(sizing.experiment.scenario)
    return "\n".join(conclusion(sizing, file=Path("pacecar.toml"), line=line, planned=planned, written=written))


def test_the_load_its_reason_what_it_carries_and_where_to_write_it(tmp_path: Path) -> None:
    text = said(found(tmp_path, step(50, 0.09), step(190, 0.33)))
    assert text.splitlines() == [
        'Proposed: rate = "190/s". The service kept its cores busy for 33% of the time: requests outweigh the '
        "JVM's own work, and seldom wait for each other.",
        "Requests: 6,650 per side and pair; enough for p50, tail and p99 of each endpoint.",
        'Write this in pacecar.toml line 11 (--write does it): rate = "190/s"',
        "Next: pacecar compare --dry-run",
    ]


def test_what_was_written_is_said_so(tmp_path: Path) -> None:
    sizing = found(tmp_path, step(50, 0.09), step(190, 0.33))
    assert '\npacecar.toml line 11: rate = "190/s"\n' in said(sizing, written=True)
    assert "Write this in pacecar.toml, below [scenario]" in said(sizing, line=None)


def test_a_load_that_fits_already_is_left(tmp_path: Path) -> None:
    text = said(found(tmp_path, step(50, 0.3)))
    assert text.startswith('Fits as it is: rate = "50/s".')
    assert "--write" not in text


def test_a_load_that_was_tried_first_and_is_not_the_files_is_to_be_written(tmp_path: Path) -> None:
    text = said(found(tmp_path, step(15, 0.3)))
    assert text.startswith('Proposed: rate = "15/s".')
    assert 'Write this in pacecar.toml line 11 (--write does it): rate = "15/s"' in text


def test_an_endpoint_without_its_quantile_is_named_with_the_side_that_gives_it_one(tmp_path: Path) -> None:
    seldom = OPEN + 'weight = 9\n[[scenario.endpoints]]\nname = "GET /b"\npath = "/b"\nweight = 1\n'
    text = said(found(tmp_path, step(50, 0.09), step(190, 0.33), scenario=seldom))
    assert "Requests: 6,650 per side and pair; too few for the p99 of GET /b.\n" in text
    assert 'plan.side = "55 s" would carry them all; a pair then takes' in text


def test_an_endpoint_that_no_side_serves_is_told_so(tmp_path: Path) -> None:
    seldom = OPEN + 'weight = 5000\n[[scenario.endpoints]]\nname = "GET /b"\npath = "/b"\nweight = 1\n'
    text = said(found(tmp_path, step(50, 0.09), step(190, 0.33), scenario=seldom))
    assert "No plan.side carries them all within 20 min 00 s: give those endpoints more weight, or" in text


def test_endpoints_that_no_side_serves_are_not_all_to_get_more_weight(tmp_path: Path) -> None:
    equal = OPEN + 'weight = 1\n[[scenario.endpoints]]\nname = "GET /b"\npath = "/b"\nweight = 1\n'
    text = said(found(tmp_path, step(0.5, 0.3), scenario=equal))
    assert "within 20 min 00 s: the quantiles named are not judged, all others are.\n" in text


@pytest.mark.parametrize("end", list(StopReason))
def test_every_end_has_its_words_with_a_proposal_and_without(tmp_path: Path, end: StopReason) -> None:
    few = said(found(tmp_path, step(50, 0.09), step(190, 0.15), end=end))
    assert 'rate = "190/s"' in few
    assert "15%" in few
    none = said(found(tmp_path, step(50, 0.9), end=end))
    assert none.startswith("No load fits: ")
    assert "None" not in none
    assert "{" not in none
    assert len(none.splitlines()) == 2


@pytest.mark.hostile
def test_failures_are_told_a_line_each_whatever_they_say(tmp_path: Path) -> None:
    failures = ("GET /a: status\n\nfound 404" + "x" * 900, "GET /b: refused")
    text = said(found(tmp_path, step(50, 0.1, failed=300, failures=failures), end=StopReason.FAILING))
    heading, first, second, why, _ = text.splitlines()
    assert heading == "300 of 300 requests failed, most often:"
    assert first.startswith("  GET /a: status found 404xxx")
    assert len(first) < 300
    assert second == "  GET /b: refused"
    assert why == "No load fits: most requests failed under the first load."


def test_requests_that_fail_are_to_be_corrected_before_anything_is_compared(tmp_path: Path) -> None:
    some = said(found(tmp_path, step(50, 0.3, failed=3, failures=("GET /a: answered with status 404",))))
    assert "First correct the requests that fail: a comparison counts each as infinitely slow." in some
    assert "First correct" not in said(found(tmp_path, step(50, 0.3)))


def test_a_loud_machine_is_told_with_the_figure_of_the_last_loud_step(tmp_path: Path) -> None:
    text = said(found(tmp_path, step(50, 0.1, others="60%"), step(190, 0.3, others="71%"), step(200, 0.32)))
    assert text.startswith("Other processes used 71% of the CPU meanwhile")
    text = said(found(tmp_path, step(50, 0.1), step(190, 0.2, answered=9, others="71%"), end=StopReason.NOT_ANSWERED))
    assert "not all requests were answered in time while other processes used 71% of the CPU." in text


def test_a_load_that_is_too_small_and_cannot_be_raised_is_not_said_to_fit(tmp_path: Path) -> None:
    text = said(found(tmp_path, step(50, 0.1), step(190, 0.2, slow_ms=90.0, failed=9), end=StopReason.MORE_FAILURES))
    assert text.startswith('Nothing better was found than rate = "50/s". The service kept its cores busy for 10%')


def test_users_are_proposed_for_a_closed_model(tmp_path: Path) -> None:
    sizing = found(tmp_path, step(4, 0.1), step(12, 0.3), scenario=CLOSED)
    assert "Proposed: users = 12. " in said(sizing)
    assert "is not known yet" in said(sizing)
    limits = range_of(sizing.experiment)
    assert (limits.start, limits.least, limits.whole) == (4, 1, True)


def test_cells_say_what_is_missing() -> None:
    assert row(step(50, 0.094, slow_ms=4081.2))[-1] == "4,081 ms"
    assert row(step(50, 0.094)) == ("50", "9%", "300", "0", "5 ms")
    assert row(step(2000, math.nan, planned=12_000, answered=9_000, failed=1_200, slow_ms=math.nan)) == (
        "2000",
        "unknown",
        "9,000 of 12,000",
        "1,200",
        "",
    )


def test_a_script_gets_numbers_or_null(tmp_path: Path) -> None:
    sizing = found(tmp_path, step(50, 0.09), step(190, math.nan, slow_ms=math.nan), end=StopReason.UNKNOWN)
    told = json.loads(as_json(sizing, line=11, written=False))
    assert told["ended"] == "unknown"
    assert [each["busy"] for each in told["steps"]] == [0.09, None]
    assert told["proposed"] | {"requests": ""} == {
        "key": "scenario.rate",
        "value": "50/s",
        "busy": 0.09,
        "requests": "",
        "line": 11,
        "written": False,
    }
    nothing = json.loads(as_json(found(tmp_path, step(50, 0.9), end=StopReason.NEAR), line=None, written=False))
    assert nothing["proposed"] is None


def test_a_simulation_that_decides_by_itself_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pacecar.toml"
    (tmp_path / "load.jar").touch()
    path.write_text(PLAIN + '[scenario]\nsimulation = "Mine"\njar = "load.jar"\nsliced = false\n')
    with pytest.raises(UsageError, match="Mine sets its own load"):
        sizing(path)


def test_what_is_deployed_is_the_working_tree_where_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "pacecar.toml"
    path.write_text(PLAIN + OPEN)
    (tmp_path / "old.jar").touch()
    (only,) = sizing(path).experiment.builds.values()
    assert only.label == "old.jar"
    path.write_text(PLAIN + OPEN + '[source]\ncommand = ["make"]\nartifact = "a.jar"\n')
    (only,) = sizing(path).experiment.builds.values()
    assert only.label == "working tree"
    (named,) = sizing(path, build=f"jar:{tmp_path}/old.jar", settings=["plan.tier=quick"]).experiment.builds.values()
    assert named.label == "old.jar"
