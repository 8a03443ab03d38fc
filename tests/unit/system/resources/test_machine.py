"""The machine's lock: one measurement at a time, by real processes that are stopped, killed and started at once."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from pacecar.system.resources.identity import Identity
from pacecar.system.resources.locks import LockError, holder
from pacecar.system.resources.machine import MachineBusy, alone_on_machine, place
from support.watchdogs import line_of
from unit.system.resources.owners import end, start

pytestmark = pytest.mark.hostile

#: Takes the machine, starts what a measurement would, and keeps it until its input is closed.
MEASURING = """
import subprocess, sys
from pacecar.system.resources.machine import alone_on_machine
sys.argv[1:] = ["compare", "--stored", "secret"]
with alone_on_machine(wait=True, tell=lambda line: print(line, flush=True)):
    service = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print("has it", service.pid, flush=True)
    sys.stdin.read()
    print("gives it up", flush=True)
service.kill()
"""


NOBODY = f"1-1-{'0' * 32}-1-{'0' * 12}"


@pytest.fixture(autouse=True)
def lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACECAR_LOCKS", str(tmp_path / "locks"))
    (tmp_path / "locks").mkdir()
    return tmp_path / "locks" / "pacecar-machine.lock"


def try_it() -> None:
    with alone_on_machine(wait=False, tell=print):
        pass


def test_a_second_measurement_waits_and_says_for_whom() -> None:
    first = start(MEASURING)
    assert line_of(first).startswith("has it")
    second = start(MEASURING)
    assert line_of(second).startswith(f"waiting for pacecar compare (process {first.pid} of ")
    first.communicate()
    assert line_of(second).startswith("has it")
    second.communicate()
    try_it()


def test_whoever_does_not_wait_is_told_who_has_it() -> None:
    first = start(MEASURING)
    assert line_of(first).startswith("has it")
    with pytest.raises(MachineBusy, match=rf"pacecar compare \(process {first.pid} of \w+, for \d+ m?s\)") as busy:
        try_it()
    assert busy.value.exit_code == 3
    assert "secret" not in busy.value.message
    first.communicate()
    try_it()


@pytest.mark.parametrize("stopped_first", [False, True])
def test_the_lock_goes_with_a_killed_owner_whatever_it_started(stopped_first: bool) -> None:
    first = start(MEASURING)
    service = int(line_of(first).split()[-1])
    try:
        if stopped_first:
            first.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, first.pid, os.WSTOPPED)
            with pytest.raises(MachineBusy):
                try_it()
        end(first)
        os.kill(service, 0)
        try_it()
    finally:
        os.kill(service, signal.SIGKILL)


def test_of_many_that_start_at_once_one_measures_at_a_time(tmp_path: Path) -> None:
    script = """
import os, sys, time
from pathlib import Path
from pacecar.system.resources.machine import alone_on_machine
place = Path(sys.argv[1])
while not (place / "go").exists():
    time.sleep(0.001)
with alone_on_machine(wait=True, tell=lambda line: None):
    os.close(os.open(place / "measuring", os.O_CREAT | os.O_EXCL))
    time.sleep(0.05)
    (place / "measuring").unlink()
"""
    all_of_them = [start(script, tmp_path) for _ in range(6)]
    (tmp_path / "go").touch()
    for each in all_of_them:
        _, errors = each.communicate(timeout=240)
        assert each.returncode == 0, errors


def test_within_itself_it_is_asked_for_once(lock: Path) -> None:
    with alone_on_machine(wait=False, tell=print):
        with alone_on_machine(wait=False, tell=print):
            assert (said := holder(lock)) is not None
            assert said.identity == Identity.own()
        other = start(
            "from pacecar.system.resources.machine import *\nwith alone_on_machine(wait=False, tell=print): pass"
        )
        assert "MachineBusy" in other.communicate()[1], "the inner one gave it up"
    assert holder(lock) is None


@pytest.mark.parametrize("kind", ["link", "dangling", "link to a folder", "fifo", "folder", "second name", "socket"])
def test_something_else_in_place_of_the_lock(kind: str, lock: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    match kind:
        case "link":
            lock.symlink_to(precious)
        case "dangling":
            lock.symlink_to(tmp_path / "nowhere")
        case "link to a folder":
            lock.symlink_to(tmp_path)
        case "fifo":
            os.mkfifo(lock)
        case "folder":
            lock.mkdir()
        case "second name":
            lock.hardlink_to(precious)
        case _:
            os.mknod(lock, 0o140600)
    with pytest.raises(LockError, match="is not a plain file of its own"):
        try_it()
    assert precious.read_text() == "precious"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\0",
        b"[" * 4000,
        b"{}",
        b"null",
        b'{"owner": 1, "user": [], "command": {}, "since_s": "x"}',
        b'{"owner": "1-1", "user": null, "since_s": 1e308}',
        b'{"since_s": NaN}',
        b'{"since_s": -1e400}',
        json.dumps({"user": "\x1b[31m\r\n::set-output", "command": "x" * 5000}).encode(),
        json.dumps({"owner": NOBODY, "user": "\u202eevil", "since_s": True}).encode(),
        b" " * 100_000,
    ],
    ids=len,
)
def test_whatever_the_file_says_only_the_lock_counts(content: bytes, lock: Path) -> None:
    lock.write_bytes(content)
    try_it()
    lock.write_bytes(content)
    held = subprocess.Popen(["flock", "--no-fork", lock, "sleep", "600"])
    try:
        while subprocess.run(["flock", "--nonblock", lock, "true"]).returncode == 0:
            time.sleep(0.01)
        with pytest.raises(MachineBusy) as busy:
            try_it()
        assert busy.value.message.isprintable()
        assert len(busy.value.message) < 300
    finally:
        held.kill()
        held.wait()


@pytest.mark.parametrize("place_of_it", ["a file", "/proc/self/nothing", "/sys"])
def test_a_folder_that_cannot_be_used_is_one_sentence(
    place_of_it: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("PACECAR_LOCKS", str(tmp_path / place_of_it))
    with pytest.raises(LockError, match="cannot be used"):
        try_it()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_the_lock_of_another_user(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    public = Path(tempfile.mkdtemp(prefix="pacecar-test-locks-"))  # pytest's own folders are closed to others
    request.addfinalizer(lambda: shutil.rmtree(public))
    public.chmod(0o1777)
    monkeypatch.setenv("PACECAR_LOCKS", str(public))
    lock = public / "pacecar-machine.lock"
    first = start(MEASURING)
    assert line_of(first).startswith("has it")
    assert lock.stat().st_mode & 0o777 == 0o666
    for flags in ("--exclusive", "--shared"):
        other = subprocess.run(
            ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "flock", flags, "-n", lock, "true"]
        )
        assert other.returncode == 1
    end(first)


def test_without_a_setting_all_users_have_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PACECAR_LOCKS")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/nonexistent")
    monkeypatch.setenv("TMPDIR", "/nonexistent")
    assert place().parent in (Path("/run/lock"), Path("/tmp"), Path("/dev/shm"))


def test_a_lock_file_that_somebody_removes_is_made_again(lock: Path) -> None:
    first = start(MEASURING)
    assert line_of(first).startswith("has it")
    second = start(MEASURING)
    assert line_of(second).startswith("waiting for")
    end(first)
    lock.unlink(missing_ok=True)
    assert line_of(second).startswith("has it")
    second.communicate()
