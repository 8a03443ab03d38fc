"""What `pacecar capacity` says of what it has found."""

from __future__ import annotations

import json
import math
from pathlib import Path

from pacecar.analysis.capacity import Staircase
from pacecar.analysis.metrics.climb import Climb
from pacecar.cli.capacity_text import as_json, conclusion, rows
from pacecar.inputs.config import load
from pacecar.model.capacity import LoadStep, Top
from pacecar.model.experiment import Side
from pacecar.model.options import RunOptions
from pacecar.workflow.capacity import Borne
from pacecar.workflow.experiments import experiment_of

CONFIGURATION = """
[target]
name = "shop"
command = ["{java}", "-jar", "{artifact}", "{port}"]
ready = "/ready"

[builds]
baseline = "jar:old.jar"
candidate = "jar:new.jar"

[scenario]
rate = "50/s"
[[scenario.endpoints]]
name = "GET /a"
path = "/a"
"""
#: Rate -> p95 in ms.
QUICK = {50: 4.0, 400: 20.0, 450: 90.0}
SLOW = {50: 4.0, 300: 20.0, 330: math.inf}


def climb(latencies: dict[int, float], **of_last: object) -> Climb:
    steps = [
        LoadStep(rate_per_s=rate, answered_per_s=rate, latency_ms=latency, busy=rate / 500)
        for rate, latency in latencies.items()
    ]
    steps[-1] = LoadStep(**vars(steps[-1]) | of_last)
    return Climb(steps=steps, within_ms=50.0)


def found(folder: Path, *climbs: dict[Side, Climb], top: Top = Top.FOUND) -> Borne:
    (folder / "pacecar.toml").write_text(CONFIGURATION)
    for name in ("old.jar", "new.jar"):
        (folder / name).touch()
    experiment = experiment_of(load(folder / "pacecar.toml"), options=RunOptions(), sides=tuple(climbs[0]))
    staircases = tuple(Staircase(climbs=each, top=top) for each in climbs)
    return Borne(experiment=experiment, within_ms=50.0, staircases=staircases)


def said(borne: Borne) -> list[str]:
    return list(conclusion(borne, budget=0.1))


def test_one_build_is_a_sentence(tmp_path: Path) -> None:
    borne = found(tmp_path, {Side.BASELINE: climb(QUICK)})
    assert said(borne) == [
        "old.jar bears 430 requests/s with p95 within 50 ms: 400/s kept it, 450/s broke it.",
    ]
    assert list(rows(borne))[-1] == ("1", "old.jar", "450", "450", "90 ms", "90%", "beyond the budget")


def test_two_builds_have_a_verdict_over_pairs(tmp_path: Path) -> None:
    pair = {Side.BASELINE: climb(QUICK), Side.CANDIDATE: climb(SLOW)}
    *of_pairs, verdict = said(found(tmp_path, pair, pair))
    assert of_pairs[0].startswith("Pair 1: old.jar bears 430 requests/s")
    assert of_pairs[3].startswith("Pair 2: new.jar bears 305 requests/s")
    assert verdict.startswith("REGRESSED: capacity -29.0% [")
    assert verdict.endswith("over 2 pairs; a loss of 10% is tolerated.")


def test_what_was_never_reached_is_a_least(tmp_path: Path) -> None:
    borne = found(tmp_path, {Side.BASELINE: climb({50: 4.0, 400: 20.0}, generator_at_limit=True)}, top=Top.GENERATOR)
    bears, why, remedy = said(borne)
    assert bears == "old.jar bears at least 50 requests/s with p95 within 50 ms."
    assert why == "No further step was made: the load generator reached its own limit."
    assert remedy == "Give the load generator more cores of its own, or the service fewer."


def test_a_staircase_that_was_ended_early_decides_nothing(tmp_path: Path) -> None:
    pair = {Side.BASELINE: climb(QUICK), Side.CANDIDATE: climb(SLOW)}
    borne = found(tmp_path, pair, top=Top.EARLY)
    assert borne.verdict(0.1) is None
    assert "No further step was made: it was stopped early." in said(borne)


def test_a_first_step_that_breaks_the_budget_says_where_to_start(tmp_path: Path) -> None:
    borne = found(tmp_path, {Side.BASELINE: climb({50: 90.0})}, top=Top.FIRST)
    assert said(borne) == [
        "old.jar did not keep p95 within 50 ms at the first rate, 50/s.",
        "No further step was made: the first step already broke the budget.",
        "Start lower (--set scenario.rate=12.5/s), or allow more with --within.",
    ]


def test_scripts_read_null_where_nothing_is_known(tmp_path: Path) -> None:
    borne = found(tmp_path, {Side.BASELINE: climb({50: math.inf}, busy=math.nan)}, top=Top.FIRST)
    told = json.loads(as_json(borne, budget=0.1))
    (pair,) = told["pairs"]
    assert pair["baseline"]["capacity_per_s"] is None
    assert pair["baseline"]["steps"][0] | {"latency_ms": None, "busy": None} == pair["baseline"]["steps"][0]
    assert told["verdict"] is None


def test_scripts_read_the_change_as_a_fraction(tmp_path: Path) -> None:
    borne = found(tmp_path, {Side.BASELINE: climb(QUICK), Side.CANDIDATE: climb(SLOW)})
    told = json.loads(as_json(borne, budget=0.1))
    assert told["change"]["low"] < told["change"]["mean"] < -0.2
    assert told["pairs"][0]["candidate"]["at_least"] is False
