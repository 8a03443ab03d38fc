"""A lock that was free and is waited for in every pair is told, though nothing is slower."""

from __future__ import annotations

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.model.caution import CautionKind
from pacecar.model.comparison import Verdict

OWN = Criteria(application=("shop.",))
RESERVE = "java.lang.Thread.run\nshop.Stock.reserve"
OTHER = "java.lang.Thread.run\nshop.Orders.list"


@pytest.fixture
def told(make_pairs, truth, plan):
    def _told(before: dict[str, float], after: dict[str, float], *, pairs: int = 4, windows: int = 4) -> list[str]:
        sides = {"baseline": truth(locks_ms=before), "candidate": truth(locks_ms=after)}
        recorded = make_pairs(pairs, **sides, plan=plan(windows=windows))
        comparison = compare_pairs(recorded, OWN)
        assert comparison.verdict is not Verdict.REGRESSED
        return [str(each.statement) for each in comparison.cautions if each.kind is CautionKind.NEW_CONTENTION]

    return _told


def test_a_lock_that_was_free_and_is_waited_for_is_told(told) -> None:
    (sentence,) = told({}, {RESERVE: 0.2})
    assert sentence.startswith("Threads now wait for a lock in shop.Stock.reserve in each of 4 pairs, 0.")
    assert sentence.endswith(" ms per request; before, none did")


def test_one_that_was_waited_for_before_is_not(told) -> None:
    assert told({RESERVE: 0.01}, {RESERVE: 0.2}) == []
    assert told({RESERVE: 0.2}, {}) == []
    assert told({RESERVE: 0.2}, {RESERVE: 0.2}) == []


def test_others_are_told_apart(told) -> None:
    (sentence,) = told({OTHER: 0.2}, {OTHER: 0.2, RESERVE: 0.2})
    assert "shop.Stock.reserve" in sentence


def test_few_pairs_or_few_waits_say_nothing(told) -> None:
    assert told({}, {RESERVE: 0.2}, pairs=2) == []
    assert told({}, {RESERVE: 0.00005}, windows=2) == [], "one in each window"
    assert told({}, {RESERVE: 0.00005}, windows=3)
