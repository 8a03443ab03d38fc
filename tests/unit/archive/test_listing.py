"""Lists of runs, and how long runs are kept."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.archive.listing import all_runs, local_runs, remove_local, surplus
from pacecar.archive.names import BuildName, PromotionName, RunName, escaped, made_at, unescaped
from pacecar.archive.runs import RunDirectory, run_ids
from pacecar.model.recording import Manifest, Pair, RunKind, RunState

FIRST, SECOND, THIRD = (f"2025030{day}-000000-000{day}" for day in (1, 2, 3))
NOW = datetime(2025, 3, 3, 12, tzinfo=UTC)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / ".pacecar"


@pytest.fixture
def make(root: Path, manifest: Manifest) -> Callable[..., RunDirectory]:
    def create(run_id: str, *, state: RunState = RunState.COMPLETE) -> RunDirectory:
        return RunDirectory.create(root, replace(manifest, run_id=run_id, state=state))

    return create


Make = Callable[..., RunDirectory]


def test_a_list_shows_each_run_once_and_where_it_is(root: Path, make: Make, make_pair: Callable[..., Pair]) -> None:
    make(FIRST).write_pair(make_pair(1, rows=3), {})
    make(SECOND, state=RunState.INTERRUPTED)
    stored = [
        RunName(run_id=run_id, kind=RunKind.RECORDING, state=RunState.COMPLETE, pairs=4, size=1, sha256="0" * 64)
        for run_id in (FIRST, THIRD)
    ]
    runs = all_runs(local_runs(root), stored)
    assert [(run.run_id, run.kind, run.state, run.pairs, run.here, run.stored) for run in runs] == [
        (FIRST, "paired", "complete", 1, True, True),
        (SECOND, "paired", "interrupted", 0, True, False),
        (THIRD, "recording", "complete", 4, False, True),
    ]
    assert runs[0].builds == ("main", "main")


def test_of_several_stored_copies_the_first_counts(root: Path) -> None:
    stored = [
        RunName(run_id=FIRST, kind=RunKind.PAIRED, state=state, pairs=pairs, size=1, sha256="0" * 64)
        for state, pairs in ((RunState.COMPLETE, 4), (RunState.INTERRUPTED, 3))
    ]
    (run,) = all_runs(local_runs(root), stored)
    assert (run.state, run.pairs, run.here, run.stored) == ("complete", 4, False, True)


def test_the_newest_are_listed_without_reading_the_others(root: Path, make: Make) -> None:
    (make(FIRST).path / "manifest.json").write_text("{")
    for run_id in (SECOND, THIRD):
        make(run_id)
    (root / "runs" / "99990101-000000-0000").mkdir()
    assert [run.run_id for run in local_runs(root, newest=2)] == [SECOND, THIRD]
    assert [run.run_id for run in local_runs(root, newest=0)] == [FIRST, SECOND, THIRD]


def test_a_damaged_run_is_listed_as_such(root: Path, make: Make) -> None:
    (make(FIRST).path / "manifest.json").write_text("{")
    assert [(run.run_id, run.state) for run in local_runs(root)] == [(FIRST, "damaged")]


def test_no_archive_has_no_runs(root: Path) -> None:
    assert local_runs(root) == []


@pytest.mark.parametrize(
    ("keep", "age_s", "going"),
    [
        (None, None, set()),
        (2, None, {FIRST}),
        (9, None, set()),
        (None, 86_400, {FIRST, SECOND}),
        (None, 40 * 3600, {FIRST}),
        (1, 40 * 3600, {FIRST, SECOND}),
        (None, 1e15, set()),
        (None, math.inf, set()),
    ],
)
def test_retention(keep: int | None, age_s: float | None, going: set[str]) -> None:
    assert surplus([THIRD, FIRST, SECOND, FIRST], keep=keep, older_than_s=age_s, now=NOW) == going


def test_an_id_that_tells_no_time_is_never_too_old() -> None:
    assert surplus(["mine"], keep=None, older_than_s=1, now=NOW) == set()


def test_what_is_being_measured_stays_until_it_must_be_dead(root: Path, make: Make) -> None:
    make(FIRST)
    measured = make(SECOND, state=RunState.OPEN)
    assert remove_local(root, [FIRST, SECOND, THIRD]) == [FIRST]
    assert run_ids(root) == [SECOND]
    os.utime(measured.path / "manifest.json", (0, 0))
    assert remove_local(root, [SECOND]) == [SECOND]
    assert list((root / "runs").iterdir()) == []


PLAIN = st.text(st.characters(exclude_categories=["Cs"]))


class TestNames:
    """Names of objects."""

    @given(PLAIN)
    def test_any_text_survives(self, text: str) -> None:
        whole = escaped(text, most=10_000)
        assert unescaped(whole) == text
        assert set(whole) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_!")
        cut = escaped(text, most=20)
        assert len(cut) <= 20
        assert text.startswith(unescaped(cut))

    @given(st.lists(PLAIN, min_size=1, max_size=2), st.integers(0, 9999), st.integers(0, 10**12))
    def test_a_run_and_its_name(self, labels: list[str], pairs: int, size: int) -> None:
        name = RunName(
            run_id=FIRST,
            kind=RunKind.PAIRED,
            state=RunState.COMPLETE,
            pairs=pairs,
            size=size,
            sha256="a" * 64,
            builds=tuple(labels),
        )
        read = RunName.read(str(name))
        assert read is not None
        assert replace(read, builds=()) == replace(name, builds=())
        assert len(str(name)) < 256
        assert all(label.startswith(cut) for label, cut in zip(labels, read.builds, strict=True))

    def test_a_promotion_and_its_name(self) -> None:
        name = PromotionName(
            promoted="2025-03-01T10:15:00.123456+00:00", run_id=FIRST, forks=3, size=9, digest="a" * 16, build="main a"
        )
        assert PromotionName.read(str(name)) == name
        assert str(name) == f"20250301-101500-123456.{FIRST}.3.9.{'a' * 16}.main!20a.json"

    @pytest.mark.parametrize(
        "name", ["", "x", "20250231-101500-123456.20250301-000000-0001.3.9.aaaaaaaaaaaaaaaa.m.json"]
    )
    def test_names_of_others(self, name: str) -> None:
        assert (RunName.read(name), PromotionName.read(name), BuildName.read(name)) == (None, None, None)

    def test_when_a_run_was_begun(self) -> None:
        assert made_at(FIRST) == "2025-03-01T00:00:00+00:00"
        assert made_at("mine") == ""
