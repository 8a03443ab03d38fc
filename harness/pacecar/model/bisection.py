"""A search for the commit that made a service slower: what was asked, what was measured so far.

The search is always the same: `good` is the baseline of every comparison, a commit between is the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import MetricKey, Verdict

#: 2: what the command line said has fields of its own; see `archive.migrations`.
SCHEMA_VERSION = 2


class Outcome(StrEnum):
    """What one commit turned out to be."""

    GOOD = "good"
    BAD = "bad"
    SKIPPED = "skipped"


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A commit that may have made the service slower.

    `distance` is the smaller of two numbers of candidates: those that are gone if it is good, and those if it is bad.
    """

    commit: str
    distance: int


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What a comparison with the good commit said of one metric.

    `change`, `low` and `high` are as in `comparison.Estimate`; None when not known.
    """

    metric: str
    endpoint: str
    verdict: Verdict
    pairs: int = 0
    change: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def key(self) -> MetricKey:
        """What tells metrics apart."""
        return self.metric, self.endpoint

    @property
    def title(self) -> str:
        """The metric as people read it: `GET /orders latency.p99`."""
        return f"{self.endpoint} {self.metric}".strip()

    @property
    def shown(self) -> str:
        """The change with its interval, as people read it: `+12.4% [+8.1%, +16.9%]`."""
        kind = METRICS.get(self.metric)
        if kind is None or self.change is None:
            return "not known"
        metric = kind.metric(self.endpoint)
        change = metric.shown(self.change)
        if self.low is None or self.high is None:
            return change
        return f"{change} [{metric.shown(self.low)}, {metric.shown(self.high)}]"


@dataclass(frozen=True, kw_only=True)
class Followed:
    """A metric that decides what is bad.

    Attributes:
        metric: its name.
        endpoint: the endpoint it belongs to, or "" for the whole service.
        change: from the good to the bad commit, as `comparison.Estimate`.
        threshold: from this change on a commit is bad, on the same scale.
    """

    metric: str
    endpoint: str
    change: float
    threshold: float

    @property
    def key(self) -> MetricKey:
        """What tells metrics apart."""
        return self.metric, self.endpoint

    @property
    def title(self) -> str:
        """The metric as people read it: `GET /orders latency.p99`."""
        return f"{self.endpoint} {self.metric}".strip()


@dataclass(frozen=True, kw_only=True)
class BisectionStep:
    """One commit compared with the good one.

    Attributes:
        commit: which, its full hash.
        outcome: what it is.
        reason: one sentence.
        run_id: of the comparison; None where none was made.
        artifact_sha256: of what was measured; None where nothing could be built.
        seen: what the comparison said of its guaranteed metrics.
    """

    commit: str
    outcome: Outcome
    reason: str
    run_id: str | None = None
    artifact_sha256: str | None = None
    seen: tuple[Seen, ...] = ()


@dataclass(frozen=True, kw_only=True)
class End:
    """One end of the history that is searched: as it was named, and its full hash."""

    ref: str
    commit: str


@dataclass(frozen=True, kw_only=True)
class Bisection:
    """A search, as far as it has got.

    Attributes:
        bisection_id: sorts by time, as the ids of runs do.
        created: ISO 8601, UTC.
        good: before the change; every commit is compared with it.
        bad: after it.
        first_parent: whether merges count as one commit.
        candidates: commits that could be it when the search began, the bad one among them.
        configuration: text of the configuration file.
        config: where that file lies, in full.
        settings: dotted key of the configuration -> value in place of the file's, as `RunOptions.settings`.
        metric: the metric that was asked for; None for those of the gate that regressed.
        endpoint: the endpoint it belongs to; None for the whole service.
        good_sha256: of the good commit's artifact; None before it was measured.
        ends: the comparison of `bad` with `good`; None before it was made.
        followed: metrics that decide, found by that comparison.
        steps: the commits between, in the order in which they were tried.
    """

    bisection_id: str
    created: str
    good: End
    bad: End
    first_parent: bool
    candidates: int
    configuration: str
    config: str
    settings: dict[str, str] = field(default_factory=dict)
    metric: str | None = None
    endpoint: str | None = None
    good_sha256: str | None = None
    ends: BisectionStep | None = None
    followed: tuple[Followed, ...] = ()
    steps: tuple[BisectionStep, ...] = ()
    schema_version: int = SCHEMA_VERSION

    @property
    def goods(self) -> tuple[str, ...]:
        """Commits known to be good."""
        return (self.good.commit, *(step.commit for step in self.steps if step.outcome is Outcome.GOOD))

    @property
    def first_bad(self) -> str:
        """The earliest commit known to be bad."""
        bad = [step.commit for step in self.steps if step.outcome is Outcome.BAD]
        return bad[-1] if bad else self.bad.commit

    @property
    def skipped(self) -> frozenset[str]:
        """Commits of which nothing could be learnt."""
        return frozenset(step.commit for step in self.steps if step.outcome is Outcome.SKIPPED)

    @property
    def measured(self) -> tuple[BisectionStep, ...]:
        """All steps, the comparison of the ends first."""
        return (*([self.ends] if self.ends else []), *self.steps)

    def step_of(self, commit: str) -> BisectionStep | None:
        """The step that measured `commit`, or None."""
        return next((step for step in self.measured if step.commit == commit), None)
