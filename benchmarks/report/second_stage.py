"""How much memory and time the second stage takes for the largest artifacts that it accepts.

    PYTHONPATH=tests python -m benchmarks.report.second_stage

Runs `pacecar github comment` as a separate process, from start to end, against a server on this machine that answers as
GitHub does. Peak memory is the kernel's figure for the child. In the documents, every list and every text is as long as
the schema and the largest file allow. They come alone, and as many at once as can be commented. Documents that are
refused are measured as well. Results go to `results/second_stage.json` beside this file. The exit status is 1 if memory
exceeds `MOST_MB` or CPU time `MOST_SECONDS`, or if an artifact is not handled as it should be.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd

from pacecar.github.artifact import MOST, MOST_BYTES
from pacecar.reporting.document.files import DOCUMENT_BYTES, DOCUMENT_NAME
from support.github_api import Pull, Server
from unit.reporting.hostile_documents import PAYLOADS, encoded, fitted
from unit.reporting.test_hostile_documents import BOMBS, PLACES, PLAIN

_RESULTS = Path(__file__).resolve().parent / "results" / "second_stage.json"
_SHA = "5f" * 20
#: What the second stage may take for any artifact.
MOST_MB = 300
MOST_SECONDS = 5.0
#: Texts that cost differently: one byte per character, several, many to escape, many to replace.
_TEXTS = ("long", "wide", "html", "table", "marks", "mention", "backslashes")


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    largest = {f"largest, {name}": fitted(PLAIN, PLACES, _repeated(PAYLOADS[name])) for name in _TEXTS}
    refused = {f"refused, {name}": make() for name, make in BOMBS.items()}
    artifacts = [("example", [PLAIN], 0)]
    artifacts += [(name, [plain], 0) for name, plain in largest.items()]
    fits = MOST_BYTES // DOCUMENT_BYTES
    artifacts += [(f"{fits} x {name}", [plain] * fits, 0) for name, plain in largest.items()]
    for name in _TEXTS:
        smaller = fitted(PLAIN, PLACES, _repeated(PAYLOADS[name]), most=MOST_BYTES // MOST)
        artifacts.append((f"{MOST} x a share, {name}", [smaller] * MOST, 0))
    artifacts += [(name, [plain], 2) for name, plain in refused.items()]
    artifacts += [(f"{MOST} x {name}", [plain] * MOST, 2) for name, plain in refused.items()]
    rows = []
    for name, documents, expected in artifacts:
        row = {"artifact": name} | _measured(documents)
        # Between two comments the client waits a second, as GitHub asks.
        row["without_waits_s"] = round(row["seconds"] - max(0, row["comments"] - 1), 2)
        assert row["exit"] == expected, row
        assert row["comments"] == (0 if expected else len(documents)), row
        rows.append(row)
        print(row, flush=True)
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(json.dumps(rows, indent=2) + "\n")
    print(pd.DataFrame(rows).to_string(index=False))
    return int(any(row["peak_mb"] > MOST_MB or row["cpu_s"] > MOST_SECONDS for row in rows))


def _repeated(text: str) -> str:
    return (text * 400)[:400]


def _measured(documents: list[Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as kept, Server() as server:
        server.pulls.append(Pull(number=6, sha=_SHA))
        folder = Path(kept)
        for number, plain in enumerate(documents):
            (folder / "artifacts" / f"a{number}").mkdir(parents=True)
            (folder / "artifacts" / f"a{number}" / DOCUMENT_NAME).write_bytes(encoded(plain))
        environ = _environ(folder, server)
        # Started by a small program: a child's peak includes what its parent used when it forked.
        timed = ["/usr/bin/time", "-q", "-f", "%e %U %S %M", "-o", str(folder / "time")]
        command = [*timed, sys.executable, "-P", "-m", "pacecar", "github", "comment", str(folder / "artifacts")]
        ended = subprocess.run(command, check=False, env=environ, capture_output=True)
        seconds, user, system, kibibytes = map(float, (folder / "time").read_text().split())
        return {
            "kilobytes": round(sum(len(encoded(plain)) for plain in documents) / 1e3),
            "exit": ended.returncode,
            "comments": len(server.bodies(6)),
            "seconds": seconds,
            "cpu_s": round(user + system, 2),
            "peak_mb": round(kibibytes * 1024 / 1e6),
        }


def _environ(folder: Path, server: Server) -> dict[str, str]:
    run = {"id": 99, "event": "pull_request", "head_branch": "faster", "head_sha": _SHA, "conclusion": "success"}
    run |= {"head_repository": {"full_name": "shop/orders"}}
    (folder / "event.json").write_text(json.dumps({"workflow_run": run}))
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "harness"),
        "GITHUB_ACTIONS": "true",
        "GITHUB_REPOSITORY": "shop/orders",
        "GITHUB_EVENT_NAME": "workflow_run",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_RUN_ID": "12",
        "GITHUB_API_URL": server.url,
        "GITHUB_SERVER_URL": "https://github.example",
        "GITHUB_WORKSPACE": str(folder),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_TOKEN": "secret-of-the-job",
    }


if __name__ == "__main__":
    sys.exit(main())
