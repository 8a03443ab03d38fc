"""What a pair must keep of a load that two injectors share."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

#: A request that is sent late by more than a twentieth of its window can miss it. The windows of these tests last 1 s.
_IN_TIME_MS = 50


def check_fork(folder: Path) -> pd.DataFrame:
    """What one fork was asked, once it is clear that each request of each injector was recorded once."""
    requests, arrivals = (pd.read_parquet(folder / f"{name}.parquet") for name in ("requests", "arrivals"))
    in_time = arrivals[arrivals["lag_ms"] < _IN_TIME_MS]
    sent = {name: table.groupby("injector").size() for name, table in (("in time", in_time), ("all", arrivals))}
    recorded = requests.groupby("injector").size()
    assert list(recorded.index) == [0, 1]
    assert ((sent["in time"] <= recorded) & (recorded <= sent["all"])).all(), (sent, recorded)
    assert arrivals["number"].is_unique
    kept = {path.name for path in (folder / "raw" / "gatling").iterdir()}
    assert {"simulation.log", "simulation-injector-1.log", "arrivals.csv", "arrivals-injector-1.csv"} <= kept
    return arrivals
