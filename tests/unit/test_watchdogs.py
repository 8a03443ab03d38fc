"""A test that waits for a line of another process fails, says why, and leaves nothing running."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from support import watchdogs
from support.checkout import CHECKOUT
from support.watchdogs import line_of

#: Starts a process of its own that holds the pipes, says which on standard error, and then nothing.
SILENT = """
import subprocess, sys, time
held = subprocess.Popen(["sleep", "600"])
print("started", held.pid, file=sys.stderr, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("text", [True, False])
def test_lines_come_one_by_one(text: bool) -> None:
    command = [sys.executable, "-c", "import sys; print('one\\ntwo', flush=True); sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=text) as process:
        assert [line_of(process), line_of(process)] == (["one\n", "two\n"] if text else [b"one\n", b"two\n"])


def test_a_process_that_hangs_is_ended_with_what_it_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdogs, "WATCHDOG_S", 3.0)
    with subprocess.Popen(
        [sys.executable, "-c", SILENT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        with pytest.raises(pytest.fail.Exception, match=r"wrote no line in 3 s; .* started (\d+)$") as failed:
            line_of(process)
        assert process.returncode == -9
    held = int(str(failed.value).split()[-1])
    # Killed, and gone as soon as the kernel comes to it.
    for _ in range(300):
        if not psutil.pid_exists(held) or psutil.Process(held).status() == psutil.STATUS_ZOMBIE:
            break
        time.sleep(0.1)
    else:
        pytest.fail(f"process {held} still runs")


def test_a_process_that_ends_without_a_line_says_why(tmp_path: Path) -> None:
    errors = tmp_path / "stderr"
    with errors.open("wb") as file:
        process = subprocess.Popen([sys.executable, "-c", "1 / 0"], stdout=subprocess.PIPE, stderr=file)
    with pytest.raises(pytest.fail.Exception, match=r"(?s)ended its output without a line.*ZeroDivisionError"):
        line_of(process, errors=errors)
    process.communicate()


def test_no_test_waits_for_ever_for_a_line() -> None:
    bare = [
        f"{path.relative_to(CHECKOUT)}:{call.lineno}"
        for folder in ("tests", "benchmarks")
        for path in sorted((CHECKOUT / folder).rglob("*.py"))
        if path != Path(watchdogs.__file__)
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "readline"
    ]
    assert bare == []
