"""How much longer the sample service takes to start when drivers and clients are instrumented to count calls.

    python -m benchmarks.sample.starts [--rounds N]

Starts forks in turn, one at a time: with the counter agent as it is, and with the counter agent counting calls. Writes
`benchmarks/sample/results/starts.json`: seconds until ready, and CPU seconds until then.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import psutil

from benchmarks.sample import whole
from pacecar.inputs.toolchain.agents import agent_jar
from pacecar.measurement.deploy.ports import free_port
from pacecar.system.resources import Resources

_TOLD = {"plain": "", "counting": "|calls|shop.orders"}
_MOST_S = 120


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12)
    rounds = parser.parse_args().rounds
    orders = whole.ROOT / "targets" / "orders"
    subprocess.run(["mvn", "-q", "-B", "-ntp", "-DskipTests", "package"], cwd=orders, check=True)
    with Resources() as resources, tempfile.TemporaryDirectory() as folder:
        agent = agent_jar(resources=resources, log_dir=Path(folder))
        found = {name: np.zeros((rounds, 2)) for name in _TOLD}
        for number in range(-1, rounds):  # the first round only fills the machine's caches
            for name in sorted(_TOLD, reverse=number % 2 == 0):
                amounts = _start(orders / "target" / "orders.jar", f"{agent}={folder}/socket{_TOLD[name]}")
                if number >= 0:
                    found[name][number] = amounts
    ratios = found["counting"] / found["plain"]
    result = {
        "rounds": rounds,
        "ready_s": {name: round(float(np.median(amounts[:, 0])), 2) for name, amounts in found.items()},
        "cpu_s": {name: round(float(np.median(amounts[:, 1])), 2) for name, amounts in found.items()},
        "ready": [round(float(each), 3) for each in np.quantile(ratios[:, 0], (0.5, 0.25, 0.75))],
        "cpu": [round(float(each), 3) for each in np.quantile(ratios[:, 1], (0.5, 0.25, 0.75))],
    }
    text = json.dumps(result, indent=2) + "\n"
    (whole.RESULTS / "starts.json").write_text(text)
    print(text)


def _start(jar: Path, agent: str) -> tuple[float, float]:
    """Seconds until a fork is ready, and CPU seconds until then."""
    port = free_port()
    command = [
        "java",
        f"-javaagent:{agent}",
        "-Xms256m",
        "-Xmx256m",
        "-jar",
        str(jar),
        f"--server.port={port}",
        "--server.address=127.0.0.1",
    ]
    begun = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            while not _is_ready(port):
                if process.poll() is not None or time.monotonic() - begun > _MOST_S:
                    raise SystemExit("the sample service does not start")
                time.sleep(0.01)
            used = psutil.Process(process.pid).cpu_times()
            return time.monotonic() - begun, used.user + used.system
        finally:
            process.kill()


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/actuator/health/readiness", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


if __name__ == "__main__":
    main()
