"""Two tiers told as one: whose verdict it is, in every combination, and what stands where."""

from __future__ import annotations

import itertools
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from pacecar.model.comparison import Role, Verdict
from pacecar.model.tiers import Tier
from pacecar.reporting.comment import COMMENT_LIMIT, MARKER, comment
from pacecar.reporting.document import Document
from pacecar.reporting.junit import junit, junit_of_tiers
from pacecar.reporting.tiers import Tiers, headline, sentence, tiers_comment
from support.documents import HOSTILE, passed, run

EXAMPLE = run()
REGRESSED = EXAMPLE.document()
PASSED = replace(EXAMPLE, comparison=passed()).document()
OPEN = (Verdict.INCONCLUSIVE, Verdict.INVALID)
#: Quick, full -> of both, and who decided.
BOTH: dict[tuple[str, str], tuple[str, str]] = {
    ("regressed", "regressed"): ("regressed", "full"),
    **{("regressed", full): ("regressed", "quick") for full in ("improved", "passed", "inconclusive", "invalid")},
    **{
        (quick, full.value): (full.value, "full")
        for quick in ("inconclusive", "invalid", "improved")
        for full in Verdict
    },
    **{("passed", full): (full, "full") for full in ("regressed", "invalid", "inconclusive", "passed")},
    ("passed", "improved"): ("passed", "quick"),
}


def _with(verdict: str) -> Document:
    return REGRESSED if verdict == "regressed" else replace(PASSED, verdict=Verdict(verdict))


def _accepted(document: Document) -> Document:
    judged = tuple(
        replace(each, accepted="until 2027-01-01 by ada: it is worth it") if each.verdict is Verdict.REGRESSED else each
        for each in document.judgements
        if each.verdict is not Verdict.INCONCLUSIVE
    )
    return replace(document, judgements=judged)


@pytest.mark.parametrize(("quick", "full"), BOTH)
def test_the_verdict_is_the_worse_but_for_what_the_quick_tier_left_open(quick: str, full: str) -> None:
    tiers = Tiers(quick=_with(quick), full=_with(full))
    verdict, decided = BOTH[quick, full]
    assert (tiers.verdict.value, tiers.decided.value) == (verdict, decided)
    assert tiers.standing is tiers.verdict
    assert tiers.deciding is (tiers.full if decided == "full" else tiers.quick)
    assert {id(tiers.deciding), id(tiers.other)} == {id(tiers.quick), id(tiers.full)}
    assert headline(tiers).startswith(f"{verdict.upper()}  by the {decided} tier. ")


def test_no_full_tier_makes_a_regression_by_counts_any_better() -> None:
    for full in Verdict:
        tiers = Tiers(quick=REGRESSED, full=_with(full.value))
        assert tiers.verdict is tiers.standing is Verdict.REGRESSED
    for failure in ("", "It does not start."):
        assert Tiers(quick=REGRESSED, failure=failure).standing is Verdict.REGRESSED


@pytest.mark.parametrize("verdict", Verdict)
def test_without_a_full_tier_the_quick_one_decides(verdict: Verdict) -> None:
    for failure in ("", "It does not start."):
        tiers = Tiers(quick=_with(verdict.value), failure=failure)
        assert (tiers.verdict, tiers.decided, tiers.deciding, tiers.other) == (verdict, Tier.QUICK, tiers.quick, None)


def test_what_is_accepted_is_left_aside_and_what_is_not_decides() -> None:
    accepted = _accepted(REGRESSED)
    assert accepted.standing is Verdict.PASSED
    alone = Tiers(quick=accepted, full=PASSED)
    assert (alone.verdict, alone.standing, alone.decided) == (Verdict.REGRESSED, Verdict.PASSED, Tier.QUICK)
    assert alone.regressions == ()
    # Both say "regressed"; only the quick tier's counts.
    mixed = Tiers(quick=REGRESSED, full=accepted)
    assert (mixed.standing, mixed.decided) == (Verdict.REGRESSED, Tier.QUICK)
    assert "Accepted" not in tiers_comment(mixed, marker=MARKER).splitlines()[1]
    assert headline(alone).startswith("REGRESSED, ACCEPTED  by the quick tier.")


def test_each_metric_that_regressed_counts_once() -> None:
    other = replace(
        REGRESSED, judgements=(replace(REGRESSED.judgements[0], endpoint="GET /other"), *REGRESSED.judgements)
    )
    tiers = Tiers(quick=other, full=REGRESSED)
    assert len(tiers.regressions) == len(REGRESSED.regressions) + 1
    assert tiers.regressions[: len(REGRESSED.regressions)] == REGRESSED.regressions


@pytest.mark.parametrize(
    ("tiers", "said"),
    [
        (Tiers(quick=PASSED), "The quick tier passed; the full one was not run."),
        (
            Tiers(quick=PASSED, failure="It does not start."),
            "The quick tier passed; the full one was called for and could not be measured: It does not start.",
        ),
        (
            Tiers(quick=REGRESSED, full=PASSED),
            "The quick tier found a regression by exact counts; the full one passed, which does not overrule them.",
        ),
        (
            Tiers(quick=PASSED, full=_with("improved")),
            "The quick tier passed, and its exact counts are the best answer of both; the full one found an "
            "improvement.",
        ),
        (
            Tiers(quick=_with("inconclusive"), full=PASSED),
            "The full tier decides: it passed, while the quick tier could not decide.",
        ),
        (
            Tiers(quick=REGRESSED, full=REGRESSED),
            "The full tier found a regression; the quick tier found a regression.",
        ),
        (Tiers(quick=PASSED, full=REGRESSED), "The full tier found a regression; the quick tier passed."),
    ],
)
def test_the_sentence_says_who_found_what(tiers: Tiers, said: str) -> None:
    assert sentence(tiers) == said
    assert said in tiers_comment(tiers, marker=MARKER)


def test_the_deciding_tier_stands_in_front_and_the_other_is_folded_whole() -> None:
    tiers = Tiers(quick=REGRESSED, full=PASSED, why="The quick tier found a regression, which calls for the full one.")
    told = tiers_comment(tiers, marker=MARKER, report_url="https://github.com/a/b")
    alone = comment(REGRESSED, report_url="https://github.com/a/b")
    assert told.splitlines()[:2] == alone.splitlines()[:2]
    assert told.count("\n### ") == 1
    assert (tiers.why or "-") in told
    rows = [line for line in told.splitlines() if line.startswith(("| quick |", "| full |"))]
    assert len(rows) == 2
    assert "regressed | exact counts, endpoint by endpoint; no latency, no CPU: 17 metrics in 5 pairs" in rows[0]
    assert "passed | latency and CPU under load" in rows[1]
    front, folded = told.split("<summary>The full tier</summary>")
    assert "Hottest changed frames" in front
    assert "No regression" in folded
    assert f" of {len(PASSED.judgements)} metrics" in folded
    assert told.count("<details>") == told.count("</details>")
    assert told.count("https://github.com/a/b") == 1


def test_a_full_tier_that_is_lacking_is_not_green() -> None:
    told = tiers_comment(Tiers(quick=PASSED, failure="The candidate does not start."), marker=MARKER)
    assert told.splitlines()[1] == "### \N{CROSS MARK} The full tier could not be measured; the quick one passed"
    assert "| full | \N{CROSS MARK} failed |  | The candidate does not start. |" in told
    grave = tiers_comment(Tiers(quick=REGRESSED, failure="The candidate does not start."), marker=MARKER)
    assert grave.splitlines()[1].startswith("### \N{LARGE RED CIRCLE} Regressed")


def test_one_tier_alone_has_one_row_and_nothing_folded_of_another() -> None:
    same = replace(PASSED, mode="unmeasured", headline="The builds are the same", reason="Nothing was measured")
    told = tiers_comment(Tiers(quick=same, why="The builds are the same."), marker=MARKER)
    assert "the builds, file by file" in told
    assert "| full |" not in told
    assert "The full tier</summary>" not in told


@pytest.mark.parametrize("limit", [COMMENT_LIMIT, 8_000, 2_500, 300])
def test_no_limit_is_passed_and_the_heading_stays(limit: int) -> None:
    for quick, full in itertools.product((REGRESSED, PASSED), repeat=2):
        told = tiers_comment(Tiers(quick=quick, full=full, why="x" * 5_000), marker=MARKER, limit=limit)
        assert len(told) <= limit
        assert told.startswith(f"{MARKER}\n### ")
        assert told.count("<details>") == told.count("</details>")


@pytest.mark.hostile
def test_why_and_failure_of_strangers_are_text() -> None:
    said = f"@all {HOSTILE} | x\n# y" * 900
    told = tiers_comment(Tiers(quick=PASSED, failure=said, why=said), marker=MARKER)
    for live in ("<img", "@all", "\n# "):
        assert live not in told
    assert len(told) < len(comment(PASSED)) + 4_000
    assert "\n" not in headline(Tiers(quick=PASSED, failure=said))


def test_junit_has_a_suite_for_each_tier() -> None:
    both = ElementTree.fromstring(junit_of_tiers(Tiers(quick=REGRESSED, full=PASSED)))
    assert [suite.get("name") for suite in both] == ["pacecar quick", "pacecar full"]
    alone = [len(list(ElementTree.fromstring(junit(each)).iter("testcase"))) for each in (REGRESSED, PASSED)]
    assert [len(list(suite.iter("testcase"))) for suite in both] == alone
    assert len(list(both.iter("failure"))) == len(REGRESSED.regressions)
    failed = ElementTree.fromstring(junit_of_tiers(Tiers(quick=PASSED, failure="It does not start.")))
    (error,) = failed.iter("error")
    assert error.text == "It does not start."
    assert failed[1].get("errors") == "1"
    assert len(ElementTree.fromstring(junit_of_tiers(Tiers(quick=PASSED)))) == 1


def test_the_example_has_what_these_tests_are_about() -> None:
    assert REGRESSED.verdict is Verdict.REGRESSED
    assert any(each.role is Role.GUARANTEED for each in REGRESSED.regressions)
    assert PASSED.verdict is Verdict.PASSED
