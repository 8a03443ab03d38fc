"""Whether the same builds get the same verdict and the same frame as processes and in containers.

    PYTHONPATH=tests python -m benchmarks.containers.both_ways

Compares the sample with `slow-serializer.patch`, with the sample's own plan and the same seed, once each way. In
containers, each fork has its own PostgreSQL, so latencies differ, but the frame to blame does not. `--set` applies to
both, for shorter plans.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from support import container_engine
from support.container_engine.project import build
from support.container_engine.service import POSTGRES, POSTGRES_START

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Compare both ways, and write what each concluded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", action="append", default=[], dest="settings")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as name, container_engine.running() as found:
        folder = Path(name)
        os.environ.update(found | {"JRE_IMAGE": container_engine.BASE, "ORDERS_STAGE": "jre"})
        os.environ["POSTGRES_IMAGE"] = postgres(folder)
        concluded = {
            deployer: compare(folder / deployer, deployer, settings=asked.settings)
            for deployer in ("process", "compose")
        }
    results = Path(__file__).parent / "results" / "both_ways.json"
    results.parent.mkdir(exist_ok=True)
    results.write_text(json.dumps({"settings": asked.settings, **concluded}, indent=2) + "\n")
    print(results.read_text())


def postgres(folder: Path) -> str:
    """The image of the database."""
    context = folder / "postgres"
    context.mkdir()
    (context / "start.sh").write_text(POSTGRES_START)
    return build(context, "pacecar-test/postgres:1", POSTGRES)


def compare(project: Path, deployer: str, *, settings: list[str]) -> dict[str, Any]:
    """What a comparison of the sample, deployed that way, concludes."""
    shutil.copytree(
        ROOT / "targets" / "orders", project / "targets" / "orders", ignore=shutil.ignore_patterns("target")
    )
    for name in ("pacecar.toml", "docker-compose.yml"):
        shutil.copy(ROOT / name, project)
    command = [sys.executable, "-m", "pacecar", "compare", "--fail-on", "nothing", "--set", f"target.deploy={deployer}"]
    for setting in (*settings, "target.ready_timeout=240s"):
        command += ["--set", setting]
    subprocess.run(command, cwd=project, check=True)
    (run,) = (project / ".pacecar" / "runs").iterdir()
    document = json.loads((run / "document.json").read_text())
    blamed = [frame["frame"] for frame in document["frames"] if frame["blamed"] and frame["event"] == "cpu"]
    return {
        "verdict": document["verdict"],
        "reason": document["reason"],
        "frame": blamed[0] if blamed else None,
        "pairs": len(document["pairs"]),
    }


if __name__ == "__main__":
    main()
