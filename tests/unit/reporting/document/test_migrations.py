"""Documents of older versions are read; what claims to be one and is not, is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pacecar.reporting import junit, terminal
from pacecar.reporting.comment import comment
from pacecar.reporting.document import DocumentError, load_document
from pacecar.reporting.document.shapes import DOCUMENT_VERSION
from pacecar.reporting.html import render
from unit.reporting.nothing_live import page_of

#: As it was written: a slower serializer in the sample service, twelve pairs.
VERSION_1 = Path(__file__).parent / "data" / "document-1.json"

Mutation = Callable[[dict[str, Any]], object]


def _old() -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(VERSION_1.read_text())
    return plain


def _written(folder: Path, plain: Any) -> Path:
    path = folder / "document.json"
    path.write_text(json.dumps(plain))
    return path


def test_a_sentence_of_version_1_is_the_statement_of_a_cause() -> None:
    document = load_document(VERSION_1)
    assert document.schema_version == DOCUMENT_VERSION
    sentences = [finding["cause"] for finding in _old()["findings"]]
    assert len(set(sentences)) == 3
    assert [cause.statement for finding in document.findings for cause in finding.causes] == sentences
    assert {cause.name for finding in document.findings for cause in finding.causes} == {"unknown"}


def test_all_else_of_version_1_stays() -> None:
    document, old = load_document(VERSION_1), _old()
    assert (document.run_id, document.headline) == (old["run_id"], old["headline"])
    assert len(document.judgements) == len(old["judgements"])
    assert [finding.metric.name for finding in document.findings] == [
        each["metric"]["name"] for each in old["findings"]
    ]


def test_version_1_is_shown_in_every_medium() -> None:
    document, sentences = load_document(VERSION_1), [finding["cause"] for finding in _old()["findings"]]
    assert f"Likely cause: {sentences[0]}" in terminal.summary(document, colour=False)
    words = page_of(render(document)).text
    assert all(sentence in words for sentence in sentences)
    assert "Slower: GET /orders p99 +883%" in comment(document)
    assert "<testsuite" in junit.junit(document)


@pytest.mark.parametrize("sentence", ["", "No cause is certain."])
def test_no_cause_of_version_1_is_none(sentence: str, tmp_path: Path) -> None:
    old = _old()
    old["findings"][0]["cause"] = sentence
    document = load_document(_written(tmp_path, old))
    assert document.findings[0].causes == ()
    assert "Likely cause: No cause is certain." in terminal.summary(document, colour=False)


@pytest.mark.hostile
@pytest.mark.parametrize(
    "mutate",
    [
        lambda old: old.__setitem__("findings", {}),
        lambda old: old.__setitem__("findings", "none"),
        lambda old: old.__setitem__("findings", [7]),
        lambda old: old.__setitem__("findings", [[]]),
        lambda old: old.__setitem__("findings", [{}]),
        lambda old: old.__setitem__("findings", old["findings"] * 9),
        lambda old: old["findings"][0].pop("cause"),
        lambda old: old["findings"][0].pop("metric"),
        lambda old: old["findings"][0].__setitem__("causes", []),
        lambda old: old["findings"][0].__setitem__("html", "<script>"),
        lambda old: old["findings"][0].__setitem__("cause", None),
        lambda old: old["findings"][0].__setitem__("cause", 7),
        lambda old: old["findings"][0].__setitem__("cause", ["a"]),
        lambda old: old["findings"][0].__setitem__("cause", "x" * 401),
        lambda old: old["findings"].__setitem__(0, {"metric": old["findings"][0]["metric"], "causes": []}),
        lambda old: old.__setitem__("schema_version", 2),  # the next version's number on this one's shape
        lambda old: old.__setitem__("schema_version", "1"),
        lambda old: old.__setitem__("schema_version", True),
        lambda old: old.__setitem__("schema_version", [1]),
        lambda old: old.__setitem__("schema_version", {}),
        lambda old: old.__setitem__("schema_version", -1),
        lambda old: old.__setitem__("schema_version", 10**30),
        lambda old: old.pop("schema_version"),
    ],
)
def test_what_version_1_was_not_is_refused(mutate: Mutation, tmp_path: Path) -> None:
    old = _old()
    mutate(old)
    with pytest.raises(DocumentError, match="is not a document this version can read"):
        load_document(_written(tmp_path, old))


@pytest.mark.hostile
def test_a_sentence_of_version_1_is_text(tmp_path: Path) -> None:
    old = _old()
    old["findings"][0]["cause"] = "</script><img src=x onerror=alert(1)>\x1b[2J"
    document = load_document(_written(tmp_path, old))
    assert "<img src=x" not in render(document)
    assert "\x1b" not in terminal.summary(document, colour=False)
