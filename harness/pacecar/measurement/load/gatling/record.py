"""What one Gatling has left behind, as tables."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pacecar.measurement.load.gatling import failures, simulation_log
from pacecar.measurement.load.gatling.plan import HICCUPS_FILE
from pacecar.measurement.load.gatling.simulation_log import LogError
from pacecar.measurement.load.injector import Requests
from pacecar.system.foreign import files

_MS = 1_000_000
_ARRIVAL = ["slice", "side", "endpoint", "due_ms", "sent_ms", "answered_ms", "number"]
_NUMBERS = ("slice", "due_ms", "sent_ms", "answered_ms", "number")
_HICCUP = ("start_ms", "duration_ms")
_STOOD_STILL = ("start_ns", "duration_ms")
#: Later than this is no time of a run, and longer than this nobody waits for a generator.
_LATEST_MS, _LONGEST_MS = 4e12, 4e6
#: Of one file: some hundred bytes for each of the two million rows that the kit writes at most.
_MOST_BYTES = 256 << 20
_REQUESTS = ("side", "endpoint", "start_ns", "latency_ms", "ok", "message")
_SENDING = ("side", "slice", "endpoint", "due_ns", "lag_ms", "took_ms", "number")
#: The kit counts its requests; more than these it does not send.
_MOST_NUMBER = 1e9


@dataclass(frozen=True, kw_only=True)
class GatlingRecord:
    """Files of one process.

    Attributes:
        log: its simulation.log; None when it left none.
        gc_log: its JVM's log of pauses.
        arrivals_file: the kit's, which may not be there; beside it lies what it has left of its own hiccups.
        injector: number of the process, from 0.
        ahead_ns: how far the clock that it was told by is ahead of ours.
        node: name of the machine it ran on, where that is not ours; None where it is.
    """

    log: Path | None
    gc_log: Path
    arrivals_file: Path
    injector: int = 0
    ahead_ns: int = 0
    node: str | None = None

    @property
    def written(self) -> bool:
        """See `LoadRecord`."""
        return self.log is not None

    @property
    def files(self) -> Mapping[str, Path]:
        """See `LoadRecord`."""
        found = {} if self.log is None else {"simulation.log": self.log}
        return found | {path.name: path for path in (self.arrivals_file, self._hiccups_file) if path.exists()}

    def requests(self) -> Requests:
        """See `LoadRecord`. Of groups, the outermost says which side; a simulation may put its own inside."""
        empty = pd.DataFrame(columns=list(_REQUESTS))
        if self.log is None:
            return Requests(table=empty)
        try:
            read = simulation_log.read(self.log)
        except LogError as error:  # a generator that was ended early may have written nothing yet
            return Requests(table=empty, note=error.message)
        partly = f"Only part of Gatling's log could be read. {read.unreadable or ''}".strip()
        rows = read.requests
        table = pd.DataFrame(
            {
                "side": rows["groups"].map(lambda groups: str(groups).partition("/")[0]).to_numpy(),
                "endpoint": rows["name"].astype("str").to_numpy(),
                "start_ns": rows["start_ms"].to_numpy(dtype="int64") * _MS - self.ahead_ns,
                "latency_ms": (rows["end_ms"] - rows["start_ms"]).to_numpy(dtype="float64"),
                "ok": rows["ok"].to_numpy(dtype="bool"),
                "message": failures.in_words(rows["message"].astype("str")).to_numpy(),
            }
        )
        return Requests(table=table, note=partly if read.truncated or read.unreadable is not None else None)

    def arrivals(self) -> pd.DataFrame:
        """See `LoadRecord`."""
        if not self.arrivals_file.exists():
            return pd.DataFrame(columns=list(_SENDING))
        rows = _read(self.arrivals_file, _ARRIVAL, numbers=_NUMBERS).dropna(subset=_ARRIVAL[:-2])
        rows = rows[(rows["due_ms"].abs() < _LATEST_MS) & (rows["sent_ms"].abs() < _LATEST_MS)]
        return pd.DataFrame(
            {
                "side": rows["side"],
                "slice": rows["slice"],
                "endpoint": rows["endpoint"],
                "due_ns": (rows["due_ms"] * _MS).round() - self.ahead_ns,
                "lag_ms": rows["sent_ms"] - rows["due_ms"],
                "took_ms": rows["answered_ms"] - rows["sent_ms"],
                "number": rows["number"].where(rows["number"].between(1, _MOST_NUMBER)).round(),
            }
        )

    def hiccups(self) -> pd.DataFrame:
        """See `LoadRecord`."""
        if not self._hiccups_file.exists():
            return pd.DataFrame(columns=list(_STOOD_STILL))
        rows = _read(self._hiccups_file, _HICCUP, numbers=_HICCUP).dropna()
        rows = rows[(rows["start_ms"].abs() < _LATEST_MS) & rows["duration_ms"].between(0.0, _LONGEST_MS)]
        start_ns = (rows["start_ms"] * _MS).round() - self.ahead_ns
        return pd.DataFrame({"start_ns": start_ns, "duration_ms": rows["duration_ms"]})

    @property
    def _hiccups_file(self) -> Path:
        return self.arrivals_file.with_name(HICCUPS_FILE)


def _read(file: Path, columns: Sequence[str], *, numbers: Sequence[str]) -> pd.DataFrame:
    """A file of the kit's; what is to be a number and is none is NaN.

    A simulation may have written anything there. What is no table of ours has no rows.
    """
    try:
        content = io.BytesIO(files.content(file, most=_MOST_BYTES))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.ParserWarning)  # of lines with more than these columns
            rows = pd.read_csv(
                content,
                names=list(columns),
                index_col=False,
                dtype="str",
                skiprows=1,
                on_bad_lines="skip",
                encoding_errors="replace",
            )
    except (OSError, ValueError):  # a ParserError is one
        rows = pd.DataFrame(columns=list(columns), dtype="str")
    return rows.assign(**{name: pd.to_numeric(rows[name], errors="coerce").astype("float64") for name in numbers})
