"""What Compose adds to the start of a fork, and what 50 forks leave in the engine when every fifth is killed.

    PYTHONPATH=tests python -m benchmarks.containers.forks starts --times 10
    PYTHONPATH=tests python -m benchmarks.containers.forks leaves --forks 50 --kills 10

A fork is the service of the container tests. `starts` starts it alone, with Compose and with `docker run`, with the
same image, jar and JVM options. The difference in seconds until it answers is what Compose and Pacecar add. In
`leaves`, it has a dependency with a named and an anonymous volume. A separate Pacecar process starts each fork, and is
killed with SIGKILL at a random moment of the fork's life. The next process cleans up.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pacecar.measurement.deploy import readiness
from pacecar.measurement.deploy.ports import free_port
from pacecar.system.resources import Resources, sweep
from support import container_engine
from support.container_engine.project import APP, Project, build, docker, left
from support.container_engine.service import PLAIN, built_jar
from support.watchdogs import line_of

OTHER = {
    "image": "pacecar-test/plain:1",
    "entrypoint": ["sleep", "600"],
    "volumes": ["data:/data", "/anonymous"],
    "stop_signal": "SIGKILL",
}
SERVICES = {"app": {**APP, "depends_on": ["other"]}, "other": OTHER}
#: Seconds into the life of a fork within which it is killed: while it starts, or when it is up.
LIFE_S = 6.0
ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("question", choices=("starts", "leaves"))
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--forks", type=int, default=50)
    parser.add_argument("--kills", type=int, default=10)
    asked = parser.parse_args()
    with environment() as (folder, jar):
        if asked.question == "starts":
            found = starts(folder, jar, times=asked.times)
        else:
            found = leaves(folder, jar, forks=asked.forks, kills=asked.kills)
        figures = found | {
            "engine": docker("version", "--format", "{{.Server.Version}}").strip(),
            "compose": docker("compose", "version", "--short").strip(),
            "cores": os.cpu_count(),
        }
    results = Path(__file__).parent / "results" / f"{asked.question}.json"
    results.parent.mkdir(exist_ok=True)
    results.write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures, indent=2))


@contextlib.contextmanager
def environment() -> Iterator[tuple[Path, Path]]:
    """An engine, the image, the jar, and a separate state, so that no ledgers of another Pacecar are cleaned up."""
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as name, container_engine.running() as found:
        folder = Path(name)
        os.environ.update(found | {"PACECAR_STATE": str(folder / "state")})
        (folder / "image").mkdir()
        build(folder / "image", "pacecar-test/plain:1", PLAIN)
        yield folder, built_jar(folder)


def starts(folder: Path, jar: Path, *, times: int) -> dict[str, object]:
    """Seconds until the service alone answers, started in turn by `docker run` and as a fork."""
    alone, forks, differences = [], [], []
    with Resources() as resources:
        project = Project(folder=folder, resources=resources, jar=jar)
        project.write({"app": APP})
        target = project.target()
        project.order(target)  # what is there once per run
        for _ in range(times):
            alone.append(_docker_run(jar))
            began = time.monotonic()
            fork = project.deploy()
            fork.await_ready()
            forks.append(time.monotonic() - began)
            fork.stop()
            differences.append(forks[-1] - alone[-1])
    return {
        "times": times,
        "docker_run_s": round(statistics.median(alone), 2),
        "fork_s": round(statistics.median(forks), 2),
        "added_s": {"median": round(statistics.median(differences), 2), "most": round(max(differences), 2)},
    }


def _docker_run(jar: Path) -> float:
    port = free_port()
    began = time.monotonic()
    options = ["--detach", "--publish", f"127.0.0.1:{port}:8080", "--volume", f"{jar}:/app/service.jar:ro"]
    options += [
        "--env",
        "JAVA_TOOL_OPTIONS=-XX:-UseDynamicNumberOfCompilerThreads -Xlog:gc*,safepoint:file=/tmp/gc.log",
    ]
    container = docker("run", *options, "pacecar-test/plain:1").strip()
    while readiness.ask(port, "/health"):
        time.sleep(0.1)
    took = time.monotonic() - began
    docker("rm", "--force", "--volumes", container)
    return took


def leaves(folder: Path, jar: Path, *, forks: int, kills: int) -> dict[str, object]:
    """What is new in the engine after `forks` Pacecar processes with a fork each, `kills` of them killed."""
    with Resources() as resources:
        Project(folder=folder, resources=resources, jar=jar).write(SERVICES, volumes={"data": {}})
    before = everything()
    rng = random.Random(1)
    killed = set(rng.sample(range(forks), kills))
    found_by_sweep = 0
    for number in range(forks):
        owner = subprocess.Popen(
            [
                *(sys.executable, "-m", "benchmarks.containers.owner", folder, jar),
                *(["--hold"] if number in killed else []),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        assert line_of(owner) == b"started\n"
        if number in killed:
            time.sleep(rng.uniform(0, LIFE_S))
            owner.send_signal(signal.SIGKILL)
        status = owner.wait()
        assert owner.stdout is not None
        owner.stdout.close()
        assert status == (-signal.SIGKILL if number in killed else 0), status
        found_by_sweep += bool(sweep())
    after = everything()
    return {
        "forks": forks,
        "kills": kills,
        "sweeps_that_found_something": found_by_sweep,
        **{kind: sorted(after[kind] - before[kind]) for kind in before},
        "labelled": left(),
    }


def everything() -> dict[str, set[str]]:
    """All containers, networks, volumes, mounts and bridges, ours or not."""
    return {
        "containers": set(docker("container", "ls", "--all", "--quiet").split()),
        "networks": set(docker("network", "ls", "--quiet").split()),
        "volumes": set(docker("volume", "ls", "--quiet").split()),
        "mounts": {line.split()[1] for line in Path("/proc/mounts").read_text().splitlines() if "docker" in line},
        "bridges": {path.name for path in Path("/sys/class/net").iterdir() if path.name.startswith("br-")},
    }


if __name__ == "__main__":
    main()
