"""That a machine which ran faster beside one of the builds is told where it may be why nothing was decided."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from pacecar.analysis.validity.pace import uneven_pace
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.model.tables import TABLES
from pacecar.reporting.document.warning_lines import warning_lines


def _paced(pair: Pair, candidate_ns: float, *, loops: int = 100) -> Pair:
    """The pair, whose loops took 150 µs beside the baseline, and so long beside the candidate."""
    took_ns = {Side.BASELINE: 150_000.0, Side.CANDIDATE: candidate_ns}
    forks = {}
    for side, fork in pair.forks.items():
        rows = [(each.index, 0, loops, took_ns[side]) for each in pair.record.windows if each.side is side]
        table = pd.DataFrame(rows, columns=list(TABLES["pace"])).astype(TABLES["pace"])
        forks[side] = replace(fork, tables=fork.tables | {"pace": table})
    return replace(pair, forks=forks)


@pytest.mark.parametrize("candidate_ns", [181_500.0, 150_000.0 / 1.21])
def test_the_largest_difference_is_told(make_pairs, candidate_ns: float) -> None:
    even, uneven, unknown = make_pairs(3)
    pairs = [_paced(even, 150_000.0), _paced(uneven, candidate_ns), unknown]
    (told,) = warning_lines(uneven_pace(pairs, Verdict.INCONCLUSIVE))
    assert told == (
        "The same work took up to 21% more CPU time in the windows of one build than in those of the other, whatever "
        "ran there: others may use the same physical cores. More pairs even this out: plan.pairs."
    )


@pytest.mark.parametrize("verdict", [Verdict.PASSED, Verdict.REGRESSED])
def test_whoever_has_an_answer_is_told_nothing(make_pairs, verdict: Verdict) -> None:
    assert uneven_pace([_paced(pair, 200_000.0) for pair in make_pairs(3)], verdict) == []


def test_what_differs_little_or_is_not_known_is_not_told(make_pairs) -> None:
    assert uneven_pace([_paced(pair, 154_000.0) for pair in make_pairs(3)], Verdict.INCONCLUSIVE) == []
    assert uneven_pace([_paced(pair, 200_000.0, loops=5) for pair in make_pairs(3)], Verdict.INCONCLUSIVE) == []
    assert uneven_pace(make_pairs(3), Verdict.INCONCLUSIVE) == []
