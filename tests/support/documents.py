"""A comparison as a run would give it: the orders service, a slower JSON encoder, and six pairs, one of them voided.

To look at its report while working on the templates:

    PYTHONPATH=tests .venv/bin/python -m support.documents report.html [passed]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path

from pacecar.model.causes import NotLooked
from pacecar.model.caution import Caution, CautionKind
from pacecar.model.comparison import (
    Comparison,
    Estimate,
    Finding,
    Judgement,
    Metric,
    Role,
    RuledOut,
    Scale,
    Verdict,
)
from pacecar.model.experiment import Budget
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import Manifest, Pair
from pacecar.reporting.document import Document
from pacecar.reporting.document.build import build_document
from pacecar.reporting.document.request_rows import with_requests
from pacecar.reporting.html import write_report
from support.findings import cause, frames, ledger
from support.flames import flame
from support.recordings import MEDIAN_MS, manifest, pair
from support.single_requests import explanation

HOSTILE = "</script><img src=x onerror=alert(1)>"


@dataclass(frozen=True, kw_only=True)
class Run:
    """Everything `build_document` takes."""

    comparison: Comparison
    manifest: Manifest
    pairs: tuple[Pair, ...]

    def document(self) -> Document:
        """The document of this run, both sides measured side by side, and of a pair that was measured to see why."""
        document = build_document(self.comparison, self.manifest, None, self.pairs)
        return with_requests(document, [explanation(len(self.pairs) + 1)], application=())


def estimate(change: float, half: float, baseline: float, *, pairs: int = 5, ratio: bool = True) -> Estimate:
    """An estimate whose interval is `half` wide to either side."""
    spread = (-0.8, 0.5, 0.1, -0.4, 0.6, 0.9)[:pairs]
    return Estimate(
        pairs=pairs,
        baseline=baseline,
        candidate=baseline * (1 + change) if ratio else baseline + change,
        change=change,
        low=change - half,
        high=change + half,
        per_pair=tuple(change + half * each for each in spread),
        p_value=0.0004 if abs(change) > half else 0.4,
        smallest_visible=1.3 * half,
    )


def judgement(
    metric: Metric,
    verdict: Verdict,
    estimated: Estimate | None,
    *,
    role: Role = Role.TRIPWIRE,
    budget: Budget | None = None,
    reason: str = "",
    pairs_needed: int | None = None,
    weak: bool = False,
) -> Judgement:
    """A judgement with the words in short; of what has an estimate and a budget, its upper end is ruled out."""
    ruled_out = None
    if estimated is not None and budget is not None and budget.relative is not None:
        points = 100 if metric.unit == "%" else 1
        ruled_out = RuledOut(bound=estimated.high, allowance=1.5 * budget.relative * points, weak=weak)
    return Judgement(
        metric=metric,
        verdict=verdict,
        reason=reason or "Shown to be no worse than what is ruled out.",
        role=role,
        budget=budget,
        estimate=estimated,
        ruled_out=ruled_out,
        pairs_needed=pairs_needed,
    )


def latency(percentile: str, endpoint: str) -> Metric:
    """A latency metric."""
    return Metric(name=f"latency.{percentile}", endpoint=endpoint)


CPU = Metric(name="cpu")
ALLOCATION = Metric(name="allocation", unit="B", machine_bound=False)
ERRORS = Metric(name="errors", unit="%", scale=Scale.DIFFERENCE, machine_bound=False)
TYPICAL = Metric(name="latency.typical")
TAIL = Metric(name="latency.tail")
FIVE = Budget(metric="latency.p99", relative=0.05)
TEN = Budget(metric="latency", relative=0.1)


def judgements() -> tuple[Judgement, ...]:
    """Eighteen metrics of every role and every verdict but invalid: a gate that names p99 of one endpoint, too."""
    changed = (
        judgement(
            latency("p99", "GET /orders"),
            Verdict.REGRESSED,
            estimate(0.124, 0.044, 18.3),
            role=Role.GUARANTEED,
            budget=FIVE,
            reason="12.4% slower, at or beyond the budget of 5% (corrected p = 0.002).",
        ),
        judgement(
            CPU,
            Verdict.REGRESSED,
            estimate(0.081, 0.021, 1.92),
            role=Role.GUARANTEED,
            budget=Budget(metric="cpu", relative=0.05),
            reason="8.1% more, at or beyond the budget of 5% (corrected p = 0.001).",
        ),
        judgement(
            TAIL,
            Verdict.INCONCLUSIVE,
            estimate(0.094, 0.112, 27.7),
            role=Role.GUARANTEED,
            budget=TEN,
            reason="Only more than 20.6% worse is ruled out, not 15%; about 4 more pairs would settle it.",
            pairs_needed=4,
        ),
        *_guaranteed(),
        judgement(
            latency("p99", "GET /search"),
            Verdict.IMPROVED,
            estimate(-0.092, 0.031, 41.0),
            budget=FIVE,
            reason="9.2% faster, beyond the budget of 5%.",
        ),
        judgement(
            latency("p99", "POST /orders"),
            Verdict.INCONCLUSIVE,
            estimate(0.081, 0.105, 30.2),
            budget=FIVE,
            reason="+8.1% [-2.4%, +18.6%] may be chance.",
        ),
    )
    quiet = tuple(
        judgement(latency(percentile, endpoint), Verdict.PASSED, estimate(change, 0.028, median), budget=FIVE)
        for endpoint, median in MEDIAN_MS.items()
        for percentile, change in (("p90", 0.006), ("p50", -0.011))
        if (percentile, endpoint) != ("p50", "GET /orders")
    )
    observed = (
        judgement(
            latency("p50", "GET /orders"),
            Verdict.REGRESSED,
            estimate(0.117, 0.024, 6.1),
            role=Role.OBSERVED,
            reason="11.7% slower.",
        ),
        judgement(
            latency("p99.9", "GET /search"),
            Verdict.INCONCLUSIVE,
            None,
            role=Role.OBSERVED,
            reason="Not measurable: p99.9 needs 10,000 requests per side and pair, there were 3,100.",
        ),
    )
    return (*changed, *quiet, *observed)


def _guaranteed() -> tuple[Judgement, ...]:
    """Three guaranteed metrics that passed."""
    return (
        judgement(TYPICAL, Verdict.PASSED, estimate(0.012, 0.018, 8.4), role=Role.GUARANTEED, budget=TEN),
        judgement(
            ALLOCATION,
            Verdict.PASSED,
            estimate(0.004, 0.003, 184_320.0),
            role=Role.GUARANTEED,
            budget=Budget(metric="allocation", relative=0.02),
        ),
        judgement(
            ERRORS,
            Verdict.PASSED,
            estimate(0.0, 0.05, 0.02, ratio=False),
            role=Role.GUARANTEED,
            budget=Budget(metric="errors", relative=0.005),
        ),
    )


def passed() -> Comparison:
    """Nothing regressed; the tail scatters too much for a promise."""
    weak = judgement(TAIL, Verdict.PASSED, estimate(0.03, 0.21, 27.7), role=Role.GUARANTEED, budget=TEN, weak=True)
    whole = comparison()
    judged = tuple(each for each in whole.judgements if each.verdict is not Verdict.REGRESSED)
    return replace(
        whole,
        verdict=Verdict.PASSED,
        reason="Ruled out: typical latency more than 3% worse, allocation per request 0.7%, errors 0.05 points.",
        judgements=(weak, *(each for each in judged if each.metric != TAIL)),
        findings=whole.findings[1:],
        frames=(),
        voided={},
        cautions=(),
    )


def comparison() -> Comparison:
    """Regressed, with one finding of each direction."""
    judged = judgements()
    return Comparison(
        verdict=Verdict.REGRESSED,
        reason="GET /orders p99 and CPU per request are beyond their budgets; 5 of 6 pairs agree.",
        judgements=judged,
        findings=(
            Finding(
                judgement=judged[0],
                causes=(cause("JacksonEncoder.write +0.41 CPU ms per request on http-worker"),),
                not_looked=(
                    NotLooked(
                        name="more-calls",
                        title="Calls per request",
                        lacks="the metrics page of every fork",
                        switch_on="target.metrics",
                    ),
                ),
            ),
            Finding(judgement=judged[6], causes=(cause("Not certain: PriceCache.lookup is gone from the candidate."),)),
        ),
        ledgers=(ledger(), ledger("GET /orders")),
        frames=frames(),
        flames=(flame(), replace(flame(), event=ProfileKind.ALLOCATION)),
        pairs=5,
        voided={3: "Steal of 11 % in windows 4 to 6: another machine took the processor."},
        cautions=(
            Caution.of(
                CautionKind.GENERATOR,
                "The load generator paused for 38 ms in pair 5; its latencies hold that pause",
            ),
        ),
    )


def run() -> Run:
    """The whole example."""
    return Run(comparison=comparison(), manifest=manifest(), pairs=tuple(pair(number) for number in range(1, 7)))


if __name__ == "__main__":
    shown = {"regressed": comparison, "passed": passed}[sys.argv[2] if len(sys.argv) > 2 else "regressed"]
    write_report(replace(run(), comparison=shown()).document(), Path(sys.argv[1]))
