"""How long it takes to list an archive of many runs: in a folder on this machine, and in an S3 server.

    PYTHONPATH=tests python -m benchmarks.archive.listing --runs 10000

Writes that many runs with the manifest of a real one, and as many objects in a real S3-compatible server (versitygw, on
this machine, over HTTP). Then it times the functions that `pacecar runs list` calls (medians of seven), and the whole
command with the start of the interpreter. Results go to `results/listing.json` beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pacecar.archive.bucket import Bucket
from pacecar.archive.listing import all_runs, local_runs
from pacecar.archive.names import RunName
from pacecar.archive.shared import Shared, run_object
from pacecar.model.recording import RunKind, RunState

# The S3 server of the tests.
from support.object_store import gateway

_ROOT = Path(__file__).resolve().parents[2]
_RESULTS = Path(__file__).resolve().parent / "results" / "listing.json"
_MANIFEST = _ROOT / "tests" / "unit" / "archive" / "data" / "manifest-1.json"
_TIMES = 7
_PAIRS = 4


def main() -> None:
    """Write the archives, list them, write the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10_000)
    wanted = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder, gateway.running(Path(folder)) as server:
        os.environ.update({name: value for name, value in server.environment.items() if name.startswith("AWS_")})
        project = Path(folder) / "project"
        root = project / ".pacecar"
        options = {"endpoint": server.endpoint, "region": "us-east-1"}
        shared = Shared(bucket=Bucket(server.url, options), root=root)
        _make_local(root, wanted)
        _make_stored(shared, wanted)
        figures = {
            "runs": wanted,
            "load_average": round(os.getloadavg()[0], 1),
            "local_ms": _timed(lambda: local_runs(root)),
            "s3_ms": _timed(shared.runs),
            "newest_of_both_ms": _timed(lambda: all_runs(local_runs(root, newest=20), shared.runs())[-20:]),
            "command_local_ms": _command(project, ""),
            "command_s3_ms": _command(
                project, f'[archive]\nurl = "{server.url}"\noptions = {{ endpoint = "{server.endpoint}" }}\n'
            ),
            "interpreter_and_imports_ms": _timed(lambda: _run(project, "--version")),
        }
        assert len(local_runs(root)) == len(shared.runs()) == wanted
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(json.dumps(figures, indent=2) + "\n")
    print(_RESULTS.read_text())


def _make_local(root: Path, wanted: int) -> None:
    text = _MANIFEST.read_text()
    run_id = json.loads(text)["run_id"]
    for number in range(wanted):
        mine = _run_id(number)
        for pair in range(1, _PAIRS + 1):
            (root / "runs" / mine / "pairs" / f"{pair:02d}").mkdir(parents=True)
        (root / "runs" / mine / "manifest.json").write_text(text.replace(run_id, mine))


def _make_stored(shared: Shared, wanted: int) -> None:
    for number in range(wanted):
        name = RunName(
            run_id=_run_id(number),
            kind=RunKind.PAIRED,
            state=RunState.COMPLETE,
            pairs=_PAIRS,
            size=16,
            sha256=f"{number:064x}",
            builds=("working tree", "slow-serializer"),
        )
        shared.bucket.put(run_object(name), b"x" * 16)


def _run_id(number: int) -> str:
    return f"2026{1 + number % 12:02d}{1 + number % 28:02d}-{number:06d}-{number % 65_536:04x}"


def _timed(work: Callable[[], object]) -> dict[str, float]:
    seconds = []
    for _ in range(_TIMES):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return {"median": round(statistics.median(seconds) * 1e3, 1), "slowest": round(max(seconds) * 1e3, 1)}


def _command(project: Path, archive: str) -> dict[str, float]:
    text = (_ROOT / "pacecar.toml").read_text().replace("targets/orders", str(_ROOT / "targets" / "orders"))
    (project / "pacecar.toml").write_text(text + archive)
    return _timed(lambda: _run(project, "runs", "list"))


def _run(project: Path, *arguments: str) -> None:
    program = shutil.which("pacecar", path=Path(sys.executable).parent)
    subprocess.run([program or "pacecar", *arguments], cwd=project, check=True, capture_output=True)


if __name__ == "__main__":
    main()
