"""The meanings of words: every verdict and role has one, and its page says more."""

from __future__ import annotations

import re
from urllib.parse import urldefrag

import pytest

from pacecar.model.comparison import Role, Verdict
from pacecar.reporting.words import WORDS, Word
from support.checkout import CHECKOUT


@pytest.mark.parametrize("name", [*(verdict.value for verdict in Verdict), *(role.value for role in Role)])
def test_every_verdict_and_role_has_a_meaning(name: str) -> None:
    assert WORDS[name].meaning


@pytest.mark.parametrize("word", WORDS.values(), ids=WORDS)
def test_a_meaning_is_two_or_three_sentences_and_its_page_has_the_heading(word: Word) -> None:
    assert 1 <= len(re.findall(r"[.](?= [A-Z]|$)", word.meaning)) <= 3
    path, anchor = urldefrag(word.page)
    headings = re.findall(r"^#+ (.*)$", (CHECKOUT / path).read_text(), re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert not anchor or anchor in anchors


def test_anchors_are_apart() -> None:
    assert len({word.anchor for word in WORDS.values()}) == len(WORDS)
