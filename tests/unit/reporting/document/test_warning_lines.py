"""Cautions of pairs as the judge gives them, and the few lines that a reader gets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.analysis.validity.pairs import sift
from pacecar.model.caution import Caution, CautionKind, Figure, Statement, Subject
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair
from pacecar.reporting.document.tidy import TEXT_LIMIT
from pacecar.reporting.document.warning_lines import warning_lines
from support.documents import Run


def _unsettled(pair: Pair, said: str) -> Pair:
    forks = dict(pair.forks)
    baseline = forks[Side.BASELINE]
    forks[Side.BASELINE] = replace(baseline, record=replace(baseline.record, unsettled=said))
    return replace(pair, forks=forks)


def _died(pair: Pair, how: str) -> Pair:
    forks = dict(pair.forks)
    candidate = forks[Side.CANDIDATE]
    forks[Side.CANDIDATE] = replace(candidate, record=replace(candidate.record, died=how))
    return replace(pair, forks=forks)


def _of_pair(number: int, caution: Caution, *, left_out: bool = False) -> Caution:
    return replace(caution, about=Subject(unit="pair", number=number, left_out=left_out))


def _unsteady(side: Side = Side.BASELINE, how: str = "it compiled") -> Caution:
    remedy = "Warm up longer: plan.warmup."
    return Caution.of(CautionKind.UNSTEADY, "the {side} was not steady: {how}", side=side, how=how, remedy=remedy)


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
    cautions = [
        _of_pair(
            number,
            Caution.of(
                CautionKind.CPU_OF_OTHERS,
                "other processes used {share} of the CPU during windows of the baseline",
                share=Figure.percent(share),
                remedy="Use a quieter machine.",
            ),
            left_out=True,
        )
        for number, share in ((1, 0.73), (3, 0.71))
    ]

    assert warning_lines(cautions) == (
        "Pairs 1 and 3 were left out: other processes used 71% to 73% of the CPU during windows of the baseline. "
        "Use a quieter machine.",
    )


def test_pairs_that_follow_each_other_are_a_range() -> None:
    (line,) = warning_lines([_of_pair(number, _unsteady()) for number in (2, 3, 4)])

    assert line.startswith("Pairs 2 to 4: the baseline was not steady")


def test_what_is_said_twice_of_one_pair_is_said_once() -> None:
    assert warning_lines([_of_pair(2, _unsteady())] * 2) == warning_lines([_of_pair(2, _unsteady())])
    assert warning_lines([_unsteady()] * 2) == warning_lines([_unsteady()])


def test_different_sides_and_reasons_stay_apart() -> None:
    lines = warning_lines(
        [
            _of_pair(1, _unsteady(Side.BASELINE)),
            _of_pair(1, _unsteady(Side.CANDIDATE)),
            _of_pair(2, _unsteady(Side.CANDIDATE), left_out=True),
        ]
    )

    assert len(lines) == 3


def test_deaths_of_different_kinds_stay_apart(example: Run) -> None:
    first, second, third, *_ = example.pairs
    pairs = [_died(first, "ended with status 1"), _died(second, "ended with status 3"), _died(third, "is gone")]

    lines = warning_lines(sift(pairs).cautions)

    assert [line.partition(". ")[0] for line in lines] == [
        "Pair 1 was left out: the candidate died: ended with status 1",
        "Pair 2 was left out: the candidate died: ended with status 3",
        "Pair 3 was left out: the candidate died: is gone",
    ]


def test_forks_of_a_stored_baseline_are_named_as_such(example: Run) -> None:
    pairs = [_died(pair, "is gone") for pair in example.pairs[:2]]

    (line,) = warning_lines(sift(pairs, sides=(Side.CANDIDATE,)).of_side(Side.BASELINE).cautions)

    assert line.startswith("Forks 1 and 2 of the baseline were left out: the candidate died: is gone. See ")


def test_what_spoils_most_stands_first() -> None:
    lines = warning_lines(
        [
            Caution.of(CautionKind.NEEDLESS_ACCEPTANCE, "Cpu is accepted"),
            _of_pair(1, _unsteady()),
            Caution.of(CautionKind.OVERLOAD, "The baseline kept its cores busy", remedy="Lower the rate."),
            Caution.of(CautionKind.FAILING_REQUESTS, "30% of the requests to GET /a failed"),
        ]
    )

    assert lines == (
        "30% of the requests to GET /a failed.",
        "The baseline kept its cores busy. Lower the rate.",
        "Pair 1: the baseline was not steady: it compiled. Warm up longer: plan.warmup.",
        "Cpu is accepted.",
    )


def test_names_that_differ_in_a_digit_are_no_figures() -> None:
    lines = warning_lines(
        [_of_pair(number, Caution.of(CautionKind.SHORTFALL, "GET /{name}", name=f"v{number}")) for number in (1, 2)]
    )

    assert lines == ("Pair 1: GET /v1.", "Pair 2: GET /v2.")


def test_advice_stays_whole_however_long_the_warning() -> None:
    (line,) = warning_lines([_of_pair(1, _unsteady(how="x" * 500))])

    assert len(line) <= TEXT_LIMIT
    assert line.endswith("… Warm up longer: plan.warmup.")


def test_what_a_service_says_is_never_a_template() -> None:
    (line,) = warning_lines([_of_pair(1, _unsteady(how="{side} {0} {} %s {how.__class__}"))])

    assert "{side} {0} {} %s {how.__class__}" in line


def test_figures_are_ordered_by_value_and_keep_their_commas() -> None:
    def told(number: int, recorded: int) -> Caution:
        amount = Figure(value=recorded, shown=f"{recorded:,}")
        return _of_pair(number, Caution.of(CautionKind.SHORTFALL, "{recorded} of 1,500 arrivals", recorded=amount))

    assert warning_lines([told(1, 1020), told(2, 980)]) == ("Pairs 1 and 2: 980 to 1,020 of 1,500 arrivals.",)


def test_a_statement_has_a_place_for_each_figure() -> None:
    half = Figure.percent(0.5)
    inner = Statement.of("took {share} of it", share=half)

    outer = Statement.of("{inner}, then {share} more", inner=inner, share=half)

    assert str(outer) == "took 50% of it, then 50% more"
    assert outer == Statement(words=("took ", " of it, then ", " more"), figures=(half, half))
    with pytest.raises(ValueError, match="cannot hold"):
        Statement(words=("only",), figures=(half,))
