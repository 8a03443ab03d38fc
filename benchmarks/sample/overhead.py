"""What an agent costs the sample service: forks with and without it, warmed up until steady, in eight pairs.

    python -m benchmarks.sample.overhead agent      the profiling agent
    python -m benchmarks.sample.overhead spans      the OpenTelemetry agent of `profiler.spans`

Each writes `benchmarks/sample/results/NAME-overhead.json`.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from benchmarks.sample import whole

#: name -> the build without the agent, and further options
_AGENTS = {
    "agent": ("no-agent", ()),
    "spans": ("no-spans", ("--set", "profiler.spans=true")),
}
_PLAN = (
    *("--pairs", "8", "--set", "plan.stop_early=false"),
    *("--set", "plan.steady=true", "--set", "plan.warmup=90s", "--set", "plan.burst=85s"),
)
_OVERALL = {"latency.p50", "latency.p99", "latency.mean"}
_FIGURES = ("baseline", "candidate", "change", "low", "high")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", choices=_AGENTS)
    asked = parser.parse_args()
    without, more = _AGENTS[asked.agent]
    document = whole.SAMPLE.compare(without, whole.SAMPLE.tree, seed=1, more=(*_PLAN, *more))
    rows = [
        row
        for row in document["judgements"]
        if row["role"] == "guaranteed" or (row["endpoint"] == "" and row["name"] in _OVERALL)
    ]
    result = {
        "pairs_judged": document["pairs_judged"],
        "voided": [pair["voided"] for pair in document["pairs"] if pair["voided"]],
        "duration_s": round(document["provenance"]["duration_s"], 1),
        "metrics": {whole.title(row["name"], row["endpoint"]): _metric(row) for row in rows},
    }
    text = json.dumps(result, indent=2) + "\n"
    (whole.RESULTS / f"{asked.agent}-overhead.json").write_text(text)
    print(text)


def _metric(row: dict[str, Any]) -> dict[str, Any]:
    estimate = row["estimate"] or {}
    figures = {name: estimate.get(name) for name in _FIGURES}
    return {"verdict": row["verdict"]} | {
        name: None if value is None else float(f"{value:.4g}") for name, value in figures.items()
    }


if __name__ == "__main__":
    main()
