"""What is left in a cluster, and for how long, after the processes that follow and measure a run are killed.

    PYTHONPATH=tests python -m benchmarks.cluster.kills --kills 20 --at-once 4

Submits comparisons of a one-class service with itself, follows each, and kills both processes with SIGKILL at a random
moment of the first minute of measuring. Then it looks for jobs, pods and secrets by their labels until there are none.
Prints a line for each and writes `results/kills.json` beside this file. The exit status is 1 if anything was left after
90 s.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psutil

from benchmarks.cluster.small import admit, names, project
from support.cluster import Cluster
from support.cluster.reached import reached
from support.object_store import gateway

_RESULTS = Path(__file__).parent / "results" / "kills.json"
_WITHIN_S, _MOST_S = 90, 240
_FIRST_S = 60.0
_PLACES = (
    "/apis/batch/v1/namespaces/default/jobs",
    "/api/v1/namespaces/default/pods",
    "/api/v1/namespaces/default/secrets",
)


@dataclass(frozen=True, kw_only=True)
class Kill:
    """One kill: how long after the job began, how many objects there were then, and when none was left.

    `gone_s` is None if something was left at the end.
    """

    after_s: float
    objects: int
    gone_s: float | None


def main() -> None:
    """Kill that many, and write what was left."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--at-once", type=int, default=4)
    asked = parser.parse_args()
    draw = random.Random(1)
    moments = [draw.uniform(0.0, _FIRST_S) for _ in range(asked.kills)]
    with (
        tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as name,
        reached() as cluster,
        gateway.running(Path(name) / "gateway") as server,
        ThreadPoolExecutor(asked.at_once) as at_once,
    ):
        admit(cluster)
        folder = project(Path(name) / "service", server)
        environment = server.environment | {"KUBECONFIG": str(cluster.kubeconfig)}
        kills = list(at_once.map(lambda after_s: _killed(cluster, folder, environment, after_s=after_s), moments))
        left = [name for place in _PLACES[1:] for name in names(cluster, f"{place}?labelSelector=dev.pacecar%2Fowner")]
    late = [each for each in kills if each.gone_s is None or each.gone_s > _WITHIN_S]
    longest = max((each.gone_s for each in kills if each.gone_s is not None), default=None)
    figures = {"kills": len(kills), "left_after_90_s": len(late) + len(left), "longest_s": longest}
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(json.dumps(figures | {"each": [asdict(each) for each in kills]}, indent=2) + "\n")
    print(figures)
    sys.exit(bool(late or left))


def _killed(cluster: Cluster, folder: Path, environment: dict[str, str], *, after_s: float) -> Kill:
    same = ("--baseline", ".", "--candidate", ".", "--measure-equal")
    command = [sys.executable, "-m", "pacecar", "submit", *same, "--follow"]
    pipe, text = subprocess.PIPE, True
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=text) as process:
        assert process.stderr is not None
        printed = (re.search(r"run (\S+) is measured by job", line) for line in process.stderr)
        run = next(found[1] for found in printed if found)
        while not _conductors(run):
            time.sleep(0.1)
        time.sleep(after_s)
        objects = _objects(cluster, run)
        process.kill()
    for each in _conductors(run):
        with contextlib.suppress(psutil.Error):
            each.kill()
    gone_s = _gone(cluster, run)
    print(f"killed after {after_s:4.1f} s with {len(objects)} objects; none left after {gone_s} s", flush=True)
    return Kill(after_s=round(after_s, 1), objects=len(objects), gone_s=gone_s)


def _conductors(run: str) -> list[psutil.Process]:
    """The processes that measure a run, as this machine sees them."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get("PACECAR_POD_NAME", "").startswith(f"pacecar-{run}-"):
                found.append(process)
    return found


def _gone(cluster: Cluster, run: str) -> float | None:
    began = time.monotonic()
    while (waited := time.monotonic() - began) < _MOST_S:
        if not _objects(cluster, run):
            return round(waited, 1)
        time.sleep(1)
    return None


def _objects(cluster: Cluster, run: str) -> list[str]:
    """The objects of a run: those with its label, and what its pods own."""
    selector = quote(f"dev.pacecar/run={run}")
    found = [each for place in _PLACES for each in names(cluster, f"{place}?labelSelector={selector}")]
    forks: list[dict[str, Any]] = cluster.api.get(f"{_PLACES[1]}?labelSelector=dev.pacecar%2Fowner")["items"]
    prefix = f"pacecar-{run}-"
    owners = {each["metadata"]["name"]: each["metadata"].get("ownerReferences", ()) for each in forks}
    return found + [name for name, owned in owners.items() if any(each["name"].startswith(prefix) for each in owned)]


if __name__ == "__main__":
    os.environ.pop("KUBECONFIG", None)
    main()
