"""Links to a profile server: what they ask for, and that a stranger's document cannot make them lead elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from pacecar.model.experiment import Side
from pacecar.model.profiles import ProfileKind
from pacecar.reporting.diff_view import diff_view
from pacecar.reporting.document import Document, DocumentError, load_document, write_document
from pacecar.reporting.document.shapes import ForwardedSide, PyroscopeLinks
from pacecar.reporting.html import render

ELSEWHERE = PyroscopeLinks(
    url="https://profiles.example.org/pyroscope",
    service='or"ders',
    baseline=ForwardedSide(run_id="r0", side=Side.BASELINE, from_ms=1_000, until_ms=2_000),
    candidate=ForwardedSide(run_id="r1", side=Side.CANDIDATE, from_ms=1_500, until_ms=2_500),
)


def test_both_sides_with_their_times() -> None:
    link = diff_view(ELSEWHERE, ProfileKind.CPU)
    assert link.startswith("https://profiles.example.org/pyroscope/comparison-diff?")
    asked = {name: value for name, (value,) in parse_qs(urlsplit(link).query).items()}
    kind = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
    assert asked == {
        "query": f'{kind}{{service_name="or\\"ders",run="r1",side="candidate"}}',
        "from": "1000",
        "until": "2500",
        "leftQuery": f'{kind}{{service_name="or\\"ders",run="r0",side="baseline"}}',
        "leftFrom": "1000",
        "leftUntil": "2000",
        "rightQuery": f'{kind}{{service_name="or\\"ders",run="r1",side="candidate"}}',
        "rightFrom": "1500",
        "rightUntil": "2500",
    }


def test_the_report_links_to_each_kind_of_profile(document: Document) -> None:
    assert "comparison-diff" not in render(document)
    link = 'href="https://profiles.example.org/pyroscope/comparison-diff?'
    page = render(replace(document, elsewhere=ELSEWHERE))
    assert document.profiles is not None
    assert page.count(link) == len(document.profiles.flames) > 0
    assert 'rel="noopener noreferrer"' in page
    assert render(replace(document, elsewhere=ELSEWHERE, profiles=None)).count(link) == 4


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "http://x/?a", "http://a@b", 'http://x"onclick=', "//x", "http://x y", "data:x"]
)
def test_an_address_of_a_stranger_is_refused(document: Document, tmp_path: Path, url: str) -> None:
    path = write_document(replace(document, elsewhere=ELSEWHERE), tmp_path)
    assert load_document(path).elsewhere == ELSEWHERE
    content = json.loads(path.read_text())
    content["elsewhere"]["url"] = url
    path.write_text(json.dumps(content))
    with pytest.raises(DocumentError, match="elsewhere"):
        load_document(path)
