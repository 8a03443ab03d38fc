"""What `--dry-run` says of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from pacecar.cli.plan_text import describe
from pacecar.inputs.config import load
from pacecar.model.experiment import Experiment, Side
from pacecar.model.options import RunOptions
from pacecar.workflow.experiments import experiment_of

PLAIN = """
[target]
name = "shop"
command = ["{java}", "-jar", "{artifact}", "{port}"]
ready = "/ready"

[builds]
baseline = "jar:old.jar"
candidate = "jar:new.jar"

[scenario]
rate = "50/s"
"""


def _requests(folder: Path, **weights: int) -> str:
    return _line("requests", folder, weights)


def _line(name: str, folder: Path, weights: Mapping[str, int], *, plan: str = "") -> str:
    endpoints = "".join(
        f'\n[[scenario.endpoints]]\nname = "{each}"\npath = "/{each}"\nweight = {weight}\n'
        for each, weight in weights.items()
    )
    experiment = _experiment(folder, PLAIN + endpoints + plan)
    lines = [line for line in describe(experiment).splitlines() if line.startswith(name)]
    return lines[0].removeprefix(name).strip() if lines else ""


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"often": 1}, "1,750 per side and pair"),
        ({"often": 80, "seldom": 20}, "1,750 per side and pair; too few for the tail and p99 of seldom"),
        ({"often": 40, "seldom": 60}, "1,750 per side and pair; too few for the p99 of often"),
        (dict.fromkeys("abcde", 1), "1,750 per side and pair; too few for the tail and p99 of any one endpoint"),
        (
            {**dict.fromkeys("abcde", 1), "often": 20},
            "1,750 per side and pair; too few for the tail and p99 of a, b, c and 2 more",
        ),
    ],
)
def test_what_the_requests_are_too_few_for_is_said_once(tmp_path: Path, weights: dict[str, int], said: str) -> None:
    assert _requests(tmp_path, **weights) == said


def test_what_follows_the_windows_is_said_with_its_seconds(tmp_path: Path) -> None:
    two, many = {"a": 1, "b": 2}, {f"e{number}": 1 for number in range(50)}
    asked = "up to 4 times 20 requests to each endpoint by itself, about "
    assert _line("then", tmp_path, two) == f"{asked}4 s"
    assert _line("then", tmp_path, many) == f"{asked}13 s; 10 of 50 endpoints are left out"
    assert _line("then", tmp_path, two, plan="\n[plan]\ncounted = false\n") == ""


QUICK = '\n[plan]\ntier = "quick"\n'


def test_pairs_that_would_look_for_a_cause_are_told_with_their_seconds(tmp_path: Path) -> None:
    one = {"a": 1}
    assert _line("may follow", tmp_path, one).startswith("one pair that looks at single requests, if latency regressed")
    assert _line("may follow", tmp_path, one, plan=QUICK).startswith(
        "two or three profiled pairs, if allocation regressed"
    )
    for plan in (QUICK, "\n[plan]\n"):
        assert _line("may follow", tmp_path, one, plan=f"{plan}explain = false\n") == ""


STAIRCASE = 'rate = "50/s"\nmodel = "staircase"\nwithin = "60 ms"\n'


def _experiment(folder: Path, text: str) -> Experiment:
    path = folder / "pacecar.toml"
    path.write_text(text)
    for jar in ("old.jar", "new.jar"):
        (folder / jar).touch()
    return experiment_of(load(path), options=RunOptions(), sides=tuple(Side))


def test_a_staircase_is_said_with_its_budget(tmp_path: Path) -> None:
    experiment = _experiment(tmp_path, PLAIN.replace('rate = "50/s"\n', STAIRCASE))
    assert experiment.climbs
    assert (
        "the rate is raised from 50/s until 95% of the requests no longer stay within 60 ms, for at most 4 min"
        in describe(experiment)
    )


def test_requests_that_are_counted_have_no_staircase(tmp_path: Path) -> None:
    quick = PLAIN.replace('rate = "50/s"\n', STAIRCASE) + '[plan]\ntier = "quick"\n'
    experiment = _experiment(tmp_path, quick)
    assert not experiment.climbs
    assert "the rate is raised" not in describe(experiment)
