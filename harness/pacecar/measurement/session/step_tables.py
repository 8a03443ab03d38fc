"""The steps of a staircase as tables of its forks, once no window is measured any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from pacecar.analysis.profiles.threads import pool_of
from pacecar.measurement import jfr
from pacecar.measurement.session.climbing import MadeStep
from pacecar.measurement.session.tables import typed
from pacecar.model.experiment import Profiler
from pacecar.model.profiles import ProfileKind
from pacecar.model.tables import empty_table


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


def pools(chunks: Sequence[Path], made: Sequence[MadeStep], *, profiler: Profiler) -> pd.DataFrame:
    """The cores that each pool of threads used in each step, in the columns of `TABLES["pools"]`.

    The profile says how what the process used is shared, as it does in windows (see `MeasuredFork.samples`).
    """
    windows = [window for each in made for window in each.windows]
    if not chunks or not windows:
        return empty_table("pools")
    numbers = [number for number, each in enumerate(made, start=1) for _ in each.windows]
    placed = [replace(window, index=place) for place, window in enumerate(windows)]
    samples = jfr.fold(chunks, placed, jfr.Intervals.of(profiler)).samples
    samples = samples[samples["event"] == ProfileKind.CPU]
    by_pool = samples.assign(
        step=[numbers[place] for place in samples["window"]], pool=[pool_of(str(name)) for name in samples["thread"]]
    )
    weights = by_pool.groupby(["step", "pool"])["weight"].sum().reset_index(name="weight")
    share = weights["weight"] / weights.groupby("step")["weight"].transform("sum")
    used = {number: each.cores for number, each in enumerate(made, start=1)}
    return typed(weights.assign(cores=share * weights["step"].map(used)), "pools")
