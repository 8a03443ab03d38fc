from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.gatling.plan import plan_document, write_plan
from pacecar.measurement.load.injector import LoadShare, SlicedLoad
from pacecar.model.experiment import Plan, Side
from pacecar.model.scenario import Endpoint, LoadModel, Scenario
from pacecar.model.tiers import Blocks, Tier

URLS = {Side.BASELINE: "http://127.0.0.1:1001", Side.CANDIDATE: "http://127.0.0.1:1002"}
ORDER = (Side.CANDIDATE, Side.BASELINE, Side.BASELINE, Side.CANDIDATE)
PLAN = Plan(pairs=3, side_s=10, slice_s=5, gap_s=0.5, warmup_s=15, burst_s=4, burst_users=2, seed=1)
SCENARIO = Scenario(
    simulation="dev.pacecar.scenarios.EndpointMix",
    module=None,
    jar=None,
    sliced=True,
    model=LoadModel.OPEN,
    rate_per_s=150,
    users=8,
    think_time_s=0.05,
    endpoints=(Endpoint(name="POST /täglich", method="POST", path="/a?b=${int(1,5)}", weight=2.5, body='{"x": "ü"}'),),
)

LOAD = SlicedLoad(plan=PLAN, order=ORDER, urls=URLS, seed=42)


def test_says_what_the_kit_expects(tmp_path: Path) -> None:
    document = plan_document(LOAD, scenario=SCENARIO, folder=tmp_path)

    assert document == {
        "seed": 42,
        "model": "open",
        "ratePerSecond": 150,
        "usersPerSide": 8,
        "thinkTimeMs": 50.0,
        "sides": {"baseline": "http://127.0.0.1:1001", "candidate": "http://127.0.0.1:1002"},
        "warmup": {
            "seconds": 15,
            "burstSeconds": 4,
            "burstUsers": 2,
            "burstEndFile": str(tmp_path / "burst-end"),
            "progressFile": str(tmp_path / "warmup.csv"),
        },
        "slices": ["candidate", "baseline", "baseline", "candidate"],
        "sliceSeconds": 5,
        "gapSeconds": 0.5,
        "endpoints": [
            {
                "name": "POST /täglich",
                "weight": 2.5,
                "method": "POST",
                "path": "/a?b=${int(1,5)}",
                "body": '{"x": "ü"}',
                "headers": {},
            }
        ],
        "clockFile": str(tmp_path / "clock.json"),
        "arrivalsFile": str(tmp_path / "arrivals.csv"),
        "traced": False,
        "hiccupsFile": str(tmp_path / "hiccups.csv"),
        "counted": None,
        "share": {"index": 0, "of": 1},
        "start": {"readyFile": str(tmp_path / "ready.json"), "beginFile": str(tmp_path / "begin")},
    }


def test_an_injector_is_told_its_share(tmp_path: Path) -> None:
    document = plan_document(LOAD, scenario=SCENARIO, folder=tmp_path, share=LoadShare(index=2, of=3))

    assert document["share"] == {"index": 2, "of": 3}
    assert document["ratePerSecond"] == 150, "each draws all requests"


def test_says_how_blocks_are_counted(tmp_path: Path) -> None:
    plan = replace(PLAN, tier=Tier.QUICK, blocks=Blocks(requests=7, endpoints=9))

    document = plan_document(replace(LOAD, plan=plan), scenario=SCENARIO, folder=tmp_path)

    assert document["counted"] == {
        "requests": 7,
        "operations": 9,
        "goFile": str(tmp_path / "blocks-go"),
        "doneFile": str(tmp_path / "blocks-done.jsonl"),
    }


def test_is_written_as_json_that_reads_back(tmp_path: Path) -> None:
    path = write_plan(tmp_path / "new" / "plan.json", LOAD, scenario=SCENARIO)

    expected = plan_document(LOAD, scenario=SCENARIO, folder=tmp_path / "new")
    assert json.loads(path.read_text(encoding="utf-8")) == expected


@pytest.mark.parametrize("seed", [-(2**63), 2**63 - 1, 2**63, 2**200 + 7, -(2**90)])
def test_any_seed_fits_a_java_long(seed: int, tmp_path: Path) -> None:
    document = plan_document(replace(LOAD, seed=seed), scenario=SCENARIO, folder=tmp_path)

    assert -(2**63) <= document["seed"] < 2**63
    assert (document["seed"] - seed) % 2**64 == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://192.0.2.7:8080",
        "http://shop.example/",
        "http://127.0.0.1.example/",
        "http://127.0.0.1@192.0.2.7/",
        "http://[::ffff:192.0.2.7]/",
        "http://[::1",
        "http://127.0.0.1:99999999/",
        "http://0.0.0.0:80",
        "ftp://127.0.0.1/",
        "127.0.0.1:8080",
        "",
    ],
)
def test_no_load_leaves_this_machine(url: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="only on this machine"):
        plan_document(replace(LOAD, urls={**URLS, Side.BASELINE: url}), scenario=SCENARIO, folder=tmp_path)


@pytest.mark.parametrize("url", ["http://localhost:80", "http://127.8.9.10:1", "https://[::1]:8443/base"])
def test_every_loopback_address_will_do(url: str, tmp_path: Path) -> None:
    document = plan_document(replace(LOAD, urls={Side.BASELINE: url}), scenario=SCENARIO, folder=tmp_path)

    assert document["sides"] == {"baseline": url}


def test_load_goes_to_what_the_run_has_made_and_to_nothing_beside(tmp_path: Path) -> None:
    load = replace(LOAD, urls={Side.BASELINE: "http://10.0.0.7:8080"}, made=frozenset({"10.0.0.7"}))
    document = plan_document(load, scenario=SCENARIO, folder=tmp_path)
    assert document["sides"] == {"baseline": "http://10.0.0.7:8080"}
    for other in ("http://10.0.0.8:8080", "http://10.0.0.7.example/", "http://10.0.0.7@10.0.0.8/"):
        with pytest.raises(LoadError, match="only on this machine"):
            plan_document(replace(load, urls={Side.BASELINE: other}), scenario=SCENARIO, folder=tmp_path)


def test_a_number_that_json_lacks_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_plan(tmp_path / "plan.json", LOAD, scenario=replace(SCENARIO, rate_per_s=float("nan")))
