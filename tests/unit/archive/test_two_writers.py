"""Processes that promote at once, are killed at any moment, or have no room: what was told to be kept is there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive.baselines import Store, list_baselines, promote, verify
from pacecar.archive.runs import RunDirectory
from pacecar.archive.stores import store_of
from pacecar.model.experiment import Side
from pacecar.model.recording import Manifest, Pair, RunState
from pacecar.model.shared_archive import SharedArchive
from pacecar.system.disk import NoRoom
from unit.archive import processes

#: Of each kind of store.
KILLS = 50


@pytest.fixture
def model(tmp_path: Path, manifest: Manifest, make_pair: Callable[..., Pair], raw: dict[Side, Path]) -> RunDirectory:
    run = RunDirectory.create(tmp_path / "model", replace(manifest, run_id="20250101-000000-0000"))
    run.write_pair(make_pair(1, rows=200), raw)
    run.set_state(RunState.COMPLETE)
    return run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / ".pacecar"


@pytest.fixture(params=["folders", "file"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The local form, and a store on a file system; the S3 server has a test of its own."""
    return "" if request.param == "folders" else f"file://{tmp_path}/store"


@pytest.fixture
def store(root: Path, url: str) -> Store:
    return store_of(root, SharedArchive(url=url) if url else None)


def test_killed_at_any_moment(model: RunDirectory, root: Path, url: str, store: Store) -> None:
    with processes.start(processes.KILLED, model.path, root, url, "", KILLS) as killed:
        output, _ = killed.communicate(timeout=300)
    assert killed.returncode == 0
    told = processes.told(output)
    assert len(told) > KILLS / 4, "killed so early that little was put to the test"
    kept = {(baseline.branch, baseline.run_id) for baseline in list_baselines(store)}
    assert told <= kept
    # Killed between keeping and telling: at most one each time.
    assert len(kept - told) <= KILLS
    assert verify(store) == (len(list_baselines(store)), [])


def test_two_promote_at_once(model: RunDirectory, root: Path, url: str, store: Store) -> None:
    both = [processes.start(processes.PROMOTING, model.path, root, url, "", 15, mark) for mark in (1, 2)]
    told = [processes.told(writer.communicate(timeout=300)[0]) for writer in both]
    assert [len(each) for each in told] == [15, 15]
    assert {(each.branch, each.run_id) for each in list_baselines(store)} == told[0] | told[1]
    assert verify(store) == (30, [])


def test_one_promotes_while_another_prunes(model: RunDirectory, root: Path, tmp_path: Path) -> None:
    url = f"file://{tmp_path}/store"
    with processes.start(processes.PRUNING, model.path, root, url, "") as pruner:
        with processes.start(processes.PROMOTING, model.path, root, url, "", 40, 1) as writer:
            told = processes.told(writer.communicate(timeout=300)[0])
        removed, _ = pruner.communicate("done", timeout=300)
    assert len(told) == 40
    assert sum(map(int, removed.split())) > 0
    store = store_of(root, SharedArchive(url=url))
    kept = list_baselines(store)
    assert kept[-1].run_id == max(run_id for _, run_id in told)
    assert verify(store) == (len(kept), [])


def test_no_room_for_a_promotion(model: RunDirectory, root: Path, url: str, store: Store) -> None:
    promote(model, "main", store)
    largest = max(path.stat().st_size for path in model.path.rglob("*") if path.is_file())
    with processes.start(processes.LIMITED, model.path, root, url, "", largest // 2) as writer:
        output, _ = writer.communicate(timeout=300)
    assert writer.returncode == 3
    assert output.startswith("No room to store ")
    assert output.endswith(": File too large.\n")
    assert [each.run_id for each in list_baselines(store)] == [model.manifest.run_id]
    assert verify(store) == (1, [])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
def test_a_disk_that_is_full(model: RunDirectory, tmp_path: Path, url: str) -> None:
    small = tmp_path / "small"
    small.mkdir()
    size = sum(path.stat().st_size for path in model.path.rglob("*") if path.is_file()) * 3
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", small], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        place = SharedArchive(url=f"file://{small}/store") if url else None
        store = store_of(tmp_path / ".pacecar" if url else small, place)
        told: list[str] = []
        with pytest.raises(NoRoom, match=r"No room to store \S+: No space left on device"):
            processes.promote_until_refused(model, store, told)
        assert told
        assert [each.run_id for each in list_baselines(store)] == told
        assert verify(store) == (len(told), [])
    finally:
        subprocess.run(["umount", small], check=True)
