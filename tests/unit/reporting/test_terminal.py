from __future__ import annotations

from dataclasses import replace

from pacecar.model.comparison import Verdict
from pacecar.reporting.document import Document
from pacecar.reporting.document.build import build_document
from pacecar.reporting.terminal import summary
from support.documents import Run, cause

REGRESSED = """\
REGRESSED  GET /orders p99 is 12.4% slower, 20.6 ms instead of 18.3 ms (and 1 more gated metric)
  slower  GET /orders p99  +12.4% [+8.0, +16.8]  18.3 -> 20.6 ms  (budget 5%, 5 pairs)
  more    CPU per request  +8.1% [+6.0, +10.2]   1.92 -> 2.08 ms  (budget 5%, 5 pairs)
  faster  GET /search p99  -9.2% [-12.3, -6.1]   41 -> 37.2 ms    (budget 5%, 5 pairs, not gated)
  slower  GET /orders p50  +11.7% [+9.3, +14.1]  6.1 -> 6.81 ms   (5 pairs, not gated)
unchanged: 9 metrics   inconclusive: POST /orders p99 (about 4 more pairs)
Likely cause: JacksonEncoder.write +0.41 CPU ms per request on http-worker
Warning: The load generator paused for 38 ms in pair 5; its latencies hold that pause.
5 pairs side by side, 1 voided; AMD EPYC 7B13, 2 cores; 14 min 49 s, harness 5%
Next: pacecar open"""

UNCHANGED = """\
UNCHANGED  No change: both gated metrics stay within budget
  unchanged  allocation per request  +0.4% [+0.1, +0.7]       184 -> 185 kB   (budget 2%, 5 pairs)
  unchanged  errors                  0 points [-0.05, +0.05]  0.02 -> 0.02 %  (budget 0.5 points, 5 pairs)
unchanged: 2 metrics
5 pairs side by side; AMD EPYC 7B13, 2 cores; 14 min 49 s, harness 5%
Next: pacecar open"""


def test_a_regression_in_ten_lines(document: Document) -> None:
    assert summary(document, colour=False) == REGRESSED


def test_no_change_names_what_was_promised(example: Run) -> None:
    comparison = replace(
        example.comparison,
        verdict=Verdict.UNCHANGED,
        judgements=example.comparison.judgements[2:4],
        findings=(),
        voided={},
        warnings=(),
    )

    assert summary(build_document(comparison, example.manifest, None, ()), colour=False) == UNCHANGED


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

    assert "5 forks against the stored baseline 2025-11-01-aaaa" in summary(stored, colour=False)


def test_an_invalid_run_gives_its_reason(document: Document) -> None:
    invalid = replace(
        document, verdict=Verdict.INVALID, headline="The load generator was saturated.", judgements=(), findings=()
    )

    assert summary(invalid, colour=False).startswith("INVALID  The load generator was saturated.\n")
    assert summary(invalid, colour=False).endswith("Next: pacecar doctor, then measure again")
