"""What changed below a metric: frames with their costs on both sides, and whole flame graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pacecar.model.profiles import ProfileKind

if TYPE_CHECKING:  # readers of a document load no tables
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class FrameChange:
    """One frame's cost per request on both sides, in one pool of threads; ms per request, of allocation bytes.

    Attributes:
        event: kind of profile.
        frame: `package.Class.method`.
        pool: the thread pool it ran on.
        application: user's own code by the target's prefixes.
        self_baseline: own time, with the library and JDK time it called folded in for application frames.
        self_candidate: the same.
        self_change: candidate minus baseline, mean over pairs, without what became slower (or faster) in everything
            alike; of a `diffuse` frame, what changed below it.
        low: lower end of the 95 % interval of `self_change`.
        high: upper end.
        total_baseline: with everything it called.
        total_candidate: the same.
        endpoints: what it served, most cost first.
        by_endpoint: of what own cost changed most, as (endpoint, change); the mean over pairs, without a test.
        blamed: it is to blame, see `stats.attribution`.
        diffuse: what it is to blame for is spread below it, too thin for any single frame.
        touched: the code of its class differs between the builds.
        gone_to: the frame its cost moved to, if any.
        come_from: the frame its cost came from, if any.
        together_with: (pool, frame) of all that its cost came from or went to, where a change was left on balance:
            `self_change` is that of all of them together.
        descriptive: from runs that were not paired: no interval is claimed.
        changed_caller: its deepest caller whose code differs between the builds, where most of the change came from
            there; None for a frame whose own code differs.
        below: hottest changed library or JDK frames folded into it, as (frame, change).
    """

    event: ProfileKind
    frame: str
    application: bool
    self_baseline: float
    self_candidate: float
    self_change: float
    low: float
    high: float
    total_baseline: float
    total_candidate: float
    pool: str | None = None
    endpoints: tuple[str, ...] = ()
    by_endpoint: tuple[tuple[str, float], ...] = ()
    blamed: bool = False
    diffuse: bool = False
    touched: bool = False
    gone_to: str | None = None
    come_from: str | None = None
    descriptive: bool = False
    together_with: tuple[tuple[str, str], ...] = ()
    changed_caller: str | None = None
    below: tuple[tuple[str, float], ...] = ()

    @property
    def mostly_for(self) -> str | None:
        """The endpoint whose requests it costs more, or less, most of all: not always the one that it costs most."""
        if not self.by_endpoint:
            return self.endpoints[0] if self.endpoints else None
        return next((name for name, change in self.by_endpoint if change * self.self_change > 0), None)


@dataclass(frozen=True, kw_only=True, order=True)
class Facet:
    """What a flame graph can be filtered by: thread pool, endpoint ("" when none is known), state of the thread ("" but
    for wall-clock time).
    """

    pool: str
    endpoint: str
    state: str


@dataclass(frozen=True, kw_only=True)
class Flame:
    """All stacks of one kind of profile, per request, mean over pairs; ms, of allocation bytes.

    Attributes:
        event: kind of profile.
        frames: names.
        application: whether each of `frames` is the user's own code.
        facets: pool, endpoint and state of the trees' tops.
        nodes: columns `parent` (position; -1 at the top; callers come first), `frame` (into `frames`; below zero at the
            top), `facet` (into `facets` at the top, else -1), `baseline` and `candidate` (own cost), `error` (standard
            error of the change with everything below).
        omitted: nodes cut because they were too many.
    """

    event: ProfileKind
    frames: tuple[str, ...]
    application: tuple[bool, ...]
    facets: tuple[Facet, ...]
    nodes: pd.DataFrame
    omitted: int = 0
