"""Several comparisons as one comment."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.model.comparison import Verdict
from pacecar.reporting.comment import COMMENT_LIMIT, MARKER
from pacecar.reporting.document import Document
from pacecar.reporting.joint import ServiceResult, headline, joint_comment, verdict_of
from support.documents import HOSTILE, passed, run

EXAMPLE = run()


@pytest.fixture(scope="module")
def regressed() -> Document:
    return EXAMPLE.document()


@pytest.fixture(scope="module")
def parts(regressed: Document) -> list[ServiceResult]:
    fine = replace(EXAMPLE, comparison=passed()).document()
    same = replace(fine, mode="unmeasured", headline="The builds are the same", reason="Nothing was measured", pairs=())
    return [
        ServiceResult(name="services/same", document=same),
        ServiceResult(name="services/fine", document=fine),
        ServiceResult(name="services/slow", document=regressed),
        ServiceResult(name="services/broken", failure="Build 'HEAD' failed: `mvn` ended with status 1."),
        ServiceResult(name="services/new"),
    ]


def test_one_heading_tells_of_all_and_the_gravest_come_first(parts: list[ServiceResult], regressed: Document) -> None:
    told = joint_comment(parts, marker=MARKER, report_url="https://github.com/a/b")
    assert told.startswith(MARKER)
    assert told.partition("<details>")[0].count("### ") == 1
    assert "### \N{LARGE RED CIRCLE} 5 services: 1 failed, 1 new, 1 regressed, 1 passed; 1 the same" in told
    rows = [line for line in told.partition("<details>")[0].splitlines() if line.startswith("| ")][2:]
    assert [row.split(" | ")[1] for row in rows] == [
        "services/broken",
        "services/slow",
        "services/fine",
        "services/same",
        "services/new",
    ]
    assert told.count("<summary>services/") == 2, "only what was measured has more to tell"
    assert regressed.headline.split(" is ")[0] in told
    assert verdict_of(parts) is Verdict.REGRESSED


def test_a_broken_service_alone_is_not_green() -> None:
    broken = ServiceResult(name="a", failure="It does not compile.")
    assert verdict_of([broken]) is None
    assert "\N{CROSS MARK} 1 service: 1 failed" in joint_comment([broken], marker=MARKER)


def test_where_nothing_changed_there_is_one_sentence(parts: list[ServiceResult]) -> None:
    assert headline(parts[:1]) == "Nothing to measure: the builds of 1 service are the same"
    assert "\N{LARGE GREEN CIRCLE} Nothing to measure" in joint_comment(parts[:1], marker=MARKER)


@pytest.mark.parametrize("count", [1, 20, 100])
def test_a_comment_is_never_too_long_and_keeps_its_table(parts: list[ServiceResult], count: int) -> None:
    many = [replace(parts[2], name=f"services/{number:03}") for number in range(count)]
    told = joint_comment(many, marker=MARKER)
    assert len(told) <= COMMENT_LIMIT
    assert f"services/{count - 1:03}" in told
    assert told.count("<details>") == told.count("</details>")


@pytest.mark.hostile
def test_names_and_failures_of_strangers_are_shown_as_text() -> None:
    told = joint_comment([ServiceResult(name=HOSTILE, failure=f"@all {HOSTILE} | x\n# y" * 900)], marker=MARKER)
    assert "<img" not in told
    assert "@all" not in told
    assert len(told) < 5_000
