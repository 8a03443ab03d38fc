"""Documents of older versions are read; what claims to be one and is not, is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pacecar.model.comparison import Role, Verdict
from pacecar.reporting import junit, terminal
from pacecar.reporting.comment import comment
from pacecar.reporting.document import DocumentError, load_document, wording
from pacecar.reporting.document.migrations import migrated
from pacecar.reporting.document.profile_shapes import PROFILES_VERSION
from pacecar.reporting.document.shapes import DOCUMENT_VERSION
from pacecar.reporting.html import render
from unit.reporting.nothing_live import page_of

#: As they were written: a slower serializer in the sample service, twelve pairs; the example of `support.documents` as
#: the last version built it that knew gated metrics; as the last one did that knew no libraries; and as the last one
#: did that wrote "" where there is nothing, with its profiles.
VERSION_1 = Path(__file__).parent / "data" / "document-1.json"
VERSION_2 = Path(__file__).parent / "data" / "document-2.json"
VERSION_3 = Path(__file__).parent / "data" / "document-3.json"
VERSION_4 = Path(__file__).parent / "data" / "document-4.json"
VERSION_5 = Path(__file__).parent / "data" / "document-5.json"
VERSION_6 = Path(__file__).parent / "data" / "document-6.json"
VERSION_7 = Path(__file__).parent / "data" / "document-7.json"
VERSION_8 = Path(__file__).parent / "data" / "document-8.json"
PROFILES_1 = Path(__file__).parent / "data" / "profiles-1.json"

Mutation = Callable[[dict[str, Any]], object]


def _old(path: Path = VERSION_1) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(path.read_text())
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
    assert f"Likely cause: {wording.brief(sentences[0])}" in terminal.summary(document, colour=False)
    words = page_of(render(document)).text
    assert all(sentence in words for sentence in sentences)
    assert "Regressed: GET /orders p99 is 883% slower" in comment(document)
    assert "<testsuite" in junit.junit(document)


def test_what_was_gated_is_guaranteed_and_nothing_is_made_up() -> None:
    document, old = load_document(VERSION_2), _old(VERSION_2)
    assert document.schema_version == DOCUMENT_VERSION
    assert [metric.role is Role.GUARANTEED for metric in document.judgements] == [
        metric["gated"] for metric in old["judgements"]
    ]
    assert {metric.role for metric in document.judgements} == {Role.GUARANTEED, Role.OBSERVED}
    assert {metric.ruled_out for metric in document.judgements} == {None}
    assert document.earlier_runs is None, "version 2 did not say"
    assert (document.verdict, document.headline) == (old["verdict"], old["headline"])
    assert len(document.regressions) == 2


def test_version_2_is_shown_in_every_medium_by_the_words_of_its_time() -> None:
    document = load_document(VERSION_2)
    text = terminal.summary(document, colour=False)
    assert text.startswith(f"REGRESSED  {document.headline}")
    assert "passed: 2 other guaranteed metrics" in text
    words = page_of(render(document)).text
    assert "unchanged" in words
    assert "Verdict.UNCHANGED" not in words
    assert "First run of this design" not in words
    assert "Regressed: GET /orders p99 is 12.4% slower" in comment(document)
    assert junit.junit(document).count("<testcase") == 5


def test_a_whole_comparison_without_a_change_reads_as_it_did(tmp_path: Path) -> None:
    old = _old(VERSION_2)
    old |= {"verdict": "unchanged", "headline": "No change: both gated metrics stay within budget", "findings": []}
    old["judgements"] = [each for each in old["judgements"] if each["verdict"] == "unchanged"]
    document = load_document(_written(tmp_path, old))
    assert document.standing is Verdict.UNCHANGED
    assert comment(document).splitlines()[1].endswith("No change: both gated metrics stay within budget")
    assert terminal.summary(document, colour=False).startswith("UNCHANGED  No change")
    assert "No change: both gated metrics" in page_of(render(document)).text


@pytest.mark.hostile
@pytest.mark.parametrize(
    "mutate",
    [
        lambda old: old["judgements"][0].pop("gated"),
        lambda old: old["judgements"][0].__setitem__("gated", "yes"),
        lambda old: old["judgements"][0].__setitem__("role", "tripwire"),
        lambda old: old["judgements"][0].__setitem__("ruled_out", None),
        lambda old: old["judgements"].__setitem__(0, 7),
        lambda old: old.__setitem__("judgements", {}),
        lambda old: old["findings"][0].__setitem__("metric", None),
        lambda old: old["findings"].__setitem__(0, 7),
        lambda old: old.__setitem__("schema_version", 3),
    ],
)
def test_what_version_2_was_not_is_refused(mutate: Mutation, tmp_path: Path) -> None:
    old = _old(VERSION_2)
    mutate(old)
    with pytest.raises(DocumentError, match="is not a document this version can read"):
        load_document(_written(tmp_path, old))


@pytest.mark.parametrize("sentence", ["", "No cause is certain."])
def test_no_cause_of_version_1_is_none(sentence: str, tmp_path: Path) -> None:
    old = _old()
    old["findings"][0]["cause"] = sentence
    document = load_document(_written(tmp_path, old))
    assert document.findings[0].causes == ()
    alone = replace(document, findings=document.findings[:1])
    assert "\nNo cause is certain." in terminal.summary(alone, colour=False)


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


def test_version_3_knew_neither_libraries_nor_what_a_side_ran_on() -> None:
    document, old = load_document(VERSION_3), _old(VERSION_3)
    assert document.schema_version == DOCUMENT_VERSION
    assert (document.libraries, document.omitted.libraries) == ((), 0)
    assert [build.jvm for build in document.provenance.builds] == [None, None]
    assert not document.jvms_differ
    assert {fork.dependencies for pair in document.pairs for fork in pair.forks} == {()}
    assert (document.verdict, document.headline) == (old["verdict"], old["headline"])
    assert "Changed libraries" not in comment(document)


def test_amounts_of_version_3_are_facts_and_how_sure_it_was_stays_unsaid() -> None:
    document, old = load_document(VERSION_3), _old(VERSION_3)
    (cause,), (told,) = document.findings[0].causes, old["findings"][0]["causes"]
    assert (cause.name, cause.statement) == (told["name"], told["statement"])
    assert (cause.scope.frame, cause.scope.dependency) == (told["scope"]["frame"], None)
    (fact,), (amount,) = cause.facts, told["amounts"]
    assert (fact.quantity, fact.change, fact.low, fact.high) == (
        *(amount["quantity"], amount["change"], amount["low"], amount["high"]),
    )
    assert (fact.pairs, fact.exact) == (0, False)
    assert (cause.strength, cause.share, cause.consequences) == (None, None, ())
    assert (document.findings[0].not_looked, document.ledgers, document.omitted.ledgers) == ((), (), 0)


def test_causes_of_version_3_are_shown_in_every_medium() -> None:
    document = load_document(VERSION_3)
    assert "0.62 ms -> 1.03 ms" in terminal.summary(document, colour=False)
    assert "0.62 ms" in page_of(render(document)).text
    assert "Likely cause: JacksonEncoder.write" in comment(document)


@pytest.mark.hostile
@pytest.mark.parametrize(
    "mutation",
    [
        lambda plain: plain.update(ledgers=[]),
        lambda plain: plain["findings"][0].update(not_looked=[]),
        lambda plain: plain["findings"][0]["causes"][0].update(share=None),
        lambda plain: plain["findings"][0]["causes"][0].update(amounts={}),
        lambda plain: plain["findings"][0]["causes"][0].update(scope=7),
        lambda plain: plain["findings"][0]["causes"][0]["amounts"].append(7),
        lambda plain: plain["findings"][0]["causes"].append("because"),
        lambda plain: plain.update(mode="unmeasured"),
        lambda plain: plain.update(libraries=[]),
        lambda plain: plain.update(provenance=None),
        lambda plain: plain["provenance"].update(builds=7),
        lambda plain: plain["provenance"].update(builds=[7]),
        lambda plain: plain.update(omitted=[]),
    ],
)
def test_what_version_3_did_not_have_is_refused(mutation: Mutation, tmp_path: Path) -> None:
    plain = _old(VERSION_3)
    mutation(plain)
    with pytest.raises(DocumentError):
        load_document(_written(tmp_path, plain), profiles=False)


def test_what_there_was_not_in_version_4_is_none() -> None:
    document, old = load_document(VERSION_4), _old(VERSION_4)
    assert document.schema_version == DOCUMENT_VERSION
    assert (document.baseline_run_id, document.stopped) == (None, None)
    assert {metric.accepted for metric in document.judgements} == {None}
    assert {finding.metric.accepted for finding in document.findings} == {None}
    assert [pair.voided for pair in document.pairs] == [pair["voided"] or None for pair in old["pairs"]]
    assert {fork.died for pair in document.pairs for fork in pair.forks} == {None}
    assert [(row.baseline, row.candidate) for row in document.libraries] == [
        (row["baseline"] or None, row["candidate"] or None) for row in old["libraries"]
    ]
    assert {(frame.gone_to, frame.come_from) for frame in document.frames} == {(None, None)}
    assert {metric.endpoint for metric in document.judgements} >= {""}, "which is all of them"


def test_a_build_of_version_4_outside_git_has_no_commit(tmp_path: Path) -> None:
    old = _old(VERSION_4)
    old["provenance"]["builds"][0] |= {"commit": "", "jvm": ""}
    first, second = load_document(_written(tmp_path, old)).provenance.builds
    assert (first.commit, first.jvm) == (None, None)
    assert second.commit == old["provenance"]["builds"][1]["commit"]


def test_version_4_is_shown_in_every_medium() -> None:
    document, (*_, last) = load_document(VERSION_4), _old(VERSION_4)["libraries"]
    words = page_of(render(document)).text
    for shown in (terminal.summary(document, colour=False), words, comment(document), junit.junit(document)):
        assert "None" not in shown
    assert last["name"] in words
    assert terminal.summary(document, colour=False).startswith(f"REGRESSED  {document.headline}")


def test_profiles_of_version_1_are_read_beside_their_document(tmp_path: Path) -> None:
    path = _written(tmp_path, _old(VERSION_4))
    (tmp_path / "profiles.json").write_text(PROFILES_1.read_text())
    document, old = load_document(path), _old(PROFILES_1)
    assert document.profiles is not None
    assert [(frame.frame, frame.pool) for frame in document.profiles.frames] == [
        (frame["frame"], frame["pool"]) for frame in old["frames"]
    ]
    assert {(frame.gone_to, frame.come_from) for frame in document.profiles.frames} == {(None, None)}
    assert "None" not in page_of(render(document)).text


def test_profiles_of_version_2_tell_of_no_single_requests() -> None:
    assert migrated({"schema_version": 2}, "profiles") == {"schema_version": PROFILES_VERSION, "requests": []}
    with pytest.raises(ValueError, match="tell of no single requests"):
        migrated({"schema_version": 2, "requests": []}, "profiles")


@pytest.mark.hostile
@pytest.mark.parametrize(
    "mutation",
    [
        lambda plain: plain.update(baseline_run_id=None),
        lambda plain: plain["judgements"][0].update(accepted=None),
        lambda plain: plain["findings"][0]["metric"].update(accepted=None),
        lambda plain: plain["findings"][0].update(metric=""),
        lambda plain: plain["frames"][0].update(pool=None),
        lambda plain: plain["pairs"][0].update(voided=None),
        lambda plain: plain["pairs"][0]["forks"][0].update(died=None),
        lambda plain: plain["pairs"][0]["forks"][0].pop("died"),
        lambda plain: plain["pairs"][0].update(forks=[[]]),
        lambda plain: plain["pairs"].append(""),
        lambda plain: plain["libraries"][0].update(baseline=0),
        lambda plain: plain["provenance"]["builds"][0].update(commit=None),
        lambda plain: plain["provenance"].update(builds=""),
        lambda plain: plain.pop("libraries"),
    ],
)
def test_what_version_4_was_not_is_refused(mutation: Mutation, tmp_path: Path) -> None:
    plain = _old(VERSION_4)
    mutation(plain)
    with pytest.raises(DocumentError, match="is not a document this version can read"):
        load_document(_written(tmp_path, plain))


def test_a_ledger_of_version_5_knows_no_exchange() -> None:
    document = load_document(VERSION_5)
    assert document.schema_version == DOCUMENT_VERSION
    assert len(document.ledgers) == len(_old(VERSION_5)["ledgers"]) > 0
    assert {(ledger.gone, ledger.come) for ledger in document.ledgers} == {(None, None)}


@pytest.mark.hostile
@pytest.mark.parametrize(
    "mutation",
    [
        lambda plain: plain["ledgers"][0].update(gone="on a CPU"),
        lambda plain: plain["ledgers"][0].update(come=None),
        lambda plain: plain["ledgers"].append(7),
        lambda plain: plain.update(ledgers="none"),
    ],
)
def test_what_version_5_did_not_have_is_refused(mutation: Mutation, tmp_path: Path) -> None:
    plain = _old(VERSION_5)
    mutation(plain)
    with pytest.raises(DocumentError):
        load_document(_written(tmp_path, plain), profiles=False)


def test_version_6_knew_no_staircases() -> None:
    document = load_document(VERSION_6)
    assert document.schema_version == DOCUMENT_VERSION
    assert document.climbs == ()
    assert document.omitted.climbs == 0
    assert len(document.judgements) == len(_old(VERSION_6)["judgements"]) > 0


def test_a_finding_of_version_7_does_not_say_what_all_code_has_in_common() -> None:
    document = load_document(VERSION_7)
    assert document.schema_version == DOCUMENT_VERSION
    assert len(document.findings) == len(_old(VERSION_7)["findings"]) > 0
    assert {finding.all_code for finding in document.findings} == {None}
    assert len(document.climbs) > 0


def test_version_8_moved_no_metric_to_one_pace() -> None:
    document = load_document(VERSION_8)
    assert document.schema_version == DOCUMENT_VERSION
    assert document.pace_apart is None
    assert len(document.judgements) == len(_old(VERSION_8)["judgements"]) > 0


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("version", "mutation"),
    [
        (VERSION_6, lambda plain: plain.update(climbs=[])),
        (VERSION_6, lambda plain: plain["omitted"].update(climbs="many")),
        (VERSION_6, lambda plain: plain.update(omitted=[])),
        (VERSION_7, lambda plain: plain["findings"][0].update(all_code=None)),
        (VERSION_7, lambda plain: plain["findings"].append("none")),
        (VERSION_7, lambda plain: plain.update(findings={})),
        (VERSION_8, lambda plain: plain.update(pace_apart=None)),
    ],
)
def test_what_versions_6_to_8_did_not_have_is_refused(version: Path, mutation: Mutation, tmp_path: Path) -> None:
    plain = _old(version)
    mutation(plain)
    with pytest.raises(DocumentError):
        load_document(_written(tmp_path, plain), profiles=False)
