"""Whatever a document says that its schema takes, every medium shows it as text; the rest is refused in a sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pacecar.errors import PacecarError
from pacecar.github.annotations import notes_on
from pacecar.github.budget_lines import BudgetLines
from pacecar.github.diff import ChangedLines
from pacecar.github.job_log import harmless
from pacecar.github.summary import SUMMARY_BYTES
from pacecar.model.comparison import Role, Verdict
from pacecar.model.experiment import Side
from pacecar.reporting.comment import COMMENT_LIMIT, MARKER, comment
from pacecar.reporting.document import Document, load_document
from pacecar.reporting.document.files import DOCUMENT_BYTES, DOCUMENT_NAME, PROFILES_NAME
from pacecar.reporting.document.shapes import ForwardedSide, PyroscopeLinks
from pacecar.reporting.document.tidy import tidy
from pacecar.reporting.html import render
from pacecar.reporting.junit import junit, junit_of_tiers
from pacecar.reporting.metrics import metrics_text
from pacecar.reporting.terminal import summary
from pacecar.reporting.tiers import Tiers, headline, tiers_comment
from support.documents import passed, run
from unit.reporting.hostile_documents import (
    DATES,
    NUMBERS,
    PAYLOADS,
    encoded,
    everywhere,
    fitted,
    places,
    texts,
    with_value,
)
from unit.reporting.nothing_live import (
    REPORT_URL,
    check_command,
    check_comment,
    check_junit,
    check_log,
    check_metrics,
    check_page,
    check_terminal,
    page_of,
)

pytestmark = pytest.mark.hostile


def _example() -> Document:
    """A document with something in every place and little more: it is read thousands of times."""
    document = run().document()
    metric = document.judgements[0]
    pair = document.pairs[0]
    sides = {side: ForwardedSide(run_id="1", side=side, from_ms=1, until_ms=2) for side in Side}
    whole = replace(metric, pairs_needed=4)
    return replace(
        document,
        judgements=(whole, *document.judgements[1:8]),
        findings=(replace(document.findings[0], metric=whole), *document.findings[1:]),
        pairs=(replace(pair, notes=("A note.",), voided="Why."), document.pairs[1]),
        climbs=tuple(replace(climb, steps=climb.steps[:2]) for climb in document.climbs[:2]),
        provenance=replace(document.provenance, baseline_machine=document.provenance.machine),
        elsewhere=PyroscopeLinks(
            url="http://pyroscope.example:4040",
            service="orders",
            baseline=sides[Side.BASELINE],
            candidate=sides[Side.CANDIDATE],
        ),
    )


EXAMPLE = _example()
HARMLESS = replace(run(), comparison=passed()).document()
PLAIN: dict[str, Any] = tidy(asdict(replace(EXAMPLE, profiles=None)))
del PLAIN["profiles"]
PROFILES: dict[str, Any] = tidy(asdict(EXAMPLE.profiles)) if EXAMPLE.profiles else {}
PLACES = places("document", PLAIN)
SIDECAR = places("profiles", PROFILES)
TEXTS = [place for place in PLACES if "string" in place.kinds]
FIGURES = [place for place in PLACES if place.kinds & {"number", "integer"}]
LISTS = [place for place in PLACES if "array" in place.kinds]
BENIGN = page_of(render(EXAMPLE))
FAMILIES = {family.name for family in text_string_to_metric_families(metrics_text(EXAMPLE))}


def _loaded(folder: Path, plain: Any, profiles: Any = None) -> Document | None:
    """The document as a reader gets it; None when it was refused as it should be, in a sentence."""
    # Lone surrogates and what is no number are written as a stranger would.
    (folder / DOCUMENT_NAME).write_bytes(encoded(plain))
    if profiles is not None:
        (folder / PROFILES_NAME).write_text(json.dumps(profiles))
    try:
        return load_document(folder / DOCUMENT_NAME, profiles=profiles is not None)
    except PacecarError as error:
        said = error.message
    assert len(said) < 400 + len(str(folder))
    assert "\n" not in said
    return None


def _check(document: Document, *, page: bool = True) -> None:
    for limit in (COMMENT_LIMIT, SUMMARY_BYTES // 4):
        text = comment(document, limit=limit, report_url=REPORT_URL)
        assert len(text) <= limit
        check_comment(text)
    for colour in (False, True):
        check_terminal(summary(document, colour=colour), colour=colour)
    check_log(harmless(summary(document, colour=False)))
    _check_notes(document)
    _check_tiers(document, every_way=page)
    check_junit(junit(document), cases=_cases(document))
    check_metrics(metrics_text(document), families=FAMILIES)
    if page:
        check_page(render(document), BENIGN)


def _cases(document: Document) -> int:
    """Metrics that JUnit has a case for."""
    guaranteed = sum(metric.role is Role.GUARANTEED for metric in document.judgements)
    tripped = sum(
        metric.role is Role.TRIPWIRE and metric.verdict is Verdict.REGRESSED for metric in document.judgements
    )
    return guaranteed + tripped


def _check_tiers(document: Document, *, every_way: bool) -> None:
    """Beside a document of another tier, decided by whichever, and beside a failure."""
    text = document.reason[:400]
    folded = Tiers(quick=document, full=EXAMPLE, why=text)
    others = (Tiers(quick=HARMLESS, full=document, why=text), Tiers(quick=document, failure=text, why=text))
    for tiers in (folded, *others) if every_way else (folded,):
        for limit in (COMMENT_LIMIT, SUMMARY_BYTES // 4) if every_way else (COMMENT_LIMIT,):
            told = tiers_comment(tiers, marker=MARKER, limit=limit, report_url=REPORT_URL)
            assert len(told) <= limit
            check_comment(told)
        check_terminal(headline(tiers), colour=False)
        check_log(harmless(headline(tiers)))
    if every_way:
        _check_notes(document, EXAMPLE)
        check_junit(junit_of_tiers(Tiers(quick=document, full=HARMLESS)), cases=_cases(document) + _cases(HARMLESS))


def _check_notes(*documents: Document) -> None:
    piece = ChangedLines(path="A.java", first=1, last=2, text="")
    notes = notes_on(documents, config="pacecar.toml", budgets=BudgetLines(Path("none")), changed=lambda _: [piece])
    for note in notes:
        check_command(note.command())


def _check_or_refused(folder: Path, plain: Any, *, page: bool = True) -> bool:
    document = _loaded(folder, plain)
    if document is not None:
        _check(document, page=page)
    return document is not None


def test_the_example_is_shown_in_every_medium(tmp_path: Path) -> None:
    assert _check_or_refused(tmp_path, PLAIN)


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_text_everywhere_is_text(name: str, tmp_path: Path) -> None:
    hostile = everywhere(PLAIN, PLACES, "string", PAYLOADS[name][:400])
    assert _check_or_refused(tmp_path, hostile), "the schema takes it where it takes any text"


@pytest.mark.parametrize("place", TEXTS, ids=str)
def test_a_text_in_one_place_is_text_or_refused(place: Any, tmp_path: Path) -> None:
    taken = [_check_or_refused(tmp_path, with_value(PLAIN, place.path, text), page=False) for text in texts(place)]
    assert all(taken) or "pattern" in place.schema


@pytest.mark.parametrize("place", TEXTS, ids=str)
def test_a_longer_text_is_refused(place: Any, tmp_path: Path) -> None:
    longer = "9" * (place.schema["maxLength"] + 1)
    assert _loaded(tmp_path, with_value(PLAIN, place.path, longer)) is None


@pytest.mark.parametrize("number", [*NUMBERS, math.nan, math.inf, -math.inf], ids=lambda number: repr(number)[:24])
def test_a_number_everywhere_is_shown_or_refused(number: Any, tmp_path: Path) -> None:
    for kind in ("number", "integer"):
        _check_or_refused(tmp_path, everywhere(PLAIN, PLACES, kind, number))


@pytest.mark.parametrize("place", FIGURES, ids=str)
def test_a_number_in_one_place_is_shown_or_refused(place: Any, tmp_path: Path) -> None:
    for number in (0, -1, 1e308, 2**53 - 1, 10**400):
        _check_or_refused(tmp_path, with_value(PLAIN, place.path, number), page=number == 0)


@pytest.mark.parametrize("unit", ["1", "ms", "s", "ns", "B", "%"])
@pytest.mark.parametrize("scale", ["ratio", "difference"])
@pytest.mark.parametrize("number", [0, 5e-324, 1e308, -1e308])
def test_a_number_of_each_unit_is_shown(unit: str, scale: str, number: float, tmp_path: Path) -> None:
    hostile = everywhere(PLAIN, PLACES, "number", number)
    for metric in (*hostile["judgements"], *(finding["metric"] for finding in hostile["findings"])):
        metric |= {"unit": unit, "scale": scale}
    assert _check_or_refused(tmp_path, hostile, page=scale == "ratio")


@pytest.mark.parametrize("day", DATES)
def test_a_day_at_the_end_of_the_calendar_is_a_day(day: str, tmp_path: Path) -> None:
    assert _check_or_refused(tmp_path, PLAIN | {"created": day})


@pytest.mark.parametrize("unit", ["", "s ", "![x](https://evil.example)", "MB", None, 1, ["ms"]])
def test_a_unit_that_is_none_is_refused(unit: Any, tmp_path: Path) -> None:
    assert _loaded(tmp_path, with_value(PLAIN, ("judgements", 0, "unit"), unit)) is None


@pytest.mark.parametrize("place", LISTS, ids=str)
def test_a_list_is_shown_at_its_cap_and_refused_beyond(place: Any, tmp_path: Path) -> None:
    most = place.schema["maxItems"]
    entries: Any = PLAIN
    for step in place.path:
        entries = entries[step]
    # As large as a document may be, or larger, which is refused, too.
    whole = [entries[0]] * most
    taken = _check_or_refused(tmp_path, with_value(PLAIN, place.path, whole), page=len(json.dumps(whole)) < 200_000)
    assert taken == ((tmp_path / DOCUMENT_NAME).stat().st_size <= DOCUMENT_BYTES)
    assert _loaded(tmp_path, with_value(PLAIN, place.path, [entries[0]] * (most + 1))) is None
    assert _loaded(tmp_path, with_value(PLAIN, place.path, [])) is not None


@pytest.mark.parametrize("name", ["image", "html", "table", "long", "wide", "marks", "escape", "mention"])
def test_the_largest_document_of_such_texts_keeps_every_limit(name: str, tmp_path: Path) -> None:
    whole = fitted(PLAIN, PLACES, PAYLOADS[name][:400])
    assert _check_or_refused(tmp_path, whole)


BOMBS: dict[str, Callable[[], Any]] = {
    "errors of one branch": lambda: with_value(PLAIN, ("judgements", 0, "estimate", "per_pair"), ["x"] * 200_000),
    "fields of one branch": lambda: with_value(
        PLAIN, ("judgements", 0, "estimate"), {f"f{number}": 0 for number in range(60_000)}
    ),
    "lists in lists": lambda: PLAIN | {"warnings": [[[[[[]] * 300] * 300]]]},
    "empty objects": lambda: PLAIN | {"judgements": [{}] * 300_000},
    "empty lists": lambda: [[]] * 300_000,
    "deep": lambda: json.loads("[" * 400 + "]" * 400),
    "a long number": lambda: PLAIN | {"pairs_judged": 10**4000},
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_would_grow_in_memory_is_refused(name: str, tmp_path: Path) -> None:
    assert _loaded(tmp_path, BOMBS[name]()) is None


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 900_000,
        b'{"a":' * 150_000,
        b"\xef\xbb\xbf{}",
        '{"headline": "x"}'.encode("utf-16"),
        '{"headline": "x"}'.encode("utf-32"),
        b'{"pairs_judged": ' + b"9" * 900_000 + b"}",
        b'{"pairs_judged": 1e999999999}',
        b'{"headline": "\\ud800\\udfff\\u0000"}',
        b'{"verdict": "improved", "verdict": "regressed"}',
        b"\x00" * 900_000,
        b'"' + b"\\u0000" * 150_000 + b'"',
    ],
    ids=lambda content: repr(content[:20]),
)
def test_what_is_hardly_json_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / DOCUMENT_NAME).write_bytes(content)
    with pytest.raises(PacecarError) as refused:
        load_document(tmp_path / DOCUMENT_NAME)
    assert len(refused.value.message) < 400 + len(str(tmp_path))


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_text_everywhere_in_the_profiles_is_text(name: str, tmp_path: Path) -> None:
    hostile = everywhere(PROFILES, SIDECAR, "string", PAYLOADS[name][:400])
    hostile["run_id"] = PLAIN["run_id"]
    document = _loaded(tmp_path, PLAIN, hostile)
    assert document is not None
    check_page(render(document), BENIGN)


@pytest.mark.parametrize("number", [*NUMBERS, math.nan, math.inf], ids=lambda number: repr(number)[:24])
@pytest.mark.parametrize("kind", ["number", "integer"])
def test_a_number_everywhere_in_the_profiles_is_shown_or_refused(kind: str, number: Any, tmp_path: Path) -> None:
    document = _loaded(tmp_path, PLAIN, everywhere(PROFILES, SIDECAR, kind, number))
    if document is not None:
        check_page(render(document), BENIGN)


@pytest.mark.parametrize("place", [place for place in SIDECAR if "array" in place.kinds], ids=str)
def test_a_list_of_the_profiles_may_be_empty(place: Any, tmp_path: Path) -> None:
    document = _loaded(tmp_path, PLAIN, with_value(PROFILES, place.path, []))
    assert document is not None
    check_page(render(document), BENIGN)
