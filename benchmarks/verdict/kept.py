"""Recorded pairs as the repository keeps them: only what the verdict needs, in some 45 kB each.

A run has profiles, logs and the time of every request. At 30 MB a pair, that is too much for a repository. Each folder
of `recorded/` has these files:

    pairs.jsonl           one line per pair: its run, machine, minutes, windows, cores
    requests.parquet      one row per request: window, endpoint, whether it succeeded, latency in microseconds
    arrivals.parquet      how late the load generator sent each request, in microseconds
    counters.parquet, host.parquet, scrapes.parquet, pauses.parquet, hiccups.parquet, pace.parquet
                          as in `tables.TABLES`

Each table also has the columns `pair` (from 1) and `side`. The order of requests within a window is not kept: rows are
sorted, so that a request takes one byte. The judge reads these pairs like any others. They only lack profiles and the
service's own histograms.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from pacecar.archive import records
from pacecar.archive.runs import RunDirectory
from pacecar.model.recording import ForkData, Pair, PairRecord
from pacecar.model.tables import LATER, TABLES, empty_table, unrecorded

RECORDED = Path(__file__).parent / "recorded"
_AS_THEY_ARE = ("counters", "host", "scrapes", "pauses", "hiccups", "pace")
_PAIRS = "pairs.jsonl"
_COMPRESSION = {"compression": "zstd", "compression_level": 19, "column_encoding": {"us": "DELTA_BINARY_PACKED"}}


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A recorded pair, numbered from 1 within its folder.

    Attributes:
        run: id of the run it was measured in.
        seed: of that run.
        machine: model of its processor.
        minutes: time that the pair took on the machine, without builds.
        alike: rank correlation of the latencies of the same request on both sides; NaN if they cannot be matched.
        blamed: [kind of profile, frame] of the user's own frames that the run's own comparison blamed.
        judge: the last commit that had changed the judge; None if nobody noted it.
    """

    run: str
    seed: int
    machine: str
    minutes: float
    alike: float
    blamed: tuple[tuple[str, str], ...]
    judge: str | None = None
    pair: Pair


def keep(name: str, runs: Iterable[RunDirectory], *, judge: str | None = None) -> None:
    """Add the pairs of those of `runs` that are not in the folder `name` yet, recorded after the commit `judge`."""
    there = kept(name)
    known = {each.run for each in there}
    there += [each for run in runs if run.path.name not in known for each in _pairs(run, judge)]
    folder = RECORDED / name
    folder.mkdir(parents=True, exist_ok=True)
    numbered = [(number, each.pair) for number, each in enumerate(there, start=1)]
    for table in ("requests", "arrivals", *_AS_THEY_ARE):
        rows = [
            _thin(table, fork.tables[table], pair.record).assign(pair=number, side=side.value)
            for number, pair in numbered
            for side, fork in pair.forks.items()
        ]
        _write(folder / f"{table}.parquet", pd.concat(rows, ignore_index=True))
    lines = [json.dumps(_line(each), separators=(",", ":")) for each in there]
    (folder / _PAIRS).write_text("".join(line + "\n" for line in lines))


def kept(name: str) -> list[Kept]:
    """The pairs of the folder `name`, in the order in which they were measured."""
    folder = RECORDED / name
    if not (folder / _PAIRS).exists():
        return []
    tables = {table: _by_fork(folder, table) for table in ("requests", "arrivals", *_AS_THEY_ARE)}
    found = []
    for number, line in enumerate((folder / _PAIRS).read_text().splitlines(), start=1):
        fields = json.loads(line)
        record = replace(records.pair_in(json.dumps(fields.pop("record")).encode(), where=str(folder)), number=number)
        forks = {
            side: ForkData(
                record=fork,
                tables={name: _whole(name, tables.get(name, {}).get((number, side.value)), record) for name in TABLES},
            )
            for side, fork in record.forks.items()
        }
        blamed = tuple((event, frame) for event, frame in fields.pop("blamed"))
        found.append(Kept(**fields, blamed=blamed, pair=Pair(record=record, forks=forks)))
    return found


def _pairs(run: RunDirectory, judge: str | None) -> list[Kept]:
    pairs = list(run.pairs())
    spent = sum(seconds for phase, seconds in run.manifest.phases_s.items() if phase != "build")
    frames = json.loads((run.path / "document.json").read_text())["frames"]
    return [
        Kept(
            run=run.path.name,
            seed=run.manifest.options.plan.seed or 0,
            machine=run.manifest.machine.cpu_model,
            minutes=round(spent / 60 / len(pairs), 3),
            alike=round(_alike(pair), 4),
            blamed=tuple((each["event"], each["frame"]) for each in frames if each["blamed"] and each["application"]),
            judge=judge,
            pair=pair,
        )
        for pair in pairs
    ]


def _alike(pair: Pair) -> float:
    """Both sides get the same requests in the same turn, in the same order of time (Spearman's rho, by endpoint)."""
    sides = []
    for side, fork in pair.forks.items():
        turns = {window.index: turn for turn, window in enumerate(w for w in pair.record.windows if w.side is side)}
        rows = fork.tables["arrivals"].assign(turn=fork.tables["arrivals"]["window"].map(turns))
        rows = rows.sort_values(["turn", "due_ns"])
        sides.append(rows.assign(place=rows.groupby("turn").cumcount())[["turn", "place", "endpoint", "took_ms"]])
    # If an arrival is lost on one side of a turn, the rest of the turn is out of step.
    both = sides[0].merge(sides[1], on=["turn", "place"], how="outer")
    whole = (both["endpoint_x"] == both["endpoint_y"]).groupby(both["turn"]).transform("all")
    ranks = both[whole].groupby("endpoint_x")[["took_ms_x", "took_ms_y"]].rank(pct=True)
    return float(ranks["took_ms_x"].corr(ranks["took_ms_y"]))


def _line(each: Kept) -> dict[str, object]:
    # What was started is in the service's configuration, and names folders of the machine.
    forks = {side: replace(fork.record, command=(), jvm_flags=()) for side, fork in each.pair.forks.items()}
    record = replace(each.pair.record, forks=forks, blocks=())
    fields = {name: getattr(each, name) for name in ("run", "seed", "machine", "minutes", "alike", "blamed")}
    fields |= {} if each.judge is None else {"judge": each.judge}
    return fields | {"record": records.pair_adapter().dump_python(record, mode="json")}


def _thin(table: str, rows: pd.DataFrame, record: PairRecord) -> pd.DataFrame:
    if table == "requests":
        rows = rows[rows["window"].isin([window.index for window in record.windows])]
        thin = rows.assign(us=_microseconds(rows["latency_ms"]))[["window", "endpoint", "ok", "us"]]
        return thin.sort_values(thin.columns.tolist())
    if table == "arrivals":
        thin = rows.assign(us=_microseconds(rows["lag_ms"].fillna(0.0)))[["window", "us"]]
        return thin.sort_values(thin.columns.tolist())
    if table in ("pauses", "hiccups"):
        start, end = record.windows[0].start_ns, record.windows[-1].end_ns
        return rows[(rows["start_ns"] + 1e6 * rows["duration_ms"] >= start) & (rows["start_ns"] <= end)]
    return rows


def _whole(table: str, rows: pd.DataFrame | None, record: PairRecord) -> pd.DataFrame:
    """The table as in `tables.TABLES`, with each request at the start of its window."""
    if rows is None:
        return empty_table(table)
    starts = {window.index: window.start_ns for window in record.windows}
    if table == "requests":
        rows = rows.assign(start_ns=rows["window"].map(starts), latency_ms=rows["us"] / 1e3, message="")
    if table == "arrivals":
        rows = rows.assign(due_ns=rows["window"].map(starts), lag_ms=rows["us"] / 1e3, endpoint="", took_ms=np.nan)
    lacking = [column for column in LATER.get(table, ()) if column not in rows]
    rows = rows.assign(**{column: unrecorded(table, column) for column in lacking})
    return rows[list(TABLES[table])].astype(TABLES[table]).reset_index(drop=True)


def _by_fork(folder: Path, table: str) -> dict[tuple[int, str], pd.DataFrame]:
    if not (folder / f"{table}.parquet").exists():  # recorded before the generator watched itself
        return {}
    rows = pd.read_parquet(folder / f"{table}.parquet")
    groups: Any = rows.groupby(["pair", "side"])
    return {(int(number), str(side)): of_fork for (number, side), of_fork in groups}


def _write(path: Path, rows: pd.DataFrame) -> None:
    columns = ["pair", "side", *(column for column in rows if column not in ("pair", "side"))]
    table = pa.Table.from_pandas(rows[columns], preserve_index=False)
    dictionaries = [column for column in columns if column != "us"]
    encoding = _COMPRESSION if "us" in columns else {**_COMPRESSION, "column_encoding": None}
    pq.write_table(table, path, use_dictionary=dictionaries, **encoding)


def _microseconds(milliseconds: pd.Series[float]) -> pd.Series[int]:
    return (1_000 * milliseconds).round().astype("int32")
