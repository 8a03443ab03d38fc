"""Searches for a commit on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive import RunError
from pacecar.archive.bisections import find_bisection, run_of, store
from pacecar.archive.runs import RunDirectory
from pacecar.model.bisection import Bisection, BisectionStep, End, Followed, Outcome, Seen
from pacecar.model.comparison import Verdict
from pacecar.model.experiment import Side
from pacecar.model.options import RunOptions
from pacecar.model.recording import Manifest

ID = "20250301-101500-8000"
SEEN = Seen(metric="cpu", endpoint="", verdict=Verdict.REGRESSED, pairs=3, change=0.2, low=None, high=0.3)
ENDS = BisectionStep(
    commit="b" * 40, outcome=Outcome.BAD, reason="20% more", run_id="r", artifact_sha256="1", seen=(SEEN,)
)
SEARCH = Bisection(
    bisection_id=ID,
    created="2025-03-01T10:15:00+00:00",
    good=End(ref="v1", commit="a" * 40),
    bad=End(ref="main", commit="b" * 40),
    first_parent=True,
    candidates=12,
    configuration='[target]\nname = "örders"\n',
    config="/p/pacecar.toml",
    settings={"plan.pairs": "8"},
    metric="cpu",
    ends=ENDS,
    followed=(Followed(metric="cpu", endpoint="", change=0.2, threshold=0.09),),
    steps=(BisectionStep(commit="c" * 40, outcome=Outcome.SKIPPED, reason="does not build: no \ud7ff"),),
)


def test_it_is_read_back_as_it_was_stored_and_kept_out_of_the_project(tmp_path: Path) -> None:
    root = tmp_path / ".pacecar"
    store(root, replace(SEARCH, steps=()))
    store(root, SEARCH)
    assert find_bisection(root, ID) == SEARCH
    assert (root / ".gitignore").exists()
    assert [path.name for path in (root / "bisections").iterdir()] == [f"{ID}.json"]


def test_goods_bad_and_skipped_follow_from_the_steps() -> None:
    steps = [
        BisectionStep(commit=name * 40, outcome=outcome, reason="")
        for name, outcome in zip("cde", Outcome, strict=True)
    ]
    search = replace(SEARCH, steps=tuple(steps))
    assert search.goods == ("a" * 40, "c" * 40)
    assert search.first_bad == "d" * 40
    assert search.skipped == {"e" * 40}
    assert replace(SEARCH, steps=()).first_bad == SEARCH.bad.commit
    assert search.step_of("b" * 40) == ENDS


def test_an_unknown_one_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no bisection 'x'") as none:
        find_bisection(tmp_path, "x")
    assert none.value.hint == "Begin one: pacecar bisect --good REF --bad REF"
    store(tmp_path, SEARCH)
    with pytest.raises(RunError) as mistyped:
        find_bisection(tmp_path, ID[:-1] + "1")
    assert mistyped.value.hint == f"Did you mean {ID}?"
    with pytest.raises(RunError, match="no bisection"):
        find_bisection(tmp_path, f"../bisections/{ID}")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema_version": 99}, "schema version 99"),
        ({"bisection_id": "other"}, "is damaged"),
        ({"steps": 3}, "steps"),
    ],
)
def test_damage_is_said(tmp_path: Path, change: dict[str, object], said: str) -> None:
    store(tmp_path, SEARCH)
    path = tmp_path / "bisections" / f"{ID}.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(RunError, match=said):
        find_bisection(tmp_path, ID)


def test_the_newest_run_of_a_commit_is_found_again(tmp_path: Path, manifest: Manifest) -> None:
    def run(run_id: str, commit: str, mark: str) -> None:
        built = replace(manifest.builds[Side.CANDIDATE], commit=commit)
        builds = {**manifest.builds, Side.CANDIDATE: built}
        RunDirectory.create(
            tmp_path, replace(manifest, run_id=run_id, builds=builds, options=RunOptions(bisection=mark))
        )

    run("20250301-101400-0000", "c1", ID)  # older than the search
    assert run_of(tmp_path, ID, commit="c1") is None
    run("20250301-101500-0000", "c1", ID)  # of the same second: what follows it is drawn
    first = run_of(tmp_path, ID, commit="c1")
    assert first is not None
    assert first.path.name == "20250301-101500-0000"
    for second, commit, mark in ((1, "c1", ID), (2, "c1", ID), (3, "c2", ID), (4, "c1", "another")):
        run(f"20250301-10160{second}-0000", commit, mark)
    found = run_of(tmp_path, ID, commit="c1")
    assert found is not None
    assert found.path.name == "20250301-101602-0000"
    assert run_of(tmp_path, ID, commit="c3") is None
