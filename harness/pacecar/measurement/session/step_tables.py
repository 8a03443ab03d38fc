"""The steps of a staircase as tables of its forks, once no window is measured any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from pacecar.analysis.metrics.sample_weights import as_counted
from pacecar.measurement import jfr
from pacecar.measurement.session.climbing import MadeStep
from pacecar.measurement.session.clock import windows_there
from pacecar.measurement.session.tables import typed
from pacecar.model.experiment import Profiler
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import Window
from pacecar.model.tables import empty_table
from pacecar.model.thread_pools import pool_of


def steps(made: Sequence[MadeStep]) -> pd.DataFrame:
    """The steps of one side in the columns of `TABLES["steps"]`."""
    rows = [
        {
            "step": number,
            "start_ns": min((window.start_ns for window in each.windows), default=0),
            "end_ns": max((window.end_ns for window in each.windows), default=0),
            "rate_per_s": each.step.rate_per_s,
            "answered_per_s": each.step.answered_per_s,
            "latency_ms": each.step.latency_ms,
            "busy": each.step.busy,
            "machine_busy": each.step.machine_busy,
            "generator_at_limit": each.step.generator_at_limit,
            "others": each.step.others or "",
        }
        for number, each in enumerate(made, start=1)
    ]
    return typed(pd.DataFrame(rows), "steps") if rows else empty_table("steps")


def pools(chunks: Sequence[Path], made: Sequence[MadeStep], *, profiler: Profiler, ahead_ns: int = 0) -> pd.DataFrame:
    """The cores that each pool of threads used in each step, in the columns of `TABLES["pools"]`.

    The profile says how what the process used is shared, as it does in windows (see `sample_weights`); its clock was
    ahead by `ahead_ns`.
    """
    numbers: list[int] = []
    windows: list[Window] = []
    used: dict[int, float] = {}
    counted: list[pd.DataFrame] = []
    for number, each in enumerate(made, start=1):
        place = {window.index: len(windows) + at for at, window in enumerate(each.windows)}
        numbers += [number] * len(place)
        windows += [replace(window, index=place[window.index]) for window in each.windows]
        used |= {place[index]: amount for index, amount in zip(each.used_ns.index, each.used_ns, strict=True)}
        counted.append(each.pool_cpu.assign(window=each.pool_cpu["window"].map(place)))
    if not chunks or not windows:
        return empty_table("pools")
    samples = jfr.fold(chunks, windows_there(windows, ahead_ns), jfr.Intervals.of(profiler)).samples
    samples = as_counted(samples, pd.concat(counted), process_ns=pd.Series(used, dtype="float64"))
    samples = samples[samples["event"] == ProfileKind.CPU]
    by_pool = samples.assign(
        step=[numbers[place] for place in samples["window"]], pool=[pool_of(str(name)) for name in samples["thread"]]
    )
    weights = by_pool.groupby(["step", "pool"])["weight"].sum().reset_index(name="weight")
    share = weights["weight"] / weights.groupby("step")["weight"].transform("sum")
    cores = {number: each.cores for number, each in enumerate(made, start=1)}
    return typed(weights.assign(cores=share * weights["step"].map(cores)), "pools")
