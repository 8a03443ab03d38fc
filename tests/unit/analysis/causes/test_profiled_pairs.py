"""Of pairs of the quick tier that were profiled afterwards the causes know, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import pytest

from pacecar.analysis.criteria import Context
from pacecar.analysis.paired import compare_pairs, unexplained
from pacecar.model.comparison import Comparison, Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, Pair
from pacecar.model.tables import TABLES
from pacecar.model.tiers import Tier
from support.quick_pairs import CRITERIA, LIST, READ, REQUESTS, Build, causes_of, pair_of

#: Bystanders tell how much an untouched stack scatters from pair to pair.
BYSTANDERS = 40
STACKS = ("shop.Overviews.copied", "shop.Orders.list", *(f"shop.Part{number}.made" for number in range(BYSTANDERS)))
#: What a sample stands for.
SAMPLED = 20_000.0
BEFORE = Build()
AFTER = Build(bytes={LIST: 900_000.0, READ: 40_000.0})
#: Bytes of a request to the list by the stack that allocates them.
ALIKE = (100_000.0, *(10_000.0,) * BYSTANDERS)
SHARES = {Side.BASELINE: (0.0, *ALIKE), Side.CANDIDATE: (400_000.0, *ALIKE)}


def _with_samples(side: Side, fork: ForkData, windows: Sequence[int]) -> ForkData:
    rows = [
        {"window": window, "event": "alloc", "stack": stack, "thread": "http-nio-exec-1", "state": "", "label": ""}
        | {"samples": round(bytes_ * REQUESTS / SAMPLED), "weight": bytes_ * REQUESTS}
        for window in windows
        for stack, bytes_ in enumerate(SHARES[side])
        if bytes_
    ]
    stacks = [
        {"stack": number, "frames": f"java.lang.Thread.run\n{frame}", "kinds": "JJ"}
        for number, frame in enumerate(STACKS)
    ]
    made = {"samples": rows, "stacks": stacks}
    tables = {name: pd.DataFrame(each).astype(TABLES[name]) for name, each in made.items()}
    return replace(fork, tables=fork.tables | tables)


def _profiled(pair: Pair) -> Pair:
    listed = [window for window in pair.record.windows if window.endpoint == LIST]
    forks = {
        side: _with_samples(side, fork, [window.index for window in listed if window.side is side])
        for side, fork in pair.forks.items()
    }
    return replace(pair, forks=forks)


def _compared(*, profiled: Sequence[Pair] = ()) -> Comparison:
    pairs = [pair_of(number, BEFORE, AFTER) for number in (1, 2, 3)]
    criteria = replace(CRITERIA, comparisons=1, application=("shop.",))
    return compare_pairs(pairs, criteria, Context(profiled=profiled))


@pytest.fixture
def profiled() -> list[Pair]:
    return [_profiled(pair_of(number, BEFORE, AFTER)) for number in (4, 5)]


def test_counts_alone_say_how_much_and_not_why() -> None:
    counted = _compared()
    assert counted.verdict is Verdict.REGRESSED
    assert causes_of(counted, "allocation", "") == ()
    assert unexplained(counted, Tier.QUICK) == "allocation per request"
    (missing,) = [each for each in counted.findings[0].not_looked if each.name == "hot-frame"]
    assert missing.lacks == "an allocation profile, which the full tier takes"


def test_two_pairs_with_profiles_name_the_method(profiled: list[Pair]) -> None:
    explained = _compared(profiled=profiled)
    (cause,) = causes_of(explained, "allocation", "")
    assert cause.statement.startswith("shop.Overviews.copied: +")
    assert cause.share is not None
    assert cause.share.low < 1 < cause.share.high
    assert unexplained(explained, Tier.QUICK) is None
    assert [flame.event for flame in explained.flames] == ["alloc"]


def test_they_change_no_verdict_and_no_figure(profiled: list[Pair]) -> None:
    counted, explained = _compared(), _compared(profiled=profiled)
    assert explained.judgements == counted.judgements
    assert (explained.pairs, explained.noise) == (counted.pairs, counted.noise)


def test_pairs_that_cannot_be_trusted_explain_nothing(profiled: list[Pair]) -> None:
    ended = [replace(pair, record=replace(pair.record, windows=())) for pair in profiled]
    assert causes_of(_compared(profiled=ended), "allocation", "") == ()


def test_allocation_in_the_full_tier_has_its_profile_already() -> None:
    assert unexplained(_compared(), Tier.FULL) is None


@pytest.mark.parametrize(("was", "is_now", "asked"), [(2, 101, None), (101, 2, "allocation per request")])
def test_where_more_statements_come_with_it_no_profile_is_asked_for(was: int, is_now: int, asked: str | None) -> None:
    before = Build(callers={LIST: {"shop.Overviews.page": was}, READ: {"shop.Orders.find": 1}})
    after = replace(AFTER, callers={LIST: {"shop.Overviews.page": is_now}, READ: {"shop.Orders.find": 1}})
    pairs = [pair_of(number, before, after) for number in (1, 2, 3)]
    compared = compare_pairs(pairs, replace(CRITERIA, comparisons=1, application=("shop.",)), Context())
    assert [cause.name for cause in causes_of(compared, "statements", "")] == ["more-calls"]
    assert causes_of(compared, "allocation", "") == ()
    assert unexplained(compared, Tier.QUICK) == asked
