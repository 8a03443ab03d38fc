"""What the example run recorded: its manifest, and pairs whose requests, pauses and histograms are drawn."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from pacecar.model.deployment import DependencyRecord
from pacecar.model.experiment import Side
from pacecar.model.recording import (
    BuiltSide,
    Fingerprint,
    ForkData,
    ForkRecord,
    LibraryChange,
    Manifest,
    Pair,
    PairRecord,
    ProfileQuality,
    RunKind,
    RunState,
    Window,
)
from pacecar.model.tables import TABLES, empty_table

_SECOND_NS = 1_000_000_000
#: Endpoint -> what a request to it takes in the middle.
MEDIAN_MS = {"GET /orders": 6.1, "GET /orders/{id}": 2.4, "POST /orders": 9.3, "GET /search": 14.8}
_SLOWER = {"GET /orders": 1.12, "POST /orders": 1.03}


def manifest() -> Manifest:
    """The manifest of the candidate's run."""
    return Manifest(
        run_id="2025-11-20T16-04-11Z-7c2f",
        kind=RunKind.PAIRED,
        state=RunState.COMPLETE,
        created="2025-11-20T16:04:11Z",
        repeat=("pacecar", "compare", "--baseline", "main", "--candidate", "faster-json", "--pairs", "6"),
        builds={
            Side.BASELINE: BuiltSide(
                label="main", kind="ref", value="main", commit="9f3c1d2ab4", artifact_sha256="1a" * 32
            ),
            Side.CANDIDATE: BuiltSide(
                label="faster-json",
                kind="patch",
                value="faster-json.patch",
                commit="9f3c1d2ab4",
                artifact_sha256="b7" * 32,
                patch="--- a/JacksonEncoder.java",
            ),
        },
        machine=Fingerprint(
            cpu_model="AMD EPYC 7B13",
            cores=2,
            memory_bytes=8_321_499_136,
            kernel="6.1.0-28-amd64",
            jvm="OpenJDK 21.0.5 (Debian)",
            os="Debian GNU/Linux 12",
        ),
        tools={"pacecar": "0.1.0", "gatling": "3.14.9", "java": "21.0.5", "pyroscope-agent": "2.1.2"},
        configuration="[target]\n",
        configuration_sha256="5e" * 32,
        changed_libraries=(
            LibraryChange(name="jackson-core", baseline="2.17.0", candidate="2.17.1"),
            LibraryChange(name="jackson-module-blackbird", baseline=None, candidate="2.17.1"),
        ),
        phases_s={"build": 21.0, "deploy": 31.2, "warm-up": 212.0, "load": 576.0, "harness": 48.5},
    )


@cache
def _fork(side: Side, number: int, windows: tuple[Window, ...]) -> ForkData:
    random = np.random.default_rng([number, side is Side.CANDIDATE])
    tables = {name: empty_table(name) for name in TABLES}
    tables["requests"] = _requests(random, side, windows)
    tables["pauses"] = _pauses(random, windows)
    tables["series"] = _series(windows)
    tables["dependencies"] = _dependencies(windows)
    tables["steps"], tables["pools"] = _steps(side), _pools(side)
    quality = ProfileQuality(
        chunks=9,
        unreadable=0,
        samples=2310 + 17 * number,
        failed_stacks=12,
        truncated_stacks=0,
        sampled_cpu_s=22.9,
        accounted_cpu_s=23.6,
    )
    record = ForkRecord(
        side=side,
        command=("java", "-jar", "orders.jar"),
        jvm_version="21.0.5 (Debian)",
        ready_s=1.8 + 0.1 * number,
        cpus=(0,),
        profile=quality,
        dependencies=(DependencyRecord(name="store", command=("store", "20123"), ready_s=0.4),),
    )
    return ForkData(record=record, tables=tables)


def _requests(random: np.random.Generator, side: Side, windows: tuple[Window, ...]) -> pd.DataFrame:
    parts = []
    for window in windows:
        for endpoint, median in MEDIAN_MS.items():
            count = 260
            factor = _SLOWER.get(endpoint, 1.0) if side is Side.CANDIDATE else 1.0
            latency_ms = median * factor * random.lognormal(0, 0.32, count)
            latency_ms += (random.random(count) < 0.012) * median * random.uniform(1.5, 3, count)
            parts.append(
                pd.DataFrame(
                    {
                        "window": window.index,
                        "endpoint": endpoint,
                        "start_ns": np.sort(random.integers(window.start_ns, window.end_ns, count)),
                        "latency_ms": latency_ms,
                        "ok": random.random(count) > 0.001,
                        "message": "",
                        "injector": 0,
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def _pauses(random: np.random.Generator, windows: tuple[Window, ...]) -> pd.DataFrame:
    rows = [
        {
            "process": process,
            "injector": 0,
            "start_ns": int(random.integers(window.start_ns, window.end_ns)),
            "duration_ms": float(random.gamma(2.0, scale)),
            "kind": "Pause Young (Normal)",
        }
        for window in windows
        for process, scale in (("target", 3.0), ("target", 3.0), ("generator", 1.2))
    ]
    return pd.DataFrame(rows)


def _dependencies(windows: tuple[Window, ...]) -> pd.DataFrame:
    """A store that uses a tenth of a second of CPU time in each window, and nothing in between."""
    rows = [
        {
            "window": window.index,
            "edge": edge,
            "time_ns": window.start_ns if edge == "start" else window.end_ns,
            "name": "store",
            "cpu_ns": (turn + (edge == "end")) * _SECOND_NS // 10,
        }
        for turn, window in enumerate(windows)
        for edge in ("start", "end")
    ]
    return pd.DataFrame(rows).astype(TABLES["dependencies"])


def _series(windows: tuple[Window, ...]) -> pd.DataFrame:
    """The service's own histogram of one endpoint: 100 requests a window, most of them below 10 ms."""
    rows = [
        {
            "window": window.index,
            "edge": edge,
            "name": "http_server_requests_seconds_bucket",
            "labels": f'method="GET",uri="/orders",le="{bound}"',
            "value": float(count * (turn + (edge == "end"))),
        }
        for turn, window in enumerate(windows)
        for edge in ("start", "end")
        for bound, count in (("0.005", 40), ("0.01", 85), ("0.025", 99), ("+Inf", 100))
    ]
    return pd.DataFrame(rows)


def _steps(side: Side) -> pd.DataFrame:
    """A staircase in which the candidate gives in a little earlier, and the last rate is too much for either."""
    most = 700.0 if side is Side.CANDIDATE else 780.0
    rows = [
        {
            "step": number,
            "start_ns": number * 30 * _SECOND_NS,
            "end_ns": (number * 30 + 20) * _SECOND_NS,
            "rate_per_s": rate,
            "answered_per_s": min(rate, most),
            "latency_ms": 8.0 / (1 - rate / most) if rate < most else np.inf,
            "busy": min(1.0, rate / most),
            "machine_busy": 0.5 + 0.5 * min(1.0, rate / most),
            "generator_at_limit": False,
            "others": "",
        }
        for number, rate in enumerate((120.0, 240.0, 384.0, 500.0, 650.0, 728.0, 815.0), start=1)
    ]
    return pd.DataFrame(rows).astype(TABLES["steps"])


def _pools(side: Side) -> pd.DataFrame:
    rows = [
        {"step": number, "pool": pool, "cores": share * min(1.0, number / 6)}
        for number in range(1, 8)
        for pool, share in (("http-nio-exec", 0.8), ("pricing", 0.12 if side is Side.CANDIDATE else 0.05))
    ]
    return pd.DataFrame(rows).astype(TABLES["pools"])


def fresh(fork: ForkData) -> ForkData:
    """`fork` with tables of its own, which cost nothing until somebody writes to them."""
    return replace(fork, tables={name: table.copy(deep=False) for name, table in fork.tables.items()})


def pair(number: int) -> Pair:
    """One pair: eight windows of 5 s in the order A B B A."""
    first = Side.BASELINE if number % 2 else Side.CANDIDATE
    turns = (first, first.other, first.other, first) * 2
    windows = tuple(
        Window(
            index=index,
            side=side,
            start_ns=number * 100 * _SECOND_NS + index * 6 * _SECOND_NS,
            end_ns=number * 100 * _SECOND_NS + index * 6 * _SECOND_NS + 5 * _SECOND_NS,
        )
        for index, side in enumerate(turns)
    )
    forks = {side: fresh(_fork(side, number, tuple(each for each in windows if each.side is side))) for side in Side}
    record = PairRecord(
        number=number,
        first=first,
        windows=windows,
        forks={side: fork.record for side, fork in forks.items()},
        notes=("The agent's last chunk came 4 s late.",) if number == 2 else (),
        within_ms=60.0,
    )
    return Pair(record=record, forks=forks)


def small_pair(number: int) -> Pair:
    """`pair` with one endpoint and without a staircase: for those who need a verdict and none in particular."""
    whole = pair(number)
    forks = {}
    for side, fork in whole.forks.items():
        requests = fork.tables["requests"]
        few = requests[requests["endpoint"] == "GET /orders"].reset_index(drop=True)
        tables = {**fork.tables, "requests": few, "steps": empty_table("steps"), "pools": empty_table("pools")}
        forks[side] = replace(fork, tables=tables)
    return replace(whole, forks=forks)
