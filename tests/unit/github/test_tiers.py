"""Two tiers in a job: told once the quick one has answered, again once both have, and carried to the second stage."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.errors import PacecarError
from pacecar.github.annotations import MOST as MOST_NOTES
from pacecar.github.annotations import notes_on
from pacecar.github.artifact import ArtifactError, received
from pacecar.github.budget_lines import BudgetLines
from pacecar.github.identity import marker
from pacecar.github.job import Job, JobError
from pacecar.github.outputs import shorten
from pacecar.github.summary import SUMMARY_BYTES, length_of_summary, write_tiers
from pacecar.github.tiers import NOT_ENDED, Room
from pacecar.model.tiers import Tier
from pacecar.reporting.comment import COMMENT_LIMIT, MARKER
from pacecar.reporting.document import Document, write_document
from pacecar.reporting.document.files import DOCUMENT_BYTES, DOCUMENT_NAME
from pacecar.reporting.tiers import Tiers, tiers_comment
from support.documents import passed, run

NAME = "performance.measure"
WHY = "The quick tier found a regression, which calls for the full one."


@pytest.fixture(scope="module")
def quiet() -> Document:
    return replace(run(), comparison=passed()).document()


@pytest.fixture
def runs(document: Document, quiet: Document, tmp_path: Path) -> dict[Tier, Path]:
    """The folders of a quick run that regressed and a full one that passed."""
    made = {}
    for tier, each in ((Tier.QUICK, document), (Tier.FULL, quiet)):
        made[tier] = tmp_path / f"run-{tier}"
        write_document(each, made[tier])
        (made[tier] / "report.html").write_text(f"<html>{tier}")
    return made


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room.below(tmp_path, name=NAME)


def _only(runs: dict[Tier, Path], tier: Tier) -> dict[Tier, Path]:
    return {tier: runs[tier]}


def _rendered(room: Room) -> str:
    (each,) = received(room.artifact)
    assert each.name == NAME
    assert 0 < each.size <= each.most == 2 * DOCUMENT_BYTES
    return each.rendered(limit=COMMENT_LIMIT, report_url="")


def test_the_quick_answer_is_kept_and_the_full_one_joins_it(
    document: Document, quiet: Document, runs: dict[Tier, Path], room: Room
) -> None:
    begun = Tiers(quick=document, why=WHY, failure=NOT_ENDED)
    room.hand_on(begun, _only(runs, Tier.QUICK))
    # What a job that is ended now leaves behind:
    told = _rendered(room)
    assert told.startswith(f"{marker(NAME)}\n### \N{LARGE RED CIRCLE} Regressed")
    assert f"could not be measured: {NOT_ENDED}" in told
    assert room.outputs_of(begun, _only(runs, Tier.QUICK)) == {
        "verdict": "regressed",
        "tier": "quick",
        "regressions": "2",
        "report-path": str(runs[Tier.QUICK] / "report.html"),
        "document-path": str(runs[Tier.QUICK] / DOCUMENT_NAME),
        "artifact-path": str(room.artifact),
    }

    both = Tiers(quick=document, full=quiet, why=WHY)
    room.hand_on(both, runs)
    told = _rendered(room)
    assert told == tiers_comment(both, marker=marker(NAME))
    assert NOT_ENDED not in told
    outputs = room.outputs_of(both, runs)
    assert (outputs["verdict"], outputs["tier"], outputs["regressions"]) == ("regressed", "quick", "2")
    assert outputs["document-path"] == str(runs[Tier.QUICK] / DOCUMENT_NAME)
    assert sorted(path.name for path in Path(outputs["report-path"]).iterdir()) == ["full.html", "quick.html"]
    assert {str(path.relative_to(room.artifact / NAME)) for path in room.artifact.rglob("*") if path.is_file()} == {
        "tiers/why.txt",
        "tiers/quick/document.json",
        "tiers/full/document.json",
    }


def test_a_full_tier_that_decides_is_the_one_that_later_steps_read(
    document: Document, quiet: Document, runs: dict[Tier, Path], room: Room
) -> None:
    other_way = {Tier.QUICK: runs[Tier.FULL], Tier.FULL: runs[Tier.QUICK]}
    outputs = room.outputs_of(Tiers(quick=quiet, full=document), other_way)
    assert (outputs["verdict"], outputs["tier"]) == ("regressed", "full")
    assert outputs["document-path"] == str(runs[Tier.QUICK] / DOCUMENT_NAME)


def test_a_reason_that_names_a_file_whose_name_is_no_text(quiet: Document, runs: dict[Tier, Path], room: Room) -> None:
    room.hand_on(Tiers(quick=quiet, failure="caf\udce9/pom.xml is broken."), _only(runs, Tier.QUICK))
    assert "caf?/pom.xml is broken" in _rendered(room)


def test_a_full_tier_that_failed_is_told_with_its_reason(quiet: Document, runs: dict[Tier, Path], room: Room) -> None:
    runs = {Tier.QUICK: runs[Tier.FULL]}
    room.hand_on(Tiers(quick=quiet, failure=NOT_ENDED), runs)
    failed = Tiers(quick=quiet, failure="The candidate did not start.")
    room.hand_on(failed, runs)
    told = _rendered(room)
    assert "The full tier could not be measured; the quick one passed" in told
    assert "The candidate did not start." in told
    assert NOT_ENDED not in told
    assert room.outputs_of(failed, runs)["tier"] == "quick"


def test_a_quick_tier_alone_says_why_it_is_alone(quiet: Document, runs: dict[Tier, Path], room: Room) -> None:
    why = "The quick tier passed, which does not call for the full one."
    room.hand_on(Tiers(quick=quiet, why=why), {Tier.QUICK: runs[Tier.FULL]})
    told = _rendered(room)
    assert why in told
    assert "the full one was not run" in told


def test_the_summary_goes_on_with_both_where_the_quick_answer_stood(
    document: Document, quiet: Document, job: Job
) -> None:
    assert job.summary is not None
    job.summary.write_text("Of a step before.\n")
    since = length_of_summary(job)
    write_tiers(job, Tiers(quick=document, failure=NOT_ENDED), since=since)
    assert NOT_ENDED in job.summary.read_text()
    both = Tiers(quick=document, full=quiet)
    write_tiers(job, both, since=since)
    assert job.summary.read_text() == f"Of a step before.\n{tiers_comment(both, marker=MARKER, limit=SUMMARY_BYTES)}"


def test_a_summary_without_room_keeps_what_is_there(document: Document, job: Job) -> None:
    assert job.summary is not None
    job.summary.write_text("x" * (SUMMARY_BYTES - 10))
    write_tiers(job, Tiers(quick=document), since=length_of_summary(job))
    assert job.summary.stat().st_size == SUMMARY_BYTES - 10
    write_tiers(replace(job, summary=None), Tiers(quick=document), since=0)


def test_only_a_file_that_is_longer_is_shortened(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("12345")
    for length, left in ((9, "12345"), (3, "123"), (0, "")):
        shorten(path, length)
        assert path.read_text() == left
    os.mkfifo(tmp_path / "pipe")
    shorten(tmp_path / "pipe", 0)
    shorten(tmp_path / "none", 0)
    shorten(None, 0)
    path.write_text("12345")
    path.chmod(0o400)
    if os.geteuid():  # whoever is root may write anything
        with pytest.raises(JobError, match="cannot be written"):
            shorten(path, 1)


def test_notes_of_both_are_ten_at_most_and_each_metric_is_noted_once(document: Document, tmp_path: Path) -> None:
    none = BudgetLines(tmp_path / "none")
    alone = notes_on([document], config="pacecar.toml", budgets=none, changed=lambda _: [])
    assert notes_on([document, document], config="pacecar.toml", budgets=none, changed=lambda _: []) == alone
    metrics = tuple(replace(document.judgements[0], endpoint=f"GET /{number}") for number in range(4))
    quick = replace(document, judgements=metrics, frames=())
    both = notes_on([document, quick], config="pacecar.toml", budgets=none, changed=lambda _: [])
    assert both[: len(alone)] == alone
    assert len(both) == 5 <= MOST_NOTES


def _replaced_by_link(path: Path) -> None:
    path.rename(path.with_name("real"))
    path.symlink_to("real")


def _replaced(path: Path, make: Callable[[Path], None]) -> None:
    path.unlink()
    make(path)


def _of_version_99(path: Path) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schema_version": 99}))


def _overwritten(path: Path, content: bytes) -> None:
    path.write_bytes(content)


DAMAGED: dict[str, Callable[[Path], None]] = {
    "no quick tier": lambda quick: quick.unlink(),
    "a quick tier cut off": lambda quick: _overwritten(quick, quick.read_bytes()[:-100]),
    "of another version": _of_version_99,
    "too large": lambda quick: _overwritten(quick, b" " * (DOCUMENT_BYTES + 1)),
    "a link": _replaced_by_link,
    "a folder": lambda quick: _replaced(quick, Path.mkdir),
    "a pipe": lambda quick: _replaced(quick, os.mkfifo),
    "a link for a folder": lambda quick: _replaced_by_link(quick.parent),
    "a link for why": lambda quick: _replaced(quick.parents[1] / "why.txt", lambda why: why.symlink_to("/etc/passwd")),
}


@pytest.mark.hostile
@pytest.mark.parametrize("case", DAMAGED)
def test_a_quick_tier_that_is_damaged_is_refused_in_a_sentence(
    case: str, document: Document, quiet: Document, runs: dict[Tier, Path], room: Room
) -> None:
    room.hand_on(Tiers(quick=document, full=quiet, why=WHY), runs)
    DAMAGED[case](room.artifact / NAME / "tiers" / "quick" / DOCUMENT_NAME)
    (each,) = received(room.artifact)
    assert each.size <= 2 * DOCUMENT_BYTES + 1_000
    with pytest.raises(PacecarError) as refused:
        each.rendered(limit=COMMENT_LIMIT, report_url="")
    assert len(refused.value.message) < 400 + len(str(room.artifact))
    assert "\n" not in refused.value.message


@pytest.mark.hostile
def test_folders_of_tiers_that_are_none_are_not_looked_at(
    document: Document, runs: dict[Tier, Path], room: Room, tmp_path: Path
) -> None:
    room.hand_on(Tiers(quick=document), _only(runs, Tier.QUICK))
    tiers = room.artifact / NAME / "tiers"
    elsewhere = tiers.rename(tmp_path / "elsewhere")
    tiers.symlink_to(elsewhere)
    with pytest.raises(ArtifactError, match=r"holds no document\.json"):
        received(room.artifact)
    tiers.unlink()
    tiers.write_text("no folder")
    with pytest.raises(ArtifactError, match=r"holds no document\.json"):
        received(room.artifact)


@pytest.mark.hostile
def test_texts_beside_the_tiers_are_cut_and_shown_as_text(
    document: Document, runs: dict[Tier, Path], room: Room
) -> None:
    room.hand_on(Tiers(quick=document, why="x", failure="x"), _only(runs, Tier.QUICK))
    tiers = room.artifact / NAME / "tiers"
    for path in (tiers / "why.txt", tiers / "full" / "failure.txt"):
        path.write_bytes(b"@all <img src=x> \xff\xfe\x00 " * 100_000)
    told = _rendered(room)
    assert "<img" not in told
    assert "@all" not in told
    assert len(told) < len(tiers_comment(Tiers(quick=document, failure="x"), marker=marker(NAME))) + 6_000
