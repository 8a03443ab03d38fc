"""Causes below a pull request."""

from __future__ import annotations

from dataclasses import replace

from pacecar.model.causes import Strength
from pacecar.model.comparison import Role, Verdict
from pacecar.reporting.comment_causes import cause_lines
from pacecar.reporting.document import Document

HOSTILE = "<img src=x onerror=alert(1)> @octocat"


def _split(document: Document) -> tuple[list[str], list[str]]:
    """What is seen at once, and what is folded."""
    lines = [line for block in cause_lines(document) for line in block.splitlines()]
    fold = lines.index("<details>")
    return [line for line in lines[:fold] if line], lines[fold:]


def test_the_root_is_one_bullet_and_all_else_is_folded(document: Document) -> None:
    seen, folded = _split(document)

    (bullet,) = seen
    assert bullet.startswith("- Likely cause: ")
    assert "JacksonEncoder.write" in bullet
    assert bullet.endswith(r"(90% of the change in the mean \[70, 110\])")
    assert sum("0.62 ms → 1.03 ms" in line for line in folded) == 1
    (follows,) = [line for line in folded if "follows from it: " in line]
    assert "Requests wait longer for other threads" in follows
    assert follows.index("-") > 2, "below its root"


def test_only_what_decided_is_explained(document: Document) -> None:
    other = next(each for each in document.findings if each.metric.verdict is Verdict.IMPROVED)

    assert other.causes[0].statement not in "\n".join(cause_lines(document))
    assert cause_lines(replace(document, findings=(other,))) == []


def test_a_cause_of_something_else_is_told_with_what_it_is_a_cause_of(document: Document) -> None:
    first, second = document.findings[0], next(each for each in document.judgements if each.name == "cpu")
    told = replace(document, findings=(replace(first, causes=()), replace(first, metric=second)))

    (bullet,) = _split(told)[0]
    assert bullet.startswith("- Likely cause of more CPU per request: ")


def test_a_cause_that_is_certain_comes_before_one_that_is_likely(document: Document) -> None:
    first, second = document.findings[0], next(each for each in document.judgements if each.name == "cpu")
    likely = replace(first.causes[0], strength=Strength.LIKELY)
    sure = replace(likely, strength=Strength.CERTAIN, statement="Statements per request went from 2 to 101.")
    told = replace(document, findings=(replace(first, causes=(likely,)), replace(first, metric=second, causes=(sure,))))

    (bullet,) = _split(told)[0]
    assert bullet.startswith("- Likely cause of more CPU per request: Statements per request went from 2 to 101.")


def test_what_decides_nothing_explains_no_verdict(document: Document) -> None:
    first = document.findings[0]
    observed = replace(first, metric=replace(first.metric, role=Role.OBSERVED))

    assert cause_lines(replace(document, findings=(replace(first, causes=(), not_looked=()), observed))) == []


def test_a_long_list_is_cut(document: Document) -> None:
    many = replace(document, findings=document.findings[:1] * 40)

    _, folded = _split(many)
    assert sum("JacksonEncoder.write" in line for line in folded) == 5


def test_what_is_certain_is_called_so_and_what_never_said_is_not(document: Document) -> None:
    (cause,) = document.findings[0].causes

    def told(strength: Strength | None) -> str:
        finding = replace(document.findings[0], causes=(replace(cause, strength=strength, consequences=()),))
        return "\n".join(_split(replace(document, findings=(finding,)))[1])

    assert "(certain, 90% of the change" in told(Strength.CERTAIN)
    assert "(90% of the change" in told(None)


def test_no_cause_is_live(document: Document) -> None:
    (cause,) = document.findings[0].causes
    fact = replace(cause.facts[0], quantity=HOSTILE, scope=replace(cause.facts[0].scope, label=HOSTILE))
    hostile = replace(cause, statement=HOSTILE, facts=(fact,), consequences=(replace(cause, statement=HOSTILE),))
    text = "\n".join(cause_lines(replace(document, findings=(replace(document.findings[0], causes=(hostile,)),))))

    assert "<img" not in text
    assert "@octocat" not in text
