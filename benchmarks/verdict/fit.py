"""Fits the parameters of the synthetic model to recorded pairs of identical builds.

    python benchmarks/verdict/fit.py .pacecar/runs/20261121-081500-ab12 ...

Writes `benchmarks/verdict/noise.json`. Every variance is a moment estimate; where sampling alone explains more than was
seen, it is zero.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pacecar.archive.runs import RunDirectory
from pacecar.experiment import Side
from pacecar.judge.measured import MeasuredFork
from pacecar.judge.metrics import readings
from pacecar.judge.reading import Value
from pacecar.judge.validity import sift
from pacecar.stats.quantiles import grouped_quantile

NOISE = Path(__file__).with_name("noise.json")
_ENDPOINTS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    options = parser.parse_args()
    runs = [RunDirectory.open(path) for path in options.runs]
    pairs = [pair for run in runs for pair in sift(list(run.pairs())).taking_part]
    forks = [tuple(MeasuredFork.of(pair, side) for side in Side) for pair in pairs]
    window_s = pairs[0].record.windows[0].seconds
    slices = len(forks[0][0].windows)
    requests = pd.concat([fork.requests for sides in forks for fork in sides])
    endpoints = [_endpoint(requests, name) for name in requests["endpoint"].value_counts().index[:_ENDPOINTS]]
    service = {name: _service(forks, name) for name in ("cpu", "allocation", "gc.pause", "latency.p50", "latency.p99")}
    slice_sd = _slice_sd(forks)
    body = _fork_sd(service["latency.p50"]["ratio_sd"], slice_sd, slices)
    tail = _fork_sd(service["latency.p99"]["ratio_sd"], slice_sd, slices)
    cpu = service["cpu"]["ratio_sd"] / math.sqrt(2)
    with_body = float(np.clip(_correlation(service["cpu"]["ratios"], service["latency.p50"]["ratios"]), 0, 1))
    noise = {
        "source": f"{len(pairs)} pairs of identical builds, {len(runs)} runs, {runs[0].manifest.machine.cpu_model}",
        "minutes_per_pair": round(_minutes(runs), 2),
        "rate": round(len(requests) / (len(forks) * 2 * slices * window_s), 1),
        "slice_s": window_s,
        "slices": slices,
        "endpoints": endpoints,
        "machine": {"latency": service["latency.p50"]["between_sd"], "cpu": service["cpu"]["between_sd"]},
        "fork": {
            "body": round(body * 0.8, 4),
            # A fifth of a fork's variance is put into two moods: pairs are too few to tell a mixture from its variance.
            "mood": round(body * 0.6 / math.sqrt(0.15 * 0.85), 4),
            "mood_share": 0.15,
            "tail": round(math.sqrt(max(tail**2 - body**2, 0.0)), 4),
            "cpu": round(cpu * math.sqrt(1 - with_body**2), 4),
            "cpu_with_body": round(with_body * cpu / body, 4) if body else 0.0,
            "allocation": round(service["allocation"]["ratio_sd"] / math.sqrt(2), 5),
            "pause": round(service["gc.pause"]["ratio_sd"] / math.sqrt(2), 4),
        },
        "slice": {"body": round(slice_sd, 4), "degrees": 4},
        "cpu_ms": service["cpu"]["middle"],
        "allocation_bytes": service["allocation"]["middle"],
        "pause_ms": service["gc.pause"]["middle"],
        "failing": round(float((~requests["ok"]).mean()), 6),
        "ratio_sd": {name: round(found["ratio_sd"], 4) for name, found in service.items()},
    }
    NOISE.write_text(json.dumps(noise, indent=2) + "\n")
    print(json.dumps(noise["ratio_sd"]))


def _endpoint(requests: pd.DataFrame, name: str) -> dict[str, Any]:
    """Body and tail of one endpoint: a lognormal through its quartiles, and what lies beyond three of its sigmas."""
    mine = requests.loc[(requests["endpoint"] == name) & requests["ok"], "latency_ms"].to_numpy(dtype=float)
    low, middle, high = (grouped_quantile(mine, quantile) for quantile in (0.25, 0.50, 0.75))
    sigma = math.log(high / low) / (stats.norm.ppf(0.75) - stats.norm.ppf(0.25))
    beyond = np.log(mine[mine > middle * math.exp(3 * sigma)] / middle)
    return {
        "share": round(len(mine) / len(requests), 4),
        "median_ms": round(middle, 4),
        "sigma": round(sigma, 4),
        "tail_share": round(len(beyond) / len(mine), 5),
        "tail_median": round(float(np.median(beyond)), 4) if len(beyond) else 1.0,
        "tail_sigma": round(float(np.std(beyond)), 4) if len(beyond) > 1 else 0.3,
    }


def _service(forks: list[tuple[MeasuredFork, ...]], name: str) -> dict[str, Any]:
    """Log-ratios of a metric of the whole service over pairs, and how much its level differs between pairs."""
    logs = np.array([[_log(fork, name) for fork in sides] for sides in forks])
    logs = logs[np.isfinite(logs).all(axis=1)]
    ratios = logs[:, 1] - logs[:, 0]
    ratio_sd = float(np.sqrt(np.mean(ratios**2)))  # identical builds: their mean is known to be zero
    between = float(np.var(logs.mean(axis=1), ddof=1)) - ratio_sd**2 / 4
    return {
        "ratios": ratios,
        "ratio_sd": ratio_sd,
        "between_sd": round(math.sqrt(max(between, 0.0)), 4),
        "middle": float(f"{np.exp(logs.mean()):.4g}"),
    }


def _log(fork: MeasuredFork, name: str) -> float:
    reading = next(value for metric, value in readings(fork, ()).items() if metric.key == (name, ""))
    return math.log(reading.amount) if isinstance(reading, Value) and reading.amount > 0 else math.nan


def _slice_sd(forks: list[tuple[MeasuredFork, ...]]) -> float:
    """Standard deviation of a slice's median within its fork, beyond what sampling makes."""
    variances = []
    for sides in forks:
        for fork in sides:
            answered = fork.requests[fork.requests["ok"]]
            slices = [rows.to_numpy(dtype=float) for _, rows in answered.groupby("window")["latency_ms"]]
            medians = np.log([grouped_quantile(values, 0.5) for values in slices])
            sampling = np.mean([_sampling_variance(values) for values in slices])
            variances.append(float(np.var(medians, ddof=1)) - float(sampling))
    return math.sqrt(max(float(np.mean(variances)), 0.0))


def _sampling_variance(values: np.ndarray) -> float:
    """Of the logarithm of a median, by half the distance of its binomial 68 % interval."""
    half = 0.5 / math.sqrt(len(values))
    low, high = (grouped_quantile(values, 0.5 + sign * half) for sign in (-1, 1))
    return (math.log(high / low) / 2) ** 2


def _fork_sd(ratio_sd: float, slice_sd: float, slices: int) -> float:
    """A fork's own share: a pair's log-ratio holds two forks, each averaged over its slices."""
    return math.sqrt(max(ratio_sd**2 / 2 - slice_sd**2 / slices, 0.0))


def _correlation(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.corrcoef(first, second)[0, 1]) if len(first) == len(second) > 2 else 0.0


def _minutes(runs: list[RunDirectory]) -> float:
    seconds = sum(value for run in runs for name, value in run.manifest.phases_s.items() if name != "build")
    return seconds / 60 / sum(len(run.pair_numbers()) for run in runs)


if __name__ == "__main__":
    main()
