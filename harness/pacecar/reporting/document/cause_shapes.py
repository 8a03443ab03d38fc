"""The shapes of causes in `document.json`: why a metric moved, what follows from what, and what latency is made of."""

from __future__ import annotations

from dataclasses import dataclass

from pacecar.model.causes import Strength
from pacecar.text.units import Unit


@dataclass(frozen=True, kw_only=True)
class ScopeRow:
    """Where a cause or a fact holds, as `causes.Scope`."""

    endpoint: str | None
    pool: str | None
    frame: str | None
    dependency: str | None
    series: str | None
    label: str | None


@dataclass(frozen=True, kw_only=True)
class FactRow:
    """A quantity on both sides, as `causes.Fact`; `pairs` is 0 where it is not known how many."""

    quantity: str
    unit: Unit
    scope: ScopeRow
    baseline: float | None
    candidate: float | None
    change: float | None
    low: float | None
    high: float | None
    pairs: int
    exact: bool


@dataclass(frozen=True, kw_only=True)
class ShareRow:
    """The part of a metric's change that a cause accounts for, as `causes.Share`."""

    part: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class ConsequenceRow:
    """What follows from a cause. Its title travels with it, so that readers need to know no kind.

    `strength` is None where the document is older than strengths, and of what accounts for too little to be likely.
    """

    name: str
    title: str
    statement: str
    strength: Strength | None
    share: ShareRow | None
    scope: ScopeRow
    facts: tuple[FactRow, ...]


@dataclass(frozen=True, kw_only=True)
class CauseRow(ConsequenceRow):
    """A root, as `causes.Cause`, with what follows from it; nothing follows from a consequence."""

    consequences: tuple[ConsequenceRow, ...]


@dataclass(frozen=True, kw_only=True)
class NotLookedRow:
    """A kind of cause that could not be looked for, as `causes.NotLooked`."""

    name: str
    title: str
    lacks: str
    switch_on: str | None


@dataclass(frozen=True, kw_only=True)
class AllCodeRow:
    """By how much code all over the service takes more CPU time, as `causes.AllCode`."""

    change: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class LedgerEntryRow:
    """One part of a mean latency in ms, as `causes.LedgerEntry`."""

    part: str
    baseline: float | None
    candidate: float | None
    change: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class LedgerRow:
    """What the mean latency of an endpoint is made of, as `causes.Ledger`; `endpoint` is "" for all of them.

    Attributes:
        endpoint: whose.
        baseline_ms: the whole.
        candidate_ms: the same.
        entries: its parts.
        gone: the part that got smaller by about what `come` got larger, while the whole hardly moved; None where none
            did for certain.
        come: the part that got larger; likewise.
    """

    endpoint: str
    baseline_ms: float | None
    candidate_ms: float | None
    entries: tuple[LedgerEntryRow, ...]
    gone: str | None
    come: str | None
