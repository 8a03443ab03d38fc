"""Other ways to calculate the figure of a pair from the same recording, and how noisy each is.

    python -m benchmarks.noise.variants benchmarks/verdict/.pacecar/runs/*

The runs must be of identical builds, so that every change is noise. Each way is compared with the plain one by the root
mean square of the log-ratios of the same pairs: a ratio below one is less noise. Its 95 % interval is that of two
correlated variances (Pitman, "A note on normal correlation", Biometrika 31, 1939). Nothing is resampled.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import stats
from scipy.stats import mstats

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.stats.quantiles import grouped_quantile, refusal
from pacecar.analysis.validity.pairs import sift
from pacecar.archive.runs import RunDirectory
from pacecar.model.experiment import Side

RESULTS = Path(__file__).parent / "results" / "variants.json"
Array = npt.NDArray[np.float64]
#: Resolution of latencies that the kit measures.
_MICROSECOND = 1e-3


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One fork: its answered requests at one endpoint ("" for all), and the counters of its windows."""

    fork: MeasuredFork
    endpoint: str

    @cached_property
    def requests(self) -> pd.DataFrame:
        """Answered requests with the turn of their window, and whether a pause of the service fell on them."""
        rows = self.fork.requests[self.fork.requests["ok"]]
        if self.endpoint:
            rows = rows[rows["endpoint"] == self.endpoint]
        turns = {window.index: turn for turn, window in enumerate(self.fork.windows)}
        start = rows["start_ns"].to_numpy(dtype=float)
        end = start + 1e6 * rows["latency_ms"].to_numpy(dtype=float)
        pauses = self.fork.data.tables["pauses"]
        pauses = pauses[pauses["process"] == "target"]
        from_, to = pauses["start_ns"].to_numpy(dtype=float), pauses["start_ns"] + 1e6 * pauses["duration_ms"]
        paused = (np.searchsorted(from_, end) - np.searchsorted(np.sort(to.to_numpy(dtype=float)), start)) > 0
        return rows.assign(turn=rows["window"].map(turns), paused=paused).sort_values("start_ns", kind="stable")

    def latencies(self) -> Array:
        """In ms, in order of time."""
        return self.requests["latency_ms"].to_numpy(dtype=float)

    def by_turn(self, merged: int) -> list[Array]:
        """The latencies of every `merged` turns."""
        blocks = self.requests["turn"] // merged
        return [rows.to_numpy(dtype=float) for _, rows in self.requests.groupby(blocks)["latency_ms"]]

    def in_places(self, places: Sequence[int]) -> Array:
        """The latencies of the windows at these places of the whole order of windows."""
        return self.requests.loc[self.requests["window"].isin(places), "latency_ms"].to_numpy(dtype=float)

    def cpu(self) -> pd.Series[float]:
        """CPU ms per request of each window; index: window."""
        each = self._cpu_and_requests(without_jit=False)
        return each["cpu"] / each["requests"]

    def cpu_in(self, places: Sequence[int], *, without_jit: bool = False) -> float:
        """CPU ms per request of these windows together."""
        each = self._cpu_and_requests(without_jit=without_jit)
        each = each[each.index.isin(places)]
        return float(each["cpu"].sum() / each["requests"].sum())

    def _cpu_and_requests(self, *, without_jit: bool) -> pd.DataFrame:
        cpu = self.fork.growth("cpu_ns") / 1e6
        if without_jit:
            cpu = cpu - self.fork.growth("jit_cpu_ns").reindex(cpu.index, fill_value=0.0) / 1e6
        counts = self.fork.requests["window"].value_counts().reindex(cpu.index)
        return pd.DataFrame({"cpu": cpu, "requests": counts})


Deployer = Callable[[Seen, Seen], float]


def _of_both(read: Callable[[Seen], float]) -> Deployer:
    return lambda before, after: math.log(read(after) / read(before))


def _plain(quantile: float, *, resolution: float = _MICROSECOND) -> Deployer:
    return _of_both(lambda seen: grouped_quantile(seen.latencies(), quantile, resolution=resolution))


def _harrell_davis(quantile: float) -> Deployer:
    """A weighted mean of all order statistics (Harrell & Davis, Biometrika 69, 1982)."""
    return _of_both(lambda seen: float(mstats.hdquantiles(seen.latencies(), [quantile])[0]))


def _band(low: float, high: float) -> Deployer:
    """The mean of all that lies between two quantiles."""

    def read(seen: Seen) -> float:
        values = np.sort(seen.latencies())
        return float(values[int(low * len(values)) : max(int(high * len(values)), 1)].mean())

    return _of_both(read)


def _undisturbed(quantile: float) -> Deployer:
    """Without requests on which a pause of the service fell."""

    def read(seen: Seen) -> float:
        values = seen.requests.loc[~seen.requests["paused"], "latency_ms"].to_numpy(dtype=float)
        return grouped_quantile(values, quantile, resolution=_MICROSECOND)

    return _of_both(read)


def _by_turns(quantile: float, middle: Callable[[Array], Any], *, merged: int = 1) -> Deployer:
    """Mean or median over turns of the log-ratio of a turn."""

    def way(before: Seen, after: Seen) -> float:
        sides = zip(before.by_turn(merged), after.by_turn(merged), strict=True)
        levels = [[grouped_quantile(v, quantile, resolution=_MICROSECOND) for v in values] for values in sides]
        return float(middle(np.log([second / first for first, second in levels])))

    return way


def _request_by_request(middle: Callable[[Array], Any]) -> Deployer:
    """Mean or median log-ratio of requests that were the same on both sides: the k-th of the same turn."""

    def way(before: Seen, after: Seen) -> float:
        columns = [
            side.requests.assign(place=side.requests.groupby("turn").cumcount())[
                ["turn", "place", "endpoint", "latency_ms"]
            ]
            for side in (before, after)
        ]
        both = columns[0].merge(columns[1], on=["turn", "place", "endpoint"], suffixes=("_before", "_after"))
        return float(middle(np.log(both["latency_ms_after"] / both["latency_ms_before"])))

    return way


def _half_of_the_windows(read: Callable[[Seen, Sequence[int]], float], *, length: int) -> Deployer:
    """Half of the data, as slices `length` times as long would have given it: in blocks A B B A of the whole order only
    one side's windows count. With `length` 1 every other turn of the slices as they were.
    """

    def way(before: Seen, after: Seen) -> float:
        windows = sorted([*before.fork.windows, *after.fork.windows], key=lambda window: window.start_ns)
        leader = windows[0].side
        places: dict[Side, list[int]] = {side: [] for side in Side}
        for place, window in enumerate(windows):
            if length == 1:
                counts = place // 4 % 2 == 0
            else:
                block = place // length
                owner = leader if block % 4 in (0, 3) else leader.other
                counts = window.side is owner
            if counts:
                places[window.side].append(window.index)
        return math.log(read(after, places[Side.CANDIDATE]) / read(before, places[Side.BASELINE]))

    return way


def _level(quantile: float) -> Callable[[Seen, Sequence[int]], float]:
    return lambda seen, places: grouped_quantile(seen.in_places(places), quantile, resolution=_MICROSECOND)


def _cpu(*, without_jit: bool = False) -> Deployer:
    def read(seen: Seen) -> float:
        windows = [window.index for window in seen.fork.windows]
        return seen.cpu_in(windows, without_jit=without_jit)

    return _of_both(read)


def _cpu_by_turns(middle: Callable[[Array], Any]) -> Deployer:
    return lambda before, after: float(middle(np.log(after.cpu().to_numpy() / before.cpu().to_numpy())))


def _cpu_level(seen: Seen, places: Sequence[int]) -> float:
    return seen.cpu_in(places)


#: What is estimated -> way -> how. The first way of each is the one the others are put beside; after a line of half of
#: the data, that one.
LATENCY: dict[str, dict[str, Deployer]] = {
    name: {
        "plain": _plain(quantile),
        "plain, by a log of whole milliseconds": _plain(quantile, resolution=1.0),
        "Harrell-Davis": _harrell_davis(quantile),
        "mean of the quantiles around it": _band(*band),
        "mean over turns": _by_turns(quantile, np.mean),
        "median over turns": _by_turns(quantile, np.median),
        "mean over every two turns": _by_turns(quantile, np.mean, merged=2),
        "median over every two turns": _by_turns(quantile, np.median, merged=2),
        "without requests in a pause": _undisturbed(quantile),
        **(
            {
                "request by request, median": _request_by_request(np.median),
            }
            if quantile == 0.5
            else {}
        ),
    }
    for name, quantile, band in (("p50", 0.50, (0.40, 0.60)), ("p99", 0.99, (0.98, 0.998)))
}
CPU: dict[str, Deployer] = {
    "plain": _cpu(),  # all threads of the process
    "without the JIT compilers": _cpu(without_jit=True),
    "mean over turns": _cpu_by_turns(np.mean),
    "median over turns": _cpu_by_turns(np.median),
}
#: Half of the data each, so that only the length of the slices differs.
LENGTHS = (1, 2, 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    pairs = [pair for path in options.runs for pair in sift(list(RunDirectory.open(path).pairs())).taking_part]
    forks = [tuple(MeasuredFork.of(pair, side) for side in Side) for pair in pairs]
    result: dict[str, Any] = {"pairs": len(pairs), "cpu": _beside_the_first(CPU, forks, "")}
    result["cpu"] |= _lengths(_cpu_level, forks, "")
    shares = forks[0][0].requests["endpoint"].value_counts()
    for endpoint in ("", *shares.index):
        for name, ways in LATENCY.items():
            quantile = float(name[1:]) / 100
            fewest = min(len(Seen(fork=fork, endpoint=endpoint).requests) for sides in forks for fork in sides)
            if refusal(fewest, quantile):
                continue
            title = f"{name} of {endpoint or 'all requests'}"
            result[title] = _beside_the_first(ways, forks, endpoint) | _lengths(_level(quantile), forks, endpoint)
    text = json.dumps(result, indent=2)
    print(text)
    options.output.parent.mkdir(exist_ok=True)
    options.output.write_text(text + "\n")


def _lengths(
    read: Callable[[Seen, Sequence[int]], float], forks: Sequence[tuple[MeasuredFork, ...]], endpoint: str
) -> dict[str, Any]:
    ways = {
        f"half of the data, slices {length} times as long": _half_of_the_windows(read, length=length)
        for length in LENGTHS
    }
    return _beside_the_first(ways, forks, endpoint)


def _beside_the_first(
    ways: dict[str, Deployer], forks: Sequence[tuple[MeasuredFork, ...]], endpoint: str
) -> dict[str, Any]:
    seen = [tuple(Seen(fork=fork, endpoint=endpoint) for fork in sides) for sides in forks]
    changes = {name: np.array([way(*sides) for sides in seen]) for name, way in ways.items()}
    first = next(iter(changes.values()))
    return {
        name: {"noise": round(_rms(values), 4), "ratio": [round(value, 3) for value in _noise_ratio(values, first)]}
        for name, values in changes.items()
    }


def _noise_ratio(values: Array, others: Array) -> tuple[float, float, float]:
    """Root mean square of `values` over that of `others`, on the same pairs, with its 95 % interval."""
    ratio = _rms(values) / _rms(others)
    if np.array_equal(values, others) or len(values) < 3:
        return ratio, ratio, ratio
    degrees = len(values) - 1  # of a correlation about a mean of zero, which is known
    correlation = float(values @ others) / (len(values) * _rms(values) * _rms(others))
    beyond = stats.t.ppf(0.975, degrees) ** 2 / degrees
    spread = 1 + 2 * (1 - correlation**2) * beyond
    half = math.sqrt(spread**2 - 1)
    return ratio, ratio * math.sqrt(spread - half), ratio * math.sqrt(spread + half)


def _rms(changes: Array) -> float:
    return float(np.sqrt(np.mean(np.square(changes))))


if __name__ == "__main__":
    main()
