"""The plan that the kit in `scenarios/` carries out: which side is under load when, and with what.

`dev.pacecar.scenarios.Plan` is its other end and describes every key.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import Any

from pacecar.measurement.load.destination import require_ours
from pacecar.measurement.load.injector import WHOLE, LoadShare, SlicedLoad
from pacecar.model.experiment import Plan
from pacecar.model.scenario import Endpoint, Scenario

#: Names of the files the kit leaves beside the plan.
CLOCK_FILE = "clock.json"
ARRIVALS_FILE = "arrivals.csv"
HICCUPS_FILE = "hiccups.csv"
PROGRESS_FILE = "warmup.csv"
#: The file in which a process says that it can begin, and those that we leave there with the time at which the load
#: begins and the burst ends.
READY_FILE = "ready.json"
BEGIN_FILE = "begin"
BURST_END_FILE = "burst-end"
#: Of the quick tier: the file in which we say how many blocks may be sent, and the one that the kit notes them in.
GO_FILE = "blocks-go"
DONE_FILE = "blocks-done.jsonl"


def plan_document(
    load: SlicedLoad, *, scenario: Scenario, folder: PurePath, share: LoadShare = WHOLE
) -> dict[str, Any]:
    """The plan of one Gatling process as JSON-ready values.

    Args:
        load: when which side is under load; its seed is reduced to 64 bits.
        scenario: what users do, and how many there are.
        folder: absolute path of the folder for the kit's own files, on the machine that the process runs on.
        share: what this process sends of it.

    Raises:
        LoadError: when a URL is not on this machine's loopback interface.
    """
    plan = load.plan
    return {
        "seed": (load.seed + 2**63) % 2**64 - 2**63,
        "model": "open" if scenario.by_the_clock else "closed",
        "ratePerSecond": scenario.rate_per_s,
        "usersPerSide": scenario.users,
        "thinkTimeMs": scenario.think_time_s * 1e3,
        "sides": {side.value: require_ours(url, load.made) for side, url in load.urls.items()},
        "warmup": {
            "seconds": plan.warmup_s,
            "burstSeconds": plan.burst_s,
            "burstUsers": plan.burst_users,
            "burstEndFile": str(folder / BURST_END_FILE) if plan.steady else None,
            "progressFile": str(folder / PROGRESS_FILE),
        },
        "slices": [side.value for side in load.order],
        "sliceSeconds": plan.slice_s,
        "gapSeconds": plan.gap_s,
        "endpoints": [_endpoint(endpoint) for endpoint in scenario.endpoints],
        "clockFile": str(folder / CLOCK_FILE),
        "arrivalsFile": str(folder / ARRIVALS_FILE),
        "hiccupsFile": str(folder / HICCUPS_FILE),
        "traced": scenario.traced and not plan.quick,
        "counted": _counted(plan, folder) if plan.quick else None,
        "share": {"index": share.index, "of": share.of},
        "start": {"readyFile": str(folder / READY_FILE), "beginFile": str(folder / BEGIN_FILE)},
    }


def write_plan(path: Path, load: SlicedLoad, *, scenario: Scenario, share: LoadShare = WHOLE) -> Path:
    """Write the plan to `path`; the kit's files will lie beside it. Returns the absolute path.

    See `plan_document` for the arguments and errors.
    """
    path = path.absolute()
    document = plan_document(load, scenario=scenario, folder=path.parent, share=share)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False), encoding="utf-8")
    return path


def _counted(plan: Plan, folder: PurePath) -> dict[str, Any]:
    return {
        "requests": plan.blocks.requests,
        "operations": plan.blocks.endpoints,
        "goFile": str(folder / GO_FILE),
        "doneFile": str(folder / DONE_FILE),
    }


def _endpoint(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "name": endpoint.name,
        "weight": endpoint.weight,
        "method": endpoint.method,
        "path": endpoint.path,
        "body": endpoint.body,
        "headers": dict(endpoint.headers),
    }
