"""What one Gatling has left behind, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from pacecar.measurement.load.gatling import simulation_log
from pacecar.measurement.load.gatling.simulation_log import LogError
from pacecar.measurement.load.load_run import Requests

_MS = 1_000_000
_ARRIVAL = ["slice", "side", "endpoint", "due_ms", "sent_ms", "answered_ms"]
_NUMBERS = ("slice", "due_ms", "sent_ms", "answered_ms")
_REQUESTS = ("side", "endpoint", "start_ns", "latency_ms", "ok", "message")
_SENDING = ("side", "slice", "endpoint", "due_ns", "lag_ms", "took_ms")


@dataclass(frozen=True, kw_only=True)
class GatlingRecord:
    """Files of one process.

    Attributes:
        log: its simulation.log; None when it left none.
        gc_log: its JVM's log of pauses.
        arrivals_file: the kit's, which may not be there.
    """

    log: Path | None
    gc_log: Path
    arrivals_file: Path

    @property
    def written(self) -> bool:
        """See `LoadRecord`."""
        return self.log is not None

    @property
    def files(self) -> Mapping[str, Path]:
        """See `LoadRecord`."""
        found = {} if self.log is None else {"simulation.log": self.log}
        return found | ({self.arrivals_file.name: self.arrivals_file} if self.arrivals_file.exists() else {})

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
                "start_ns": rows["start_ms"].to_numpy(dtype="int64") * _MS,
                "latency_ms": (rows["end_ms"] - rows["start_ms"]).to_numpy(dtype="float64"),
                "ok": rows["ok"].to_numpy(dtype="bool"),
                "message": rows["message"].astype("str").to_numpy(),
            }
        )
        return Requests(table=table, note=partly if read.truncated or read.unreadable is not None else None)

    def arrivals(self) -> pd.DataFrame:
        """See `LoadRecord`."""
        if not self.arrivals_file.exists():
            return pd.DataFrame(columns=list(_SENDING))
        # The last line may be cut, and a simulation may have written anything: lines that make no sense are left out.
        rows = pd.read_csv(
            self.arrivals_file,
            names=_ARRIVAL,
            dtype="str",
            skiprows=1,
            on_bad_lines="skip",
            encoding_errors="replace",
        )
        numbers = {name: pd.to_numeric(rows[name], errors="coerce").astype("float64") for name in _NUMBERS}
        rows = rows.assign(**numbers).dropna(subset=_ARRIVAL[:-1])
        return pd.DataFrame(
            {
                "side": rows["side"],
                "slice": rows["slice"],
                "endpoint": rows["endpoint"],
                "due_ns": (rows["due_ms"] * _MS).round(),
                "lag_ms": rows["sent_ms"] - rows["due_ms"],
                "took_ms": rows["answered_ms"] - rows["sent_ms"],
            }
        )
