"""Fits the parameters of the synthetic model to recorded pairs of identical builds.

    python -m benchmarks.verdict.fit

Reads `recorded/same` and writes `benchmarks/verdict/noise.json`. Every variance is a moment estimate. If sampling alone
explains more than was seen, it is zero. `check` has the scatter of the log-ratios of recorded pairs beside that of
drawn pairs, for each metric and for two endpoints together.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.verdict.kept import kept
from benchmarks.verdict.model import SCORES, draw
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import readings
from pacecar.analysis.metrics.reading import Value
from pacecar.analysis.stats.quantiles import grouped_quantile
from pacecar.analysis.validity.pairs import sift
from pacecar.model.experiment import Side

NOISE = Path(__file__).with_name("noise.json")
_ENDPOINTS = 5
_MICROSECOND = 1e-3
#: The slowest requests, whose cost a fork may change by itself.
_TAIL_SHARE = 0.05
#: Pairs drawn for the check.
_DRAWN = 2_000


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    recorded = kept("same")
    pairs = sift([each.pair for each in recorded]).taking_part
    forks = [tuple(MeasuredFork.of(pair, side) for side in Side) for pair in pairs]
    windows = recorded[0].pair.record.windows
    window_s = windows[0].seconds
    slices = max(len(fork.windows) for sides in forks for fork in sides)
    requests = pd.concat([fork.requests for sides in forks for fork in sides])
    names = list(requests["endpoint"].value_counts().index[:_ENDPOINTS])
    centred = pd.concat([_centred(fork) for sides in forks for fork in sides])
    endpoints = [_endpoint(centred[centred["endpoint"] == name], share=len(centred)) for name in names]
    service = {name: _service(forks, name) for name in ("cpu", "allocation", "gc.pause", "latency.p50", "latency.p99")}
    alike = _latent(float(np.nanmean([each.alike for each in recorded])))
    slice_sd = _slice_sd(forks, alike=alike)
    shared, own = _endpoint_sds(forks, names, slice_sd=slice_sd, alike=alike)
    endpoints = [each | {"fork": round(sd, 4)} for each, sd in zip(endpoints, own, strict=True)]
    tail = _tail_sd(forks, service["latency.p99"]["ratio_sd"], slice_sd=slice_sd)
    slowest = requests.nlargest(len(requests) // 100, "latency_ms")["endpoint"].value_counts(normalize=True)
    with_medians = shared**2 + math.fsum(
        (slowest.get(name, 0.0) * sd) ** 2 for name, sd in zip(names, own, strict=True)
    )
    slice_sds = {name: _service_slice_sd(forks, amounts) for name, amounts in _BY_SLICE.items()}
    fork_sds = {name: _beside(service[name]["ratio_sd"], sd, slices) for name, sd in slice_sds.items()}
    # Much of a fork's CPU goes with how slow its busiest endpoint is.
    both = [np.diff(_logs(forks, *key))[:, 0] for key in (("cpu",), ("latency.p50", names[0]))]
    with_latency = min(max(_between(np.array(both)), 0.0) * service["cpu"]["ratio_sd"] / math.sqrt(2), fork_sds["cpu"])
    busiest = math.hypot(shared, own[0])
    noise = {
        "source": f"{len(pairs)} pairs of identical builds, {', '.join(sorted({each.machine for each in recorded}))}",
        # By the plan and the harness as they are now.
        "minutes_per_pair": round(
            float(np.mean([each.minutes for each in recorded if each.run == recorded[-1].run])), 3
        ),
        # What counts of a second of measuring: without turns that were left out.
        "rate": round(len(requests) / (len(forks) * 2 * slices * window_s), 1),
        "slice_s": window_s,
        "slices": slices,
        "gap_s": round((windows[1].start_ns - windows[0].end_ns) / 1e9, 3),
        "endpoints": endpoints,
        "tail_share": _TAIL_SHARE,
        "alike": round(alike, 3),
        "machine": {"latency": service["latency.p50"]["between_sd"], "cpu": service["cpu"]["between_sd"]},
        "fork": {
            "body": round(shared * 0.8, 4),
            # A fifth of a fork's variance is put into two moods: pairs are too few to tell a mixture from its variance.
            "mood": round(shared * 0.6 / math.sqrt(0.15 * 0.85), 4),
            "mood_share": 0.15,
            "tail": round(math.sqrt(max(tail**2 - with_medians, 0.0)), 4),
            **{name: round(sd, 5) for name, sd in fork_sds.items()},
            "cpu": round(math.sqrt(fork_sds["cpu"] ** 2 - with_latency**2), 5),
            "cpu_with_latency": round(with_latency / busiest, 4) if busiest else 0.0,
        },
        "slice": {"body": round(slice_sd, 4), "degrees": 4, **{name: round(sd, 5) for name, sd in slice_sds.items()}},
        "service": {name: service[name]["middle"] for name in _BY_SLICE},
        "failing": round(float((~requests["ok"]).mean()), 6),
        "ratio_sd": {name: round(found["ratio_sd"], 4) for name, found in service.items()},
    }
    noise["check"] = _check(noise, forks, names)
    NOISE.write_text(json.dumps(noise, indent=2) + "\n")
    print(json.dumps(noise["check"], indent=2))


def _centred(fork: MeasuredFork) -> pd.DataFrame:
    """Answered requests with `log`, their latency beside what is usual for their endpoint and slice, and `usual`."""
    # The few that the load generator did not time itself are in whole milliseconds, which may be none.
    rows = fork.requests[fork.requests["ok"] & (fork.requests["latency_ms"] > 0)]
    log = np.log(rows["latency_ms"])
    usual = log.groupby(rows["endpoint"]).transform("median")
    slice_ = (log - usual).groupby(rows["window"]).transform("median")
    return rows.assign(log=log - usual - slice_, usual=usual)


def _endpoint(rows: pd.DataFrame, *, share: int) -> dict[str, Any]:
    """The distribution of one endpoint's latencies, beside its median, at the scores of the model."""
    return {
        "share": round(len(rows) / share, 4),
        "median_ms": round(float(np.exp(rows["usual"].median())), 4),
        "shape": [round(float(value), 4) for value in np.quantile(rows["log"], stats.norm.cdf(SCORES))],
    }


def _service(forks: list[tuple[MeasuredFork, ...]], name: str) -> dict[str, Any]:
    """Log-ratios of a metric of the whole service over pairs, and how much its level differs between pairs."""
    logs = _logs(forks, name)
    logs = logs[np.isfinite(logs).all(axis=1)]
    ratios = logs[:, 1] - logs[:, 0]
    ratio_sd = float(np.sqrt(np.mean(ratios**2)))  # identical builds: their mean is known to be zero
    between = float(np.var(logs.mean(axis=1), ddof=1)) - ratio_sd**2 / 4
    return {
        "ratio_sd": ratio_sd,
        "between_sd": round(math.sqrt(max(between, 0.0)), 4),
        "middle": float(f"{np.exp(logs.mean()):.4g}"),
    }


def _logs(forks: list[tuple[MeasuredFork, ...]], name: str, endpoint: str = "") -> np.ndarray:
    """Logarithms of a metric: (pairs, sides); NaN where it was not measured, or zero."""
    return np.array([[_log(fork, name, endpoint) for fork in sides] for sides in forks])


def _log(fork: MeasuredFork, name: str, endpoint: str) -> float:
    wanted = (name, endpoint)
    reading = next(value for metric, value in readings(fork, (endpoint,)).items() if metric.key == wanted)
    return math.log(reading.amount) if isinstance(reading, Value) and reading.amount > 0 else math.nan


def _slice_sd(forks: list[tuple[MeasuredFork, ...]], *, alike: float) -> float:
    """Standard deviation of a slice's median within its fork, beyond sampling and what both sides' slices share."""
    variances = []
    for sides in forks:
        medians, sampling = [], []
        for fork in sides:
            answered = fork.requests[fork.requests["ok"]]
            slices = [rows.to_numpy(dtype=float) for _, rows in answered.groupby("window")["latency_ms"]]
            medians.append(np.log([grouped_quantile(values, 0.5, resolution=_MICROSECOND) for values in slices]))
            sampling += [_sampling_variance(values) for values in slices]
        own = float(np.mean(sampling)) * (1 - _both_beyond(0.5, alike))
        variances.append(float(np.var(medians[1] - medians[0], ddof=1)) / 2 - own)
    return math.sqrt(max(float(np.mean(variances)), 0.0))


def _service_slice_sd(forks: list[tuple[MeasuredFork, ...]], amounts: Callable[[MeasuredFork], pd.Series]) -> float:
    """Standard deviation of a slice's amount per request within its fork; what both sides' slices share cancels."""
    variances = []
    for sides in forks:
        before, after = (
            (amounts(fork) / fork.requests.groupby("window").size()).to_numpy(dtype=float) for fork in sides
        )
        told = (before > 0) & (after > 0)
        variances.append(float(np.var(np.log(after[told] / before[told]), ddof=1)) / 2)
    return math.sqrt(float(np.mean(variances)))


def _pauses(fork: MeasuredFork) -> pd.Series:
    """Stop-the-world time in each window, in ms."""
    return pd.Series({window.index: replace(fork, windows=(window,)).pause_ms() for window in fork.windows})


#: What is drawn for each slice beside latencies: its amount in each window of a fork.
_BY_SLICE: dict[str, Callable[[MeasuredFork], pd.Series]] = {
    "cpu": lambda fork: fork.own_cpu_ns,
    "allocation": lambda fork: fork.growth("allocated_bytes"),
    "gc.pause": _pauses,
}


def _beside(ratio_sd: float, slice_sd: float, slices: int) -> float:
    """A fork's own share of what pairs scatter by, beside the mean of its slices."""
    return math.sqrt(max(ratio_sd**2 / 2 - slice_sd**2 / slices, 0.0))


def _endpoint_sds(
    forks: list[tuple[MeasuredFork, ...]], endpoints: list[str], *, slice_sd: float, alike: float
) -> tuple[float, list[float]]:
    """By how much all medians of a fork differ together, and each endpoint's beside that.

    Whatever two endpoints' log-ratios have in common is the fork's, or its slices'.
    """
    ratios = np.diff([_logs(forks, "latency.p50", name) for name in endpoints], axis=2)[:, :, 0]
    products = ratios @ ratios.T / ratios.shape[1]  # identical builds: their means are known to be zero
    common = float(np.mean(products[~np.eye(len(endpoints), dtype=bool)])) / 2
    shared = max(common - slice_sd**2 / len(forks[0][0].windows), 0.0)
    own = []
    for name, product in zip(endpoints, np.diag(products), strict=True):
        sampling = np.mean([_sampling_variance(fork.latencies[name]) for sides in forks for fork in sides])
        sampling *= 1 - _both_beyond(0.5, alike)
        own.append(math.sqrt(max(float(product) / 2 - common - float(sampling), 0.0)))
    return math.sqrt(shared), own


def _latent(rho: float) -> float:
    """The correlation of the model's two normal variables, for ranks of all requests that correlate by `rho`.

    Where each side's slowest requests are its own, only (1 - share)^4 of what the others' ranks correlate by is left:
    both have to be among the others, whose ranks span that share. Of normal variables: Kruskal, "Ordinal measures of
    association", JASA 53, 1958.
    """
    return 2 * math.sin(math.pi * min(1.0, rho / (1 - _TAIL_SHARE) ** 4) / 6)


def _sampling_variance(values: np.ndarray, quantile: float = 0.5) -> float:
    """Of the logarithm of a quantile, by half the distance of its binomial 68 % interval."""
    half = math.sqrt(quantile * (1 - quantile) / len(values))
    low, high = (
        grouped_quantile(values, min(quantile + sign * half, 1.0), resolution=_MICROSECOND) for sign in (-1, 1)
    )
    return (math.log(high / low) / 2) ** 2


def _tail_sd(forks: list[tuple[MeasuredFork, ...]], ratio_sd: float, *, slice_sd: float) -> float:
    """By how much a fork's p99 of all requests differs: its slices and sampling are the rest of a pair's log-ratio."""
    sampling = np.mean([_sampling_variance(fork.latencies[""], 0.99) for sides in forks for fork in sides])
    return math.sqrt(max(ratio_sd**2 / 2 - slice_sd**2 / len(forks[0][0].windows) - float(sampling), 0.0))


def _both_beyond(quantile: float, alike: float) -> float:
    """How much it correlates that a request is beyond its side's quantile, one below the tail, on either side."""
    score = stats.norm.ppf(quantile / (1 - _TAIL_SHARE))
    within = stats.multivariate_normal.cdf([score, score], cov=[[1, alike], [alike, 1]])
    within *= (1 - _TAIL_SHARE) ** 2
    return float((within - quantile**2) / (quantile * (1 - quantile)))


def _check(noise: dict[str, Any], forks: list[tuple[MeasuredFork, ...]], endpoints: list[str]) -> dict[str, Any]:
    """Standard deviations of log-ratios by metric, and the mean correlation of two endpoints': recorded, and drawn."""
    drawn = draw(noise, np.random.default_rng(1), pairs=_DRAWN).by_fork
    scatter: dict[str, list[float]] = {}
    ratios: dict[str, list[tuple[Any, Any]]] = {}
    for (name, endpoint), values in drawn.items():
        if name == "errors":
            continue
        title = endpoints[int(endpoint.split()[1])] if endpoint else ""
        both = (np.diff(_logs(forks, name, title))[:, 0], np.diff(np.log(values))[:, 0])
        scatter[f"{title} {name}".strip()] = [round(float(np.sqrt(np.nanmean(each**2))), 4) for each in both]
        if endpoint:
            ratios.setdefault(name, []).append(both)
    together = {
        name: [round(_between(np.array(each)), 2) for each in zip(*both, strict=True)] for name, both in ratios.items()
    }
    return {"scatter": scatter, "together": together}


def _between(rows: np.ndarray) -> float:
    """The mean correlation of two of `rows`."""
    correlations = np.corrcoef(rows[:, np.isfinite(rows).all(axis=0)])
    return float(np.mean(correlations[~np.eye(len(rows), dtype=bool)]))


if __name__ == "__main__":
    main()
