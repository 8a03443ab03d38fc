"""Lists in which one item is damaged, foreign or hostile: it is named and left out, and the others stay."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.archive import RunError, history, records
from pacecar.archive.baselines import find_baseline, list_baselines, promote, prune, verify
from pacecar.archive.bucket import Bucket
from pacecar.archive.folders import FolderStore
from pacecar.archive.forwarded import forwarded
from pacecar.archive.listing import local_runs
from pacecar.archive.names import BuildName, PromotionName, RunName
from pacecar.archive.runs import RunDirectory
from pacecar.model.comparison import Spread
from pacecar.model.recording import Manifest, Pair, RunState

OTHER = "20250301-101500-aaaa"
Damage = Callable[[Path], None]


def _nothing(path: Path) -> None:
    path.write_bytes(b"")


def _brace(path: Path) -> None:
    path.write_bytes(b"{")


def _zeros(path: Path) -> None:
    path.write_bytes(bytes(4096))


def _list(path: Path) -> None:
    path.write_bytes(b"[]")


def _deep_lists(path: Path) -> None:
    path.write_bytes(b"[" * 100_000)


def _deep_tables(path: Path) -> None:
    path.write_bytes(b'{"schema_version": 1, "a": ' + b'{"a":' * 100_000)


def _deep_and_closed(path: Path) -> None:
    path.write_bytes(b'{"schema_version": 1, "a": ' + b"[" * 900 + b"]" * 900 + b"}")


def _long_number(path: Path) -> None:
    path.write_bytes(b'{"schema_version": 1' + b"0" * 10_000 + b"}")


def _newer(path: Path) -> None:
    path.write_bytes(b'{"schema_version": 99}')


def _no_number(path: Path) -> None:
    path.write_bytes(b'{"schema_version": NaN}')


def _flag(path: Path) -> None:
    path.write_bytes(b'{"schema_version": true}')


def _surrogate(path: Path) -> None:
    path.write_bytes(b'{"schema_version": 1, "run_id": "\\ud800"}')


def _not_utf8(path: Path) -> None:
    path.write_bytes(b'{"schema_version": 1, "run_id": "\xff\xfe"}')


def _dotted_configuration(path: Path) -> None:
    path.write_text(json.dumps({"schema_version": 1, "configuration": "a" + ".a" * 100_000 + " = 1", "builds": {}}))


def _large(path: Path) -> None:
    os.truncate(path, 17 << 20)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _link_to_itself(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def _link_out(path: Path) -> None:
    outside = path.parents[3] / "outside.json"
    shutil.copyfile(path, outside)
    path.unlink()
    path.symlink_to(outside)


DAMAGES = [value for name, value in list(globals().items()) if name.startswith("_") and callable(value)]


@pytest.fixture(scope="module")
def two_promoted(tmp_path_factory: pytest.TempPathFactory, make_pair: Callable[..., Pair], manifest: Manifest) -> Path:
    root = tmp_path_factory.mktemp("promoted") / ".pacecar"
    for run_id, branch in ((manifest.run_id, "main"), (OTHER, "feature")):
        each = RunDirectory.create(root, replace(manifest, run_id=run_id))
        each.write_pair(make_pair(1), {})
        each.set_state(RunState.COMPLETE)
        promote(each, branch, FolderStore(root))
    return root


@pytest.fixture
def promoted(two_promoted: Path, tmp_path: Path) -> FolderStore:
    """Two baselines of two branches, of which the one of `main` will be damaged."""
    return FolderStore(shutil.copytree(two_promoted, tmp_path / ".pacecar"))


@pytest.mark.hostile
@pytest.mark.parametrize("file", ["manifest.json", "promoted.json"])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_one_damaged_baseline(promoted: FolderStore, damage: Damage, file: str) -> None:
    damaged = Path(find_baseline(promoted, "main").location)
    damage(damaged / file)
    assert [each.branch for each in list_baselines(promoted)] == ["feature"]
    assert find_baseline(promoted, "feature").run_id == OTHER
    with pytest.raises(RunError):
        find_baseline(promoted, "main")
    if not (damaged / file).is_dir() and (damaged / file).exists():
        assert len(promoted.damaged()) == 1
        assert str(damaged) in promoted.damaged()[0]
        assert verify(promoted) == (2, promoted.damaged())
    assert prune(promoted, keep=1) == []
    promote(RunDirectory.open(damaged.parents[2] / "runs" / OTHER), "next", promoted)


@pytest.mark.hostile
@pytest.mark.parametrize(
    "promoted_at",
    [
        "", "yesterday", "2025-03-01", "2025-03-01T00:00:00", "9999-12-31T23:59:59.999999+00:00", "\x1b[31m",
        "0000-00-00T00:00:00+00:00", "2025-13-01T00:00:00+00:00", "x" * 100_000, "3000-01-01T00:00:00+00:00",
    ],
    ids=lambda text: repr(text[:40]),
)  # fmt: skip
def test_a_stamp_that_tells_no_time(promoted: FolderStore, promoted_at: str) -> None:
    stamp = Path(find_baseline(promoted, "main").location) / "promoted.json"
    stamp.write_text(json.dumps({"promoted": promoted_at, "build": None}))
    assert [each.branch for each in list_baselines(promoted)] == ["feature"]
    run = RunDirectory.open(stamp.parents[3] / "runs" / OTHER)
    assert promote(run, "main", promoted).run_id == OTHER


@pytest.mark.hostile
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_one_damaged_run(run: RunDirectory, manifest: Manifest, damage: Damage) -> None:
    root = run.path.parents[1]
    RunDirectory.create(root, replace(manifest, run_id=OTHER))
    damage(run.path / "manifest.json")
    listed = {each.run_id: each for each in local_runs(root)}
    assert listed[OTHER].state == "open"
    assert len(listed) <= 2
    with pytest.raises(RunError) as caught:
        RunDirectory.open(run.path)
    assert len(caught.value.message) < 500


@pytest.mark.hostile
@pytest.mark.parametrize(
    "name", ["a\nb", "\x1b[31m", "x" * 200, os.fsdecode(b"\xff\xfe"), "-rf", "\u202eevil", "a b", "%2e%2e"]
)
def test_runs_by_names_that_we_never_give(run: RunDirectory, name: str) -> None:
    shutil.copytree(run.path, run.path.with_name(name))
    listed = local_runs(run.path.parents[1])
    assert [each.state for each in listed if each.run_id == run.path.name] == ["open"]
    (other,) = (each for each in listed if each.run_id != run.path.name)
    assert other.state == "damaged"
    assert other.run_id.isascii()
    assert other.run_id.isprintable()
    assert len(other.run_id) <= 100


@pytest.mark.hostile
def test_a_run_of_a_million_builds_with_long_labels(run: RunDirectory) -> None:
    built = {str(number): {"label": "x" * 1000} for number in range(10_000)}
    (run.path / "manifest.json").write_text(json.dumps({"kind": "paired", "state": "open", "builds": built}))
    (listed,) = local_runs(run.path.parents[1])
    assert sum(map(len, listed.builds)) <= 200


@pytest.mark.hostile
@pytest.mark.parametrize("name", ["00", "001", "\u0660\u0661", "\u00b2\u00b2", "1", "99999", "0x", "-1", " 1", "01 "])
def test_folders_that_are_no_pairs(run: RunDirectory, make_pair: Callable[..., Pair], name: str) -> None:
    run.write_pair(make_pair(1), {})
    (run.path / "pairs" / name).mkdir()
    assert run.pair_numbers() == [1]


@pytest.mark.hostile
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("file", ["pairs/01/pair.json", "pairs/01/baseline/requests.parquet"])
def test_one_damaged_file_of_a_pair(
    run: RunDirectory, make_pair: Callable[..., Pair], damage: Damage, file: str
) -> None:
    run.write_pair(make_pair(1), {})
    damage(run.path / file)
    with pytest.raises(RunError) as caught:
        run.read_pair(1)
    assert len(caught.value.message) < 500


@pytest.mark.hostile
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_one_damaged_memory_of_noise(tmp_path: Path, damage: Damage) -> None:
    noise = {("p99", ""): Spread(variance=0.1, degrees=3.0)}
    for number in range(2):
        history.remember(tmp_path, "d", f"2026010{number}-000000-aaaa", noise)
    damage(tmp_path / "history" / "d" / "20260100-000000-aaaa.json")
    said: list[str] = []
    assert history.recall(tmp_path, "d", before="2027", told=said.append)[-1] == noise
    assert len(said) <= 1


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("variance", "degrees"),
    [("-1.0", "3.0"), ("NaN", "3.0"), ("Infinity", "3.0"), ("1.0", "0.0"), ("1.0", "-1.0"), ("1.0", "NaN")],
)
def test_noise_that_cannot_be(tmp_path: Path, variance: str, degrees: str) -> None:
    path = tmp_path / "history" / "d" / "a.json"
    path.parent.mkdir(parents=True)
    entry = f'{{"metric": "p99", "endpoint": "", "variance": {variance}, "degrees": {degrees}}}'
    path.write_text(f'{{"run_id": "a", "noise": [{entry}]}}')
    with pytest.raises(RunError):
        history.recall_run(tmp_path, "d", "a")
    assert history.recall(tmp_path, "d", before="b") == []


@pytest.mark.hostile
@pytest.mark.parametrize(
    "damage", [each for each in DAMAGES if each not in (_link_to_itself,)], ids=lambda d: d.__name__
)
def test_a_damaged_note_of_what_was_forwarded(run: RunDirectory, damage: Damage) -> None:
    (run.path / "forwarded.json").write_text("{}")
    damage(run.path / "forwarded.json")
    try:
        assert forwarded(run.path) == ()
    except RunError as error:
        sentence = error.message
        assert "forwarded.json" in sentence


@pytest.mark.hostile
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_an_object_of_a_folder_that_is_no_file(tmp_path: Path, make: Callable[[Path], None]) -> None:
    (tmp_path / "runs").mkdir()
    make(tmp_path / "runs" / "a")
    bucket = Bucket(f"file://{tmp_path}", {})
    with pytest.raises(RunError, match="cannot be read"):
        bucket.content("runs/a", most=1000)


@pytest.mark.hostile
@pytest.mark.parametrize("target", ["/etc/hostname", "../../outside"])
def test_an_object_that_leads_out_of_the_store(tmp_path: Path, target: str) -> None:
    (tmp_path / "store" / "runs").mkdir(parents=True)
    (tmp_path / "outside").write_text("secret")
    (tmp_path / "store" / "runs" / "a").symlink_to(target)
    with pytest.raises(RunError, match="leads out of"):
        Bucket(f"file://{tmp_path}/store", {}).content("runs/a", most=1000)


@pytest.mark.hostile
def test_a_promotion_after_the_last_day() -> None:
    name = "99991231-235959-999999.20250301-101500-9f3a.4.812." + "0" * 16 + ".main.json"
    assert PromotionName.read(name) is None
    assert PromotionName.read(name.replace("9999", "2026")) is not None


@given(st.text(max_size=200) | st.from_regex(r"\d{8}-\d{6}-[0-9a-f]{4}\.[a-z]+\.[a-z]+\.\d+\.\d+\.[0-9a-f]{64}\.0\..*"))
def test_any_name_of_an_object(name: str) -> None:
    for kind in (RunName, PromotionName, BuildName):
        found = kind.read(name)
        assert found is None or "/" not in str(found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9), lambda inner: (
    st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["schema_version", "builds", "configuration", "run_id", "baseline", "label", "kind", "state"]),
        inner, max_size=5)), max_leaves=12))  # fmt: skip
def test_any_manifest_is_a_sentence(tmp_path: Path, value: object) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(value if not isinstance(value, dict) else {"schema_version": 1, **value}))
    with pytest.raises(RunError):
        records.read_manifest(path)
