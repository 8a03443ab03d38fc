"""Bars of what latencies are made of."""

from __future__ import annotations

import re

import pytest

from pacecar.model.experiment import Side
from pacecar.reporting.document.cause_shapes import LedgerEntryRow, LedgerRow
from pacecar.reporting.ledger_bars import WIDTH, LedgerBars, ledger_bars
from support.checkout import CHECKOUT


def _row(part: str, baseline: float | None, candidate: float | None) -> LedgerEntryRow:
    return LedgerEntryRow(part=part, baseline=baseline, candidate=candidate, change=None, low=None, high=None)


def _drawn(*entries: LedgerEntryRow) -> LedgerBars:
    (drawn,) = ledger_bars([_ledger(*entries)])
    return drawn


def _ledger(*entries: LedgerEntryRow) -> LedgerRow:
    return LedgerRow(endpoint="GET /a", baseline_ms=1.0, candidate_ms=2.0, entries=entries, gone=None, come=None)


def test_both_sides_are_on_one_scale_and_the_longer_one_fills_it() -> None:
    baseline, candidate = _drawn(_row("on a CPU", 1.0, 3.0), _row("waiting", 1.0, 1.0), _row("unseen", 0.5, 1.0)).bars

    widths = {bar.side: [segment.width for segment in bar.segments] for bar in (baseline, candidate)}
    assert widths[Side.CANDIDATE][0] == pytest.approx(3 * widths[Side.BASELINE][0])
    assert widths[Side.CANDIDATE][1] == pytest.approx(widths[Side.BASELINE][1])
    assert WIDTH - 5 < sum(widths[Side.CANDIDATE]) <= WIDTH
    assert sum(widths[Side.BASELINE]) == pytest.approx(sum(widths[Side.CANDIDATE]) / 2)


def test_parts_stand_side_by_side_in_the_order_and_the_fill_of_the_table() -> None:
    drawn = _drawn(_row("on a CPU", 1.0, 3.0), _row("waiting", 1.0, 1.0), _row("unseen", 0.5, 1.0))

    assert [part.fill for part in drawn.parts] == ["part-0", "part-1", "unseen"]
    for bar in drawn.bars:
        assert [segment.fill for segment in bar.segments] == ["part-0", "part-1", "unseen"]
        assert [segment.left for segment in bar.segments[1:]] == pytest.approx(
            [segment.left + segment.width for segment in bar.segments[:-1]]
        )


@pytest.mark.parametrize("unseen", [0.0, -0.2, None])
def test_what_nobody_saw_is_drawn_however_little_it_is(unseen: float | None) -> None:
    for bar in _drawn(_row("on a CPU", 1.0, 1.0), _row("unseen", unseen, unseen)).bars:
        assert bar.segments[1].width > 0
        assert bar.segments[1].left + bar.segments[1].width <= WIDTH


def test_a_part_below_zero_has_no_width() -> None:
    bar = _drawn(_row("on a CPU", 1.0, 1.0), _row("waiting", -0.5, -0.5), _row("unseen", 0.1, 0.1)).bars[0]

    assert bar.segments[1].width == 0
    assert bar.segments[2].left == bar.segments[1].left


@pytest.mark.hostile
def test_the_largest_numbers_are_drawn() -> None:
    for bar in _drawn(*[_row(f"part {number}", 1.7e308, 1.7e308) for number in range(20)]).bars:
        assert sum(segment.width for segment in bar.segments) <= WIDTH


def test_a_ledger_without_parts_is_not_drawn() -> None:
    assert ledger_bars([_ledger()]) == []


def test_each_fill_can_be_told_from_the_card_in_both_schemes() -> None:
    style = (CHECKOUT / "reports" / "templates" / "report.css").read_text()
    fills = re.findall(r"\.part-\d \{ fill: (#[0-9a-f]{6}); \}", style)
    cards = re.findall(r"--card: (#[0-9a-f]{6});", style)
    assert (len(fills), len(cards)) == (7, 2)

    for fill in fills:
        for card in cards:
            darker, lighter = sorted((_luminance(fill), _luminance(card)))
            # WCAG 2.2, success criterion 1.4.11
            assert (lighter + 0.05) / (darker + 0.05) >= 3, (fill, card)


def _luminance(color: str) -> float:
    """Relative luminance of `#rrggbb` (WCAG 2.2, terms and definitions)."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
