from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.model.comparison import Verdict
from pacecar.reporting.document import Document
from pacecar.reporting.document.build import build_document
from pacecar.reporting.terminal import summary
from support.documents import Run
from support.findings import cause

REGRESSED = """\
REGRESSED  GET /orders p99 is 12.4% slower, 20.6 ms instead of 18.3 ms (and 1 more metric)
  slower  GET /orders p99  +12.4% [+8.0, +16.8]  18.3 -> 20.6 ms  (budget 5%, 5 pairs)
  more    CPU per request  +8.1% [+6.0, +10.2]   1.92 -> 2.08 ms  (budget 5%, 5 pairs)
  faster  GET /search p99  -9.2% [-12.3, -6.1]   41 -> 37.2 ms    (budget 5%, 5 pairs, tripwire)
  slower  GET /orders p50  +11.7% [+9.3, +14.1]  6.1 -> 6.81 ms   (5 pairs, decides nothing)
passed: 3 other guaranteed metrics   inconclusive: tail latency (about 4 more pairs)
Likely cause: JacksonEncoder.write +0.41 CPU ms per request on http-worker
  90% of the change in the mean [70, 110]
  CPU time per request: 0.62 ms -> 1.03 ms, +0.41 ms [+0.31 ms, +0.51 ms]
  follows from it: Requests wait longer for other threads.
  not looked for: Calls per request needs the metrics page of every fork; target.metrics records it
The slowest GET /orders took 48 ms, usually 6.3 ms.
Warning: The load generator paused for 38 ms in pair 5; its latencies hold that pause.
5 pairs side by side, 1 voided; AMD EPYC 7B13, 2 cores; 14 min 49 s, harness 5%
Next: pacecar open"""

PASSED = """\
PASSED  No regression
Ruled out: typical latency more than 3% worse, allocation per request 0.7%, errors 0.05 points.
  faster  GET /search p99  -9.2% [-12.3, -6.1]  41 -> 37.2 ms  (budget 5%, 5 pairs, tripwire)
5 pairs side by side; AMD EPYC 7B13, 2 cores; 14 min 49 s, harness 5%
Next: pacecar open"""


def test_a_regression_with_its_root_and_what_follows(document: Document) -> None:
    assert summary(document, colour=False) == REGRESSED


def test_of_a_root_three_lines_of_evidence_are_told(document: Document) -> None:
    (root,) = document.findings[0].causes
    several = tuple(replace(root.facts[0], quantity=f"quantity {number}") for number in range(5))
    finding = replace(document.findings[0], causes=(replace(root, facts=several), replace(root, statement="Another.")))
    text = summary(replace(document, findings=(finding,)), colour=False)
    assert "90% of the change" in text
    assert [number for number in range(5) if f"quantity {number}" in text] == [0, 1]
    assert "Another." not in text


def test_where_the_first_finding_has_no_cause_the_next_one_that_has_is_told(document: Document) -> None:
    first, second = document.findings[0], next(each for each in document.judgements if each.name == "cpu")
    without = replace(first, causes=())
    text = summary(replace(document, findings=(without, replace(first, metric=second))), colour=False)
    assert "Likely cause of more CPU per request: JacksonEncoder.write +0.41" in text
    assert "No cause is certain" not in text
    assert "\nNo cause is certain." in summary(replace(document, findings=(without,)), colour=False)


def test_a_pass_says_what_is_ruled_out(quiet: Document) -> None:
    assert summary(quiet, colour=False) == PASSED


def test_what_is_undecided_comes_with_its_reason(document: Document) -> None:
    left = tuple(metric for metric in document.judgements if metric.verdict is not Verdict.REGRESSED)
    undecided = replace(
        document, verdict=Verdict.INCONCLUSIVE, headline="Not decided", reason="Why.", judgements=left, findings=()
    )

    lines = summary(undecided, colour=False).splitlines()

    assert lines[:2] == ["INCONCLUSIVE  Not decided", "Why."]
    assert lines[2].startswith("  inconclusive  tail latency     +9.4% [-1.8, +20.6]")
    assert not any("POST /orders p99" in line for line in lines), "a tripwire leaves nothing undecided"


def test_three_warnings_and_how_many_more(document: Document) -> None:
    many = replace(document, warnings=tuple(f"Number {number}." for number in range(5)))

    lines = summary(many, colour=False).splitlines()

    assert [line for line in lines if line.startswith("Warning")] == [f"Warning: Number {each}." for each in range(3)]
    assert "and 2 more warnings in the report" in lines


def test_at_most_eight_rows(document: Document) -> None:
    many = replace(document, judgements=document.judgements[:1] * 12)

    lines = summary(many, colour=False).splitlines()

    assert sum(line.startswith("  slower") for line in lines) == 8
    assert "  and 4 more in the report" in lines


def test_colour_adds_nothing_but_colour(document: Document) -> None:
    coloured = summary(document, colour=True)

    assert "\x1b[1;31mREGRESSED" in coloured
    assert "\x1b" not in summary(document, colour=False)


def test_markup_and_escapes_of_a_build_are_text(example: Run) -> None:
    finding = replace(example.comparison.findings[0], causes=(cause("[bold red]x[/] \x1b]0;title\x07 a.B\x1b[2J"),))
    comparison = replace(example.comparison, findings=(finding,))

    text = summary(build_document(comparison, example.manifest, None, ()), colour=False)

    assert "Likely cause: [bold red]x[/] �]0;title� a.B�[2J" in text
    assert "\x1b" not in text


def test_a_stored_comparison_says_so(document: Document) -> None:
    stored = replace(document, mode="stored", baseline_run_id="2025-11-01-aaaa")

    text = summary(stored, colour=False)
    assert "5 forks against the stored baseline 2025-11-01-aaaa" in text
    assert "(budget 5%, 5 forks)" in text
    assert "pairs" not in text.replace("more pairs", "")


def test_an_invalid_run_gives_its_reason(document: Document) -> None:
    invalid = replace(
        document, verdict=Verdict.INVALID, headline="The load generator was saturated.", judgements=(), findings=()
    )

    assert summary(invalid, colour=False).startswith("INVALID  The load generator was saturated.\n")
    assert summary(invalid, colour=False).endswith("Next: pacecar doctor, then measure again")


def test_what_more_pairs_would_decide_ends_with_the_command_that_measures_them(document: Document) -> None:
    undecided = replace(document, verdict=Verdict.INCONCLUSIVE)
    command = "Next: pacecar compare --baseline main --candidate faster-json --pairs 9"
    assert summary(undecided, colour=False).splitlines()[-1] == command

    hopeless = tuple(replace(metric, pairs_needed=None) for metric in undecided.judgements)
    for other in (replace(undecided, judgements=hopeless), replace(undecided, mode="stored")):
        assert summary(other, colour=False).splitlines()[-1] == "Next: pacecar open"


def test_what_is_above_its_largest_value_is_not_called_faster(document: Document) -> None:
    metric = document.judgements[0]
    assert metric.estimate is not None
    faster = replace(metric.estimate, change=-0.03, low=-0.04, high=-0.02)
    above = replace(metric, budget_relative=None, budget_absolute=20.0, estimate=faster)
    text = summary(replace(document, judgements=(above,), findings=()), colour=False)
    assert "  regressed  GET /orders p99  -3.0% [-4.0, -2.0]  18.3 -> 20.6 ms  (at most 20 ms, 5 pairs)" in text


def test_a_long_reason_makes_no_other_row_longer(document: Document) -> None:
    dead = replace(document.judgements[0], name="deaths", endpoint="", estimate=None, reason="died " * 40)
    rows = summary(replace(document, judgements=(dead, *document.judgements)), colour=False).splitlines()
    assert "  regressed  forks that died  died died" in rows[1]
    assert "  slower     GET /orders p99  +12.4% [+8.0, +16.8]  18.3 -> 20.6 ms  (budget 5%, 5 pairs)" in rows


def test_one_is_not_told_as_several(document: Document) -> None:
    first = document.findings[0]
    lacking = replace(first.not_looked[0], title="Waiting")
    one_core = replace(document.provenance, machine=replace(document.provenance.machine, cores=1))
    undecided = next(metric for metric in document.judgements if metric.pairs_needed)
    text = summary(
        replace(
            document,
            findings=(replace(first, not_looked=(lacking,) * 4),),
            provenance=one_core,
            judgements=tuple(
                replace(metric, pairs_needed=1) if metric is undecided else metric for metric in document.judgements
            ),
        ),
        colour=False,
    )
    assert "  and 1 more kind of cause\n" in text
    assert ", 1 core;" in text
    assert "tail latency (about 1 more pair)" in text


@pytest.mark.parametrize("verdict", list(Verdict))
def test_an_interrupted_run_that_is_undecided_goes_on(document: Document, verdict: Verdict) -> None:
    last = summary(replace(document, verdict=verdict), colour=False, unfinished="20261127-091010-82ec").splitlines()[-1]
    assert ("pacecar resume 20261127-091010-82ec" in last) is (verdict is Verdict.INCONCLUSIVE)
