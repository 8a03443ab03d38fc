"""How causes and what they rest on read as words."""

from __future__ import annotations

from pacecar.model.catalogue import is_latency
from pacecar.reporting.document.cause_shapes import (
    AllCodeRow,
    ConsequenceRow,
    FactRow,
    LedgerEntryRow,
    LedgerRow,
    NotLookedRow,
    ScopeRow,
    ShareRow,
)
from pacecar.reporting.document.shapes import JudgedMetric
from pacecar.text.units import format_quantity, rounded_like

_UNKNOWN = "not known"
#: Figures of a fact that differ by less, as a part of the largest, are the same.
_SAME = 0.01
#: What a mean latency has hardly changed by, as a part of it.
_HARDLY = 0.05
_MEAN = "latency.mean"
#: Kinds of causes whose share is not one of the mean latency: that of other things, or of what follows from them.
_OF_SLOW = "paused-outliers"
_OF_WHAT_FOLLOWS = "changed-setting"


def share(cause: ConsequenceRow, metric: JudgedMetric) -> str:
    """How much of the change it accounts for: `90% of the change [70, 110]`, or all; "" where that is not known.

    Of latency it is the change in the mean, for parts do not add up to a quantile. Times of threads that work for one
    request side by side add up to more than all of it; how much more tells a reader nothing.
    """
    row = cause.share
    if row is None or row.part is None:
        return ""
    of = f"of the change{_in_what(cause, metric)}"
    if round(100 * row.part) <= 100:
        return f"{100 * row.part:.0f}% {of}{_share_interval(row)}"
    least = "" if row.low is None or round(100 * row.low) >= 100 else f", at least {100 * row.low:.0f}%"
    return f"all {of}{least}"


def _in_what(cause: ConsequenceRow, metric: JudgedMetric) -> str:
    if not is_latency(metric.name) or metric.name == _MEAN or cause.name == _OF_WHAT_FOLLOWS:
        return ""
    return " in slow requests" if cause.name == _OF_SLOW else " in the mean"


def _share_interval(row: ShareRow) -> str:
    return "" if row.low is None or row.high is None else f" [{100 * row.low:.0f}, {100 * row.high:.0f}]"


def strength(cause: ConsequenceRow) -> str:
    """`certain`, `likely`, or "" where it is neither, or the document does not say."""
    return cause.strength.value if cause.strength is not None else ""


def fact(row: FactRow, *, arrow: str = "→") -> str:
    """`CPU time per request: 0.62 ms → 1.03 ms, +0.41 ms [+0.31 ms, +0.51 ms]`."""
    both = f"{value(row.baseline, row)} {arrow} {value(row.candidate, row)}"
    counted = ", exactly" if row.exact else ""
    of = f" of {place(row.scope)}" if place(row.scope) else ""
    return f"{row.quantity}{of}: {both}, {'attributed ' if attributed(row) else ''}{change(row)}{counted}"


def attributed(row: FactRow) -> bool:
    """Whether the change is not that from one side to the other: what all code has in common is no part of it, what
    moved elsewhere is.
    """
    if row.baseline is None or row.candidate is None or row.change is None:
        return False
    largest = max(abs(row.baseline), abs(row.candidate), abs(row.change))
    return abs(row.candidate - row.baseline - row.change) > _SAME * largest


def change(row: FactRow) -> str:
    """`+0.41 ms [+0.31 ms, +0.51 ms]`, without an interval where none is claimed."""
    ends = f" [{_signed(row.low, row)}, {_signed(row.high, row)}]"
    return _signed(row.change, row) + (ends if row.low is not None and row.high is not None else "")


def place(scope: ScopeRow) -> str:
    """Where something holds, the narrowest first; "" where it is not bound to any one."""
    named = (scope.label, scope.series, scope.dependency, scope.frame, scope.pool, scope.endpoint)
    return ", ".join(filter(None, named))


def not_looked(row: NotLookedRow) -> str:
    """`Waiting needs a wall-clock time profile of every fork; profiler.wall records it`."""
    key = f"; {row.switch_on} records it" if row.switch_on else ""
    return f"{row.title} needs {row.lacks}{key}"


def all_code(row: AllCodeRow) -> str:
    """What all code has in common, and where to look, in a sentence."""
    amount, low, high = (f"{abs(100 * each):.0f}" for each in (row.change, *sorted((row.low, row.high), key=abs)))
    return (
        f"Code all over the service takes {amount}% {'more' if row.change > 0 else 'less'} CPU time [{low}, {high}]: "
        "look at what differs for all of it, such as the JDK, JVM flags, agents, CPU limits, or a library that most "
        "of it calls."
    )


def exchange(ledger: LedgerRow) -> str | None:
    """Which parts of a mean latency took each other's place, in a sentence; None where none did."""
    parts = {each.part: each for each in ledger.entries}
    moved = [parts[name] for name in (ledger.gone, ledger.come) if name is not None and name in parts]
    if len(moved) < 2:
        return None
    whose = f" of {ledger.endpoint}" if ledger.endpoint else ""
    before, after = ledger.baseline_ms or 0.0, ledger.candidate_ms or 0.0
    hardly = abs(after - before) <= _HARDLY * before
    said = "hardly changed, but what it is made of did" if hardly else "changed less than what it is made of"
    return f"The mean latency{whose} {said}: {' and '.join(map(_part, moved))}."


def _part(row: LedgerEntryRow) -> str:
    largest = max(abs(row.baseline or 0.0), abs(row.candidate or 0.0))
    both = (_UNKNOWN if each is None else format_quantity(rounded_like(each, largest), "ms") for each in _sides(row))
    return f'"{row.part}" went from {" to ".join(both)}'


def _sides(row: LedgerEntryRow) -> tuple[float | None, float | None]:
    return row.baseline, row.candidate


def value(amount: float | None, row: FactRow) -> str:
    """One figure of a fact, with the decimals of the largest: `0.001 ms` beside `0.961 ms`."""
    if amount is None:
        return _UNKNOWN
    largest = max((abs(each) for each in (row.baseline, row.candidate, row.change) if each is not None), default=0.0)
    return format_quantity(rounded_like(amount, largest), row.unit)


def _signed(amount: float | None, row: FactRow) -> str:
    text = value(amount, row)
    return text if amount is None or amount < 0 else f"+{text}"
