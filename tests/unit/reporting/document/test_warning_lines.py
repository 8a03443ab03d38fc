"""Warnings of pairs as the judge gives them, and the few lines that a reader gets."""

from __future__ import annotations

import ast
from dataclasses import replace

from pacecar.analysis.validity.pairs import sift
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.reporting.document.tidy import TEXT_LIMIT
from pacecar.reporting.document.warning_lines import ADVICE, warning_lines
from support.checkout import CHECKOUT
from support.documents import Run


def _unsettled(pair: Pair, said: str) -> Pair:
    forks = dict(pair.forks)
    baseline = forks[Side.BASELINE]
    forks[Side.BASELINE] = replace(baseline, record=replace(baseline.record, unsettled=said))
    return replace(pair, forks=forks)


def test_what_the_judge_says_of_several_pairs_is_one_line_with_a_remedy(example: Run) -> None:
    pairs = [
        _unsettled(pair, f"CPU per request still fell by {share}% in 10 s") if share else pair
        for pair, share in zip(example.pairs, (0, 26, 0, 9, 13, 0), strict=True)
    ]
    remarks = sift(pairs).remarks
    assert len(remarks) == 3

    assert warning_lines(remarks) == (
        "Pairs 2, 4 and 5: the baseline was not steady yet when it was measured: CPU per request still fell by 9% to "
        "26% in 10 s. Warm up longer: plan.warmup.",
    )


def test_pairs_that_were_left_out_for_one_reason_are_one_line() -> None:
    why = "other processes took {}% of the CPU during windows of the baseline."

    assert warning_lines([f"Pair {each} was left out: {why.format(70 + each)}" for each in (1, 3)]) == (
        "Pairs 1 and 3 were left out: other processes took 71% to 73% of the CPU during windows of the baseline. "
        "End what else runs on the machine, or use a quieter one.",
    )


def test_pairs_that_follow_each_other_are_a_range() -> None:
    (line,) = warning_lines(
        [f"Pair {each}: the baseline was not steady yet when it was measured: no." for each in (2, 3, 4)]
    )

    assert line.startswith("Pairs 2 to 4: the baseline was not steady")


def test_different_sides_and_reasons_stay_apart() -> None:
    lines = warning_lines(
        [
            "Pair 1: the baseline was not steady yet when it was measured: it compiled.",
            "Pair 1: the candidate was not steady yet when it was measured: it compiled.",
            "Pair 2 was left out: the candidate died: killed by signal 9.",
        ]
    )

    assert len(lines) == 3


def test_what_spoils_most_stands_first_and_what_nobody_ranked_last() -> None:
    lines = warning_lines(
        [
            "Something new.",
            "Pair 1: the baseline was not steady yet when it was measured: it compiled.",
            "The baseline kept its cores busy for 88% of its windows. Lower the rate.",
            "30% of the requests to GET /a failed on both sides (status 500): mend its path.",
        ]
    )

    assert [line.partition(" ")[0] for line in lines] == ["30%", "The", "Pair", "Something"]
    assert lines[1].endswith("windows. Lower the rate."), "it says itself what to do"
    assert lines[3] == "Something new."


def test_what_advice_goes_by_is_what_the_judge_says() -> None:
    said = {
        node.value
        for path in (CHECKOUT / "harness" / "pacecar" / "analysis").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }

    assert [phrase for phrase, _ in ADVICE if not any(phrase in each for each in said)] == []


def test_figures_of_other_warnings_are_left_alone() -> None:
    twice = ["Asked of the baseline only: GET /v1.", "Asked of the baseline only: GET /v2."]

    lines = warning_lines(twice)

    assert len(lines) == 2


def test_advice_stays_whole_however_long_the_warning() -> None:
    (line,) = warning_lines(["Pair 1: the baseline was not steady yet when it was measured: " + "x" * 500])

    assert len(line) <= TEXT_LIMIT
    assert line.endswith("… Warm up longer: plan.warmup.")


def test_a_large_count_keeps_its_commas() -> None:
    told = "Fork {}: {} requests were recorded of 1,500 arrivals planned for the candidate."

    (line,) = warning_lines([told.format(1, "1,020"), told.format(2, "980")])

    assert line.startswith("Forks 1 and 2: 980 to 1,020 requests were recorded of 1,500 arrivals planned")
