"""Runs kept for a branch."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pacecar.archive import RunError
from pacecar.archive.baselines import baseline_run, find_baseline, list_baselines, promote, prune, verify
from pacecar.archive.folders import FolderStore
from pacecar.archive.runs import RunDirectory
from pacecar.model.experiment import Side
from pacecar.model.recording import Manifest, Pair, RunState
from pacecar.model.stored_builds import Origin, StoredBuild
from pacecar.system.disk import durable, parts


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / ".pacecar"


@pytest.fixture
def record(
    root: Path, manifest: Manifest, make_pair: Callable[..., Pair], raw: dict[Side, Path]
) -> Callable[[str], RunDirectory]:
    def make(run_id: str) -> RunDirectory:
        run = RunDirectory.create(root, replace(manifest, run_id=run_id))
        run.write_pair(make_pair(1, rows=3), raw)
        run.set_state(RunState.COMPLETE)
        return run

    return make


Record = Callable[[str], RunDirectory]


def test_a_baseline_outlives_its_run(root: Path, record: Record) -> None:
    run = record("20250301-000000-0001")
    kept = promote(run, "main", FolderStore(root))
    shutil.rmtree(run.path)
    baseline = baseline_run(FolderStore(root), "main")
    assert baseline.path == Path(kept.location)
    assert baseline.manifest == run.manifest
    assert baseline.read_pair(1).record.number == 1
    assert (baseline.raw(1, Side.BASELINE) / "chunks" / "1.jfr").exists()


def test_the_one_promoted_last_counts(root: Path, record: Record) -> None:
    first, second = record("20250301-000000-0001"), record("20250302-000000-0002")
    promote(first, "main", FolderStore(root))
    promote(second, "main", FolderStore(root))
    assert find_baseline(FolderStore(root), "main").run_id == second.manifest.run_id
    promote(first, "main", FolderStore(root))
    assert [b.run_id for b in list_baselines(FolderStore(root))] == [second.manifest.run_id, first.manifest.run_id]
    assert baseline_run(FolderStore(root), "main").manifest.run_id == first.manifest.run_id


@pytest.mark.parametrize("branch", ["feature/orders", "release-1.0", "größer", "a%2Fb", "dependabot/npm_and_yarn/x@1"])
def test_any_branch_has_a_folder_of_its_own(root: Path, record: Record, branch: str) -> None:
    promote(record("20250301-000000-0001"), branch, FolderStore(root))
    assert find_baseline(FolderStore(root), branch).branch == branch
    assert baseline_run(FolderStore(root), branch).path.parent.parent == root / "baselines"


@pytest.mark.parametrize("branch", ["", ".", "..", "../main", "/etc", "-b", "a b", "a\0b", "x" * 201])
def test_what_is_no_branch(root: Path, record: Record, branch: str) -> None:
    with pytest.raises(RunError, match="is not the name of a branch"):
        promote(record("20250301-000000-0001"), branch, FolderStore(root))
    assert not (root / "baselines").exists()


def test_an_unknown_branch(root: Path, record: Record) -> None:
    promote(record("20250301-000000-0001"), "main", FolderStore(root))
    with pytest.raises(RunError, match="no baseline for branch 'mian'") as caught:
        baseline_run(FolderStore(root), "mian")
    assert caught.value.hint == "Did you mean 'main'?"
    with pytest.raises(RunError) as caught:
        baseline_run(FolderStore(root), "release")
    assert caught.value.hint == "There are baselines for: main."


def test_no_baseline_at_all(root: Path) -> None:
    assert list_baselines(FolderStore(root)) == []
    with pytest.raises(RunError) as caught:
        baseline_run(FolderStore(root), "main")
    assert "pacecar baseline promote --branch main" in str(caught.value.hint)


def test_a_run_that_is_not_done_is_not_promoted(root: Path, record: Record, manifest: Manifest) -> None:
    run = record("20250301-000000-0001")
    run.set_state(RunState.OPEN)
    with pytest.raises(RunError, match="is still being measured"):
        promote(run, "main", FolderStore(root))
    empty = RunDirectory.create(root, replace(manifest, run_id="20250301-000000-0002", state=RunState.INTERRUPTED))
    with pytest.raises(RunError, match="has no pair"):
        promote(empty, "main", FolderStore(root))


def test_a_copy_that_was_cut_short_is_not_a_baseline(root: Path, record: Record) -> None:
    kept = promote(record("20250301-000000-0001"), "main", FolderStore(root))
    path = Path(kept.location)
    shutil.copytree(path, path.with_name(".20250302-000000-0002.7.part"))
    shutil.copytree(path, path.with_name("20250303-000000-0003"))
    (path.with_name("20250303-000000-0003") / "promoted.json").unlink()
    assert list_baselines(FolderStore(root)) == [kept]


def test_pruning_keeps_the_newest_of_every_branch(root: Path, record: Record) -> None:
    runs = [record(f"2025030{day}-000000-000{day}") for day in (1, 2, 3)]
    for run in runs:
        promote(run, "main", FolderStore(root))
    promote(runs[0], "feature/orders", FolderStore(root))
    removed = prune(FolderStore(root), keep=1)
    assert [(each.branch, each.run_id) for each in removed] == [
        ("main", runs[0].manifest.run_id),
        ("main", runs[1].manifest.run_id),
    ]
    assert {(each.branch, each.run_id) for each in list_baselines(FolderStore(root))} == {
        ("main", runs[2].manifest.run_id),
        ("feature/orders", runs[0].manifest.run_id),
    }
    assert sorted(path.name for path in (root / "baselines" / "main").iterdir()) == [runs[2].manifest.run_id]


def test_pruning_clears_what_a_killed_promotion_left_but_not_what_one_is_making(root: Path, record: Record) -> None:
    promote(record("20250301-000000-0001"), "main", FolderStore(root))
    killed = root / "baselines" / "main" / ".x.1.part"
    (killed / "pairs").mkdir(parents=True)
    with parts.new_folder(killed.with_name("x")) as made:
        os.utime(made, (0, 0))
        prune(FolderStore(root), keep=1)
        assert (killed.exists(), made.exists()) == (False, True)


def test_verifying_reads_every_baseline_to_its_end(root: Path, record: Record) -> None:
    whole, damaged = record("20250301-000000-0001"), record("20250302-000000-0002")
    promote(whole, "main", FolderStore(root))
    kept = promote(damaged, "main", FolderStore(root))
    assert verify(FolderStore(root)) == (2, [])
    table = next(Path(kept.location).rglob("requests.parquet"))
    table.write_bytes(table.read_bytes()[:-20])
    count, problems = verify(FolderStore(root))
    assert count == 2
    assert len(problems) == 1
    assert "requests" in problems[0]


class TestBuilds:
    """What deploys a baseline's build again, kept beside the copy."""

    @pytest.fixture
    def jar(self, tmp_path: Path) -> Path:
        path = tmp_path / "orders.jar"
        path.write_bytes(b"PK" * 500)
        return path

    @pytest.fixture
    def build(self, jar: Path) -> StoredBuild:
        return StoredBuild(
            origin=Origin.ARTIFACT, label="orders", commit="", file_name="orders.jar", sha256=durable.sha256(jar)
        )

    def test_an_artifact_stays_with_the_copy(self, root: Path, record: Record, jar: Path, build: StoredBuild) -> None:
        store = FolderStore(root)
        promote(record("20250301-000000-0001"), "main", store, build=build, content=jar)
        jar.unlink()
        found, file = store.build_of(find_baseline(store, "main"))
        assert file is not None
        assert (found.size, file.read_bytes()) == (1000, b"PK" * 500)
        assert verify(store) == (1, [])
        file.write_bytes(b"KP" * 500)
        assert "is not the file that was promoted" in verify(store)[1][0]

    def test_promoting_again_keeps_the_build_that_is_asked_for_then(
        self, root: Path, record: Record, jar: Path, build: StoredBuild
    ) -> None:
        store, run = FolderStore(root), record("20250301-000000-0001")
        promote(run, "main", store)
        promote(run, "main", store, build=build, content=jar)
        assert store.build_of(find_baseline(store, "main"))[0].origin is Origin.ARTIFACT

    def test_a_baseline_of_an_older_pacecar_has_no_build(self, root: Path, record: Record) -> None:
        store = FolderStore(root)
        kept = promote(record("20250301-000000-0001"), "main", store)
        (Path(kept.location) / "promoted.json").write_text('{"promoted": "2025-03-01T10:15:00.000000+00:00"}')
        assert verify(store) == (1, [])
        with pytest.raises(RunError, match="an older Pacecar promoted it") as caught:
            store.build_of(find_baseline(store, "main"))
        assert caught.value.hint.endswith("pacecar baseline promote 20250301-000000-0001")


def test_a_promotion_outlasts_pruning_of_the_same_baseline(root: Path, record: Record, monkeypatch) -> None:
    store, run = FolderStore(root), record("20250301-000000-0001")
    kept = promote(run, "main", store)
    write = durable.write_bytes
    pruned: list[Any] = []

    def prune_first(path: Path, content: bytes) -> None:
        if not pruned:
            pruned.append(store.forget(kept))
        write(path, content)

    monkeypatch.setattr(durable, "write_bytes", prune_first)
    promote(run, "main", store)
    assert pruned == [True]
    assert verify(store) == (1, [])
