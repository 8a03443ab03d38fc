"""The services whose pairs are recorded: the sample, and one that the judge had never seen."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.verdict.kept import Kept, kept
from pacecar.analysis.criteria import Criteria
from pacecar.inputs.config import load

HERE = Path(__file__).parent
SAME = "same"
#: What decides a verdict: the figures of pairs, what they are compared with, and the defaults of metrics.
_JUDGE = ("harness/pacecar/analysis", "harness/pacecar/model")


@dataclass(frozen=True, kw_only=True)
class Service:
    """A service, its builds, and where their recordings are.

    Attributes:
        name: for `--service`, and of its configuration.
        folder: in `recorded/`; "" for that folder itself.
        results: file of `results/`.
        identical: folders of identical builds; the first with the plan of the configuration.
        seeded: builds that were made worse -> the `metric.title` that shows it.
        earlier: recordings of builds with an earlier plan -> identical builds with that plan.
        most: the most pairs of one comparison; None for those of the plan.
    """

    name: str
    folder: str = ""
    results: str
    identical: tuple[str, ...] = (SAME,)
    seeded: Mapping[str, str]
    earlier: Mapping[str, str] = field(default_factory=dict)
    most: int | None = None

    @property
    def configuration(self) -> Path:
        """What it is measured by."""
        return HERE / f"{self.name}.toml"

    def recorded(self, build: str) -> str:
        """The folder of `build`, as `kept` takes it."""
        return f"{self.folder}/{build}" if self.folder else build

    def pairs(self, build: str) -> list[Kept]:
        """What was recorded of `build`, in the order in which it was measured."""
        return kept(self.recorded(build))

    def criteria(self) -> Criteria:
        """What a run with the configuration is judged by."""
        read = load(self.configuration)
        return Criteria(budgets=read.budgets, gate=read.gate, ignored=read.ignored, application=read.target.application)

    def most_pairs(self) -> int:
        """Of one comparison."""
        return self.most or load(self.configuration).plan.pairs


ORDERS = Service(
    name="orders",
    results="real.json",
    # By the plan of `orders.toml`, and by those of `plans.py`.
    identical=(SAME, "quarter-core", "cold-page", "longer-gaps", "shorter-sides", "busier"),
    seeded={
        "cpu-10": "cpu",
        "allocation-2": "allocation",
        "p50-15": "latency.p50",
        "p99-20": "GET /orders latency.p99",
    },
    earlier={"p99-cold-page": "cold-page"},
    most=8,
)
GAZETTEER = Service(
    name="gazetteer",
    folder="gazetteer",
    results="gazetteer.json",
    seeded={
        "cpu-10": "cpu",
        "allocation-2": "allocation",
        "latency-17": "latency.p50",
        "tail-30": "GET /search latency.p99",
        "p50-50": "GET /regions/{region} latency.p50",
    },
)
SERVICES = {each.name: each for each in (ORDERS, GAZETTEER)}


def judge() -> str | None:
    """The last commit that changed what decides verdicts; None if there are uncommitted changes.

    Raises:
        RuntimeError: this is not a checkout with a history.
    """
    if _git("status", "--porcelain", "--", *_JUDGE):
        return None
    return _git("log", "-1", "--format=%H", "--", *_JUDGE)


def _git(*arguments: str) -> str:
    root = HERE.parents[1]
    ended = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise RuntimeError(f"git {arguments[0]} failed: {ended.stderr.strip()}")
    return ended.stdout.strip()
