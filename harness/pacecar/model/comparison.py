"""What was concluded: metrics, estimates, verdicts, frame changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pacecar.model.causes import AllCode, Cause, Ledger, NotLooked
from pacecar.model.caution import Caution
from pacecar.model.experiment import Acceptance, Budget
from pacecar.model.frames import Flame, FrameChange
from pacecar.text.units import format_change, format_quantity

#: Percentage points from which on decimals are noise, and two digits would be an exponent.
_TENS = 10.0
#: Percentage points that no share can change by.
_NO_SHARE = 1e4


class Verdict(StrEnum):
    """What the data say about one metric, or about the whole comparison."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    PASSED = "passed"
    INCONCLUSIVE = "inconclusive"
    INVALID = "invalid"
    #: Of older documents, which asked for equality in both directions.
    UNCHANGED = "unchanged"


#: From what a reader must see first to what needs no look at all.
SEVERITY = (
    Verdict.REGRESSED,
    Verdict.INVALID,
    Verdict.INCONCLUSIVE,
    Verdict.IMPROVED,
    Verdict.PASSED,
    Verdict.UNCHANGED,
)


class Role(StrEnum):
    """What a metric has to do with the verdict of the whole comparison."""

    #: It must be shown to be no worse for the comparison to pass.
    GUARANTEED = "guaranteed"
    #: It can fail the comparison, and need not be shown to be no worse.
    TRIPWIRE = "tripwire"
    #: It decides nothing: no budget is known for it, or the user exempted it.
    OBSERVED = "observed"

    @property
    def decides(self) -> bool:
        """Whether a regression of such a metric is one of the comparison."""
        return self is not Role.OBSERVED


class Scale(StrEnum):
    """How two values of a metric are compared."""

    RATIO = "ratio"
    DIFFERENCE = "difference"


@dataclass(frozen=True, kw_only=True, order=True)
class Metric:
    """A named quantity with a unit and a direction.

    Attributes:
        name: such as `latency.p99`, `cpu`, `allocation`, `errors`.
        endpoint: the endpoint it belongs to, or "" for the whole service.
        unit: as in `units.format_quantity`.
        scale: ratio, or difference for shares that may be zero.
        lower_is_better: direction.
        machine_bound: depends on the machine's speed of the day (time), unlike counts.
    """

    name: str
    endpoint: str = ""
    unit: str = "ms"
    scale: Scale = Scale.RATIO
    lower_is_better: bool = True
    machine_bound: bool = True

    @property
    def key(self) -> MetricKey:
        """What tells metrics apart: name and endpoint."""
        return self.name, self.endpoint

    @property
    def title(self) -> str:
        """As people read it: `GET /orders latency.p99`."""
        return f"{self.endpoint} {self.name}".strip()

    def shown(self, change: float) -> str:
        """A signed change of it as people read it: `+12.4%`, `+0.8 points`, `-3 ms`."""
        if self.scale is Scale.RATIO:
            return format_change(round(change, 3) or 0.0)  # never "-0.0%"
        if self.unit == "%":
            return f"{change:+.0f} points" if _TENS <= abs(change) < _NO_SHARE else f"{change:+.2g} points"
        return ("" if change < 0 else "+") + format_quantity(change, self.unit)


MetricKey = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Spread:
    """How much the pairs of one run scattered: variance of their changes (log-ratios, or differences), and its degrees
    of freedom.
    """

    variance: float
    degrees: float


#: What one run says of its own noise, by metric. Free of what the builds changed: that moves all pairs alike.
Noise = Mapping[MetricKey, Spread]


@dataclass(frozen=True, kw_only=True)
class Visible:
    """What can be seen of one metric on a machine whose noise is known.

    Attributes:
        metric: which.
        noise: standard deviation of a pair's change between identical builds: a fraction, or the metric's unit.
        smallest: number of pairs -> smallest worsening that is found with 80 % probability, likewise.
    """

    metric: Metric
    noise: float
    smallest: Mapping[int, float]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A change over pairs.

    `change`, `low` and `high` are fractions of the baseline (ratio scale) or differences in the metric's
    unit (difference scale); `low` to `high` is the 95 % interval.

    Attributes:
        pairs: pairs that carried the metric.
        baseline: mean over pairs, metric's unit (geometric on the ratio scale).
        candidate: the same.
        change: the estimate.
        low: lower end of the interval.
        high: upper end.
        per_pair: change in each pair, in order, on the same scale as `change`.
        p_value: two-sided, of no change, by the variance that verdicts rest on; not corrected for other tests.
        smallest_visible: smallest change that would be called one with 80 % probability, same scale.
    """

    pairs: int
    baseline: float
    candidate: float
    change: float
    low: float
    high: float
    per_pair: tuple[float, ...]
    p_value: float
    smallest_visible: float


@dataclass(frozen=True, kw_only=True)
class RuledOut:
    """What the data rule out: a worsening by `bound` or more.

    Amounts are fractions of the baseline (ratio scale) or differences in the metric's unit, above zero for worse.

    Attributes:
        bound: one-sided upper bound of the worsening. It may be below zero: the metric is certainly better.
        allowance: what must be ruled out; None where nothing is promised.
        weak: the metric scatters too much for any plan of this size to rule out `allowance`; its own bound is all that
            can be had, and does not stand in the way of the others.
    """

    bound: float
    allowance: float | None
    weak: bool = False


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One metric's verdict with its reason.

    Attributes:
        metric: what was judged.
        verdict: see `Verdict`.
        reason: one sentence.
        role: what it has to do with the verdict of the whole.
        budget: what it was held against; None when nothing was promised.
        estimate: None when nothing could be estimated (`reason` says why).
        ruled_out: None where nothing is, as after a single pair.
        pairs_needed: about how many more pairs would settle an inconclusive one; None when unknown.
        futile: the pairs that are left of the plan will hardly settle it.
        accepted: who lives with it, and why; only of what regressed.
    """

    metric: Metric
    verdict: Verdict
    reason: str
    role: Role
    budget: Budget | None
    estimate: Estimate | None
    ruled_out: RuledOut | None = None
    pairs_needed: int | None = None
    futile: bool = False
    accepted: Acceptance | None = None


@dataclass(frozen=True, kw_only=True)
class Look:
    """What the pairs so far show, while a run goes on.

    Attributes:
        estimate: the metric that looks worst, in a few words; None while there is none.
        decided: no further pair is needed: the comparison is decided, or further pairs cannot decide it.
        waits_for: titles of the metrics that are not decided yet.
        voided: why pairs do not take part, in their order.
        in_turns: why further pairs had better have one side up at a time, in half a sentence; None where they need not.
    """

    estimate: str | None = None
    decided: bool = False
    waits_for: tuple[str, ...] = ()
    voided: tuple[str, ...] = ()
    in_turns: str | None = None


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A verdict worth a reader's time.

    Attributes:
        judgement: the verdict.
        causes: the roots, the surest first, each with what follows from it; none where nothing is certain or likely.
        not_looked: where they leave most of the change open, the kinds of causes that could not be looked for.
        all_code: where they do, what all code has in common that went the same way; None where that is not certain.
    """

    judgement: Judgement
    causes: tuple[Cause, ...]
    not_looked: tuple[NotLooked, ...] = ()
    all_code: AllCode | None = None


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The conclusion of a run.

    Attributes:
        verdict: overall.
        reason: one sentence.
        judgements: by severity those that decide, guaranteed ones before tripwires; then the observed ones.
        findings: regressed or improved metrics with their likely causes.
        frames: by kind of profile, each with those to blame first, then the hottest changed ones of the application.
        pairs: pairs that took part.
        voided: pair number -> reason it was left out; blind to the outcome. In stored mode, forks of the candidate.
        baseline_voided: the same for forks of a stored baseline, whose numbers are its own.
        planned: most pairs of the plan; 0 when that is not known.
        mode: "paired", "stored", or "unmeasured" where the builds are the same.
        cautions: what a reader should know.
        noise: how much the pairs scattered; empty when not paired.
        earlier_runs: how many earlier runs' noise the verdicts also rest on.
        flames: a flame graph for each kind of profile that was recorded.
        ledgers: what the mean latency of all requests, and of endpoints that samples name, is made of.
        pace_apart: by how much the time of the loop of fixed work differed at most between the sides of a pair, as a
            fraction, where metrics were moved to one pace for it (`metrics.pace`); None where none was.
    """

    verdict: Verdict
    reason: str
    judgements: tuple[Judgement, ...]
    findings: tuple[Finding, ...]
    frames: tuple[FrameChange, ...]
    pairs: int
    voided: dict[int, str] = field(default_factory=dict)
    baseline_voided: dict[int, str] = field(default_factory=dict)
    planned: int = 0
    mode: str = "paired"
    cautions: tuple[Caution, ...] = ()
    noise: Noise = field(default_factory=dict)
    earlier_runs: int = 0
    flames: tuple[Flame, ...] = ()
    ledgers: tuple[Ledger, ...] = ()
    pace_apart: float | None = None
