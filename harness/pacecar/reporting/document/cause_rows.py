"""Causes and ledgers of a comparison as rows of a document."""

from __future__ import annotations

from dataclasses import asdict

from pacecar.model.causes import Cause, Fact, Ledger, LedgerEntry, NotLooked
from pacecar.reporting.document.cause_shapes import (
    CauseRow,
    ConsequenceRow,
    FactRow,
    LedgerEntryRow,
    LedgerRow,
    NotLookedRow,
    ScopeRow,
    ShareRow,
)

_CONSEQUENCES = 3
_FACTS = 6
_PARTS = 24


def cause_row(cause: Cause) -> CauseRow:
    """The row of a root; what follows from its consequences is left out."""
    below = tuple(map(_consequence, cause.consequences[:_CONSEQUENCES]))
    return CauseRow(**vars(_consequence(cause)), consequences=below)


def not_looked_row(kind: NotLooked) -> NotLookedRow:
    """The row of a kind that could not be looked for."""
    return NotLookedRow(**asdict(kind))


def ledger_row(ledger: Ledger) -> LedgerRow:
    """The row of one endpoint; where parts are too many, those that matter least are left out, the unseen one never."""
    kept = set(sorted(ledger.entries[:-1], key=_weight, reverse=True)[: _PARTS - 1]) | set(ledger.entries[-1:])
    return LedgerRow(
        endpoint=ledger.endpoint,
        baseline_ms=ledger.baseline_ms,
        candidate_ms=ledger.candidate_ms,
        entries=tuple(LedgerEntryRow(**asdict(each)) for each in ledger.entries if each in kept),
        gone=ledger.exchange.gone if ledger.exchange else None,
        come=ledger.exchange.come if ledger.exchange else None,
    )


def _weight(entry: LedgerEntry) -> float:
    return max(abs(entry.baseline), abs(entry.candidate))


def _consequence(cause: Cause) -> ConsequenceRow:
    return ConsequenceRow(
        name=cause.name,
        title=cause.title,
        statement=cause.statement,
        strength=cause.strength,
        share=ShareRow(**asdict(cause.share)) if cause.share else None,
        scope=ScopeRow(**asdict(cause.scope)),
        facts=tuple(map(_fact_row, cause.facts[:_FACTS])),
    )


def _fact_row(fact: Fact) -> FactRow:
    return FactRow(**asdict(fact) | {"scope": ScopeRow(**asdict(fact.scope))})
