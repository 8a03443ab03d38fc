"""How long it takes from a document on disk to the comment on a pull request and the summary of a job.

    PYTHONPATH=tests python -m benchmarks.report.comment

Measured in fresh processes, as wall-clock and CPU time, from after the imports (which are listed separately) until both
texts are written. The figures are medians of several, for the document of the tests' example run and for the largest
possible one. They go to `results/comment.json` beside this file.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from pacecar.reporting.document import Document, write_document

# The example run of the tests.
from support.documents import run

_RESULTS = Path(__file__).resolve().parent / "results" / "comment.json"
_TIMES = 7

_CHILD = """
import sys, time
from pathlib import Path
began = time.perf_counter()
from pacecar.github.summary import SUMMARY_BYTES
from pacecar.reporting.comment import comment
from pacecar.reporting.document import load_document
imported, cpu = time.perf_counter(), time.process_time()
document = load_document(Path(sys.argv[1]), profiles=False)
texts = comment(document), comment(document, limit=SUMMARY_BYTES // 4)
print(imported - began, time.perf_counter() - imported, time.process_time() - cpu, *map(len, texts))
"""


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    document = run().document()
    rows = [_measured("example", document), _measured("largest", _large(document))]
    _RESULTS.write_text(json.dumps(rows, indent=2) + "\n")
    print(pd.DataFrame(rows).to_string(index=False))


def _large(document: Document) -> Document:
    wide = "com.example.orders." * 20
    metric = dataclasses.replace(document.judgements[0], endpoint=wide, reason=wide)
    frame = dataclasses.replace(document.frames[0], frame=wide)
    return dataclasses.replace(
        document, judgements=(metric,) * 400, frames=(frame,) * 40, pairs=document.pairs * 10, warnings=(wide,) * 50
    )


def _measured(name: str, document: Document) -> dict[str, float | str]:
    with tempfile.TemporaryDirectory(prefix="pacecar-benchmark-") as folder:
        path = write_document(document, Path(folder))
        command = [sys.executable, "-c", _CHILD, str(path)]
        answers = [
            subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(_TIMES)
        ]
        kilobytes = path.stat().st_size / 1e3
    imports, renders, cpu = ([float(answer[at]) for answer in answers] for at in range(3))
    return {
        "document": name,
        "kilobytes": round(kilobytes),
        "rendered_ms": round(1e3 * statistics.median(renders), 1),
        "rendered_slowest_ms": round(1e3 * max(renders), 1),
        "rendered_cpu_ms": round(1e3 * statistics.median(cpu), 1),
        "imports_ms": round(1e3 * statistics.median(imports)),
        "comment_characters": int(answers[0][3]),
    }


if __name__ == "__main__":
    main()
