"""Runs and baselines in a store that machines share. The same with a real S3 server: `tests/integration`."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pacecar.archive import RunError
from pacecar.archive.baselines import baseline_run, find_baseline, list_baselines, promote, prune, verify
from pacecar.archive.names import RunName
from pacecar.archive.promotions import SharedStore
from pacecar.archive.runs import RunDirectory
from pacecar.archive.shared import Shared, run_object
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair, RunKind, RunState
from pacecar.model.stored_builds import Origin, StoredBuild
from pacecar.system.disk import durable

Record = Callable[[str], RunDirectory]
FIRST, SECOND, THIRD = (f"2025030{day}-000000-000{day}" for day in (1, 2, 3))


class TestRuns:
    """Packed runs."""

    def test_a_run_is_the_same_on_another_machine(self, here: Shared, elsewhere: Shared, record: Record) -> None:
        run = record(FIRST)
        here.put(run)
        (name,) = elsewhere.runs()
        fetched = elsewhere.fetch(name)
        assert fetched.manifest == run.manifest
        assert fetched.path.is_relative_to(elsewhere.root / "fetched")
        assert _files(fetched.path) == {name: data for name, data in _files(run.path).items() if "passwd" not in name}

    def test_a_listing_tells_what_there_is_without_opening_it(self, here: Shared, record: Record) -> None:
        for run_id in (SECOND, FIRST):
            here.put(record(run_id))
        assert [(run.run_id, run.kind, run.state, run.pairs, run.builds) for run in here.runs()] == [
            (FIRST, "paired", "complete", 1, ("main", "main")),
            (SECOND, "paired", "complete", 1, ("main", "main")),
        ]

    def test_a_run_is_put_once(self, here: Shared, record: Record) -> None:
        run = record(FIRST)
        assert here.put(run) == here.put(run)
        assert len(here.bucket.names("runs")) == 1

    def test_of_several_copies_the_first_is_found(self, here: Shared, record: Record) -> None:
        runs = {run_id: record(run_id) for run_id in (FIRST, SECOND, THIRD)}
        for run in runs.values():
            here.put(run)
        first, again = here.find(SECOND), here.put(runs[SECOND], anew=True)
        assert first is not None
        assert again.copy != first.copy
        assert here.find(SECOND) == first
        assert here.find("20250302-000000-000") is None, "the beginning of an id is none"

    @pytest.mark.parametrize(("days", "newest"), [((0, 1), 2), ((0, 9, 20), 3), ((0, 50, 400), 1), ((50, 400), 2)])
    def test_the_newest_are_found_however_old_they_are(
        self, here: Shared, record: Record, days: tuple[int, ...], newest: int
    ) -> None:
        now = datetime.now(UTC)
        run_ids = [f"{now - timedelta(days=each):%Y%m%d-%H%M%S}-0000" for each in days]
        for run_id in run_ids:
            here.put(record(run_id))
        assert [run.run_id for run in here.newest(newest)][-newest:] == sorted(run_ids)[-newest:]
        assert [run.run_id for run in here.newest(len(days) + 1)] == sorted(run_ids)

    def test_a_run_that_is_being_measured_is_not_put(self, here: Shared, record: Record) -> None:
        run = record(FIRST)
        run.set_state(RunState.OPEN)
        with pytest.raises(RunError, match="is still being measured"):
            here.put(run)
        assert here.runs() == []

    def test_what_there_is_of_one_is_put_as_if_it_were_interrupted(
        self, here: Shared, elsewhere: Shared, record: Record, make_pair: Callable[..., Pair]
    ) -> None:
        run = record(FIRST)
        run.set_state(RunState.OPEN)
        one = here.put_so_far(run)
        run.write_pair(make_pair(2), {})
        two = here.put_so_far(run)
        assert [(each.state, each.pairs) for each in (one, two)] == [("interrupted", 1), ("interrupted", 2)]
        assert run.manifest.state is RunState.OPEN
        assert elsewhere.find(FIRST) == two
        assert elsewhere.fetch(two).pair_numbers() == [1, 2]
        run.set_state(RunState.COMPLETE)
        assert here.put(run) == here.find(FIRST)
        assert [each.state for each in here.copies(FIRST)] == ["complete", "interrupted", "interrupted"]

    @pytest.mark.hostile
    def test_what_a_service_has_left_beside_its_files_stays_here(
        self, here: Shared, elsewhere: Shared, record: Record, tmp_path: Path
    ) -> None:
        run = record(FIRST)
        (tmp_path / "secret").write_text("hunter2")
        raw = run.raw(1, Side.CANDIDATE)
        raw.mkdir(parents=True, exist_ok=True)
        (raw / "gc-1.log").symlink_to(tmp_path / "secret")
        (raw / "folder").symlink_to(tmp_path)
        os.mkfifo(raw / "pipe")
        (raw / "service.log").write_text("hello")
        run.set_state(RunState.OPEN)
        there = elsewhere.fetch(here.put_so_far(run)).raw(1, Side.CANDIDATE)
        names = {path.name for path in there.iterdir()}
        assert "service.log" in names
        assert names.isdisjoint({"gc-1.log", "folder", "pipe"})

    def test_copies_with_less_of_it_go_unless_they_are_a_baseline(
        self, here: Shared, record: Record, make_pair: Callable[..., Pair]
    ) -> None:
        run = record(FIRST)
        run.set_state(RunState.INTERRUPTED)
        promoted = promote(run, "main", SharedStore(here))
        run.write_pair(make_pair(2), {})
        here.put(run)
        run.write_pair(make_pair(3), {})
        here.put(run)
        SharedStore(here).supersede(FIRST)
        assert [each.pairs for each in here.copies(FIRST)] == [3, 1]
        assert SharedStore(here).run_of(promoted).pair_numbers() == [1]

    def test_objects_of_others_and_in_the_making_are_passed_over(self, here: Shared, record: Record) -> None:
        here.put(record(FIRST))
        name = RunName(
            run_id=SECOND,
            kind=RunKind.PAIRED,
            state=RunState.COMPLETE,
            pairs=1,
            size=99,
            sha256="0" * 64,
            builds=("main",),
        )
        here.bucket.put(run_object(name), b"half of it")
        here.bucket.put("runs/notes.txt", b"hello")
        assert [run.run_id for run in here.runs()] == [FIRST]

    def test_what_is_fetched_is_not_fetched_again(self, here: Shared, elsewhere: Shared, record: Record) -> None:
        name = here.put(record(FIRST))
        elsewhere.fetch(name)
        here.bucket.remove(run_object(name))
        assert elsewhere.fetch(name).manifest.run_id == FIRST

    def test_a_run_that_was_removed_meanwhile(self, here: Shared, elsewhere: Shared, record: Record) -> None:
        name = here.put(record(FIRST))
        here.bucket.remove(run_object(name))
        with pytest.raises(RunError, match="is gone"):
            elsewhere.fetch(name)
        assert list((elsewhere.root / "fetched").iterdir()) == []

    def test_a_run_whose_bytes_were_changed(self, here: Shared, elsewhere: Shared, record: Record) -> None:
        name = here.put(record(FIRST))
        here.bucket.put(run_object(name), b"x" * name.size)
        with pytest.raises(RunError, match="its content is not what its name says"):
            elsewhere.fetch(name)
        here.bucket.put(run_object(name), b"x" * (name.size + 1))
        with pytest.raises(RunError, match="larger than"):
            elsewhere.fetch(name)
        here.bucket.put(run_object(name), b"x" * (name.size - 1))
        with pytest.raises(RunError, match="is cut short"):
            elsewhere.fetch(name)
        assert list((elsewhere.root / "fetched").iterdir()) == []

    @pytest.mark.parametrize("claim", [{"run_id": SECOND}, {"pairs": 2}, {"state": RunState.INTERRUPTED}])
    def test_a_name_that_claims_something_else(
        self, here: Shared, elsewhere: Shared, record: Record, claim: dict[str, Any], tmp_path: Path
    ) -> None:
        name = here.put(record(FIRST))
        packed = tmp_path / "packed"
        here.bucket.download(run_object(name), packed, size=name.size)
        lying = replace(name, **claim)
        here.bucket.put_file(run_object(lying), packed)
        with pytest.raises(RunError, match="is damaged: it"):
            elsewhere.fetch(lying)

    def test_removing_spares_what_is_needed(self, here: Shared, record: Record) -> None:
        names = [run_object(here.put(record(run_id))) for run_id in (FIRST, SECOND)]
        assert here.remove(names, needed=lambda: {names[1]}) == [names[0]]
        assert [run.run_id for run in here.runs()] == [SECOND]
        assert here.bucket.names("removals") == {}

    @pytest.mark.hostile
    def test_a_removal_that_was_forgotten_goes_no_further(
        self, here: Shared, elsewhere: Shared, record: Record, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        names = [run_object(here.put(record(run_id))) for run_id in (FIRST, SECOND)]

        def needed() -> set[str]:
            # The other machine's clock is two days ahead: it takes whoever announced this for dead, and promotes.
            with monkeypatch.context() as ahead:
                in_two_days = time.time() + 2 * 86_400
                ahead.setattr(time, "time", lambda: in_two_days)
                elsewhere.tidy()
            assert elsewhere.stays(names)
            return set()

        assert here.remove(names, needed=needed) == []
        assert [run.run_id for run in here.runs()] == [FIRST, SECOND]


class TestBaselines:
    """Promotions, which refer to packed runs."""

    def test_one_machine_promotes_and_another_reads(self, here: Shared, elsewhere: Shared, record: Record) -> None:
        run = record(FIRST)
        promote(run, "feature/größer", SharedStore(here))
        shutil.rmtree(run.path)
        (baseline,) = list_baselines(SharedStore(elsewhere))
        assert (baseline.branch, baseline.run_id, baseline.forks, baseline.build) == (
            "feature/größer",
            FIRST,
            1,
            "main abc",
        )
        assert baseline_run(SharedStore(elsewhere), "feature/größer").manifest == run.manifest
        assert verify(SharedStore(elsewhere)) == (1, [])

    def test_the_one_promoted_last_counts_and_others_have_names(self, here: Shared, record: Record) -> None:
        store = SharedStore(here)
        first, second = record(FIRST), record(SECOND)
        for run in (first, second, first):
            promote(run, "main", store)
        assert [each.run_id for each in list_baselines(store)] == [FIRST, SECOND, FIRST]
        assert find_baseline(store, "main").run_id == FIRST
        assert find_baseline(store, f"main@{SECOND}").run_id == SECOND
        with pytest.raises(RunError, match="no baseline for branch"):
            find_baseline(store, f"main@{THIRD}")

    def test_a_clock_that_is_ahead_does_not_hide_later_promotions(
        self, here: Shared, record: Record, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store = SharedStore(here)
        ahead = promote(record(FIRST), "main", store)
        future = replace(ahead, promoted="2999-01-01T00:00:00.000000+00:00")
        monkeypatch.setattr(store, "baselines", lambda: [future])
        later = promote(record(SECOND), "main", store)
        assert later.promoted == "2999-01-01T00:00:00.000001+00:00"

    def test_pruning_lets_runs_go_only_when_no_baseline_needs_them(self, here: Shared, record: Record) -> None:
        store = SharedStore(here)
        for run_id in (FIRST, SECOND, THIRD):
            promote(record(run_id), "main", store)
        assert [each.run_id for each in prune(store, keep=1)] == [FIRST, SECOND]
        assert len(here.runs()) == 3
        here.remove([run_object(run) for run in here.runs()], needed=store.needed)
        assert [run.run_id for run in here.runs()] == [THIRD]
        assert verify(store) == (1, [])

    def test_a_promotion_survives_a_removal_that_did_not_know_of_it(self, here: Shared, record: Record) -> None:
        """Every order of promoting and removing, one step at a time: what was promoted is there."""
        run = record(FIRST)
        store = SharedStore(here)
        stored = run_object(here.put(run))
        known = store.needed()

        def promote_meanwhile() -> set[str]:
            promote(run, "main", store)
            return known  # what the remover saw, before

        assert here.remove([stored], needed=promote_meanwhile) == [stored]
        assert verify(store) == (1, [])
        assert [name.copy == "0" for name in here.runs()] == [False]

    def test_a_removal_that_ended_meanwhile_is_noticed(
        self, here: Shared, record: Record, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = record(FIRST)
        store = SharedStore(here)
        put = here.bucket.put

        def put_and_lose(name: str, content: bytes) -> None:
            put(name, content)
            if name.startswith("baselines/"):
                monkeypatch.setattr(type(here.bucket), "put", original)
                here.bucket.remove(run_object(here.runs()[0]))

        original = type(here.bucket).put
        monkeypatch.setattr(type(here.bucket), "put", lambda _, name, content: put_and_lose(name, content))
        promote(run, "main", store)
        assert verify(store) == (1, [])
        assert len(list_baselines(store)) == 1

    def test_damage_is_told_and_harms_nobody_else(self, here: Shared, record: Record) -> None:
        store = SharedStore(here)
        promote(record(FIRST), "main", store)
        kept = promote(record(SECOND), "main", store)
        folder, name = kept.location.split("/")[1:]
        size = here.bucket.names_below("baselines")[folder, name]
        here.bucket.put(kept.location, b"{" * size)
        count, problems = verify(store)
        assert count == 2
        assert len(problems) == 1
        assert "its content is not what its name says" in problems[0]
        assert baseline_run(store, f"main@{FIRST}").manifest.run_id == FIRST
        with pytest.raises(RunError, match="its content is not what its name says"):
            prune(store, keep=1)  # nobody knows any more what is needed
        assert len(here.runs()) == 2

    def test_a_branch_whose_name_is_too_long_for_an_object(self, here: Shared, record: Record) -> None:
        with pytest.raises(RunError, match="too long for a shared store"):
            promote(record(FIRST), "ü" * 100, SharedStore(here))
        assert here.runs() == []


class TestBuilds:
    """What deploys a baseline's build again."""

    BUILD = StoredBuild(origin=Origin.ARTIFACT, label="orders", commit="", file_name="orders.jar")

    @pytest.fixture
    def jar(self, tmp_path: Path) -> Path:
        path = tmp_path / "orders.jar"
        path.write_bytes(b"PK" + bytes(range(256)) * 20)
        return path

    def test_an_artifact_travels_with_its_baseline(
        self, here: Shared, elsewhere: Shared, record: Record, jar: Path
    ) -> None:
        build = replace(self.BUILD, sha256=durable.sha256(jar), jvm_args=("-Xmx1g",), env={"A": "b"})
        promote(record(FIRST), "main", SharedStore(here), build=build, content=jar)
        other = SharedStore(elsewhere)
        found, file = other.build_of(find_baseline(other, "main"))
        assert found == replace(build, size=jar.stat().st_size)
        assert file is not None
        assert file.read_bytes() == jar.read_bytes()
        assert file.is_relative_to(elsewhere.root)
        assert verify(other) == (1, [])

    def test_a_commit_needs_no_file(self, here: Shared, record: Record) -> None:
        build = StoredBuild(origin=Origin.COMMIT, label="main", commit="a" * 40)
        store = SharedStore(here)
        promote(record(FIRST), "main", store, build=build)
        assert store.build_of(find_baseline(store, "main")) == (build, None)

    def test_other_bytes_than_were_promoted(self, here: Shared, elsewhere: Shared, record: Record, jar: Path) -> None:
        build = replace(self.BUILD, sha256=durable.sha256(jar))
        promote(record(FIRST), "main", SharedStore(here), build=build, content=jar)
        (name,) = here.bucket.names("builds")
        here.bucket.put(f"builds/{name}", b"x" * jar.stat().st_size)
        other = SharedStore(elsewhere)
        with pytest.raises(RunError, match="is not the file that was promoted"):
            other.build_of(find_baseline(other, "main"))

    def test_a_file_name_that_leads_elsewhere(self, here: Shared, record: Record, jar: Path) -> None:
        build = replace(self.BUILD, sha256=durable.sha256(jar), file_name="../../orders.jar")
        store = SharedStore(here)
        promote(record(FIRST), "main", store, build=build, content=jar)
        with pytest.raises(RunError, match=r"no file '\.\./\.\./orders\.jar'"):
            store.build_of(find_baseline(store, "main"))

    def test_builds_that_no_baseline_needs_are_pruned(self, here: Shared, record: Record, jar: Path) -> None:
        store = SharedStore(here)
        for run_id in (FIRST, SECOND):
            jar.write_bytes(jar.read_bytes() + b"+")
            promote(record(run_id), "main", store, build=replace(self.BUILD, sha256=durable.sha256(jar)), content=jar)
        assert len(here.bucket.names("builds")) == 2
        prune(store, keep=1)
        assert len(here.bucket.names("builds")) == 1
        assert verify(store) == (1, [])


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
