"""How often `pacecar bisect` names the wrong commit, on synthetic searches with a known truth.

    python -m benchmarks.bisect.synthetic --searches 600 > benchmarks/bisect/results/synthetic.md

The history is linear and has 64 commits, one of which makes a metric 20 % worse. The change that a pair shows is
normally distributed around the truth. Its standard deviation, as a share of the change, and the most pairs of a plan
are varied. Pacecar's own code does everything else: looks, levels, verdicts, the noise of earlier runs, and the choice
of the next commit.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from pacecar.analysis.bisect import followed, next_commit, outcome_of, steps_left, suspects
from pacecar.analysis.metrics.readers import metric_of
from pacecar.analysis.metrics.reading import Value
from pacecar.analysis.overall_verdict import look_at
from pacecar.analysis.stats.looks import Stage, looks_of
from pacecar.analysis.verdicts.case import Case
from pacecar.analysis.verdicts.evidence import paired_evidence
from pacecar.analysis.verdicts.noise import informed, noise_of
from pacecar.analysis.verdicts.rules import judge
from pacecar.model.bisection import Candidate, Outcome, Seen
from pacecar.model.comparison import Judgement, Noise, Role
from pacecar.model.experiment import Budget

COMMITS = 64
CHANGE = math.log(1.2)
#: The budget of the project, by which the two ends are compared.
BUDGET = 0.05
SHARES = (0.1, 0.2, 0.3, 0.45)
MOST = (4, 6, 12, 20)


@dataclass(kw_only=True)
class Machine:
    """Comparisons with noise, and the noise that is remembered from them."""

    random: np.random.Generator
    noise: float
    most: int
    history: list[Noise]
    pairs: int = 0

    def compared(self, truth: float, *, budget: float, comparisons: int) -> Seen:
        """The metric after a comparison of builds that differ by `truth`."""
        changes = self.random.normal(truth, self.noise, self.most).tolist()
        for count in looks_of(self.most):
            judged, noise = self._judged(changes[:count], budget=budget, comparisons=comparisons)
            if look_at([judged], scheduled=True).decided:
                break
        self.history.append(noise)
        self.pairs += count
        found = judged.estimate
        assert found is not None
        return Seen(
            metric="cpu",
            endpoint="",
            verdict=judged.verdict,
            pairs=found.pairs,
            change=found.change,
            low=found.low,
            high=found.high,
        )

    def _judged(self, changes: list[float], *, budget: float, comparisons: int) -> tuple[Judgement, Noise]:
        metric = metric_of("cpu", "")
        assert metric is not None
        read = [(Value(amount=1.0, requests=1000), Value(amount=math.exp(change), requests=1000)) for change in changes]
        evidence = [paired_evidence(metric, read)]
        # A step of a search rules out what it is held against; the comparison of the ends leaves the usual room.
        promised = Budget(metric="cpu", relative=budget, allowance=budget if comparisons > 1 else None)
        cases = [
            Case(evidence=each, budget=promised, role=Role.GUARANTEED)
            for each in informed(evidence, self.history[-20:])
        ]
        stage = Stage(pairs=len(changes), most=self.most)
        return judge(cases, stage=stage, comparisons=comparisons)[0], noise_of(evidence)


def searched(machine: Machine) -> str:
    """One search: found, several, wrong, or no difference seen between the ends."""
    culprit = int(machine.random.integers(1, COMMITS + 1))
    metrics = followed([machine.compared(CHANGE, budget=BUDGET, comparisons=1)], most=machine.most)
    if not metrics:
        return "no difference seen"
    good, bad, skipped = 0, COMMITS, set[str]()
    while True:
        left = [Candidate(commit=str(each), distance=min(each - good, bad - each)) for each in range(good + 1, bad + 1)]
        left.sort(key=lambda each: -each.distance)
        commit = next_commit(left, bad=str(bad), skipped=skipped)
        if commit is None:
            break
        truth = CHANGE if int(commit) >= culprit else 0.0
        seen = machine.compared(truth, budget=metrics[0].threshold, comparisons=steps_left(COMMITS))
        outcome, _ = outcome_of([seen], metrics)
        if outcome is Outcome.SKIPPED:
            skipped.add(commit)
        elif outcome is Outcome.BAD:
            bad = int(commit)
        else:
            good = int(commit)
    ended = suspects(left, bad=str(bad), skipped=skipped)
    if str(culprit) not in ended:
        return "wrong"
    return "found" if len(ended) == 1 else "several"


def main() -> None:
    """Print a table of all cells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--searches", type=int, default=400)
    searches = parser.parse_args().searches
    print(f"{searches} searches per row among {COMMITS} commits for one that makes a metric 20 % worse.\n")
    print(
        "| noise of a pair / change | plan.pairs | found | several left | wrong | no difference seen | pairs measured |"
    )
    print("|---|---|---|---|---|---|---|")
    for share in SHARES:
        for most in MOST:
            random = np.random.default_rng([round(100 * share), most])
            machines = [Machine(random=random, noise=share * CHANGE, most=most, history=[]) for _ in range(searches)]
            ended = Counter(searched(machine) for machine in machines)
            shown = [
                f"{100 * ended[each] / searches:.1f} %" for each in ("found", "several", "wrong", "no difference seen")
            ]
            pairs = np.mean([machine.pairs for machine in machines])
            print(f"| {share:g} | {most} | {' | '.join(shown)} | {pairs:.0f} |", flush=True)


if __name__ == "__main__":
    main()
