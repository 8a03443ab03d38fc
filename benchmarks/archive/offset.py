"""How long it takes to find one run, and the newest ones, in a store that grows.

    PYTHONPATH=tests python -m benchmarks.archive.offset --runs 1000 10000 100000 1000000

Fills the folder of a real S3-compatible server (versitygw, on this machine, over HTTP) with the runs of one day after
another. Then it lists the newest runs, as `pacecar runs list` does, and looks for one run, as every upload of a run
does. If there are few enough, it also lists all runs, as both did in earlier versions. Medians of five, in
milliseconds, go to `results/offset.json` beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pacecar.archive.bucket import Bucket
from pacecar.archive.names import RunName
from pacecar.archive.shared import Shared, run_object
from pacecar.model.recording import RunKind, RunState
from support.object_store import gateway

_RESULTS = Path(__file__).resolve().parent / "results" / "offset.json"
_TIMES = 5
#: Comparisons that a large company may make per day.
_A_DAY = 5_000
_SIZE = 16
#: Listing more runs takes minutes.
_MOST_LISTED = 20_000
_NEWEST = 20


def main() -> None:
    """Fill the store step by step, and time the listings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    wanted = sorted(parser.parse_args().runs)
    now = datetime.now(UTC)
    rows = []
    with tempfile.TemporaryDirectory() as folder, gateway.running(Path(folder)) as server:
        os.environ.update({name: value for name, value in server.environment.items() if name.startswith("AWS_")})
        options = {"endpoint": server.endpoint, "region": "us-east-1"}
        shared = Shared(bucket=Bucket(server.url, options), root=Path(folder) / ".pacecar")
        place = server.data / server.url.removeprefix("s3://")
        laid = 0
        for count in wanted:
            for number in range(laid, count):
                _lay(place, _name(now, number))
            laid = count
            rows.append(_asked(shared, _name(now, 0).run_id, count))
            print(rows[-1], flush=True)
    _RESULTS.write_text(json.dumps(rows, indent=2) + "\n")


def _name(now: datetime, number: int) -> RunName:
    """The `number`-th newest run."""
    made = now - timedelta(seconds=number * 86_400 / _A_DAY)
    return RunName(
        run_id=f"{made:%Y%m%d-%H%M%S}-{number % 65_536:04x}",
        kind=RunKind.PAIRED,
        state=RunState.COMPLETE,
        pairs=4,
        size=_SIZE,
        sha256=f"{number:064x}",
        builds=("working tree", "slow-serializer"),
    )


def _lay(place: Path, name: RunName) -> None:
    path = place / run_object(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * _SIZE)


def _asked(shared: Shared, run_id: str, count: int) -> dict[str, float | None]:
    def is_there() -> None:
        assert shared.find(run_id) is not None

    def newest() -> None:
        assert len(shared.newest(_NEWEST)) >= _NEWEST

    def everything() -> None:
        assert len(shared.runs()) == count

    return {
        "runs": count,
        "one_ms": _timed(is_there),
        "newest_ms": _timed(newest),
        "all_ms": _timed(everything) if count <= _MOST_LISTED else None,
    }


def _timed(work: Callable[[], None]) -> float:
    seconds = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return round(statistics.median(seconds) * 1e3, 1)


if __name__ == "__main__":
    main()
