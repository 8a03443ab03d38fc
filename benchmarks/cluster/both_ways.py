"""Whether the same builds get the same verdict and the same frame as processes and as pods.

    PYTHONPATH=tests python -m benchmarks.cluster.both_ways slow-serializer identical --runs 3

Compares the sample with each build, with the sample's own plan: as processes on this machine, and as pods of a one-node
cluster on it, which use the network of the node. Run N has the seed N. Each comparison is written to
`results/both_ways.json` as it ends, and an interrupted series continues where it stopped. `--ways kubernetes` leaves
out the processes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from support.cluster.images import PACECAR
from support.cluster.reached import reached

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results" / "both_ways.json"
MANIFEST = ROOT / "targets" / "orders" / "kubernetes.yaml"
#: The one that the manifest names; the tests' cluster has its own.
IMAGE = "pacecar:0.1"
WAYS = ("process", "kubernetes")


def main() -> None:
    """Make the comparisons that are still missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+", help="names of patches of the sample, or identical")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    asked = parser.parse_args()
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with reached() as cluster:
        os.environ["KUBECONFIG"] = str(cluster.kubeconfig)
        for seed in range(1, asked.runs + 1):
            for build in asked.builds:
                for way in asked.ways:
                    runs = found.setdefault(build, {}).setdefault(way, [])
                    if len(runs) < seed:
                        runs.append(compare(build, way, seed=seed))
                        RESULTS.parent.mkdir(exist_ok=True)
                        RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    print(RESULTS.read_text())


def compare(build: str, way: str, *, seed: int) -> dict[str, Any]:
    """What a comparison of the sample, deployed that way, concludes."""
    candidate = "tree:targets/orders" if build == "identical" else f"patch:targets/orders/builds/{build}.patch"
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as name:
        folder = Path(name)
        (folder / "targets").symlink_to(ROOT / "targets")
        shutil.copy(ROOT / "pacecar.toml", folder)
        (folder / MANIFEST.name).write_text(MANIFEST.read_text().replace(IMAGE, PACECAR))
        command = [sys.executable, "-m", "pacecar", "compare", "--fail-on", "nothing", "--seed", str(seed)]
        settings = (
            *(f"target.deploy={way}", "builds.measure_equal=true", "target.ready_timeout=240s"),
            *(f"target.kubernetes.manifest={MANIFEST.name}", f"target.kubernetes.sidecar={PACECAR}"),
        )
        for setting in settings:
            command += ["--set", setting]
        began = time.monotonic()
        subprocess.run([*command, "--candidate", candidate], cwd=folder, check=True)
        (run,) = (folder / ".pacecar" / "runs").iterdir()
        document = json.loads((run / "document.json").read_text())
    blamed = [frame["frame"] for frame in document["frames"] if frame["blamed"] and frame["event"] == "cpu"]
    return {
        "verdict": document["verdict"],
        "headline": document["headline"],
        "frame": blamed[0] if blamed else None,
        "pairs": len(document["pairs"]),
        "left_out": [pair["voided"] for pair in document["pairs"] if pair.get("voided")],
        "minutes": round((time.monotonic() - began) / 60, 1),
    }


if __name__ == "__main__":
    main()
