"""What is in the making stays for as long as its maker lives, whatever the clocks say, and goes once it is dead."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pacecar.archive import fetched
from pacecar.archive.bucket import Bucket
from pacecar.archive.folders import FolderStore
from pacecar.inputs.builds import store
from pacecar.system import paths
from pacecar.system.disk import durable, leftovers, parts
from pacecar.system.disk.leftovers import ABANDONED_S, remove_leftovers
from support.watchdogs import line_of
from unit.system.resources.owners import end_started, start

pytestmark = pytest.mark.hostile

#: Makes a file or a folder beside a name, says which, and is not done with it.
MAKING = """
import sys, time
from pathlib import Path
from pacecar.system.disk import parts
kind, final = sys.argv[1], Path(sys.argv[2])
final.parent.mkdir(parents=True, exist_ok=True)
with parts.new_folder(final) if kind == "folder" else parts.new_file(final, mode=0o644) as made:
    print(made if kind == "folder" else made[0], flush=True)
    time.sleep(600)
"""
#: As a step of the clock by years would make it look.
LONG_AGO = (0, 0)


@pytest.fixture(autouse=True)
def nothing_goes_on() -> Iterator[None]:
    yield
    end_started()


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file system counts as one that other machines write as well."""
    monkeypatch.setattr(leftovers, "is_local", lambda path: False)


def making(kind: str, final: Path) -> tuple[subprocess.Popen[str], Path]:
    process = start(MAKING, kind, final)
    part = Path(line_of(process).rstrip("\n"))
    assert part.exists()
    os.utime(part, LONG_AGO)
    return process, part


def killed(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_live_process_makes_stays_however_old_it_looks(kind: str, tmp_path: Path) -> None:
    process, part = making(kind, tmp_path / "final")
    remove_leftovers([part])
    assert part.exists()
    killed(process)
    remove_leftovers([part])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["bucket", "baselines", "fetched", "artifacts", "built"])
def test_no_store_takes_an_upload_from_a_live_process(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACECAR_CACHE", str(tmp_path / "cache"))
    kind, final, tidy = {
        "bucket": ("file", "runs/object", lambda: Bucket(f"file://{tmp_path}", {}).clear_leftovers()),
        "baselines": ("folder", "baselines/main/20250301-101500-9f3a", FolderStore(tmp_path).tidy),
        "fetched": ("folder", "fetched/work", lambda: fetched.clear(tmp_path)),
        "artifacts": ("folder", "cache/artifacts/adopted", lambda: store.evict(1 << 40)),
        "built": ("file", "cache/built/key", lambda: store.evict(1 << 40)),
    }[place]
    assert paths.cache() == tmp_path / "cache"
    process, part = making(kind, tmp_path / final)
    tidy()
    assert part.exists()
    killed(process)
    tidy()
    assert not part.exists()


def test_a_baseline_that_is_being_stamped_stays(tmp_path: Path) -> None:
    copied = tmp_path / "baselines" / "main" / "20250301-101500-9f3a"
    copied.mkdir(parents=True)
    os.utime(copied, LONG_AGO)
    with parts.unfinished(copied), parts.unfinished(copied):
        FolderStore(tmp_path).tidy()
        assert copied.exists()
        (copied / "promoted.json").write_text("{}")
    FolderStore(tmp_path).tidy()
    assert copied.exists(), "it is whole"
    (copied / "promoted.json").unlink()
    FolderStore(tmp_path).tidy()
    assert not copied.exists()


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_where_another_machine_may_write_a_week_has_to_pass(kind: str, tmp_path: Path) -> None:
    process, part = making(kind, tmp_path / "final")
    remove_leftovers([part])
    assert part.exists(), "its maker lives"
    killed(process)
    (tmp_path / "clock").touch()
    now = (tmp_path / "clock").stat().st_mtime
    os.utime(part, (now, now - ABANDONED_S + 60))
    remove_leftovers([part])
    assert part.exists(), "its maker may live on another machine"
    os.utime(part, (now, now - ABANDONED_S - 60))
    remove_leftovers([part])
    assert not part.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["clock"]


@pytest.mark.usefixtures("elsewhere")
def test_a_step_of_this_machines_clock_makes_nothing_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = tmp_path / ".final.1.00000000.part"
    part.touch()
    monkeypatch.setattr("time.time", lambda: 1e12)
    remove_leftovers([part])
    assert part.exists()


def test_writers_and_somebody_who_tidies_at_once_lose_nothing(tmp_path: Path) -> None:
    done = threading.Event()

    def tidy() -> None:
        while not done.is_set():
            remove_leftovers(tmp_path.glob(f".*{parts.SUFFIX}"))

    tidying = threading.Thread(target=tidy)
    tidying.start()
    try:
        for number in range(300):
            durable.write_bytes(tmp_path / f"{number}", b"x" * number)
            with parts.new_folder(tmp_path / f"folder-{number}") as part:
                (part / "x").write_text("x")
                part.rename(tmp_path / f"folder-{number}")
    finally:
        done.set()
        tidying.join()
    assert [len((tmp_path / f"{number}").read_bytes()) for number in range(300)] == list(range(300))
    assert all((tmp_path / f"folder-{number}" / "x").exists() for number in range(300))
    assert len(list(tmp_path.iterdir())) == 600


@pytest.mark.parametrize("kind", ["link", "fifo", "gone"])
def test_what_is_no_part_of_ours(kind: str, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("x")
    part = tmp_path / ".a.1.00000000.part"
    match kind:
        case "link":
            part.symlink_to(precious)
        case "fifo":
            os.mkfifo(part)
    remove_leftovers([part])
    assert precious.read_text() == "x"
