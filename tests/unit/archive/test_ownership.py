"""One owner for each run: with real writers that are alive, stopped, killed, out of sight or started at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive import RunError, bisections
from pacecar.archive.baselines import list_baselines, promote
from pacecar.archive.folders import FolderStore
from pacecar.archive.listing import remove_local
from pacecar.archive.runs import OWNER, RunDirectory, RunTaken, run_ids
from pacecar.model.recording import Manifest, Pair, RunState
from pacecar.system.resources.identity import Identity
from pacecar.system.resources.locks import LockError
from support.watchdogs import line_of
from unit.archive.test_crash import WRITER, start, stop_amid_a_pair

pytestmark = pytest.mark.hostile

#: Owns the run until its input ends, or it is killed.
OWNING = """
import sys
from pathlib import Path
from pacecar.archive.runs import RunDirectory
run = RunDirectory.open(Path(sys.argv[1]))
sys.argv[1:] = ["resume"]
with run.owned():
    print("owns", flush=True)
    import time
    time.sleep(600)
"""


@pytest.fixture
def owner(run: RunDirectory) -> Iterator[subprocess.Popen[str]]:
    with start(OWNING, run) as process:
        assert line_of(process, process.stdout) == "owns\n"
        yield process
        process.kill()


def acts(run: RunDirectory, make_pair: Callable[..., Pair]) -> list[Callable[[], object]]:
    return [
        lambda: run.set_state(RunState.INTERRUPTED),
        lambda: run.set_state(RunState.OPEN),
        lambda: run.write_manifest(run.manifest),
        lambda: run.write_pair(make_pair(7), {}),
        lambda: run.owned().__enter__(),
    ]


@pytest.mark.parametrize("which", range(5))
@pytest.mark.parametrize("stopped", [False, True])
def test_nobody_writes_beside_a_live_owner(
    which: int, stopped: bool, run: RunDirectory, owner: subprocess.Popen[str], make_pair: Callable[..., Pair]
) -> None:
    if stopped:
        owner.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, owner.pid, os.WSTOPPED)
    before = (run.path / "manifest.json").read_bytes()
    said = rf"^Run {run.path.name} is being written by pacecar resume \(process {owner.pid} of \w+, for \d+ m?s\)\.$"
    with pytest.raises(RunTaken, match=said):
        acts(RunDirectory.open(run.path), make_pair)[which]()
    assert (run.path / "manifest.json").read_bytes() == before
    assert run.pair_numbers() == []


def test_a_live_writers_pair_in_the_making_stays(run: RunDirectory, make_pair: Callable[..., Pair]) -> None:
    run.write_pair(make_pair(1, rows=2_000), {})
    with start(WRITER, run) as writer:
        part = stop_amid_a_pair(writer, run)
        for state in RunState:
            with pytest.raises(RunTaken):
                RunDirectory.open(run.path).set_state(state)
        assert part.is_dir()
        whole = RunDirectory.open(run.path)
        assert [pair.record.number for pair in whole.pairs()] == whole.pair_numbers()
        assert remove_local(run.path.parent.parent, [run.path.name]) == []
        writer.kill()
    RunDirectory.open(run.path).set_state(RunState.INTERRUPTED)
    assert not part.exists()


def test_a_killed_owner_leaves_the_run_to_others(run: RunDirectory, owner: subprocess.Popen[str]) -> None:
    owner.kill()
    os.waitid(os.P_PID, owner.pid, os.WEXITED | os.WNOWAIT)
    run.set_state(RunState.INTERRUPTED)
    assert not (run.path / OWNER).exists()


def test_of_many_that_start_at_once_one_owns(run: RunDirectory, tmp_path: Path) -> None:
    script = f"""
import sys, time
from pathlib import Path
from pacecar.archive.runs import RunDirectory, RunTaken
run = RunDirectory.open(Path(sys.argv[1]))
while not Path({str(tmp_path / "go")!r}).exists():
    time.sleep(0.001)
try:
    with run.owned():
        print("owns", flush=True)
        time.sleep(600)
except RunTaken as taken:
    print(taken.message, flush=True)
"""
    rivals = [start(script, run) for _ in range(6)]
    (tmp_path / "go").touch()
    said = []
    for rival in rivals:
        said.append(line_of(rival, rival.stdout))
    for rival in rivals:
        rival.kill()
        rival.communicate()
    assert said.count("owns\n") == 1
    assert sum("is being written by" in line for line in said) == 5


def test_two_objects_of_one_process_are_two(run: RunDirectory) -> None:
    with run.owned(), run.owned():
        run.set_state(RunState.OPEN)
        with pytest.raises(RunTaken, match=f"process {os.getpid()}"):
            RunDirectory.open(run.path).set_state(RunState.COMPLETE)
    RunDirectory.open(run.path).set_state(RunState.COMPLETE)


def test_who_comes_later_sees_what_was_written_meanwhile(run: RunDirectory) -> None:
    late = RunDirectory.open(run.path)
    run.set_state(RunState.COMPLETE)
    with late.owned():
        assert late.manifest.state is RunState.COMPLETE


def test_a_new_run_is_owned_before_anybody_can_see_it(tmp_path: Path, manifest: Manifest) -> None:
    with RunDirectory.owned_from_birth(tmp_path, manifest) as run:
        assert run_ids(tmp_path) == [manifest.run_id]
        os.utime(run.path / "manifest.json", (0, 0))
        assert remove_local(tmp_path, [manifest.run_id]) == []
    assert remove_local(tmp_path, [manifest.run_id]) == [manifest.run_id]


@pytest.mark.parametrize("state", list(RunState))
@pytest.mark.parametrize("touched", [0, None, 2**33])
def test_no_clock_makes_a_live_run_old(
    state: RunState, touched: int | None, run: RunDirectory, make_pair: Callable[..., Pair]
) -> None:
    run.set_state(state)
    with start(OWNING, run) as owner:
        line_of(owner, owner.stdout)
        if touched is not None:
            os.utime(run.path / "manifest.json", (touched, touched))
            os.utime(run.path, (touched, touched))
        root = run.path.parent.parent
        assert remove_local(root, [run.path.name]) == []
        assert run_ids(root) == [run.path.name]
        owner.kill()


def test_what_is_promoted_beside_a_writer_is_whole_and_nobodys(
    run: RunDirectory, tmp_path: Path, make_pair: Callable[..., Pair]
) -> None:
    run.write_pair(make_pair(1, rows=2_000), {})
    run.set_state(RunState.INTERRUPTED)
    store = FolderStore(tmp_path / "kept")
    with start(WRITER, run) as writer:
        stop_amid_a_pair(writer, run)
        promote(run, "main", store)
        writer.kill()
    (baseline,) = list_baselines(store)
    kept = store.run_of(baseline)
    assert len(list(kept.pairs())) >= 3
    assert [path.name for path in kept.path.rglob(".*")] == []


def test_a_run_with_a_live_writer_is_not_promoted(run: RunDirectory, tmp_path: Path) -> None:
    run.set_state(RunState.OPEN)
    with pytest.raises(RunError, match="still being measured"):
        promote(run, "main", FolderStore(tmp_path / "kept"))


@pytest.mark.parametrize("kind", ["link", "dangling", "fifo", "folder", "second name"])
def test_something_else_in_place_of_the_lock(kind: str, run: RunDirectory, tmp_path: Path) -> None:
    precious, lock = tmp_path / "precious", run.path / OWNER
    precious.write_text("precious")
    match kind:
        case "link":
            lock.symlink_to(precious)
        case "dangling":
            lock.symlink_to(tmp_path / "nowhere")
        case "fifo":
            os.mkfifo(lock)
        case "folder":
            lock.mkdir()
        case _:
            lock.hardlink_to(precious)
    with pytest.raises(LockError, match="is not a plain file of its own"):
        run.set_state(RunState.INTERRUPTED)
    assert precious.read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("content", [b"", b"\xff", b"{}", b"[[[", b'{"owner": "1-1-1"}', b"x" * 100_000], ids=len)
def test_garbage_that_a_killed_owner_left(content: bytes, run: RunDirectory) -> None:
    (run.path / OWNER).write_bytes(content)
    run.set_state(RunState.INTERRUPTED)
    assert not (run.path / OWNER).exists()


def test_a_run_that_somebody_has_removed(run: RunDirectory) -> None:
    assert remove_local(run.path.parent.parent, [run.path.name]) in ([], [run.path.name])
    run.path.exists() and run.path.rename(run.path.with_name("elsewhere"))
    with pytest.raises(RunError, match="is gone"):
        run.owned().__enter__()


class TestWithoutLocks:
    """A file system whose server keeps no locks: then only what can be proved of the last owner counts."""

    @pytest.fixture(autouse=True)
    def no_locks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise OSError(37, "No locks available")

        monkeypatch.setattr("pacecar.system.resources.locks.fcntl.flock", refuse)
        monkeypatch.setattr("pacecar.system.resources.ownership.is_local", lambda _: False)

    def signed(self, run: RunDirectory, **changes: object) -> None:
        owner = str(replace(Identity.own(), **changes))  # type: ignore[arg-type]
        (run.path / OWNER).write_text(json.dumps({"owner": owner, "user": "eva", "command": "pacecar compare"}))

    @pytest.mark.parametrize("changes", [{"boot": "c" * 32}, {"namespace": 7}, {"host": "0123456789ab"}])
    def test_an_owner_that_may_live_elsewhere(self, changes: dict[str, object], run: RunDirectory) -> None:
        self.signed(run, **changes)
        with pytest.raises(
            RunTaken, match=r"^Pacecar cannot tell whether pacecar compare \(process \d+ of eva"
        ) as taken:
            run.set_state(RunState.INTERRUPTED)
        assert taken.value.hint.endswith(f"rm {run.path / OWNER}")

    def test_a_live_owner_here(self, run: RunDirectory) -> None:
        with subprocess.Popen(["sleep", "600"]) as other:
            fields = Path(f"/proc/{other.pid}/stat").read_text().rpartition(")")[2].split()
            self.signed(run, pid=other.pid, started=int(fields[19]))
            with pytest.raises(RunTaken, match=f"is being written by pacecar compare .process {other.pid} of eva"):
                run.set_state(RunState.INTERRUPTED)
            other.kill()
        run.set_state(RunState.INTERRUPTED)

    def test_a_dead_owner_here(self, run: RunDirectory) -> None:
        self.signed(run, started=1)
        run.set_state(RunState.INTERRUPTED)

    def test_a_live_owner_by_another_object_of_this_process(self, run: RunDirectory) -> None:
        with run.owned(), pytest.raises(RunTaken):
            RunDirectory.open(run.path).set_state(RunState.COMPLETE)


def test_a_search_has_one_owner(tmp_path: Path) -> None:
    with bisections.owned(tmp_path, "20250301-101500-9f3a"):
        with pytest.raises(RunTaken, match=r"^Bisection 20250301-101500-9f3a is being written by"):
            bisections.owned(tmp_path, "20250301-101500-9f3a").__enter__()
        with bisections.owned(tmp_path, "20250301-101500-0000"):
            pass
    assert list((tmp_path / "bisections").iterdir()) == []
