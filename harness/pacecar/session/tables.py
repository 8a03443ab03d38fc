"""Raw files of a pair to the tables of its forks, once no window is measured any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from pacecar import jfr
from pacecar.experiment import Profiler, Side
from pacecar.load import simulation_log
from pacecar.load.simulation_log import LogError
from pacecar.observe.gc_log import read_pauses
from pacecar.recording import TABLES, ProfileQuality, Window, empty_table
from pacecar.session.loading import GeneratorLog

_MS = 1_000_000
_ARRIVAL = ["slice", "side", "endpoint", "due_ms", "sent_ms", "answered_ms"]
#: How far the log's whole milliseconds, cut at both ends, may lie from what the kit measured, and a little more.
_LOG_ERROR_MS = 2.0
#: Share of requests whose time the kit must know for it to be used. On a busy machine Gatling tells the kit late of two
#: answers in a hundred, and sends some requests in another order than they were due; those keep the log's time.
_KNOWN = 0.90


def requests(
    logs: Sequence[GeneratorLog], windows: Sequence[Window]
) -> tuple[dict[Side, pd.DataFrame], tuple[str, ...]]:
    """Requests inside windows, per side, in the columns of `TABLES["requests"]`; and what could not be read.

    A request belongs to the window in which it was due: one sent a little late, when its window has just closed,
    still counts for it. A log of a single window holds nothing else.
    """
    found: dict[Side, list[pd.DataFrame]] = {side: [] for side in {window.side for window in windows}}
    notes: list[str] = []
    for log in logs:
        try:
            read = simulation_log.read(log.log)
        except LogError as error:  # a generator that was ended early may have written nothing yet
            notes.append(error.message)
            continue
        table = read.requests
        if read.truncated or read.unreadable:
            notes.append(f"Gatling's log was read in part only. {read.unreadable}".strip())
        # A simulation may put groups of its own inside the side's.
        sides = table["groups"].map(lambda groups: str(groups).partition("/")[0])
        served = [window for window in windows if log.window in (None, window.index)]
        for side in found:
            mine = [window for window in served if window.side is side]
            rows = table if log.window is not None else table[sides == side.value]
            found[side].append(_inside(rows, mine))
    tables = {side: pd.concat([empty_table("requests"), *parts]) for side, parts in found.items()}
    return {side: _typed(table, "requests") for side, table in tables.items()}, tuple(notes)


def _inside(rows: pd.DataFrame, windows: Sequence[Window]) -> pd.DataFrame:
    start_ns = rows["start_ms"].to_numpy(dtype="int64") * _MS
    index, known = _window_of(start_ns, windows)
    return pd.DataFrame(
        {
            "window": index,
            "endpoint": rows["name"].astype("str").to_numpy(),
            "start_ns": start_ns,
            "latency_ms": (rows["end_ms"] - rows["start_ms"]).to_numpy(dtype="float64"),
            "ok": rows["ok"].to_numpy(dtype="bool"),
            "message": rows["message"].astype("str").to_numpy(),
        }
    )[known]


def _window_of(start_ns: np.ndarray, windows: Sequence[Window]) -> tuple[np.ndarray, np.ndarray]:
    """Per start the index of the last of `windows` that had opened, and whether it was still that window's time."""
    if not windows:
        return np.zeros(len(start_ns), dtype="int16"), np.zeros(len(start_ns), dtype="bool")
    opened = np.array([window.start_ns for window in windows])
    # The log's clock ticks in milliseconds: a start at the very edge may read one tick early.
    place = np.searchsorted(opened - _MS, start_ns, side="right") - 1
    late = np.array([window.end_ns for window in windows])[place] + (windows[0].end_ns - windows[0].start_ns) // 20
    return np.array([window.index for window in windows], dtype="int16")[place], (place >= 0) & (start_ns < late)


def arrivals(records: Sequence[tuple[Path | None, int]], windows: Sequence[Window]) -> dict[Side, pd.DataFrame]:
    """The kit's records of planned and real sending, per side, in the columns of `TABLES["arrivals"]`.

    Args:
        records: file of each process, if it left one, and the index of its first window within the pair.
        windows: those that were measured.
    """
    parts = [_arrivals(path, first) for path, first in records if path is not None and path.exists()]
    sides, measured = {window.side for window in windows}, {window.index for window in windows}
    if not parts:
        return {side: empty_table("arrivals") for side in sides}
    table = pd.concat(parts)
    return {
        side: _typed(table[(table["side"] == side.value) & table["window"].isin(measured)], "arrivals")
        for side in sides
    }


def _arrivals(path: Path, first_window: int) -> pd.DataFrame:
    # The last line may be cut, and a simulation may have written anything: lines that make no sense are left out.
    rows = pd.read_csv(path, names=_ARRIVAL, dtype="str", skiprows=1, on_bad_lines="skip", encoding_errors="replace")
    numbers = {
        name: pd.to_numeric(rows[name], errors="coerce") for name in _ARRIVAL if name not in ("side", "endpoint")
    }
    rows = rows.assign(**{name: column.astype("float64") for name, column in numbers.items()})
    rows = rows.dropna(subset=_ARRIVAL[:-1])
    return pd.DataFrame(
        {
            "side": rows["side"],
            "window": rows["slice"] + first_window,
            "endpoint": rows["endpoint"],
            "due_ns": (rows["due_ms"] * _MS).round(),
            "lag_ms": rows["sent_ms"] - rows["due_ms"],
            "took_ms": rows["answered_ms"] - rows["sent_ms"],
        }
    ).sort_values("due_ns")


def refined(requests: Mapping[Side, pd.DataFrame], arrivals: Mapping[Side, pd.DataFrame]) -> dict[Side, pd.DataFrame]:
    """The requests with latencies to the microsecond, as the kit measured them, instead of the log's milliseconds.

    A row of each table is the same request when both tables have as many rows of its endpoint and window: both are in
    the order of sending. All sides are refined or none, for they are compared with each other: where the kit knows the
    time of fewer than 90 % of any side's requests, or an operation makes several, the log's milliseconds stay.
    """
    matched = {side: _took_ms(table, arrivals.get(side, empty_table("arrivals"))) for side, table in requests.items()}
    if any(len(took) and took.notna().mean() < _KNOWN for took in matched.values()):
        return dict(requests)
    return {
        side: table.assign(latency_ms=matched[side].fillna(table["latency_ms"])) for side, table in requests.items()
    }


def _took_ms(requests: pd.DataFrame, arrivals: pd.DataFrame) -> pd.Series[float]:
    """What the kit measured of each request, in the order of `requests`; missing where it is not known which it was."""
    keys = ["window", "endpoint"]
    sent_ns = arrivals["due_ns"] + arrivals["lag_ms"] * _MS
    planned = arrivals.assign(sent_ns=sent_ns).sort_values("sent_ns", kind="stable")
    logged = requests.reset_index(names="row").sort_values("start_ns", kind="stable")
    numbered = [
        table.assign(place=table.groupby(keys).cumcount(), total=table.groupby(keys)["endpoint"].transform("size"))
        for table in (logged, planned)
    ]
    both = numbered[0].merge(
        numbered[1][[*keys, "place", "total", "took_ms"]], on=[*keys, "place", "total"], how="left"
    )
    took = both.set_index("row")["took_ms"].reindex(requests.index)
    return took.where((took - requests["latency_ms"]).abs() <= _LOG_ERROR_MS)


def pauses(*, target: Path, generators: Sequence[Path]) -> pd.DataFrame:
    """Stop-the-world pauses of the fork and of the load generator, on one clock."""
    parts = [read_pauses(target).assign(process="target")]
    parts += [read_pauses(path).assign(process="generator") for path in generators]
    return _typed(pd.concat(parts, ignore_index=True), "pauses")


def _typed(table: pd.DataFrame, name: str) -> pd.DataFrame:
    columns = TABLES[name]
    return table[list(columns)].astype(columns).reset_index(drop=True)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One fork's profile inside its windows, as tables, and whether it can be believed."""

    samples: pd.DataFrame
    stacks: pd.DataFrame
    quality: ProfileQuality | None


def profile(
    chunks: Sequence[Path], windows: Sequence[Window], *, profiler: Profiler, counters: pd.DataFrame
) -> Profile:
    """Fold the chunks of one fork; its CPU time by samples is put beside the one by the process clock."""
    if not chunks:
        return Profile(samples=empty_table("samples"), stacks=empty_table("stacks"), quality=None)
    folded = jfr.fold(chunks, windows, jfr.Intervals.of(profiler))
    counts = folded.counts
    quality = ProfileQuality(
        chunks=counts.chunks,
        unreadable=len(counts.unreadable),
        samples=counts.samples,
        failed_stacks=counts.failed_stacks,
        truncated_stacks=counts.truncated_stacks,
        sampled_cpu_s=counts.sampled_cpu_ns / 1e9,
        accounted_cpu_s=_accounted_cpu_s(counters),
    )
    return Profile(samples=folded.samples, stacks=folded.stacks, quality=quality)


def _accounted_cpu_s(counters: pd.DataFrame) -> float:
    edges = counters.pivot(index="window", columns="edge", values="cpu_ns")
    if not {"start", "end"} <= set(edges.columns):
        return 0.0
    return float((edges["end"] - edges["start"]).dropna().sum()) / 1e9
