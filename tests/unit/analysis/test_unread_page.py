"""A metrics page that never came is told; one that came at times is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.model.recording import Pair

LATE = "The metrics page did not arrive within 0.2 s."


@pytest.fixture
def pairs(make_pairs, truth) -> Callable[..., list[Pair]]:
    def _pairs(**errors: list[str]) -> list[Pair]:
        return [_with(pair, errors) for pair in make_pairs(2, baseline=truth(), candidate=truth())]

    return _pairs


def _with(pair: Pair, errors: dict[str, list[str]]) -> Pair:
    forks = {}
    for side, fork in pair.forks.items():
        windows = [window.index for window in pair.record.windows if window.side is side]
        scrapes = fork.tables["scrapes"].iloc[:0]
        for window, error in zip(windows, errors.get(side.value, []), strict=False):
            scrapes.loc[len(scrapes)] = dict.fromkeys(scrapes, 0) | {"window": window, "edge": "end", "error": error}
        forks[side] = replace(fork, tables={**fork.tables, "scrapes": scrapes})
    return replace(pair, forks=forks)


def told(recorded: list[Pair]) -> list[str]:
    statements = [str(each.statement) for each in compare_pairs(recorded, Criteria()).cautions]
    return [each for each in statements if each.startswith("No metrics page")]


def test_pages_that_never_came(pairs) -> None:
    assert told(pairs(baseline=[LATE, LATE], candidate=[LATE])) == [
        "No metrics page of either side could be read, so the metrics on it are not known. The metrics page did "
        "not arrive within 0.2 s"
    ]
    (sentence,) = told(pairs(baseline=["", LATE], candidate=[LATE]))
    assert sentence.startswith("No metrics page of the candidate could be read")


def test_pages_that_came_at_times_or_were_not_asked_for(pairs) -> None:
    assert told(pairs(baseline=["", LATE], candidate=[LATE, ""])) == []
    assert told(pairs()) == []
