"""Whole comparisons of the sample service, by its `pacecar.toml`; made once, judged as often as one likes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results"
RUNS = ROOT / ".pacecar" / "runs"
SAMPLE = "tree:targets/orders"


def compare(baseline: str, candidate: str, *, seed: int, more: Sequence[str] = ()) -> dict[str, Any]:
    """The document of a comparison that is measured now.

    Args:
        baseline: a build as the command line takes it, such as `tree:targets/orders`.
        candidate: another one.
        seed: what the plan draws from.
        more: further options of `pacecar compare`.
    """
    builds = ["--baseline", baseline, "--candidate", candidate]
    return _document(["compare", "--measure-equal", "--seed", str(seed), *builds, *more])


def judge(run_id: str) -> dict[str, Any]:
    """The document of a recorded comparison, by the judge as it is today."""
    return _document(["judge", run_id])


def title(name: str, endpoint: str) -> str:
    """A metric as results name it."""
    return f"{endpoint} {name}".strip()


def _document(arguments: Sequence[str]) -> dict[str, Any]:
    with tempfile.TemporaryFile("w+") as output:
        ended = subprocess.run(
            [sys.executable, "-m", "pacecar", *arguments, "--json", "--fail-on", "nothing"],
            cwd=ROOT,
            stdout=output,
            check=False,
        )
        if ended.returncode not in (0, 3):  # 3: no verdict, for a reason that the document tells
            sys.exit(f"pacecar ended with {ended.returncode}")
        output.seek(0)
        document: dict[str, Any] = json.load(output)
    return document
