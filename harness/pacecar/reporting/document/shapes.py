"""The shapes of `document.json`: all that a reader may show of a comparison.

A number that is missing, infinite or not a number is None; every list that was cut says how many entries
were left out. `reports/schemas/document.schema.json` describes the same names to other programs.
"""

from __future__ import annotations

from dataclasses import dataclass

from pacecar.model.comparison import SEVERITY, Role, Scale, Verdict
from pacecar.model.experiment import Side
from pacecar.reporting.document.cause_shapes import AllCodeRow, CauseRow, LedgerRow, NotLookedRow
from pacecar.reporting.document.profile_shapes import FrameRow, Profiles
from pacecar.reporting.document.provenance_shapes import BuildRow, LibraryRow, Provenance
from pacecar.reporting.document.staircase_shapes import ClimbRow
from pacecar.text.units import Unit

#: Version of `document.json`. Older ones are brought to it by `migrations`; a version it does not know is refused.
DOCUMENT_VERSION = 9
#: The mode of a document of builds that are the same.
UNMEASURED = "unmeasured"


@dataclass(frozen=True, kw_only=True)
class EstimateRow:
    """An estimated change, as `comparison.Estimate`: fractions on the ratio scale, else in the metric's unit."""

    pairs: int
    baseline: float | None
    candidate: float | None
    change: float | None
    low: float | None
    high: float | None
    per_pair: tuple[float | None, ...]
    p_value: float | None
    smallest_visible: float | None


@dataclass(frozen=True, kw_only=True)
class RuledOutRow:
    """What is ruled out of a metric, as `comparison.RuledOut`; `bound` is None where it is infinite."""

    bound: float | None
    allowance: float | None
    weak: bool


@dataclass(frozen=True, kw_only=True)
class JudgedMetric:
    """One metric and its verdict.

    Attributes:
        name: such as `latency.p99`.
        endpoint: "" for the whole service.
        unit: one of a few, see `units.Unit`.
        scale: how baseline and candidate were compared.
        lower_is_better: direction.
        role: what it has to do with the verdict of the whole.
        verdict: what the data say.
        reason: one sentence.
        budget_relative: largest tolerated worsening, a fraction; of shares, 0.01 is one point.
        budget_absolute: largest tolerated value of the candidate, metric's unit.
        pairs_needed: about how many more pairs would settle it.
        accepted: of what regressed: until when, by whom and why it is accepted; else None.
        estimate: None when nothing could be estimated.
        ruled_out: how large a worsening is ruled out; None where none is.
    """

    name: str
    endpoint: str
    unit: Unit
    scale: Scale
    lower_is_better: bool
    role: Role
    verdict: Verdict
    reason: str
    budget_relative: float | None
    budget_absolute: float | None
    pairs_needed: int | None
    accepted: str | None
    estimate: EstimateRow | None
    ruled_out: RuledOutRow | None


@dataclass(frozen=True, kw_only=True)
class FindingRow:
    """A verdict worth a reader's time: the metric it is about and its likely causes, none where none is certain.

    Where those found leave most of it open, `not_looked` are the kinds of causes that could not be looked for, and
    `all_code` is what all code has in common, None where that is not certain.
    """

    metric: JudgedMetric
    causes: tuple[CauseRow, ...]
    not_looked: tuple[NotLookedRow, ...]
    all_code: AllCodeRow | None


@dataclass(frozen=True, kw_only=True)
class ProfileRow:
    """Whether a fork's profile can be believed, as `recording.ProfileQuality`.

    `cpu_ms_per_sample` is CPU time by the process clock over the CPU samples; None without either.
    """

    chunks: int
    unreadable: int
    samples: int
    failed_stacks: int
    truncated_stacks: int
    cpu_ms_per_sample: float | None


@dataclass(frozen=True, kw_only=True)
class DependencyRow:
    """A process that was started for a fork; `cpu_s` is the CPU time in its windows of all that belongs to it."""

    name: str
    cpu_s: float | None


@dataclass(frozen=True, kw_only=True)
class ForkRow:
    """One fork of a pair; what is None was not known, did not happen, or was not taken."""

    side: Side
    jvm_version: str | None
    ready_s: float | None
    cpus: tuple[int, ...]
    windows: int
    measured_s: float | None
    died: str | None
    profile: ProfileRow | None
    dependencies: tuple[DependencyRow, ...]


@dataclass(frozen=True, kw_only=True)
class PairRow:
    """One pair: which side led, its forks, and why it was left out (`voided`, None when it took part)."""

    number: int
    first: Side | None
    forks: tuple[ForkRow, ...]
    notes: tuple[str, ...]
    voided: str | None


@dataclass(frozen=True, kw_only=True)
class ForwardedSide:
    """Where a profile server has one side: run and side are labels there; times in ms since the epoch."""

    run_id: str
    side: Side
    from_ms: int
    until_ms: int


@dataclass(frozen=True, kw_only=True)
class PyroscopeLinks:
    """A Pyroscope server that has the profiles of both sides, under the name `service`."""

    url: str
    service: str
    baseline: ForwardedSide
    candidate: ForwardedSide


@dataclass(frozen=True, kw_only=True)
class Omitted:
    """How many entries of each list did not fit into the document."""

    judgements: int = 0
    findings: int = 0
    frames: int = 0
    pairs: int = 0
    warnings: int = 0
    libraries: int = 0
    ledgers: int = 0
    climbs: int = 0


@dataclass(frozen=True, kw_only=True)
class Document:
    """A comparison as every reader sees it.

    Attributes:
        schema_version: see `DOCUMENT_VERSION`.
        run_id: the candidate's run.
        baseline_run_id: run of the stored baseline; None when both sides ran side by side.
        created: ISO 8601, UTC.
        mode: "paired", "stored", or "unmeasured" where the builds are the same.
        verdict: overall.
        headline: the verdict as one sentence for people.
        reason: why, one sentence.
        pairs_judged: pairs that took part.
        pairs_planned: most pairs of the plan; 0 when that is not known.
        earlier_runs: how many earlier runs' noise the verdicts also rest on; None when that is not known.
        pace_apart: by how much a loop of fixed work took longer at most beside one side of a pair, as a fraction, where
            metrics were moved to one pace for it; None where none was.
        judgements: guaranteed ones, tripwires, then those that decide nothing; each by severity.
        findings: regressed or improved metrics with their likely causes.
        ledgers: what mean latencies are made of, that of all requests first.
        climbs: the steps of rising load that each fork was put under; none where the load was no staircase.
        frames: the hottest changed frames; all of them are in the profiles.
        pairs: all pairs, voided ones too.
        warnings: what a reader should know and do, see `warning_lines`; the first few are shown unfolded.
        libraries: what the builds have in different versions; those that came or went last.
        provenance: builds, machine, tools, time.
        omitted: what was cut.
        elsewhere: a server on which the profiles can be browsed; None when they were not forwarded.
        profiles: the sidecar `profiles.json`; None when it is not at hand.
    """

    schema_version: int
    run_id: str
    baseline_run_id: str | None
    created: str
    mode: str
    verdict: Verdict
    headline: str
    reason: str
    pairs_judged: int
    pairs_planned: int
    earlier_runs: int | None
    pace_apart: float | None
    judgements: tuple[JudgedMetric, ...]
    findings: tuple[FindingRow, ...]
    ledgers: tuple[LedgerRow, ...]
    climbs: tuple[ClimbRow, ...]
    frames: tuple[FrameRow, ...]
    pairs: tuple[PairRow, ...]
    warnings: tuple[str, ...]
    libraries: tuple[LibraryRow, ...]
    provenance: Provenance
    omitted: Omitted
    elsewhere: PyroscopeLinks | None = None
    profiles: Profiles | None = None

    @property
    def standing(self) -> Verdict:
        """The verdict with what is accepted left aside, which exit codes go by."""
        if not any(metric.accepted for metric in self.judgements if metric.role.decides):
            return self.verdict
        left = {metric.verdict for metric in self.judgements if metric.role is Role.GUARANTEED and not metric.accepted}
        return min({Verdict.REGRESSED} if self.regressions else left, key=SEVERITY.index, default=Verdict.PASSED)

    @property
    def regressions(self) -> tuple[JudgedMetric, ...]:
        """What regressed, counts, and is not accepted."""
        return tuple(
            metric
            for metric in self.judgements
            if metric.role.decides and metric.verdict is Verdict.REGRESSED and not metric.accepted
        )

    @property
    def measured(self) -> bool:
        """Whether anything was; builds that are the same are not."""
        return self.mode != UNMEASURED

    @property
    def accepted(self) -> bool:
        """Whether all that regressed is accepted."""
        return self.verdict is Verdict.REGRESSED and self.standing is not Verdict.REGRESSED

    @property
    def stopped(self) -> str | None:
        """`stopped after 3 of at most 12` where pairs were left of the plan, else None."""
        measured = len(self.pairs) + self.omitted.pairs
        if self.mode != "paired" or measured >= self.pairs_planned:
            return None
        return f"stopped after {measured} of at most {self.pairs_planned}"

    @property
    def jvms_differ(self) -> bool:
        """Whether the sides ran on different runtimes, as far as both are known."""
        return len({build.jvm for build in self.provenance.builds if build.jvm}) > 1

    def build(self, side: Side) -> BuildRow | None:
        """The build of `side`, or None when the run did not name one."""
        return next((build for build in self.provenance.builds if build.side is side), None)
