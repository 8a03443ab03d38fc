"""What all code has in common, in every medium."""

from __future__ import annotations

import html
from dataclasses import replace

import pytest

from pacecar.model.causes import AllCode
from pacecar.reporting import terminal
from pacecar.reporting.comment import comment
from pacecar.reporting.document import Document, cause_words
from pacecar.reporting.html import render
from support.documents import run
from unit.reporting.nothing_live import check_comment, page_of

MORE = AllCode(change=0.21, low=0.168, high=0.254)


def _document(all_code: AllCode | None, *, caused: bool = False) -> Document:
    example = run()
    first, *others = example.comparison.findings
    finding = replace(first, causes=first.causes if caused else (), all_code=all_code)
    return replace(example, comparison=replace(example.comparison, findings=(finding, *others))).document()


@pytest.mark.parametrize("caused", [False, True])
def test_every_medium_tells_what_all_code_has_in_common(caused: bool) -> None:
    document = _document(MORE, caused=caused)
    (alike,) = (finding.all_code for finding in document.findings if finding.all_code)
    sentence = cause_words.all_code(alike)
    assert sentence.startswith("Code all over the service takes 21% more CPU time [17, 25]: look at ")
    assert f"\n{sentence}\n" in terminal.summary(document, colour=False)
    shown = comment(document)
    check_comment(shown)
    assert f"\n- {sentence}\n" in shown.replace("\\", "")
    assert sentence in html.unescape(page_of(render(document)).text)


def test_less_is_told_as_less() -> None:
    less = _document(AllCode(change=-0.21, low=-0.254, high=-0.168)).findings[0].all_code
    assert less is not None
    assert "takes 21% less CPU time [17, 25]" in cause_words.all_code(less)


def test_where_nothing_is_certain_nothing_is_told() -> None:
    document = _document(None)
    assert "all over the service" not in terminal.summary(document, colour=False) + comment(document)
    assert "No cause is certain." in terminal.summary(document, colour=False)
