"""Parts of a mean latency that took each other's place, in every medium."""

from __future__ import annotations

import html
from dataclasses import replace

import pytest

from pacecar.model.comparison import Comparison
from pacecar.reporting import terminal
from pacecar.reporting.comment import comment
from pacecar.reporting.document import cause_words
from pacecar.reporting.html import render
from support.documents import comparison, passed, run
from support.findings import exchanged, ledger
from unit.reporting.nothing_live import page_of


@pytest.mark.parametrize("example", [passed(), comparison()], ids=["passed", "regressed"])
def test_every_medium_tells_what_took_the_place_of_what(example: Comparison) -> None:
    document = replace(run(), comparison=replace(example, ledgers=(ledger(), exchanged()))).document()
    sentence = cause_words.exchange(document.ledgers[1])
    assert sentence is not None
    assert sentence in terminal.summary(document, colour=False)
    assert sentence in comment(document).replace("\\", "")
    assert sentence in html.unescape(page_of(render(document)).text)
    without = replace(run(), comparison=replace(example, ledgers=(ledger(),))).document()
    assert "hardly changed" not in terminal.summary(without, colour=False) + comment(without)
