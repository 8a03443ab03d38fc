"""Pairs as a run would have recorded them, made from seeded noise: real tables, with known truths in them."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, ForkRecord, Pair, PairRecord, Window
from pacecar.model.tables import TABLES, empty_table
from support.recordings import fresh

SECOND = 1_000_000_000
WINDOW_S = 5
#: To be copied, which is faster than to be made: a fork has most of them, and tests make forks by the thousand.
EMPTY = {name: empty_table(name) for name in TABLES}
#: Forks by all that they are made of, for most tests want the same; so many are kept.
_MADE: dict[str, ForkData] = {}
_KEPT = 200
_MEMORY = Path("/dev/shm")
#: The most that tests of one run, and of those before whose folders are kept, may have there.
_ROOM_BYTES = 4 * 2**30


def pytest_configure(config: pytest.Config) -> None:
    """Folders of tests lie in memory where that is allowed: runs are written by the thousand, and each file of them is
    flushed to the disk, for which a test would wait. Tests of other kinds keep larger things, and stay on the disk.
    """
    unit = Path(__file__).parent
    alone = all(unit in (Path(part.partition("::")[0]).absolute() / "-").parents for part in config.args)
    if alone and _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK):
        runs_programs = not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
        if runs_programs and shutil.disk_usage(_MEMORY).free > _ROOM_BYTES:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))


def pytest_collection_finish() -> None:
    """Thousands of tests stay in memory until the end, so the collector need not look at them again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What one build really costs, before noise."""

    latency_ms: float = 10.0
    longer_ms: dict[str, float] = field(default_factory=dict)
    cpu_ms: float = 1.0
    jit_ms: float = 0.0
    run_delay_ms: float = 0.0
    allocated_bytes: float = 50_000.0
    failing: float = 0.0
    message: str = "status.find.is(200), found 500"
    gc_pauses_per_window: int = 2
    stacks_ms: dict[str, float] = field(default_factory=dict)
    waits_ms: dict[str, float] = field(default_factory=dict)
    locks_ms: dict[str, float] = field(default_factory=dict)
    buffers_mb: dict[str, float] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    pools: dict[str, str] = field(default_factory=dict)
    died: str | None = None
    lag_ms: float = 0.5
    steal: float = 0.0
    foreign_s: float = 0.1
    backlog_s: float = 0.0
    generator_s: float = 0.5
    generator_pause_ms: float = 1.0
    unsettled: str | None = None
    threads: float = 30.0
    threads_gained: int = 0
    rss_bytes: float = 200e6
    cpus: tuple[int, ...] = (0,)


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Standard deviation, between pairs, of each side's logarithm."""

    latency: float = 0.02
    cpu: float = 0.01
    allocation: float = 0.0005


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much is recorded."""

    windows: int = 4
    requests: int = 400
    endpoints: Sequence[tuple[str, float]] = (("GET /orders", 0.75), ("POST /orders", 0.25))


PairFactory = Callable[..., Pair]
PairsFactory = Callable[..., list[Pair]]


def _typed(name: str, columns: dict[Any, Any]) -> pd.DataFrame:
    return pd.DataFrame(columns).astype(TABLES[name])


def _requests(
    truth: Truth, scale: float, windows: Sequence[Window], plan: Plan, rng: np.random.Generator
) -> pd.DataFrame:
    count = plan.requests * len(windows)
    names, weights = zip(*plan.endpoints, strict=True)
    ok = rng.random(count) >= truth.failing
    endpoint = rng.choice(names, size=count, p=weights)
    longer = np.array([truth.longer_ms.get(name, 0.0) for name in endpoint])
    return _typed(
        "requests",
        {
            "window": np.repeat([window.index for window in windows], plan.requests),
            "endpoint": endpoint,
            "start_ns": np.repeat([window.start_ns for window in windows], plan.requests),
            "latency_ms": np.rint(truth.latency_ms * scale * rng.lognormal(0.0, 0.3, count) + longer),
            "ok": ok,
            "message": np.where(ok, "", truth.message),
            "injector": 0,
        },
    )


def _edges(
    name: str,
    windows: Sequence[Window],
    per_window: dict[str, float],
    levels: dict[str, float],
    between: dict[str, float],
) -> pd.DataFrame:
    """Counters that grow in windows, and `between` them by as much again where it does not say."""
    rows = []
    for place, window in enumerate(windows):
        for edge, step, moment in (("start", 0, window.start_ns), ("end", 1, window.end_ns)):
            grown = {
                column: amount * (place + step) + between.get(column, amount) * place
                for column, amount in per_window.items()
            }
            rows.append({"window": window.index, "edge": edge, "time_ns": moment, **grown, **levels})
    return pd.DataFrame(rows).astype(TABLES[name])


def _profile(
    costs: dict[str, tuple[str, float]], truth: Truth, requests: int, windows: Sequence[Window]
) -> dict[str, pd.DataFrame]:
    """`costs`: stack -> (event, ms or MB per request); samples of 10, on http-nio-8080-exec where no pool is told."""
    indices = [window.index for window in windows]
    weights = [cost_ms * 1e6 * requests / len(windows) for _, cost_ms in costs.values()]

    def in_each(values: Iterable[object]) -> list[object]:
        return [value for value in values for _ in indices]

    # Column by column: some tests want stacks by the hundred thousand.
    samples = {
        "window": indices * len(costs),
        "event": in_each(event for event, _ in costs.values()),
        "stack": in_each(range(len(costs))),
        "thread": [f"{truth.pools.get(frames, 'http-nio-8080-exec')}-{index}" for frames in costs for index in indices],
        "state": in_each("STATE_SLEEPING" if event == "wall" else "STATE_DEFAULT" for event, _ in costs.values()),
        "label": in_each(truth.labels.get(frames, "") for frames in costs),
        "samples": in_each(max(1, round(weight / 1e7)) for weight in weights),
        "weight": in_each(weights),
    }
    stacks = {
        "stack": range(len(costs)),
        "frames": list(costs),
        "kinds": ["J" * (frames.count("\n") + 1) for frames in costs],
    }
    return {"samples": _typed("samples", samples), "stacks": _typed("stacks", stacks)}


def _fork(
    side: Side, truth: Truth, noise: Noise, plan: Plan, windows: Sequence[Window], rng: np.random.Generator
) -> ForkData:
    latency, cpu, allocation = (
        float(np.exp(rng.normal(0.0, sd))) for sd in (noise.latency, noise.cpu, noise.allocation)
    )
    tables = {name: table.copy() for name, table in EMPTY.items()}
    tables["requests"] = _requests(truth, latency, windows, plan, rng)
    tables["arrivals"] = _typed(
        "arrivals",
        {
            "window": tables["requests"]["window"],
            "endpoint": tables["requests"]["endpoint"],
            "due_ns": tables["requests"]["start_ns"],
            "lag_ms": truth.lag_ms,
            "took_ms": np.nan,
            "number": np.nan,
            "injector": 0,
        },
    )
    tables["counters"] = _edges(
        "counters",
        windows,
        {
            "cpu_ns": round(truth.cpu_ms * cpu * plan.requests * 1e6),
            "allocated_bytes": truth.allocated_bytes * allocation * plan.requests,
            "jit_ms": 0.0,
            "jit_cpu_ns": truth.jit_ms * plan.requests * 1e6,
            "run_delay_ns": truth.run_delay_ms * cpu * plan.requests * 1e6,
            "gc_count": truth.gc_pauses_per_window,
            "gc_ms": 5.0,
            "threads_ended": 0.0,
            "read_bytes": 120.0 * plan.requests,
            "written_bytes": 900.0 * plan.requests,
            "reads": 3.0 * plan.requests,
            "writes": 4.0 * plan.requests,
            "generator_cpu_ns": round(truth.generator_s * 1e9),
        },
        {
            "threads": truth.threads,
            "rss_bytes": truth.rss_bytes,
            "descriptors": 40.0,
            "connections": 12.0,
            "classes": 9000.0,
        },
        {"cpu_ns": round(truth.backlog_s * 1e9)},
    )
    tables["host"] = _edges(
        "host",
        windows,
        {
            "user_s": truth.cpu_ms * cpu * plan.requests / 1e3 + truth.generator_s,
            "system_s": truth.foreign_s,
            "idle_s": 2 * WINDOW_S - truth.generator_s - truth.foreign_s - truth.cpu_ms * cpu * plan.requests / 1e3,
            "iowait_s": 0.0,
            "steal_s": truth.steal,
            "context_switches": 9,
        },
        {"load1": 1.0},
        {},
    )
    gained = tables["counters"]["window"].rank(method="dense") - 1
    tables["counters"]["threads"] += truth.threads_gained * gained
    pauses = [window.start_ns + n * SECOND for window in windows for n in range(truth.gc_pauses_per_window)]
    tables["pauses"] = _typed(
        "pauses",
        {
            "process": ["target"] * len(pauses) + ["generator"] * len(windows),
            "start_ns": [*pauses, *(window.start_ns for window in windows)],
            "duration_ms": [*rng.normal(20.0, 0.5, len(pauses)), *([truth.generator_pause_ms] * len(windows))],
            "kind": "young",
            "injector": 0,
        },
    )
    costs = {frames: ("cpu", cost * float(rng.normal(1.0, 0.02))) for frames, cost in truth.stacks_ms.items()}
    costs |= {frames: ("wall", cost * float(rng.normal(1.0, 0.02))) for frames, cost in truth.waits_ms.items()}
    costs |= {frames: ("lock", cost * float(rng.normal(1.0, 0.02))) for frames, cost in truth.locks_ms.items()}
    costs |= {frames: ("alloc", cost * float(rng.normal(1.0, 0.02))) for frames, cost in truth.buffers_mb.items()}
    if costs:
        tables |= _profile(costs, truth, plan.requests * len(windows), windows)
    record = ForkRecord(side=side, command=("java",), died=truth.died, unsettled=truth.unsettled, cpus=truth.cpus)
    return ForkData(record=record, tables=tables)


def _made(side: Side, truth: Truth, noise: Noise, plan: Plan, windows: Sequence[Window], seed: list[int]) -> ForkData:
    of = repr((side, truth, noise, plan, windows, seed))
    if of not in _MADE:
        if len(_MADE) == _KEPT:
            _MADE.clear()
        _MADE[of] = _fork(side, truth, noise, plan, windows, np.random.default_rng(seed))
    return fresh(_MADE[of])


def _windows(count: int, sides: Sequence[Side]) -> tuple[Window, ...]:
    order = [side for _ in range(count) for side in sides]
    return tuple(
        Window(index=index, side=side, start_ns=index * 6 * SECOND, end_ns=(index * 6 + WINDOW_S) * SECOND)
        for index, side in enumerate(order)
    )


@pytest.fixture
def make_pair() -> PairFactory:
    """A factory of pairs; a side whose truth is None is not recorded."""

    def build(
        number: int = 1,
        *,
        baseline: Truth | None = Truth(),
        candidate: Truth | None = Truth(),
        noise: Noise = Noise(),
        plan: Plan = Plan(),
        seed: int = 1,
    ) -> Pair:
        truths = {side: t for side, t in ((Side.BASELINE, baseline), (Side.CANDIDATE, candidate)) if t is not None}
        windows = _windows(plan.windows, tuple(truths))
        forks = {}
        for place, (side, truth) in enumerate(truths.items()):
            mine = [window for window in windows if window.side is side]
            forks[side] = _made(side, truth, noise, plan, mine, [seed, number, place])
        record = PairRecord(
            number=number,
            first=next(iter(truths), Side.BASELINE),
            windows=windows,
            forks={side: fork.record for side, fork in forks.items()},
            generator_cpus=(1,),
        )
        return Pair(record=record, forks=forks)

    return build


@pytest.fixture
def make_pairs(make_pair: PairFactory) -> PairsFactory:
    """A factory of whole runs."""

    def build(count: int = 4, **given: object) -> list[Pair]:
        return [make_pair(number, **given) for number in range(1, count + 1)]

    return build


@pytest.fixture
def truth() -> type[Truth]:
    """The class `Truth`, for tests to make their builds from."""
    return Truth


@pytest.fixture
def noise() -> type[Noise]:
    """The class `Noise`."""
    return Noise


@pytest.fixture
def plan() -> type[Plan]:
    """The class `Plan`."""
    return Plan
