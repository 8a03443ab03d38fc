"""What mean latencies are made of, as bars: the baseline's beside the candidate's, on one scale for each endpoint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pacecar.model.experiment import Side
from pacecar.reporting.document import cause_words
from pacecar.reporting.document.cause_shapes import LedgerEntryRow, LedgerRow

#: Width of the drawing, in its own units.
WIDTH = 600.0
#: Different fills there are; the last part, what nobody saw, has one of its own.
_FILLS = 7
_UNSEEN = "unseen"
#: So that what nobody saw can be seen, however little it is.
_THINNEST = 3.0


@dataclass(frozen=True, kw_only=True)
class Segment:
    """One part of a bar: where it begins and how wide it is, and the name of its fill."""

    left: float
    width: float
    fill: str


@dataclass(frozen=True, kw_only=True)
class Bar:
    """The mean latency of one side, in ms."""

    side: Side
    total_ms: float | None
    segments: tuple[Segment, ...]


@dataclass(frozen=True, kw_only=True)
class LegendRow:
    """A row of the table beside the bars."""

    fill: str
    entry: LedgerEntryRow


@dataclass(frozen=True, kw_only=True)
class LedgerBars:
    """The ledger of one endpoint, drawn."""

    endpoint: str
    bars: tuple[Bar, ...]
    parts: tuple[LegendRow, ...]
    exchange: str | None


def ledger_bars(ledgers: Iterable[LedgerRow]) -> list[LedgerBars]:
    """One drawing for each ledger that has parts. A part below zero, which only noise makes, has no width."""
    return [_drawn(ledger) for ledger in ledgers if ledger.entries]


def _drawn(ledger: LedgerRow) -> LedgerBars:
    parts = tuple(LegendRow(fill=_fill(number, each.part), entry=each) for number, each in enumerate(ledger.entries))
    baseline = [each.entry.baseline or 0.0 for each in parts]
    candidate = [each.entry.candidate or 0.0 for each in parts]
    # Parts are made small before they are added: sums of the largest numbers are infinite.
    most = max((abs(each) for each in (*baseline, *candidate)), default=0.0) or 1.0
    longest = max(_above_zero(baseline, most), _above_zero(candidate, most)) or 1.0
    fills = [each.fill for each in parts]
    sides = ((Side.BASELINE, ledger.baseline_ms, baseline), (Side.CANDIDATE, ledger.candidate_ms, candidate))
    return LedgerBars(
        endpoint=ledger.endpoint,
        bars=tuple(
            Bar(side=side, total_ms=total, segments=_segments([each / most / longest for each in amounts], fills))
            for side, total, amounts in sides
        ),
        parts=parts,
        exchange=cause_words.exchange(ledger),
    )


def _above_zero(amounts: Iterable[float], most: float) -> float:
    return sum(max(each / most, 0.0) for each in amounts)


def _segments(shares: Iterable[float], fills: Iterable[str]) -> tuple[Segment, ...]:
    left, segments = 0.0, []
    for part, fill in zip(shares, fills, strict=True):
        width = max(part, 0.0) * (WIDTH - _THINNEST)
        width = max(width, _THINNEST) if fill == _UNSEEN else width
        segments.append(Segment(left=left, width=width, fill=fill))
        left += width
    return tuple(segments)


def _fill(number: int, part: str) -> str:
    return _UNSEEN if part == _UNSEEN else f"part-{number % _FILLS}"
