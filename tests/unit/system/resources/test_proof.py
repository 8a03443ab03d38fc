"""What a sweep proves before it touches anything: with real owners, killed, stopped, out of sight or recycled."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from pacecar.system import paths
from pacecar.system.disk.file_systems import is_local
from pacecar.system.resources import lone, sweep
from pacecar.system.resources.identity import Identity, Standing
from support.watchdogs import line_of
from unit.system.resources.owners import OWNER, dead, end, ledger, naming, start, swept

pytestmark = pytest.mark.hostile


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int, Path]]:
    """A live owner, its child, its folder."""
    process = start(OWNER, tmp_path)
    child, folder = line_of(process).split()
    yield process, int(child), Path(folder)
    end(process)
    if psutil.pid_exists(int(child)):
        os.kill(int(child), signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def test_a_stopped_owner_is_alive(owner: tuple[subprocess.Popen[str], int, Path], gone: Callable[[int], bool]) -> None:
    process, child, folder = owner
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED)
    assert sweep() == []
    assert folder.is_dir()
    assert not gone(child)


def test_a_killed_owner_that_nobody_has_collected_is_dead(
    owner: tuple[subprocess.Popen[str], int, Path], gone: Callable[[int], bool]
) -> None:
    process, child, folder = owner
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert sweep() == [f"ended process {child} (sleep)", f"removed folder {folder}"]
    assert gone(child)


def test_the_lock_does_not_live_on_in_what_the_owner_started(owner: tuple[subprocess.Popen[str], int, Path]) -> None:
    process, child, _ = owner
    held = {path for path in _open_files(process.pid) if "ledgers" in path or path == str(paths.cache())}
    assert len(held) == 2
    assert not held & _open_files(child)


def _open_files(pid: int) -> set[str]:
    found = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.add(str(link.readlink()))
        except OSError:
            continue
    return found


def test_a_fork_of_the_owner_does_not_hold_its_lock(tmp_path: Path) -> None:
    script = OWNER.replace(
        "time.sleep(600)",
        "import os\nif os.fork() == 0:\n    print('forked', flush=True)\n    time.sleep(600)\nos.wait()",
    )
    process = start(script, tmp_path)
    child, folder = line_of(process).split()
    assert line_of(process) == "forked\n"
    (fork,) = (each for each in psutil.Process(process.pid).children() if each.pid != int(child))
    try:
        process.kill()
        process.wait()
        assert fork.is_running()
        assert f"removed folder {folder}" in sweep()
    finally:
        fork.kill()
        end(process)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"namespace": 4026531000}, Standing.OTHER_NAMESPACE),
        ({"host": "0123456789ab"}, Standing.OTHER_HOST),
        ({"host": "0123456789ab", "boot": "a" * 32}, Standing.OTHER_HOST),
        ({"host": "0123456789ab", "namespace": 1}, Standing.OTHER_HOST),
    ],
)
def test_what_cannot_be_proved_is_left_and_said(changes: dict[str, Any], reason: Standing, tmp_path: Path) -> None:
    folder = tmp_path / "pacecar-1-1-left"
    folder.mkdir()
    path = ledger(dead(**changes), naming(folder))
    assert sweep() == [f"left {path} in place: {reason}"]
    assert folder.is_dir()
    assert path.exists()


@pytest.mark.parametrize("changes", [{"started": 2}, {"boot": "a" * 32}, {"boot": "a" * 32, "namespace": 7}])
def test_what_is_proved_dead_goes(changes: dict[str, Any], tmp_path: Path) -> None:
    assert is_local(tmp_path)
    folder = tmp_path / "pacecar-1-1-left"
    folder.mkdir()
    ledger(dead(**changes), naming(folder))
    assert sweep() == [f"removed folder {folder}"]


@pytest.mark.parametrize("whose", ["ours", "our parent's", "that of init"])
def test_a_recycled_pid_is_not_the_owner(whose: str, tmp_path: Path) -> None:
    pid = {"ours": os.getpid(), "our parent's": os.getppid()}.get(whose, 1)
    folder = tmp_path / "pacecar-1-1-left"
    folder.mkdir()
    ledger(dead(pid=pid, started=1), naming(folder))
    assert sweep() == [f"removed folder {folder}"]


def test_another_boot_on_a_file_system_that_others_write_proves_nothing() -> None:
    earlier = replace(Identity.own(), boot="b" * 32)
    assert earlier.standing(local=False) is Standing.OTHER_BOOT
    assert earlier.standing(local=True) is Standing.DEAD
    assert not is_local(Path("/proc/self"))


def allowed(*command: str) -> None:
    if subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip(f"not allowed here: {' '.join(command)}")


NAMESPACE = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")


@pytest.mark.parametrize("dies", [False, True])
def test_an_owner_in_another_pid_namespace(dies: bool, tmp_path: Path, gone: Callable[[int], bool]) -> None:
    allowed(*NAMESPACE)
    process = start(OWNER, tmp_path, within=NAMESPACE)
    try:
        folder = Path(line_of(process).split()[1])
        (path,) = (paths.state() / "ledgers").iterdir()
        if dies:
            process.kill()
            process.wait()
            while not _free(path):
                time.sleep(0.01)
            assert sweep() == [f"left {path} in place: {Standing.OTHER_NAMESPACE}"]
        else:
            assert sweep() == []
        assert folder.is_dir()
    finally:
        end(process)
        shutil.rmtree(folder)


def _free(path: Path) -> bool:
    done = subprocess.run(["flock", "--nonblock", path, "true"], capture_output=True)
    return done.returncode == 0


@pytest.mark.parametrize(
    "within",
    [NAMESPACE, ("unshare", "--pid", "--fork"), ("unshare", "--uts", "sh", "-c", 'hostname moved; exec "$@"', "-")],
)
def test_a_live_owner_is_left_by_whoever_sweeps_elsewhere(
    within: tuple[str, ...], owner: tuple[subprocess.Popen[str], int, Path], gone: Callable[[int], bool]
) -> None:
    allowed(*within)
    _, child, folder = owner
    swept(*within)
    assert folder.is_dir()
    assert not gone(child)


def test_without_proc_of_its_own_a_namespace_proves_nothing(owner: tuple[subprocess.Popen[str], int, Path]) -> None:
    allowed("unshare", "--pid", "--fork")
    process, _, folder = owner
    process.kill()
    process.wait()
    assert [line.startswith("left ") for line in swept("unshare", "--pid", "--fork")] == [True]
    assert folder.is_dir()


def test_a_new_host_name_does_not_hide_a_dead_owner(owner: tuple[subprocess.Popen[str], int, Path]) -> None:
    within = ("unshare", "--uts", "sh", "-c", 'hostname moved; exec "$@"', "-")
    allowed(*within)
    if not Path("/etc/machine-id").exists():
        pytest.skip("this machine has no id but its name")
    process, _, folder = owner
    process.kill()
    process.wait()
    assert f"removed folder {folder}" in swept(*within)


def test_a_changed_boot_id(owner: tuple[subprocess.Popen[str], int, Path], tmp_path: Path) -> None:
    other = tmp_path / "boot_id"
    other.write_text("01234567-89ab-cdef-0123-456789abcdef\n")
    mount = f'mount --bind {other} /proc/sys/kernel/random/boot_id; exec "$@"'
    within = ("unshare", "--mount", "sh", "-ec", mount, "-")
    allowed(*within)
    process, _, folder = owner
    assert swept(*within) == []
    assert folder.is_dir()
    process.kill()
    process.wait()
    assert f"removed folder {folder}" in swept(*within)


class TestWhatIsNoLedger:
    @pytest.mark.parametrize("name", ["1-2", "nonsense", "-", "99999999-1.0-1", "x-1-1", "1-1-1"])
    def test_a_name_that_tells_no_owner(self, name: str, tmp_path: Path) -> None:
        folder = tmp_path / "pacecar-1-1-left"
        folder.mkdir()
        path = ledger(name, naming(folder))
        (said,) = sweep()
        assert said.startswith(f"left {path} in place: ")
        assert folder.is_dir()

    @pytest.mark.parametrize("kind", ["link", "dangling", "fifo", "folder", "second name"])
    def test_something_else_under_the_name_of_one(self, kind: str, tmp_path: Path) -> None:
        folder, precious = tmp_path / "pacecar-1-1-left", tmp_path / "precious"
        folder.mkdir()
        precious.write_bytes(naming(folder))
        path = ledger(dead())
        path.unlink()
        match kind:
            case "link":
                path.symlink_to(precious)
            case "dangling":
                path.symlink_to(tmp_path / "nowhere")
            case "fifo":
                os.mkfifo(path)
            case "folder":
                path.mkdir()
            case _:
                path.hardlink_to(precious)
        (said,) = sweep()
        assert said.startswith(f"left {path} in place: ")
        assert folder.is_dir()
        assert precious.read_bytes() == naming(folder)
        assert not (tmp_path / "nowhere").exists()

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
    def test_the_ledger_of_another_user(self, tmp_path: Path) -> None:
        folder = tmp_path / "pacecar-1-1-left"
        folder.mkdir()
        os.chown(ledger(dead(), naming(folder)), 65534, 65534)
        assert len(sweep()) == 1
        assert folder.is_dir()


def test_hundreds_of_ledgers(tmp_path: Path) -> None:
    folders = []
    for number in range(300):
        folders.append(tmp_path / f"pacecar-1-{number}-left")
        folders[-1].mkdir()
        changes = {"namespace": 7} if number % 3 == 0 else {}
        ledger(dead(f"{number:08x}", **changes), naming(folders[-1]))
    done = sweep()
    assert [folder.exists() for folder in folders] == [number % 3 == 0 for number in range(300)]
    assert len(done) == 201
    assert done[-1].startswith("left 100 ledgers in ")


def test_two_who_sweep_at_once_do_each_thing_once(tmp_path: Path) -> None:
    for number in range(50):
        folder = tmp_path / f"pacecar-1-{number}-left"
        folder.mkdir()
        ledger(dead(f"{number:08x}"), naming(folder))
    both = [start("from pacecar.system.resources import sweep\nprint(*sweep(), sep='\\n')") for _ in range(2)]
    lines = [line for each in both for line in each.communicate()[0].split("\n") if line]
    assert sorted(lines) == sorted({f"removed folder {tmp_path}/pacecar-1-{number}-left" for number in range(50)})


def test_the_cache_is_not_emptied_under_a_live_owner(tmp_path: Path) -> None:
    process = start(OWNER, tmp_path)
    folder = Path(line_of(process).split()[1])
    with lone(paths.cache()) as alone:
        assert not alone
    end(process)
    with lone(paths.cache()) as alone:
        assert alone
    sweep()
    assert not folder.exists()
