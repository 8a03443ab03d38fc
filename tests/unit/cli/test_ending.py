"""How the process ends, whatever happens in it: nothing but a regression is 1, and nobody sees a traceback."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import pacecar
from support.watchdogs import line_of

pytestmark = pytest.mark.hostile

HARNESS = Path(pacecar.__path__[0]).parent
#: Ends like the command would if `BODY` stood anywhere in it.
GUARDED = """
import errno, os, shutil, subprocess, sys, threading
from pathlib import Path
from pacecar.ending import guarded
from pacecar.errors import MeasurementError, UsageError
def command():
{body}
    return 1
sys.exit(guarded(command))
"""

#: What happens -> exit code, and what is said.
ENDINGS = {
    "raise ValueError('x')": (70, "Pacecar has a bug: ValueError: x"),
    "raise KeyError('a\\x1b[31m\\nb')": (70, "KeyError"),
    "assert 1 == 2": (70, "AssertionError"),
    "[][0]": (70, "IndexError"),
    "next(iter(()))": (70, "StopIteration"),
    "raise RecursionError('deep')": (70, "RecursionError"),
    "f = lambda: f(); f()": (70, "RecursionError"),
    "raise MemoryError": (70, "Memory ran out"),
    "bytearray(1 << 62)": (70, "Memory ran out"),
    "raise BaseException('odd')": (70, "BaseException: odd"),
    "sys.exit(1)": (70, "SystemExit: 1"),
    "raise ExceptionGroup('all', [ValueError(1)])": (70, "ExceptionGroup"),
    "import pacecar.nothing": (70, "ModuleNotFoundError"),
    "raise UnicodeDecodeError('utf-8', b'x', 0, 1, 'bad')": (70, "UnicodeDecodeError"),
    "subprocess.run(['sleep', '9'], timeout=0.01)": (70, "TimeoutExpired"),
    "open('/no/such/file')": (2, "/no/such/file cannot be used: No such file or directory."),
    "open('/')": (2, "/ cannot be used: Is a directory."),
    "os.mkdir('/proc/x')": (2, "/proc/x cannot be used"),
    "subprocess.run(['/no/such/program'])": (2, "/no/such/program cannot be used"),
    "raise OSError(5, 'Input/output error')": (2, "The system refused: Input/output error"),
    "raise OSError('only words')": (2, "The system refused: only words"),
    "raise ConnectionResetError(104, 'Connection reset by peer')": (2, "Connection reset by peer"),
    "raise TimeoutError": (2, "The system refused: TimeoutError"),
    "raise BrokenPipeError(32, 'Broken pipe')": (2, "Broken pipe"),
    "raise OSError(errno.ENOSPC, 'No space left on device', '/x')": (
        3,
        "No room to store /x: No space left on device.",
    ),
    "raise OSError(errno.EDQUOT, 'Disk quota exceeded')": (3, "Disk quota exceeded"),
    "raise OSError(errno.EFBIG, 'File too large')": (3, "File too large"),
    "raise UsageError('Not kept.') from OSError(errno.ENOSPC, 'No space')": (3, "Not kept."),
    "raise ValueError('y') from OSError(errno.EDQUOT, 'quota')": (3, "No room"),
    "raise ExceptionGroup('all', [OSError(errno.ENOSPC, 'No space')])": (3, "No room"),
    "raise shutil.Error([('a', 'b', '[Errno 28] No space left on device')])": (3, "No room"),
    "raise MeasurementError('No.')": (3, "No."),
    "raise UsageError('No.')": (2, "No."),
    "raise KeyboardInterrupt": (130, "Interrupted."),
    "raise BaseExceptionGroup('all', [KeyboardInterrupt()])": (130, "Interrupted."),
    "os.kill(os.getpid(), 2)": (130, "Interrupted by SIGINT."),
    "os.kill(os.getpid(), 15)": (130, "Interrupted by SIGTERM."),
    "t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()": (70, "ZeroDivisionError"),
    "t = threading.Thread(target=lambda: open('/no/such')); t.start(); t.join()": (2, "/no/such cannot be used"),
}


def ended(body: str, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", GUARDED.format(body=f"    {body}")],
        env={**os.environ, "PYTHONPATH": str(HARNESS), "PACECAR_STATE": str(tmp_path / "state"), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("body", ENDINGS)
def test_whatever_happens_has_one_sentence_and_its_code(body: str, tmp_path: Path) -> None:
    code, said = ENDINGS[body]
    done = ended(body, tmp_path)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert done.stderr.count("error: ") == 1
    assert said in done.stderr
    assert "Traceback (" not in done.stderr
    assert "\x1b" not in done.stderr
    assert (code == 70) == ("Report it" in done.stderr)


def test_a_traceback_is_kept_for_its_owner_alone_and_not_for_ever(tmp_path: Path) -> None:
    for _ in range(25):
        shown = ended("os.umask(0); raise ValueError('secret\\x1b[31m')", tmp_path).stderr
    kept = sorted((tmp_path / "state" / "failures").iterdir())
    assert len(kept) == 20
    assert str(kept[-1]) in shown
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}
    assert "ValueError: secret\\x1b[31m" in kept[-1].read_text()
    assert "in command" in kept[-1].read_text()


def test_a_traceback_of_any_length_is_cut(tmp_path: Path) -> None:
    ended("raise ValueError('x' * 10_000_000)", tmp_path)
    (kept,) = (tmp_path / "state" / "failures").iterdir()
    assert kept.stat().st_size < 210_000


@pytest.mark.parametrize("way", ["state is a file", "no folder at all"])
def test_where_the_state_folder_cannot_be_written_the_sentence_is_there(tmp_path: Path, way: str) -> None:
    (tmp_path / "state").write_text("")
    temporary = tmp_path / ("tmp" if way == "state is a file" else "state")
    if way == "state is a file":
        temporary.mkdir()
    body = f"import tempfile; tempfile.tempdir = {str(temporary)!r}; raise ValueError('x')"
    done = ended(body, tmp_path)
    assert done.returncode == 70
    assert done.stderr.startswith("error: Pacecar has a bug: ValueError: x")
    folder = temporary / f"pacecar-failures-{os.getuid()}"
    if way == "state is a file":
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert str(next(folder.iterdir())) in done.stderr
    else:
        assert "could not be written" in done.stderr


def test_a_prepared_folder_for_tracebacks_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"pacecar-failures-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    done = ended(f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}; raise ValueError('x')", tmp_path)
    assert "could not be written" in done.stderr
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("closed", ["0", "1", "2"])
def test_a_standard_stream_that_is_closed_changes_nothing(tmp_path: Path, closed: str) -> None:
    script = GUARDED.format(body="    print('said')\n    open('/no/such')")
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -c "$1" {closed}>&-', sys.executable, script],
        env={**os.environ, "PYTHONPATH": str(HARNESS)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stdout == ("" if closed == "1" else "said\n")


def test_a_reader_who_leaves_changes_neither_work_nor_code(tmp_path: Path) -> None:
    body = "\n".join(
        f"    {line}" for line in ("for n in range(100_000): print(n)", "Path('done').touch()", "return 4")
    )
    process = subprocess.Popen(
        [sys.executable, "-c", GUARDED.format(body=body)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HARNESS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    line_of(process)
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), said) == (4, b"")
    assert (tmp_path / "done").exists()


def test_output_for_which_there_is_no_room(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", GUARDED.format(body="    print('said'); return 0")],
            env={**os.environ, "PYTHONPATH": str(HARNESS)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 3
    assert done.stderr.startswith("error: No room to store what was written: No space left on device.")
