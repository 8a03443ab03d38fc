"""A run's life on disk, and what is said about damaged ones."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from pacecar.archive import RunError
from pacecar.archive.runs import RunDirectory, find_run, latest, new_run_id
from pacecar.model.experiment import Side
from pacecar.model.recording import Manifest, Pair, RunState
from pacecar.model.tables import TABLES

MakePair = Callable[..., Pair]


def assert_same(found: Pair, expected: Pair) -> None:
    assert found.record == expected.record
    assert found.forks.keys() == expected.forks.keys()
    for side, fork in expected.forks.items():
        assert found.forks[side].record == fork.record
        for name in TABLES:
            assert_frame_equal(found.forks[side].tables[name], fork.tables[name])


def test_a_pair_comes_back_as_it_was(run: RunDirectory, make_pair: MakePair, raw: dict[Side, Path]) -> None:
    pair = make_pair(3)
    run.write_pair(pair, raw)
    again = RunDirectory.open(run.path)
    assert again.manifest == run.manifest
    assert again.pair_numbers() == [3]
    assert_same(again.read_pair(3), pair)
    assert [p.record.number for p in again.pairs()] == [3]


def test_raw_files_are_copied_but_no_links_and_no_sockets(
    run: RunDirectory, make_pair: MakePair, raw: dict[Side, Path]
) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(raw[Side.BASELINE] / "counters.sock"))
        run.write_pair(make_pair(1), raw)
    stored = run.raw(1, Side.BASELINE)
    files = sorted(str(path.relative_to(stored)) for path in stored.rglob("*") if not path.is_dir())
    assert files == ["chunks/1.jfr", "service.log"]
    assert (raw[Side.BASELINE] / "service.log").exists(), "the originals stay"


def test_a_table_that_was_not_measured_is_there_and_empty(run: RunDirectory, make_pair: MakePair) -> None:
    pair = make_pair(1)
    for fork in pair.forks.values():
        del fork.tables["samples"]
    run.write_pair(pair, {})
    samples = run.read_pair(1).forks[Side.CANDIDATE].tables["samples"]
    assert len(samples) == 0
    assert samples.dtypes.astype(str).to_dict() == {**TABLES["samples"]}


def test_missing_texts_are_empty_and_extra_columns_are_left_out(run: RunDirectory, make_pair: MakePair) -> None:
    pair = make_pair(1, rows=2)
    requests = pair.forks[Side.BASELINE].tables["requests"].assign(message=pd.Series(["slow", None]), extra=1)
    pair.forks[Side.BASELINE].tables["requests"] = requests
    run.write_pair(pair, {})
    stored = run.read_pair(1).forks[Side.BASELINE].tables["requests"]
    assert list(stored["message"]) == ["slow", ""]
    assert list(stored.columns) == list(TABLES["requests"])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda t: t.drop(columns="latency_ms"), "requests has no column 'latency_ms'"),
        (lambda t: t.assign(latency_ms="soon"), "requests holds a value of another type"),
        (lambda t: t.assign(window=70_000), "requests holds a value of another type"),
        (lambda t: t.assign(start_ns=float("nan")), "requests has gaps in its column 'start_ns'"),
    ],
)
def test_a_table_of_another_shape_is_not_stored(
    run: RunDirectory, make_pair: MakePair, damage: Callable[[pd.DataFrame], pd.DataFrame], message: str
) -> None:
    pair = make_pair(1)
    tables = pair.forks[Side.CANDIDATE].tables
    tables["requests"] = damage(tables["requests"])
    with pytest.raises(RunError, match=message):
        run.write_pair(pair, {})
    assert run.pair_numbers() == []
    assert list((run.path / "pairs").iterdir()) == []


def test_a_pair_is_written_once(run: RunDirectory, make_pair: MakePair) -> None:
    run.write_pair(make_pair(1), {})
    with pytest.raises(RunError, match=r"Pair 1 of run \S+ is stored already"):
        run.write_pair(make_pair(1), {})
    run.read_pair(1)


def test_a_pair_that_is_not_there(run: RunDirectory, make_pair: MakePair) -> None:
    run.write_pair(make_pair(2), {})
    with pytest.raises(RunError, match=r"has no pair 1; it has: 2\."):
        run.read_pair(1)


def test_leftovers_are_invisible_and_go_with_the_next_state(run: RunDirectory, make_pair: MakePair) -> None:
    left = run.path / "pairs" / ".01.part"
    left.mkdir()
    (left / "pair.json").write_text("{")
    again = RunDirectory.open(run.path)
    assert again.pair_numbers() == []
    again.write_pair(make_pair(1), {})
    (run.path / "pairs" / ".02.part").mkdir()
    again.set_state(RunState.INTERRUPTED)
    assert [path.name for path in (run.path / "pairs").iterdir()] == ["01"]
    assert RunDirectory.open(run.path).manifest.state is RunState.INTERRUPTED


class TestDamage:
    """Files that were changed or cut: one sentence that names the file."""

    @pytest.fixture
    def stored(self, run: RunDirectory, make_pair: MakePair) -> RunDirectory:
        run.write_pair(make_pair(1), {})
        return run

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "is not JSON"),
            (b"\xff", "is not JSON"),
            (b"{", "is not JSON"),
            (b"[" * 100_000, "is not JSON"),
            (b"[]", "is damaged: it states no schema_version"),
            (b'{"schema_version": "1"}', "is damaged: it states no schema_version"),
            (b'{"schema_version": 1}', "is damaged: run_id: Field required"),
            (b'{"schema_version": 99}', "has schema version 99; this Pacecar reads up to 3"),
        ],
    )
    def test_manifest(self, stored: RunDirectory, content: bytes, message: str) -> None:
        (stored.path / "manifest.json").write_bytes(content)
        with pytest.raises(RunError, match=f"manifest.json {message}"):
            RunDirectory.open(stored.path)

    @pytest.mark.parametrize(
        ("field", "value"),
        [("run_id", "../../etc"), ("run_id", ""), ("state", "paused"), ("builds", {"third": {}}), ("repeat", "x")],
    )
    def test_field_of_the_manifest(self, stored: RunDirectory, field: str, value: object) -> None:
        path = stored.path / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))
        with pytest.raises(RunError, match=f"manifest.json is damaged: {field}"):
            RunDirectory.open(stored.path)

    def test_file_too_large(self, stored: RunDirectory) -> None:
        os.truncate(stored.path / "manifest.json", 17 * 1024 * 1024)
        with pytest.raises(RunError, match=r"manifest\.json cannot be read: larger than 16 MiB"):
            RunDirectory.open(stored.path)

    def test_pair_of_another_number(self, stored: RunDirectory) -> None:
        (stored.path / "pairs" / "01").rename(stored.path / "pairs" / "02")
        with pytest.raises(RunError, match=r"pair\.json is damaged: it says it is pair 1"):
            stored.read_pair(2)

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1"])
    def test_table_that_is_not_parquet(self, stored: RunDirectory, content: bytes) -> None:
        (stored.path / "pairs/01/baseline/stacks.parquet").write_bytes(content)
        with pytest.raises(RunError, match=r"baseline/stacks\.parquet cannot be read as Parquet"):
            stored.read_pair(1)

    def test_table_cut_short(self, stored: RunDirectory) -> None:
        path = stored.path / "pairs/01/candidate/requests.parquet"
        path.write_bytes(path.read_bytes()[:-9])
        with pytest.raises(RunError, match=r"candidate/requests\.parquet cannot be read as Parquet"):
            stored.read_pair(1)

    def test_what_it_says_next_leaves_the_other_pairs(self, stored: RunDirectory, make_pair: MakePair) -> None:
        stored.write_pair(make_pair(2), {})
        (stored.path / "pairs/01/pair.json").write_text("{")
        with pytest.raises(RunError) as refused:
            list(stored.pairs())
        aside, judge = (refused.value.hint or "").removeprefix("Judge the run without this pair: ").split(" && ")
        subprocess.run(shlex.split(aside), check=True)
        assert [pair.record.number for pair in stored.pairs()] == [2]
        assert judge == f"pacecar judge {stored.path.name}"

    def test_table_that_is_missing(self, stored: RunDirectory) -> None:
        (stored.path / "pairs/01/candidate/host.parquet").unlink()
        with pytest.raises(RunError, match=r"candidate/host\.parquet cannot be read as Parquet"):
            stored.read_pair(1)

    @pytest.mark.parametrize(
        ("damage", "message"),
        [
            (lambda t: t.drop(columns="stack"), "has no column 'stack'"),
            (lambda t: t.astype({"stack": "int64"}), "column 'stack' is int64, not int32"),
            (lambda t: t.assign(frames=None), "column 'frames' is null, not string"),
            (lambda t: t.assign(stack=t["stack"].astype("Int32").mask(t.index == 0)), "has gaps in its column 'stack'"),
        ],
    )
    def test_table_of_another_shape(
        self, stored: RunDirectory, damage: Callable[[pd.DataFrame], pd.DataFrame], message: str
    ) -> None:
        path = stored.path / "pairs/01/baseline/stacks.parquet"
        damage(pd.read_parquet(path)).to_parquet(path)
        with pytest.raises(RunError, match=rf"baseline/stacks\.parquet:? {message}"):
            stored.read_pair(1)


def test_tables_that_an_older_pacecar_did_not_know_are_empty(run: RunDirectory, make_pair: MakePair) -> None:
    run.write_pair(make_pair(1), {})
    (run.path / "pairs/01/baseline/containers.parquet").unlink()
    table = run.read_pair(1).forks[Side.BASELINE].tables["containers"]
    assert table.empty
    assert list(table.columns) == list(TABLES["containers"])


def test_columns_that_an_older_pacecar_did_not_know_are_not_measured(run: RunDirectory, make_pair: MakePair) -> None:
    run.write_pair(make_pair(1), {})
    path = run.path / "pairs/01/baseline/arrivals.parquet"
    pd.read_parquet(path).drop(columns=["took_ms", "number"]).to_parquet(path)
    arrivals = run.read_pair(1).forks[Side.BASELINE].tables["arrivals"]
    assert list(arrivals.columns) == list(TABLES["arrivals"])
    assert arrivals["took_ms"].isna().all()


def test_of_an_older_pacecar_one_injector_sent_all(run: RunDirectory, make_pair: MakePair) -> None:
    run.write_pair(make_pair(1), {})
    path = run.path / "pairs/01/baseline/requests.parquet"
    pd.read_parquet(path).drop(columns="injector").to_parquet(path)
    requests = run.read_pair(1).forks[Side.BASELINE].tables["requests"]
    assert len(requests)
    assert set(requests["injector"]) == {0}
    assert requests["injector"].dtype == "int16"


def test_a_table_that_an_older_pacecar_did_not_know_is_empty(run: RunDirectory, make_pair: MakePair) -> None:
    run.write_pair(make_pair(1), {})
    (run.path / "pairs/01/baseline/warmup.parquet").unlink()
    warmup = run.read_pair(1).forks[Side.BASELINE].tables["warmup"]
    assert (len(warmup), list(warmup.columns)) == (0, list(TABLES["warmup"]))


class TestFinding:
    """Runs by id, by folder, and the newest."""

    def create(self, root: Path, manifest: Manifest, *ids: str) -> None:
        for run_id in ids:
            RunDirectory.create(root, replace(manifest, run_id=run_id))

    def test_the_latest(self, tmp_path: Path, manifest: Manifest) -> None:
        self.create(tmp_path, manifest, "20250301-101500-ffff", "20250302-090000-0000", "20241231-235959-aaaa")
        (tmp_path / "runs" / "99990101-000000-0000").mkdir()
        assert latest(tmp_path).manifest.run_id == "20250302-090000-0000"
        assert find_run(tmp_path).path == latest(tmp_path).path

    def test_by_id_or_folder(self, tmp_path: Path, manifest: Manifest) -> None:
        self.create(tmp_path, manifest, "20250301-101500-ffff")
        by_id = find_run(tmp_path, "20250301-101500-ffff")
        assert find_run(tmp_path, str(by_id.path)).manifest == by_id.manifest

    def test_none(self, tmp_path: Path) -> None:
        with pytest.raises(RunError, match="There is no run in") as caught:
            latest(tmp_path)
        assert caught.value.hint == "Make one: pacecar compare"

    def test_an_unknown_one(self, tmp_path: Path, manifest: Manifest) -> None:
        self.create(tmp_path, manifest, "20250301-101500-ffff", "20250302-090000-0000")
        with pytest.raises(RunError, match="There is no run '20250301-101500-fff'") as caught:
            find_run(tmp_path, "20250301-101500-fff")
        assert caught.value.hint == "Did you mean 20250301-101500-ffff?"

    def test_a_folder_that_is_no_run(self, tmp_path: Path) -> None:
        with pytest.raises(RunError, match=r"is not a run: it has no manifest\.json"):
            find_run(tmp_path, str(tmp_path))

    def test_an_id_is_not_given_twice(self, tmp_path: Path, manifest: Manifest) -> None:
        self.create(tmp_path, manifest, "20250301-101500-ffff")
        with pytest.raises(RunError, match="Run 20250301-101500-ffff already exists in "):
            self.create(tmp_path, manifest, "20250301-101500-ffff")


def test_run_ids_sort_by_time() -> None:
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{4}", new_run_id())


def test_the_archive_stays_out_of_version_control(run: RunDirectory) -> None:
    assert (run.path.parent.parent / ".gitignore").read_text().endswith("*\n")


def test_a_pair_that_explains_is_none_of_the_runs_pairs(
    run: RunDirectory, make_pair: MakePair, raw: dict[Side, Path]
) -> None:
    assert not run.has_explanation
    assert run.explanation() == []
    run.write_pair(make_pair(1), raw)
    for number in (3, 2):
        run.write_explanation(make_pair(number), raw)
    again = RunDirectory.open(run.path)
    assert again.pair_numbers() == [1]
    assert again.has_explanation
    for number, explaining in zip((2, 3), again.explanation(), strict=True):
        assert_same(explaining, make_pair(number))
    with pytest.raises(RunError, match="is stored already"):
        run.write_explanation(make_pair(2), raw)


def test_an_explanation_that_was_not_finished_is_none(run: RunDirectory) -> None:
    part = run.path / "explanation" / ".02.part"
    part.mkdir(parents=True)
    assert not run.has_explanation
    run.set_state(RunState.COMPLETE)
    assert not part.exists()
