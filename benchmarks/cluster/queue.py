"""Whether ten comparisons all come to an end when a queue admits two at a time.

    PYTHONPATH=tests python -m benchmarks.cluster.queue --runs 10 --at-once 2

Submits comparisons of a one-class service with itself to a Kueue queue, all at once, and follows each. Meanwhile it
counts, twice a second, how many are being measured. Prints a line for each and writes `results/queue.json` beside this
file. The exit status is 1 if one has no verdict, or if more were measured at once than allowed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import yaml

from benchmarks.cluster.small import admit, project
from pacecar.onboarding.cluster_manifest import cluster_manifest
from support.cluster import Cluster, kueue
from support.cluster.reached import reached
from support.object_store import gateway

_RESULTS = Path(__file__).parent / "results" / "queue.json"
_JOBS = "/apis/batch/v1/namespaces/default/jobs"
_POLL_S = 0.5
_QUEUE = "pacecar"


@dataclass(frozen=True, kw_only=True)
class Ended:
    """One comparison: its verdict, its pairs, the minutes since its submission, and what failed, if anything."""

    verdict: str | None
    pairs: int
    minutes: float
    failed: str | None


def main() -> None:
    """Submit that many, and write how they ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--at-once", type=int, default=2)
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as name,
        reached() as cluster,
        gateway.running(Path(name) / "gateway") as server,
        ThreadPoolExecutor(asked.runs) as together,
    ):
        admit(cluster)
        kueue.start(cluster)
        for document in yaml.safe_load_all(cluster_manifest("default", at_once=asked.at_once)):
            if document["apiVersion"].startswith("kueue"):
                kueue.apply(cluster, document)
        folder = project(Path(name) / "service", server, queue=_QUEUE)
        environment = server.environment | {"KUBECONFIG": str(cluster.kubeconfig)}
        with _Counting(cluster) as counting:
            ended = list(together.map(lambda seed: _compared(folder, environment, seed=seed), range(asked.runs)))
    figures = {
        "runs": len(ended),
        "at_once": asked.at_once,
        "most_at_once": counting.most,
        "with_a_verdict": sum(each.verdict is not None for each in ended),
        "minutes": max(each.minutes for each in ended),
    }
    _RESULTS.write_text(json.dumps(figures | {"each": [asdict(each) for each in ended]}, indent=2) + "\n")
    print(figures)
    sys.exit(figures["with_a_verdict"] < asked.runs or counting.most > asked.at_once)


class _Counting:
    """The largest number of jobs with a pod while it runs."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._count)
        self.most = 0

    def __enter__(self) -> _Counting:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _count(self) -> None:
        while not self._over.wait(_POLL_S):
            jobs = self._cluster.api.get(_JOBS)["items"]
            self.most = max(self.most, sum(bool(each["status"].get("active")) for each in jobs))


def _compared(folder: Path, environment: dict[str, str], *, seed: int) -> Ended:
    same = ("--baseline", ".", "--candidate", ".", "--measure-equal", "--pairs", "1")
    command = [sys.executable, "-m", "pacecar", "submit", *same, "--seed", str(seed), "--follow", "--json"]
    began = time.monotonic()
    told = subprocess.run(
        [*command, "--fail-on", "nothing"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    minutes = round((time.monotonic() - began) / 60, 1)
    run = re.search(r"run (\S+) is measured by job", told.stderr)
    print(f"{run[1] if run else f'run with seed {seed}'} ended with {told.returncode} after {minutes} min", flush=True)
    try:
        document = json.loads(told.stdout)
    except ValueError:
        return Ended(verdict=None, pairs=0, minutes=minutes, failed=told.stderr[-400:])
    return Ended(verdict=document["verdict"], pairs=len(document["pairs"]), minutes=minutes, failed=None)


if __name__ == "__main__":
    os.environ.pop("KUBECONFIG", None)
    main()
