"""The plan that the kit in `scenarios/` carries out: which side is under load when, and with what.

`dev.pacecar.scenarios.Plan` is its other end and describes every key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pacecar.measurement.load.loopback import require_loopback
from pacecar.model.experiment import Plan, Side
from pacecar.model.scenario import Endpoint, Scenario

#: Names of the files the kit leaves beside the plan.
CLOCK_FILE = "clock.json"
ARRIVALS_FILE = "arrivals.csv"
HICCUPS_FILE = "hiccups.csv"
PROGRESS_FILE = "warmup.csv"
#: The file that we leave there to end the burst.
BURST_END_FILE = "burst-end"
#: Of the quick tier: the file in which we say how many blocks may be sent, and the one that the kit notes them in.
GO_FILE = "blocks-go"
DONE_FILE = "blocks-done.jsonl"


def plan_document(
    *,
    scenario: Scenario,
    plan: Plan,
    order: Sequence[Side],
    urls: Mapping[Side, str],
    seed: int,
    folder: Path,
) -> dict[str, Any]:
    """The plan of one Gatling process as JSON-ready values.

    Args:
        scenario: what users do, and how many there are.
        plan: lengths of warm-up, slices and gaps; a burst that may end early, or not.
        order: the side under load in each slice.
        urls: base URL of each side that takes part.
        seed: seed of the pair; reduced to 64 bits.
        folder: absolute path of the folder for the kit's own files.

    Raises:
        LoadError: when a URL is not on this machine's loopback interface.
    """
    return {
        "seed": (seed + 2**63) % 2**64 - 2**63,
        "model": "open" if scenario.by_the_clock else "closed",
        "ratePerSecond": scenario.rate_per_s,
        "usersPerSide": scenario.users,
        "thinkTimeMs": scenario.think_time_s * 1e3,
        "sides": {side.value: require_loopback(url) for side, url in urls.items()},
        "warmup": {
            "seconds": plan.warmup_s,
            "burstSeconds": plan.burst_s,
            "burstUsers": plan.burst_users,
            "burstEndFile": str(folder / BURST_END_FILE) if plan.steady else None,
            "progressFile": str(folder / PROGRESS_FILE),
        },
        "slices": [side.value for side in order],
        "sliceSeconds": plan.slice_s,
        "gapSeconds": plan.gap_s,
        "endpoints": [_endpoint(endpoint) for endpoint in scenario.endpoints],
        "clockFile": str(folder / CLOCK_FILE),
        "arrivalsFile": str(folder / ARRIVALS_FILE),
        "hiccupsFile": str(folder / HICCUPS_FILE),
        "traced": scenario.traced and not plan.quick,
        "counted": _counted(plan, folder) if plan.quick else None,
    }


def write_plan(
    path: Path, *, scenario: Scenario, plan: Plan, order: Sequence[Side], urls: Mapping[Side, str], seed: int
) -> Path:
    """Write the plan to `path`; the kit's files will lie beside it. Returns the absolute path.

    See `plan_document` for the arguments and errors.
    """
    path = path.absolute()
    document = plan_document(scenario=scenario, plan=plan, order=order, urls=urls, seed=seed, folder=path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False), encoding="utf-8")
    return path


def _counted(plan: Plan, folder: Path) -> dict[str, Any]:
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
