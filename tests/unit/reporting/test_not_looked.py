"""What could not be looked for where no cause is certain, in every medium."""

from __future__ import annotations

import html
from dataclasses import replace

from pacecar.model.causes import NotLooked
from pacecar.reporting import terminal
from pacecar.reporting.comment import comment
from pacecar.reporting.html import render
from support.documents import run
from unit.reporting.nothing_live import check_comment, page_of

HOT_FRAME = NotLooked(
    name="hot-frame", title="Hot frame", lacks="an allocation profile, which the full tier takes", switch_on=None
)


def test_every_medium_tells_it() -> None:
    example = run()
    first, *others = example.comparison.findings
    found = replace(first, causes=(), not_looked=(HOT_FRAME,))
    document = replace(example, comparison=replace(example.comparison, findings=(found, *others))).document()
    sentence = "Hot frame needs an allocation profile, which the full tier takes"
    assert f"No cause is certain.\n  not looked for: {sentence}\n" in terminal.summary(document, colour=False)
    shown = comment(document)
    check_comment(shown)
    assert f"\n- No cause is certain.\n  - not looked for: {sentence}\n" in shown.replace("\\", "")
    assert sentence in html.unescape(page_of(render(document)).text)
