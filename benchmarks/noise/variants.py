"""Other ways to get a pair's number out of the same recorded pairs, and how noisy each is.

    python benchmarks/noise/variants.py .pacecar/runs/20261121-081500-ab12 ...

The runs must be of identical builds, so that every change is noise. For each way the root mean square of the pairs'
log-ratios is put beside that of the plain one, on the same pairs: a ratio below one is less noise. Nothing is
resampled.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import mstats

from pacecar.archive.runs import RunDirectory
from pacecar.experiment import Side
from pacecar.judge.measured import MeasuredFork
from pacecar.judge.validity import sift
from pacecar.stats.quantiles import grouped_quantile

Array = npt.NDArray[np.float64]
Requests = tuple[pd.DataFrame, pd.DataFrame]
#: Rows of half a millisecond on either side: what a log in whole milliseconds cannot tell.
_SMALLEST_MS = 0.25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--endpoint", default="", help="one endpoint; all together when left out")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    pairs = [pair for path in options.runs for pair in sift(list(RunDirectory.open(path).pairs())).taking_part]
    requests: list[Requests] = []
    for pair in pairs:
        before, after = (_answered(MeasuredFork.of(pair, side), options.endpoint) for side in Side)
        requests.append((before, after))
    noise = {name: _rms([way(*each) for each in requests]) for name, way in WAYS.items()}
    rows = {
        name: {"noise": round(value, 4), "ratio_to_plain": round(value / noise[f"{name.split(',')[0]}, plain"], 3)}
        for name, value in noise.items()
    }
    result = {"pairs": len(pairs), "endpoint": options.endpoint or "all", "ways": rows}
    text = json.dumps(result, indent=2)
    print(text)
    if options.output:
        options.output.write_text(text + "\n")


def _answered(fork: MeasuredFork, endpoint: str) -> pd.DataFrame:
    rows = fork.requests[fork.requests["ok"]]
    if endpoint:
        rows = rows[rows["endpoint"] == endpoint]
    turns = {window.index: turn for turn, window in enumerate(fork.windows)}
    return rows.assign(turn=rows["window"].map(turns)).sort_values("start_ns", kind="stable")


def _plain(quantile: float) -> Callable[[pd.DataFrame, pd.DataFrame], float]:
    return lambda before, after: _ratio(*(grouped_quantile(_ms(side), quantile) for side in (before, after)))


def _harrell_davis(quantile: float) -> Callable[[pd.DataFrame, pd.DataFrame], float]:
    """A weighted mean of all order statistics (Harrell & Davis, Biometrika 69, 1982)."""
    return lambda before, after: _ratio(
        *(float(mstats.hdquantiles(_spread(_ms(side)), [quantile])[0]) for side in (before, after))
    )


def _band(low: float, high: float) -> Callable[[pd.DataFrame, pd.DataFrame], float]:
    """The mean of all that lies between two quantiles."""

    def way(before: pd.DataFrame, after: pd.DataFrame) -> float:
        means = []
        for side in (before, after):
            values = np.sort(_ms(side))
            means.append(float(values[int(low * len(values)) : max(int(high * len(values)), 1)].mean()))
        return _ratio(*means)

    return way


def _by_slices(quantile: float) -> Callable[[pd.DataFrame, pd.DataFrame], float]:
    """The median over turns of the log-ratio of a turn: one disturbed slice does not count."""

    def way(before: pd.DataFrame, after: pd.DataFrame) -> float:
        ratios = []
        for turn in sorted(set(before["turn"]) & set(after["turn"])):
            sides = (side[side["turn"] == turn] for side in (before, after))
            ratios.append(_ratio(*(grouped_quantile(_ms(side), quantile) for side in sides)))
        return float(np.median(ratios))

    return way


def _request_by_request(before: pd.DataFrame, after: pd.DataFrame) -> float:
    """The median log-ratio of requests that were the same on both sides: the k-th of the same turn."""
    columns = [
        side.assign(place=side.groupby("turn").cumcount())[["turn", "place", "endpoint", "latency_ms"]]
        for side in (before, after)
    ]
    both = columns[0].merge(columns[1], on=["turn", "place", "endpoint"], suffixes=("_before", "_after"))
    ratios = np.log(
        np.maximum(both["latency_ms_after"], _SMALLEST_MS) / np.maximum(both["latency_ms_before"], _SMALLEST_MS)
    )
    return float(ratios.mean())


def _ms(side: pd.DataFrame) -> Array:
    return side["latency_ms"].to_numpy(dtype=float)


def _spread(values: Array) -> Array:
    """Values of whole milliseconds, spread evenly inside theirs, so that order statistics differ."""
    order = np.argsort(values, kind="stable")
    spread = np.empty(len(values))
    for value in np.unique(values):
        places = order[values[order] == value]
        spread[places] = np.maximum(value - 0.5, 0) + (np.arange(len(places)) + 0.5) / len(places)
    return spread


def _ratio(before: float, after: float) -> float:
    return float(np.log(max(after, _SMALLEST_MS) / max(before, _SMALLEST_MS)))


def _rms(changes: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(changes))))


WAYS: dict[str, Callable[[pd.DataFrame, pd.DataFrame], float]] = {
    "p50, plain": _plain(0.50),
    "p50, Harrell-Davis": _harrell_davis(0.50),
    "p50, median over slices": _by_slices(0.50),
    "p50, mean of p40 to p60": _band(0.40, 0.60),
    "p50, request by request": _request_by_request,
    "p99, plain": _plain(0.99),
    "p99, Harrell-Davis": _harrell_davis(0.99),
    "p99, median over slices": _by_slices(0.99),
    "p99, mean of p98 to p99.8": _band(0.98, 0.998),
    "p99, mean beyond p98": _band(0.98, 1.0),
}


if __name__ == "__main__":
    main()
