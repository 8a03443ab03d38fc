"""Raw files of a pair to the tables of its forks, once no window is measured any more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from pacecar.measurement import jfr
from pacecar.measurement.deploy.live_heap import LiveHeap
from pacecar.measurement.load.injector import LoadRecord
from pacecar.measurement.probes.gc_log import read_pauses, read_stalls
from pacecar.measurement.session.clock import table_here
from pacecar.measurement.session.loading import KeptRecord
from pacecar.model.experiment import Profiler, Side
from pacecar.model.recording import HeapGrowth, ProfileQuality, Window
from pacecar.model.tables import TABLES, empty_table

_MS = 1_000_000
#: By how much a start may read too early at most, where the gap before a window allows it.
_MOST_EARLY_NS = 20 * _MS
#: How far the log's whole milliseconds, cut at both ends, may lie from what the kit measured, and a little more.
_LOG_ERROR_MS = 2.0
#: Share of requests whose time the kit must know for it to be used. On a busy machine Gatling tells the kit late of two
#: answers in a hundred, and sends some requests in another order than they were due; those keep the log's time.
_KNOWN = 0.90


@dataclass(frozen=True, kw_only=True)
class Logged:
    """What logs of requests say.

    Attributes:
        tables: requests inside windows, per side, in the columns of `TABLES["requests"]`.
        sent: all requests to each side, those outside of windows included: start_ns, latency_ms, ok.
        notes: what could not be read.
    """

    tables: dict[Side, pd.DataFrame]
    sent: dict[Side, pd.DataFrame]
    notes: tuple[str, ...]


def requests(
    kept: Sequence[KeptRecord], windows: Sequence[Window], *, warmed: Mapping[Side, LoadRecord] | None = None
) -> Logged:
    """Read the logs of a pair.

    A request belongs to the window in which it was due: one sent a little late, when its window has just closed,
    still counts for it. A record of a single window holds nothing else.

    Args:
        kept: what runs with windows have left behind.
        windows: those that were measured.
        warmed: what runs have left behind that did nothing but warm one side.
    """
    sides = {window.side for window in windows}
    found: dict[Side, list[pd.DataFrame]] = {side: [] for side in sides}
    sent: dict[Side, list[pd.DataFrame]] = {side: [] for side in sides}
    notes: list[str] = []
    for side, record in (warmed or {}).items():
        sent.setdefault(side, []).append(record.requests().table)
    for each in kept:
        read = each.record.requests()
        notes += [] if read.note is None else [read.note]
        served = [window for window in windows if each.window in (None, window.index)]
        for side in found:
            mine = [window for window in served if window.side is side]
            rows = read.table if each.window is not None else read.table[read.table["side"] == side.value]
            found[side].append(_inside(rows, mine).assign(injector=each.record.injector))
            sent[side] += [rows] if mine else []
    tables = {side: pd.concat([empty_table("requests"), *parts]) for side, parts in found.items()}
    return Logged(
        tables={side: typed(table, "requests") for side, table in tables.items()},
        sent={side: _together(parts) for side, parts in sent.items()},
        notes=tuple(notes),
    )


def _together(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Of rows of several logs, what `Logged.sent` has."""
    columns = {name: TABLES["requests"][name] for name in ("start_ns", "latency_ms", "ok")}
    return pd.concat([part[list(columns)] for part in (empty_table("requests"), *parts)]).astype(columns)


def first_answer_s(sent: pd.DataFrame | None) -> float | None:
    """Seconds from sending the first of the requests `sent` to a fork to the first answer; None when none was."""
    if sent is None or not sent["ok"].any():
        return None
    waited_ms = (sent["start_ns"] - sent["start_ns"].min()) / _MS
    return float((waited_ms + sent["latency_ms"])[sent["ok"]].min()) / 1e3


def heap_growth(before: LiveHeap | None, after: LiveHeap | None, sent: pd.DataFrame | None) -> HeapGrowth | None:
    """What a fork's heap has kept of the requests `sent` between two collections; None when one of them is missing."""
    if before is None or after is None or sent is None:
        return None
    between = sent["start_ns"].between(before.time_ns, after.time_ns)
    return HeapGrowth(before_bytes=before.used_bytes, after_bytes=after.used_bytes, requests=int(between.sum()))


def _inside(rows: pd.DataFrame, windows: Sequence[Window]) -> pd.DataFrame:
    index, known = _window_of(rows["start_ns"].to_numpy(dtype="int64"), windows)
    return rows.drop(columns="side").assign(window=index)[known]


def _window_of(start_ns: np.ndarray, windows: Sequence[Window]) -> tuple[np.ndarray, np.ndarray]:
    """Per start the index of the last of `windows` that had opened, and whether it was still that window's time."""
    if not windows:
        return np.zeros(len(start_ns), dtype="int16"), np.zeros(len(start_ns), dtype="bool")
    opened = np.array([window.start_ns for window in windows])
    place = np.searchsorted(opened - _early_ns(windows), start_ns, side="right") - 1
    late = np.array([window.end_ns for window in windows])[place] + (windows[0].end_ns - windows[0].start_ns) // 20
    return np.array([window.index for window in windows], dtype="int16")[place], (place >= 0) & (start_ns < late)


def _early_ns(windows: Sequence[Window]) -> int:
    """By how much a start may read before its window: the log's clock ticks in milliseconds, and is set against the
    time of day once, where its process may have had to wait. Nothing is sent in the gap before a window.
    """
    gaps = [later.start_ns - earlier.end_ns for earlier, later in pairwise(windows)]
    return max(_MS, min(_MOST_EARLY_NS, min(gaps, default=4 * _MOST_EARLY_NS) // 4))


def arrivals(records: Sequence[tuple[LoadRecord, int]], windows: Sequence[Window]) -> dict[Side, pd.DataFrame]:
    """Planned and real sending, per side, in the columns of `TABLES["arrivals"]`.

    Args:
        records: of each run, and the index of its first window within the pair.
        windows: those that were measured.
    """
    parts = [
        table.assign(window=table["slice"] + first_window, injector=record.injector).sort_values("due_ns")
        for record, table, first_window in ((record, record.arrivals(), first) for record, first in records)
        if len(table)
    ]
    sides, measured = {window.side for window in windows}, {window.index for window in windows}
    if not parts:
        return {side: empty_table("arrivals") for side in sides}
    table = pd.concat(parts)
    return {
        side: typed(table[(table["side"] == side.value) & table["window"].isin(measured)], "arrivals") for side in sides
    }


def refined(requests: Mapping[Side, pd.DataFrame], arrivals: Mapping[Side, pd.DataFrame]) -> dict[Side, pd.DataFrame]:
    """The requests with latencies to the microsecond, as the kit measured them, instead of the log's milliseconds.

    A row of each table is the same request when both tables have as many rows of its injector, endpoint and window:
    both are in the order of sending. All sides are refined or none, for they are compared with each other: where the
    kit knows the time of fewer than 90 % of any side's requests, or an operation makes several, the log's milliseconds
    stay.
    """
    matched = {side: _took_ms(table, arrivals.get(side, empty_table("arrivals"))) for side, table in requests.items()}
    if any(len(took) and took.notna().mean() < _KNOWN for took in matched.values()):
        return dict(requests)
    return {
        side: table.assign(latency_ms=matched[side].fillna(table["latency_ms"])) for side, table in requests.items()
    }


def _took_ms(requests: pd.DataFrame, arrivals: pd.DataFrame) -> pd.Series[float]:
    """What the kit measured of each request, in the order of `requests`; missing where it is not known which it was."""
    keys = ["injector", "window", "endpoint"]
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


def joined(windows: pd.DataFrame, blocks: pd.DataFrame | None) -> pd.DataFrame:
    """Rows of windows, and below them those of blocks; each row says by its `window` what it belongs to."""
    if blocks is None or blocks.empty:
        return windows
    return blocks if windows.empty else pd.concat([windows, blocks], ignore_index=True)


def pauses(*, target: Path, generators: Sequence[LoadRecord], ahead_ns: int = 0) -> pd.DataFrame:
    """Stop-the-world pauses of the fork and of the injectors, on one clock: the fork's was ahead by `ahead_ns`."""
    parts = [table_here(read_pauses(target), ahead_ns).assign(process="target", injector=0)]
    parts += [
        table_here(read_pauses(each.gc_log), each.ahead_ns).assign(process="generator", injector=each.injector)
        for each in generators
    ]
    return typed(pd.concat(parts, ignore_index=True), "pauses")


def stalls(target: Path) -> pd.DataFrame:
    """Threads of the fork that the collector kept waiting for memory, on the same clock."""
    return typed(read_stalls(target), "stalls")


def hiccups(generators: Iterable[LoadRecord]) -> pd.DataFrame:
    """When the injectors stood still, on the same clock."""
    parts = [table.assign(injector=record.injector) for record in generators if len(table := record.hiccups())]
    return typed(pd.concat(parts), "hiccups") if parts else empty_table("hiccups")


def typed(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """The rows of `table` in the columns of `TABLES[name]`."""
    columns = TABLES[name]
    return table[list(columns)].astype(columns).reset_index(drop=True)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One fork's profile inside its windows, as tables, and whether it can be believed."""

    samples: pd.DataFrame
    moments: pd.DataFrame
    stacks: pd.DataFrame
    quality: ProfileQuality | None


def profile(
    chunks: Sequence[Path], windows: Sequence[Window], *, profiler: Profiler, counters: pd.DataFrame
) -> Profile:
    """Fold the chunks of one fork; its CPU time by samples is put beside the one by the process clock."""
    if not chunks:
        nothing = {name: empty_table(name) for name in ("samples", "moments", "stacks")}
        return Profile(**nothing, quality=None)
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
    return Profile(samples=folded.samples, moments=folded.moments, stacks=folded.stacks, quality=quality)


def _accounted_cpu_s(counters: pd.DataFrame) -> float:
    edges = counters.pivot(index="window", columns="edge", values="cpu_ns")
    if not {"start", "end"} <= set(edges.columns):
        return 0.0
    return float((edges["end"] - edges["start"]).dropna().sum()) / 1e9
