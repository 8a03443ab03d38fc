"""The synthetic tables of one fork: requests, profiles, pauses, pages, counters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.causes.build import (
    ALLOCATION,
    IDLE,
    PAUSES,
    POOL,
    RATE,
    REQUEST,
    REQUESTS,
    SAMPLE_BYTES,
    SECOND,
    TICK_MS,
    WALL_MS,
    WINDOW_S,
    Build,
    Mix,
    Place,
)
from pacecar.model.recording import Window
from pacecar.model.tables import TABLES

_NS = 1e6
_SERVING = 16
#: Pauses of the load generator per second, as recorded.
_GENERATOR_PAUSES = 0.75
#: Further series of the metrics page, besides those of a build.
_OTHER_SERIES = 120
Numbers = npt.NDArray[np.float64]


def pauses(build: Build, windows: Sequence[Window], random: np.random.Generator) -> pd.DataFrame:
    """Stop-the-world pauses of both processes, at independent moments."""
    parts = []
    fork = float(np.exp(random.normal(-(PAUSES**2) / 2, PAUSES)))
    for process, lasting_ms, rate in (
        ("target", build.pause_ms * fork, build.pauses),
        ("generator", build.generator_pause_ms, _GENERATOR_PAUSES),
    ):
        for window in windows:
            count = max(1, random.poisson(rate * WINDOW_S))
            # One in each part of the window, so that none overlap.
            begins = (np.arange(count) + 0.8 * random.random(count)) * (WINDOW_S * SECOND / count)
            lasted = lasting_ms * random.gamma(8.0, 1 / 8.0, count)
            parts.append(
                pd.DataFrame(
                    {
                        "process": process,
                        "injector": 0,
                        "start_ns": (window.start_ns + begins).astype(np.int64),
                        "duration_ms": lasted,
                        "kind": "young",
                    }
                )
            )
    return pd.concat(parts, ignore_index=True).astype(TABLES["pauses"])


def requests(
    build: Build,
    mix: Mix,
    windows: Sequence[Window],
    *,
    took_ms: Mapping[str, float],
    pauses: pd.DataFrame,
    random: np.random.Generator,
) -> pd.DataFrame:
    """Every request: its own time, plus the pauses that it meets."""
    each = RATE * WINDOW_S
    endpoints = np.array(list(mix.shares))
    which = random.choice(len(endpoints), size=REQUESTS, p=list(mix.shares.values()))
    mean = np.array([took_ms[name] for name in endpoints.tolist()])[which]
    start = np.repeat([window.start_ns for window in windows], each) + random.integers(0, WINDOW_S * SECOND, REQUESTS)
    latency = mean * random.lognormal(-(REQUEST**2) / 2, REQUEST, REQUESTS)
    for process in ("target", "generator"):
        latency += _met(start.astype(float), latency, pauses[pauses["process"] == process])
    failed = random.random(REQUESTS) < build.failing
    return pd.DataFrame(
        {
            "window": np.repeat([window.index for window in windows], each),
            "endpoint": endpoints[which],
            "start_ns": start,
            "latency_ms": np.round(latency, 3),
            "ok": ~failed,
            "message": np.where(failed, "status.find.is(200), found 503", ""),
            "injector": 0,
        }
    ).astype(TABLES["requests"])


def _met(start: Numbers, latency_ms: Numbers, pauses: pd.DataFrame) -> Numbers:
    """(requests,) ms of pauses: the rest of a pause that it arrives in, and all of one that begins during it."""
    pauses = pauses.sort_values("start_ns")
    begins = pauses["start_ns"].to_numpy(dtype=float)
    lasted = pauses["duration_ms"].to_numpy(dtype=float) * _NS
    before = np.searchsorted(begins, start, side="right") - 1
    left = np.where(before >= 0, np.maximum(begins[before] + lasted[before] - start, 0.0), 0.0)
    until = np.searchsorted(begins, start + left + latency_ms * _NS, side="right")
    whole = np.concatenate([[0.0], np.cumsum(lasted)])
    found: Numbers = (left + whole[until] - whole[before + 1]) / _NS
    return found


def counters(
    build: Build, windows: Sequence[Window], *, cpu_ms: float, machine: float, random: np.random.Generator
) -> pd.DataFrame:
    """Counters at the edges of windows."""
    served = REQUESTS / len(windows)
    allocated = sum(build.allocated.values()) * float(np.exp(random.normal(0, ALLOCATION)))
    delay = build.run_delay_ms * machine * float(np.exp(random.normal(0, 0.05)))
    grown = {
        "cpu_ns": cpu_ms * served * _NS,
        "allocated_bytes": allocated * served,
        "jit_ms": 0.0,
        "jit_cpu_ns": build.jit_ms * served * _NS,
        "run_delay_ns": delay * served * _NS,
        "gc_count": build.pauses * WINDOW_S,
        "gc_ms": build.pauses * WINDOW_S * build.pause_ms,
        "threads_ended": 0.0,
        "read_bytes": 120.0 * served,
        "written_bytes": 900.0 * served,
        "reads": 3.0 * served,
        "writes": 4.0 * served,
        "generator_cpu_ns": 2e8,
    }
    threads = 20.0 + _SERVING + sum(build.idle.values())
    resident = (build.rss_bytes + build.heap_bytes) * float(np.exp(random.normal(0, 0.008)))
    levels = {"rss_bytes": resident, "descriptors": 40.0, "connections": 12.0, "classes": 9000.0}
    rows = [
        {
            "window": window.index,
            "edge": edge,
            "time_ns": moment,
            "threads": threads + build.gained * place,
            **levels,
            **{name: amount * (place + step) for name, amount in grown.items()},
        }
        for place, window in enumerate(windows)
        for edge, step, moment in (("start", 0, window.start_ns), ("end", 1, window.end_ns))
    ]
    return pd.DataFrame(rows).astype(TABLES["counters"])


def pages(build: Build, windows: Sequence[Window], random: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The service's metrics page at the edges of windows: its series, and the growing counters of calls."""
    names = [
        (metric, f'method="GET",uri="/{number}"') for metric, count in build.labels.items() for number in range(count)
    ]
    names += [("jvm_memory_used_bytes", f'id="{number}"') for number in range(_OTHER_SERIES)]
    served = REQUESTS / len(windows)
    took = {metric: each * float(np.exp(random.normal(0, 0.03))) for metric, (_, each) in build.calls.items()}
    series: list[tuple[object, ...]] = []
    scrapes: list[tuple[object, ...]] = []
    for place, window in enumerate(windows):
        for edge, passed, moment in (("start", place, window.start_ns), ("end", place + 1, window.end_ns)):
            page: list[tuple[str, str, float]] = [(name, labels, 1.0) for name, labels in names]
            for metric, (calls, _) in build.calls.items():
                counted = passed * served * calls
                page.append((f"{metric}_seconds_count", "", counted))
                if not np.isnan(took[metric]):
                    page.append((f"{metric}_seconds_sum", "", counted * took[metric]))
            series += [(window.index, edge, *row) for row in page]
            size = sum(len(name) + len(labels) + 8 for name, labels, _ in page)
            scrapes.append((window.index, edge, moment, 3.0, size, len(page), ""))
    return (
        pd.DataFrame(series, columns=list(TABLES["series"])).astype(TABLES["series"]),
        pd.DataFrame(scrapes, columns=list(TABLES["scrapes"])).astype(TABLES["scrapes"]),
    )


def samples(
    build: Build,
    mix: Mix,
    windows: Sequence[Window],
    costs: Mapping[str, Mapping[Place, float]],
    random: np.random.Generator,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The samples of a profiler for these costs, Poisson distributed, including threads that only wait for work."""
    numbers: dict[str, int] = {IDLE: 0}
    served = REQUESTS / len(windows)
    rows: list[tuple[object, ...]] = []
    for event, state, of, size in (
        ("cpu", "STATE_DEFAULT", "cpu", TICK_MS * _NS),
        ("wall", "STATE_DEFAULT", "cpu", WALL_MS * _NS),
        ("wall", "STATE_SLEEPING", "wall", WALL_MS * _NS),
        ("alloc", "STATE_DEFAULT", "alloc", SAMPLE_BYTES),
    ):
        unit = 1.0 if event == "alloc" else _NS
        for place, cost in costs[of].items():
            stack = numbers.setdefault(place.frames, len(numbers))
            label = place.endpoint if mix.labelled else ""
            counts = random.poisson(cost * unit * served / size, len(windows))
            for window, count in zip(windows, counts.tolist(), strict=True):
                if count:
                    thread = f"{place.pool}-{random.integers(1, _SERVING + 1)}"
                    rows.append((window.index, event, stack, thread, state, label, count, count * size))
    jit = "start_thread\nlibjvm.so.C2Compiler::compile_method"
    for window, count in zip(windows, random.poisson(build.jit_ms * served / TICK_MS, len(windows)), strict=True):
        if count:
            stack = numbers.setdefault(jit, len(numbers))
            size = TICK_MS * _NS
            rows.append((window.index, "cpu", stack, "C2 CompilerThread0", "STATE_DEFAULT", "", count, count * size))
    rows += _idle(build, windows)
    kinds = [_kinds(frames, interpreted=frames in build.interpreted) for frames in numbers]
    stacks = pd.DataFrame({"stack": list(numbers.values()), "frames": list(numbers), "kinds": kinds})
    return pd.DataFrame(rows, columns=list(TABLES["samples"])).astype(TABLES["samples"]), stacks.astype(
        TABLES["stacks"]
    )


def _idle(build: Build, windows: Sequence[Window]) -> list[tuple[object, ...]]:
    count = int(WINDOW_S * 1e3 / WALL_MS)
    return [
        (window.index, "wall", 0, f"{pool}-{number}", "STATE_SLEEPING", "", count, count * WALL_MS * _NS)
        for place, window in enumerate(windows)
        for pool, size in ({POOL: _SERVING} | dict(build.idle) | {"leaking": build.gained * place}).items()
        for number in range(1, size + 1)
    ]


def _kinds(frames: str, *, interpreted: bool) -> str:
    kinds = "J" * (frames.count("\n") + 1)
    return kinds[:-1] + "I" if interpreted else kinds
