from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from datetime import date

import pytest
from markdown_it import MarkdownIt

from pacecar.model.comparison import Verdict
from pacecar.reporting.comment import COMMENT_LIMIT, MARKER, comment
from pacecar.reporting.document import Document
from pacecar.reporting.document.provenance_shapes import LibraryRow
from support.documents import HOSTILE

CALLS = "@octocat #12 https://example.org ::error::gone </details>"


def _rendered(document: Document) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").render(comment(document))


def test_the_first_line_answers_the_merge_question(document: Document) -> None:
    lines = comment(document).splitlines()
    assert lines[0] == MARKER
    assert lines[1] == "### \N{LARGE RED CIRCLE} Regressed: GET /orders p99 is 12.4% slower (budget 5%) and 1 more"


def test_a_comment_says_what_was_compared_what_moved_and_where(document: Document) -> None:
    text = comment(document, report_url="https://example.org/report")
    assert "`faster-json` (`9f3c1d2ab4`) against `main` (`9f3c1d2ab4`): 5 pairs side by side" in text
    assert (
        "| \N{LARGE RED CIRCLE} regressed | GET /orders p99 | +12.4% \\[+8.0, +16.8\\] | 18.3 → 20.6 ms | 5% |" in text
    )
    assert (
        "- `com.example.orders.json.JacksonEncoder.write`: CPU time per request +0.41 ms [+0.33 ms, +0.49 ms]" in text
    )
    assert "its code differs between the builds" in text
    assert "measure it again: `pacecar compare --baseline main" in text
    assert "[Report with flame graphs](https://example.org/report)" in text


def test_a_regression_comes_with_what_accepts_it(document: Document) -> None:
    text = comment(document)
    begin = text.index("```toml\n") + len("```toml\n")
    (table,) = tomllib.loads(text[begin : text.index("```", begin)])["accepted"]
    assert (table["metric"], table["endpoint"]) == ("latency.p99", "GET /orders")
    assert table["until"] == date(2026, 1, 19), "sixty days after the run"


def test_what_is_accepted_heads_the_comment_as_such(document: Document) -> None:
    told = "until 2027-01-31 by Ada: *checks* addresses now"
    accepted = replace(
        document,
        judgements=tuple(
            replace(m, accepted=told if m.verdict is Verdict.REGRESSED else None) for m in document.judgements
        ),
    )
    text = comment(accepted)
    assert text.splitlines()[1] == "### \N{LARGE ORANGE CIRCLE} Accepted: GET /orders p99 is 12.4% slower"
    assert "- GET /orders p99 is accepted until 2027-01-31 by Ada: \\*checks\\* addresses now" in text
    assert "measure it again" not in text


def test_a_pass_is_short_and_says_what_is_ruled_out(quiet: Document) -> None:
    text = comment(quiet)
    assert text.splitlines()[1] == (
        "### \N{LARGE GREEN CIRCLE} No regression. "
        "Ruled out: typical latency more than 3% worse, allocation per request 0.7%, errors 0.05 points."
    )
    assert "| \N{LARGE GREEN CIRCLE} passed, weak | tail latency |" in text
    assert "| more than 24% worse is ruled out |" in text
    assert "Hottest changed frames" not in text
    assert "measure it again" not in text


@pytest.mark.parametrize("verdict", [Verdict.INCONCLUSIVE, Verdict.IMPROVED])
def test_a_reason_that_the_heading_does_not_give_follows_it(document: Document, verdict: Verdict) -> None:
    text = comment(replace(document, verdict=verdict, reason="What is known, and what is not."))
    assert text.splitlines()[3] == "What is known, and what is not."


def test_an_undecided_metric_stands_with_its_reason(document: Document) -> None:
    text = comment(replace(document, verdict=Verdict.INCONCLUSIVE))
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert rows[2].startswith("| \N{LARGE YELLOW CIRCLE} inconclusive | tail latency | +9.4%")
    assert "about 4 more pairs would settle it" in rows[2]


def test_a_folded_table_holds_what_somebody_should_see_and_counts_the_rest(document: Document) -> None:
    text = comment(document)
    shown = text.partition(f"of {len(document.judgements)} metrics</summary>")[2].split("\n\n</details>", 1)[0]
    table, _, more = shown.rpartition("\n\n")
    rows = [line for line in table.splitlines() if line.startswith("| ")]
    assert "regressed" in rows[2]
    assert any("GET /search p99" in each for each in rows), "it improved"
    assert not any("GET /orders/{id} p90" in each for each in rows), "nothing is the matter with it"
    assert f"and {len(document.judgements) - len(rows) + 2} more in the report" == more


def test_a_frame_that_the_cause_tells_for_its_endpoint_is_not_told_again_for_all_of_them(document: Document) -> None:
    first, *others = document.findings
    frame = document.frames[0]
    scope = replace(first.causes[0].scope, frame=frame.frame, endpoint="GET /orders")
    fact = replace(first.causes[0].facts[0], quantity=frame.event.quantity, scope=scope)
    told = replace(first, causes=(replace(first.causes[0], facts=(fact,)),))
    text = comment(replace(document, findings=(told, *others)))
    assert f"`{frame.frame}`: {frame.event.quantity}" not in text
    assert f"`{frame.frame}`: Allocated per request" in text


def test_three_warnings_stand_first_and_the_rest_is_folded(document: Document) -> None:
    text = comment(replace(document, warnings=tuple(f"Number {number}." for number in range(5))))
    before, _, folded = text.partition("<summary>and 2 more</summary>")
    assert all(f"- Number {number}." in before for number in range(3))
    assert "- Number 3." not in before
    assert "- Number 4." in folded


def test_causes_are_no_part_of_the_warnings_above_them(document: Document) -> None:
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(comment(document))
    lists, depth, told = [], 0, ""
    for token in tokens:
        depth += {"bullet_list_open": 1, "bullet_list_close": -1}.get(token.type, 0)
        told += token.content if depth and token.type == "inline" else ""
        if token.type == "bullet_list_close" and depth == 0:
            lists.append(told)
            told = ""
    assert "The load generator paused" in lists[0]
    assert "Likely cause" not in lists[0]
    assert "Likely cause" in lists[1]


def test_a_frame_below_which_it_is_stands_apart_from_that_word(document: Document) -> None:
    diffuse = replace(document.frames[0], diffuse=True)
    assert f"- below `{diffuse.frame}`: CPU time" in comment(replace(document, frames=(diffuse,)))


def test_what_more_pairs_would_decide_comes_with_the_command_that_measures_them(document: Document) -> None:
    left = tuple(metric for metric in document.judgements if metric.verdict is not Verdict.REGRESSED)
    text = comment(replace(document, verdict=Verdict.INCONCLUSIVE, judgements=left))
    command = "pacecar compare --baseline main --candidate faster-json --pairs 9"
    assert f"To decide it, measure more pairs: `{command}`" in text
    assert "To decide it" not in comment(document)


def test_what_regressed_without_a_figure_is_called_so(document: Document) -> None:
    reason = "the candidate died in 3 of 3 forks: exit code 137"
    dead = replace(document.judgements[0], name="deaths", endpoint="", estimate=None, reason=reason)
    told = replace(document, headline=f"forks that died: {reason}.", judgements=(dead,))
    assert comment(told).splitlines()[1].endswith(f"Regressed: forks that died: {reason}.")


def test_an_invalid_run_ends_with_what_to_do(document: Document) -> None:
    text = comment(replace(document, verdict=Verdict.INVALID, judgements=(), findings=()))
    again = "pacecar compare --baseline main --candidate faster-json --pairs 6"
    assert f"Fix what disturbed it (`pacecar doctor` helps), and measure again: `{again}`" in text
    assert "Fix what disturbed it" not in comment(document)


def test_a_value_above_the_largest_one_heads_the_comment_once(document: Document) -> None:
    metric = replace(document.judgements[0], budget_relative=None, budget_absolute=20.0)
    text = comment(replace(document, judgements=(metric,)))
    assert text.splitlines()[1].endswith("Regressed: GET /orders p99: 20.6 ms, where at most 20 ms is tolerated")


def test_hostile_names_are_text(document: Document) -> None:
    metric = replace(document.judgements[0], endpoint=HOSTILE + CALLS, reason=CALLS)
    frame = replace(document.frames[0], frame=HOSTILE + CALLS, pool=CALLS)
    build = replace(document.provenance.builds[0], label=HOSTILE + CALLS)
    hostile = replace(
        document,
        headline=HOSTILE + CALLS,
        judgements=(metric, replace(metric, estimate=None)),
        frames=(frame,),
        warnings=(HOSTILE + CALLS,),
        provenance=replace(document.provenance, builds=(build, build), repeat=("echo", CALLS)),
    )
    text = comment(hostile)
    page = _rendered(hostile)
    assert "<img" not in page
    assert "<script" not in page
    assert page.count("</details>") == page.count("<details>") == 4
    prose_only = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    words = [c.content for token in prose_only for c in token.children or [] if c.type in ("text", "text_special")]
    assert not any("@octocat" in word or "#12" in word or "https://" in word for word in words)


@pytest.mark.parametrize("limit", [600, 1_200, 2_000])
def test_what_does_not_fit_is_left_out_and_the_verdict_stays(document: Document, limit: int) -> None:
    text = comment(document, limit=limit)
    assert len(text) <= limit
    assert "Regressed: GET /orders p99" in text
    assert "did not fit" in text
    assert text.count("<details>") == text.count("</details>")


def test_every_limit_is_kept_to_the_last_character(document: Document) -> None:
    assert [limit for limit in range(600, 6_000, 7) if len(comment(document, limit=limit)) > limit] == []


def test_the_largest_document_fits(document: Document) -> None:
    wide = "|" * 400
    metric = replace(document.judgements[0], endpoint=wide, reason=wide)
    frame = replace(document.frames[0], frame=wide, pool=wide)
    huge = replace(document, judgements=(metric,) * 400, frames=(frame,) * 40, warnings=(wide,) * 50)
    text = comment(huge)
    assert len(text) <= COMMENT_LIMIT
    assert text.splitlines()[1].startswith("### ")


def test_changed_libraries_and_runtimes_are_listed(document: Document) -> None:
    told = comment(document)
    assert "- `jackson-core`: `2.17.0` → `2.17.1`" in told
    assert "- `jackson-module-blackbird`: `2.17.1`, new" in told
    first, *rest = document.provenance.builds
    builds = (replace(first, jvm="OpenJDK 17 Ada"), *(replace(build, jvm="OpenJDK 25 Ada") for build in rest))
    upgraded = replace(document, provenance=replace(document.provenance, builds=builds))
    assert "The baseline on `OpenJDK 17 Ada`, candidate on `OpenJDK 25 Ada`." in comment(upgraded)
    assert "OpenJDK" not in told.partition("<details>")[0]


def test_many_libraries_are_folded_and_counted(document: Document) -> None:
    many = tuple(LibraryRow(name=f"lib-{number}", baseline="1", candidate="2") for number in range(9))
    told = comment(replace(document, libraries=many, omitted=replace(document.omitted, libraries=30)))
    shown, _, folded = told.partition("Changed libraries:")[2].partition("<details>")
    assert shown.count("lib-") == 5
    assert "and 34 more" in folded
    assert "lib-8" in folded


def test_builds_that_are_the_same_claim_nothing(document: Document) -> None:
    same = replace(
        document,
        mode="unmeasured",
        verdict=Verdict.PASSED,
        headline="The builds are the same",
        reason="Nothing was measured: the builds are the same, byte for byte.",
        judgements=(),
        findings=(),
        frames=(),
        pairs=(),
        warnings=(),
        libraries=(),
        pairs_judged=0,
    )
    told = comment(same)
    assert "### \N{LARGE GREEN CIRCLE} The builds are the same\n" in told
    assert "Nothing was measured" in told
    assert "--measure-equal" in told
    assert not re.search("ruled out|side by side|No regression|metrics", told)
