"""Whole comparisons with known causes: two builds in, pairs as a run would have recorded them out."""

from __future__ import annotations

import numpy as np

from benchmarks.causes import recording
from benchmarks.causes.build import (
    ALLOCATION,
    CPU,
    FRAME,
    LATENCY,
    MACHINE,
    REQUESTS,
    SECOND,
    WINDOW_S,
    WINDOWS,
    Build,
    Mix,
    Place,
)
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, ForkRecord, HeapGrowth, Pair, PairRecord, ProfileQuality, Window
from pacecar.model.tables import TABLES, empty_table


def drawn(baseline: Build, candidate: Build, mix: Mix, *, pairs: int, random: np.random.Generator) -> list[Pair]:
    """Pairs of the two builds."""
    return [_pair(number, baseline, candidate, mix, random) for number in range(1, pairs + 1)]


def _pair(number: int, baseline: Build, candidate: Build, mix: Mix, random: np.random.Generator) -> Pair:
    order = (Side.BASELINE, Side.CANDIDATE, Side.CANDIDATE, Side.BASELINE) * (WINDOWS // 2)
    windows = tuple(
        Window(index=index, side=side, start_ns=index * 6 * SECOND, end_ns=(index * 6 + WINDOW_S) * SECOND)
        for index, side in enumerate(order)
    )
    machine = _factor(MACHINE, random)
    forks = {
        side: _fork(side, build, mix, [window for window in windows if window.side is side], machine, random)
        for side, build in ((Side.BASELINE, baseline), (Side.CANDIDATE, candidate))
    }
    record = PairRecord(
        number=number,
        first=Side.BASELINE,
        windows=windows,
        forks={side: fork.record for side, fork in forks.items()},
        generator_cpus=(1,),
    )
    return Pair(record=record, forks=forks)


def _factor(deviation: float, random: np.random.Generator) -> float:
    """Log-normal, with a mean of one."""
    return float(np.exp(random.normal(-(deviation**2) / 2, deviation)))


def _fork(
    side: Side, build: Build, mix: Mix, windows: list[Window], machine: float, random: np.random.Generator
) -> ForkData:
    scattered = _scattered(build, machine * _factor(CPU, random), random)
    tables = {name: empty_table(name) for name in TABLES}
    tables["pauses"] = recording.pauses(build, windows, random)
    tables["requests"] = recording.requests(
        build,
        mix,
        windows,
        took_ms=_took_ms(build, mix, scattered, machine, random),
        pauses=tables["pauses"],
        random=random,
    )
    tables["series"], tables["scrapes"] = recording.pages(build, windows, random)
    cpu_ms = sum(scattered["cpu"].values()) + build.jit_ms
    tables["counters"] = recording.counters(build, windows, cpu_ms=cpu_ms, machine=machine, random=random)
    tables["samples"], tables["stacks"] = recording.samples(build, mix, windows, scattered, random)
    on_cpu = tables["samples"][tables["samples"]["event"] == "cpu"]
    quality = ProfileQuality(
        chunks=9,
        unreadable=0,
        samples=int(on_cpu["samples"].sum()),
        failed_stacks=0,
        truncated_stacks=0,
        sampled_cpu_s=float(on_cpu["weight"].sum()) / 1e9,
        accounted_cpu_s=cpu_ms * REQUESTS / 1e3,
    )
    heap = HeapGrowth(
        before_bytes=int(build.heap_bytes), after_bytes=int(build.heap_bytes * _factor(0.01, random)), requests=REQUESTS
    )
    record = ForkRecord(side=side, command=("java",), cpus=(0,), jvm_flags=build.flags, profile=quality, heap=heap)
    return ForkData(record=record, tables=tables)


def _took_ms(
    build: Build, mix: Mix, scattered: dict[str, dict[Place, float]], machine: float, random: np.random.Generator
) -> dict[str, float]:
    """Endpoint -> mean time of its requests, without pauses."""
    own = dict.fromkeys(mix.shares, machine * (build.unseen_ms + build.run_delay_ms))
    for event in ("cpu", "wall"):
        for place, cost in scattered[event].items():
            if place.endpoint:
                own[place.endpoint] += cost / mix.shares[place.endpoint]
    fork = _factor(LATENCY, random)
    return {endpoint: fork * took for endpoint, took in own.items()}


def _scattered(build: Build, cpu: float, random: np.random.Generator) -> dict[str, dict[Place, float]]:
    """Kind of profile -> what each place cost this fork."""
    waiting, allocating = cpu, _factor(ALLOCATION, random)
    return {
        event: {place: cost * of_fork * _factor(FRAME, random) for place, cost in costs.items()}
        for event, costs, of_fork in (
            ("cpu", build.cpu, cpu),
            ("wall", build.waits, waiting),
            ("alloc", build.allocated, allocating),
        )
    }
