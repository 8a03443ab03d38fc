"""Why a metric moved: facts, where they hold, and what follows from what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from pacecar.text.units import Unit


class Strength(StrEnum):
    """How sure a cause is."""

    #: At least half of the change, and the test that rules other kinds out was passed.
    CERTAIN = "certain"
    #: At least a quarter of the change.
    LIKELY = "likely"


@dataclass(frozen=True, kw_only=True)
class Scope:
    """Where something holds; None where it is not bound to any one.

    Attributes:
        endpoint: what a frame served most, or whose requests they are.
        pool: thread pool.
        frame: `package.Class.method`.
        dependency: what is called or waited for.
        series: metric on the service's metrics page.
        label: of that metric.
    """

    endpoint: str | None = None
    pool: str | None = None
    frame: str | None = None
    dependency: str | None = None
    series: str | None = None
    label: str | None = None

    def meets(self, other: Scope) -> bool:
        """Whether both may hold at one place: neither endpoints nor pools are known to differ."""
        ends = ((self.endpoint, other.endpoint), (self.pool, other.pool))
        return all(None in pair or pair[0] == pair[1] for pair in ends)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A quantity on both sides.

    Attributes:
        quantity: what it is, such as `CPU time per request`.
        unit: of all its figures.
        scope: where it was measured.
        baseline: before, mean over pairs.
        candidate: now.
        change: what it accounts for; not always the plain difference, see `FrameChange.self_change`.
        low: lower end of the 95 % interval of `change`; None where none is claimed.
        high: upper end.
        pairs: it rests on; 0 where forks were not paired.
        exact: it was counted, and is the same in every pair.
    """

    quantity: str
    unit: Unit
    scope: Scope
    baseline: float
    candidate: float
    change: float
    low: float | None = None
    high: float | None = None
    pairs: int = 0
    exact: bool = False

    def scaled(self, factor: float, endpoint: str) -> Fact:
        """The same per request to `endpoint`, where that is `factor` times what it is per request to any."""
        return replace(
            self,
            scope=replace(self.scope, endpoint=endpoint),
            baseline=self.baseline * factor,
            candidate=self.candidate * factor,
            change=self.change * factor,
            low=None if self.low is None else self.low * factor,
            high=None if self.high is None else self.high * factor,
        )


@dataclass(frozen=True, kw_only=True)
class Share:
    """The part of a metric's change that a cause accounts for, as a fraction, with its 95 % interval."""

    part: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Why a metric moved, as far as the data show it.

    Attributes:
        name: the kind of cause, such as `hot-frame`.
        title: the kind, as people read it.
        statement: one sentence.
        strength: how sure it is; None of a consequence that accounts for too little to be likely.
        share: None where the cause is in another unit than the metric.
        scope: where it holds.
        facts: what it rests on, the deciding one first.
        consequences: what follows from it, and is no cause of its own.
        on_top: as a consequence, what it claims is no part of what its root does.
    """

    name: str
    title: str
    statement: str
    strength: Strength | None
    share: Share | None
    scope: Scope
    facts: tuple[Fact, ...]
    consequences: tuple[Cause, ...] = ()
    on_top: bool = False


@dataclass(frozen=True, kw_only=True)
class NotLooked:
    """A kind of cause that could not be looked for.

    Attributes:
        name: the kind.
        title: as people read it.
        lacks: what it needs and was not recorded, as the end of a sentence.
        switch_on: the key of the configuration that records it; None where there is none.
    """

    name: str
    title: str
    lacks: str
    switch_on: str | None = None


@dataclass(frozen=True, kw_only=True)
class AllCode:
    """By how much code all over the service takes more CPU time (above zero) or less, whatever single frames do beside
    that: a fraction of the baseline, with its 95 % interval.
    """

    change: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class LedgerEntry:
    """One part of an endpoint's mean latency on both sides, in ms, mean over pairs; `unseen` is what is left.

    `low` and `high` are None where none of it was seen on either side: nothing tells then how much it scatters.
    """

    part: str
    baseline: float
    candidate: float
    change: float
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """Two parts of a mean latency that moved against each other for certain, so that the whole hardly moved.

    Attributes:
        gone: the name of the part that got smaller.
        come: that of the part that got larger.
    """

    gone: str
    come: str


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """What the mean latency of an endpoint is made of; `endpoint` is "" for all of them."""

    endpoint: str
    baseline_ms: float
    candidate_ms: float
    entries: tuple[LedgerEntry, ...]
    exchange: Exchange | None = None
