"""What each kind of sampling costs the sample service, and handing over what was sampled.

    python -m benchmarks.sample.sampling [--seconds N]

Starts the sample service once for each way to profile it, all at the same time, warms them up together, and then leaves
them alone: what they still take is the cost of the agent, whatever the compilers made of the service's code. Writes
`benchmarks/sample/results/sampling.json`: milliseconds of CPU a second.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from benchmarks.sample import whole
from pacecar.inputs.toolchain.agents import agent_jar, pyroscope_jar
from pacecar.measurement.deploy.ports import free_port
from pacecar.measurement.receiver.server import Receiver
from pacecar.measurement.receiver.settings import agent_environment, token_environment
from pacecar.model.experiment import Profiler
from pacecar.system.resources import Resources

_DEFAULT = Profiler()
_FOLD = 1_000_000  # so many times rarer than usual is never
#: None: without the agent.
_WAYS = {
    "no agent": None,
    "default": _DEFAULT,
    "handed over every 3 s": replace(_DEFAULT, upload_interval_s=3.0),
    "handed over every 30 s": replace(_DEFAULT, upload_interval_s=30.0),
    "wall clock every 100 ms": replace(_DEFAULT, wall_interval_ms=100.0),
    "wall clock never": replace(_DEFAULT, wall_interval_ms=_DEFAULT.wall_interval_ms * _FOLD),
    "locks never": replace(_DEFAULT, lock_threshold_ms=_DEFAULT.lock_threshold_ms * _FOLD),
    "allocation never": replace(_DEFAULT, allocation_bytes=_DEFAULT.allocation_bytes * _FOLD),
}
_PATHS = ("/orders?page=2", "/orders/1", "/price?product=1&quantity=3", "/report?customer=7")
_WARMUP_S = 90.0
_MOST_S = 180


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=90.0, help="how long they are left alone")
    asked = parser.parse_args()
    orders = whole.ROOT / "targets" / "orders"
    jar = orders / "target" / "orders.jar"
    subprocess.run(["mvn", "-q", "-B", "-ntp", "-DskipTests", "package"], cwd=orders, check=True)
    with Resources() as resources, tempfile.TemporaryDirectory() as name, Receiver(Path(name) / "uploads") as receiver:
        folder = Path(name)
        agents = _Agents(
            counters=agent_jar(resources=resources, log_dir=folder),
            profiling=pyroscope_jar(resources=resources, log_dir=folder),
        )
        with contextlib.ExitStack() as stack:
            services = {
                way: stack.enter_context(_Service(jar, *agents.options(way, receiver, folder))) for way in _WAYS
            }
            _warm_up(list(services.values()))
            cpu_ms = _left_alone(services, seconds=asked.seconds)
    result = {
        "seconds": asked.seconds,
        "cpu_ms_per_s": {way: round(value, 2) for way, value in cpu_ms.items()},
    }
    text = json.dumps(result, indent=2) + "\n"
    (whole.RESULTS / "sampling.json").write_text(text)
    print(text)


@dataclass(frozen=True, kw_only=True)
class _Agents:
    """The agents that Pacecar loads into each fork."""

    counters: Path
    profiling: Path

    def options(self, way: str, receiver: Receiver, folder: Path) -> tuple[list[str], dict[str, str]]:
        """Options of a JVM, and its environment. Without a profiler it has the agent for counters all the same."""
        profiler, key = _WAYS[way], way.replace(" ", "-")
        counters = f"-javaagent:{self.counters}={folder / key}"
        if profiler is None:
            return [counters], {}
        endpoint = receiver.admit(key)
        environment = agent_environment(profiler, server=endpoint.url, application=key, labels={})
        return [counters, f"-javaagent:{self.profiling}"], environment | token_environment(endpoint.token)


class _Service:
    """A fork of the sample service, from its start to its end."""

    def __init__(self, jar: Path, options: list[str], environment: dict[str, str]) -> None:
        self.port = free_port()
        self._process = subprocess.Popen(
            [
                "java",
                "-XX:ActiveProcessorCount=1",
                "-Xms256m",
                "-Xmx256m",
                *options,
                "-jar",
                str(jar),
                f"--server.port={self.port}",
                "--server.address=127.0.0.1",
            ],
            env=os.environ | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._begun = time.monotonic()

    def __enter__(self) -> _Service:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def await_ready(self) -> None:
        while not _answers(self.port, "/actuator/health/readiness"):
            if self._process.poll() is not None or time.monotonic() - self._begun > _MOST_S:
                raise SystemExit("the sample service does not start")
            time.sleep(0.1)

    def cpu_s(self) -> float:
        used = psutil.Process(self._process.pid).cpu_times()
        return float(used.user + used.system)


def _warm_up(services: Sequence[_Service]) -> None:
    """Load all of them at once, so that the same code is compiled in each."""
    for service in services:
        service.await_ready()
    until = time.monotonic() + _WARMUP_S
    threads = [threading.Thread(target=_load, args=(service.port, until)) for service in services]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    time.sleep(10)  # compilers end what they have begun


def _load(port: int, until: float) -> None:
    for path in itertools.cycle(_PATHS):
        if time.monotonic() > until:
            return
        _answers(port, path)


def _answers(port: int, path: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
            answer.read()
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _left_alone(services: Mapping[str, _Service], *, seconds: float) -> dict[str, float]:
    """CPU that each takes, in ms a second."""
    before, begun = {way: service.cpu_s() for way, service in services.items()}, time.monotonic()
    time.sleep(seconds)
    lasted = time.monotonic() - begun
    return {way: (service.cpu_s() - before[way]) * 1e3 / lasted for way, service in services.items()}


if __name__ == "__main__":
    main()
