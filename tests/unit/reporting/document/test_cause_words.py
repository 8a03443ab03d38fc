"""What causes rest on, as people read it."""

from __future__ import annotations

import pytest

from pacecar.reporting.document import cause_words
from pacecar.reporting.document.cause_rows import ledger_row
from pacecar.reporting.document.cause_shapes import ConsequenceRow, FactRow, ScopeRow, ShareRow
from pacecar.text.units import Unit
from support.findings import exchanged, ledger

_ANYWHERE = ScopeRow(endpoint=None, pool=None, frame=None, dependency=None, series=None, label=None)


def fact(*, baseline: float, candidate: float, low: float | None, high: float | None, unit: Unit = "ms") -> FactRow:
    return FactRow(
        quantity="CPU time per request",
        unit=unit,
        scope=_ANYWHERE,
        baseline=baseline,
        candidate=candidate,
        change=candidate - baseline,
        low=low,
        high=high,
        pairs=3,
        exact=False,
    )


def test_figures_of_a_fact_have_the_decimals_of_the_largest() -> None:
    row = fact(baseline=0.000584, candidate=0.961, low=0.8884, high=1.0326)

    assert cause_words.fact(row) == "CPU time per request: 0.001 ms → 0.961 ms, +0.96 ms [+0.888 ms, +1.03 ms]"


def test_what_is_nothing_beside_the_largest_is_zero_without_a_sign() -> None:
    row = fact(baseline=3.0, candidate=0.0, low=-3.2, high=-0.0001)

    assert cause_words.change(row) == "-3 ms [-3.2 ms, 0 ms]"


def test_bytes_are_rounded_before_they_are_scaled() -> None:
    row = fact(baseline=0.4, candidate=3_412_345.0, low=None, high=None, unit="B")

    assert cause_words.fact(row) == "CPU time per request: 0 B → 3.41 MB, +3.41 MB"


def test_parts_that_took_each_others_place_are_one_sentence() -> None:
    told = cause_words.exchange(ledger_row(exchanged()))
    assert told == (
        "The mean latency of GET /orders hardly changed, but what it is made of did: "
        '"waiting for a lock" went from 6 ms to 0.5 ms and "ready, without a CPU" went from 0.3 ms to 5.7 ms.'
    )
    assert cause_words.exchange(ledger_row(ledger())) is None


@pytest.mark.parametrize(
    ("part", "low", "high", "told"),
    [
        (0.9, 0.7, 1.1, "90% of the change [70, 110]"),
        (1.2, None, None, "120% of the change"),
        (4.87, 0.63, 9.11, "all of the change"),
    ],
)
def test_more_than_all_of_a_change_is_all_of_it(part: float, low: float | None, high: float | None, told: str) -> None:
    share = ShareRow(part=part, low=low, high=high)
    row = ConsequenceRow(name="", title="", statement="", strength=None, share=share, scope=_ANYWHERE, facts=())
    assert cause_words.share(row) == told
