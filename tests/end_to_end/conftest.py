"""Each test gets its own project: the sample service with a plan of seconds instead of minutes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from support.checkout import CHECKOUT
from support.small_service import SmallService

#: The sample's plan, made short and gentle: these tests are about what happens, not about what is measured.
SHORT = {
    "pairs = 6": "pairs = 2",
    'side = "20 s"': 'side = "2 s"',
    'slice = "2.5 s"': 'slice = "1 s"',
    'gap = "500 ms"': 'gap = "1 s"',
    # Whether seconds of latency call for one more pair is chance, so none is measured.
    'warmup = "50 s"': 'warmup = "5 s"\ncounted = false\nexplain = false',
    # Most of these tests compare a build with itself.
    'baseline = "tree:targets/orders"': 'measure_equal = true\nbaseline = "tree:targets/orders"',
    'rate = "150/s"': 'rate = "50/s"',
    'ready_timeout = "90 s"': 'ready_timeout = "240 s"',
    # A start compiles for half as long; no other compiler has time enough in such a plan.
    '"{java}", "-Xms256m"': '"{java}", "-XX:TieredStopAtLevel=1", "-Xms256m"',
}


class Project:
    """A folder with a `pacecar.toml`, and the command `pacecar` run in it as a user runs it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = folder / "state"
        self._environment = {
            **os.environ,
            "PACECAR_STATE": str(self.state),
            "PACECAR_LOCKS": str(folder / "state" / "locks"),
            "NO_COLOR": "1",
        }
        self._started: list[subprocess.Popen[str]] = []

    def edit(self, changes: dict[str, str]) -> None:
        """Replace text in the configuration; each piece must be there."""
        config = self.folder / "pacecar.toml"
        text = config.read_text()
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
        config.write_text(text)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return self._start("-m", "pacecar", *arguments)

    def _start(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            # By setpriv it is told to end when these tests are killed, so that it does not measure on for nobody.
            ["setpriv", "--pdeathsig", "TERM", sys.executable, *arguments],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        """End every command that a test has started and not waited for, and what it left behind."""
        for process in self._started:
            if process.poll() is None:
                process.terminate()
                try:
                    process.communicate(timeout=60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
        if self._ledgers():  # whoever ends in order takes its own along
            clean = [sys.executable, "-m", "pacecar", "clean"]
            subprocess.run(clean, cwd=self.folder, env=self._environment, capture_output=True, check=False)

    def pacecar(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return _ended(self.start(*arguments))

    @property
    def run(self) -> Path:
        """The only run there is."""
        (run,) = (self.folder / ".pacecar" / "runs").iterdir()
        return run

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads((self.run / "document.json").read_text())
        return document

    def services(self) -> list[psutil.Process]:
        """The forks that run for this project."""
        return [process for process in self.processes() if "-jar" in command_of(process)]

    def left_behind(self) -> list[str]:
        """Everything a Pacecar of this project has started and not ended."""
        folders = [line for ledger in self._ledgers() for line in ledger.read_text().splitlines()]
        return folders + [" ".join(command_of(process))[:200] for process in self.processes()]

    def wait(self, happened: Callable[[], object], process: subprocess.Popen[str]) -> None:
        """Wait until `happened`, or fail when `process` ends before that."""
        while not happened():
            if process.poll() is not None:
                pytest.fail(f"ended with {process.returncode}: {process.communicate()}")
            time.sleep(0.1)

    def _ledgers(self) -> list[Path]:
        return list((self.state / "ledgers").glob("*.jsonl"))

    def processes(self) -> list[psutil.Process]:
        """Everything that was started for this project and runs."""
        marks = set()
        found = []
        for ledger in self._ledgers():
            marks.add(ledger.stem)
        for process in psutil.process_iter():
            try:
                if process.environ().get("PACECAR_OWNER") in marks:
                    found.append(process)
            except psutil.Error:
                continue
        return found


def command_of(process: psutil.Process) -> list[str]:
    """Its command line; nothing of one that ends while it is looked at."""
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    out, err = process.communicate(timeout=600)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """The sample's configuration, shortened, beside a copy of the sample's source."""
    shutil.copytree(
        CHECKOUT / "targets" / "orders", tmp_path / "targets" / "orders", ignore=shutil.ignore_patterns("target")
    )
    shutil.copy(CHECKOUT / "pacecar.toml", tmp_path)
    project = Project(tmp_path)
    project.edit(SHORT)
    yield project
    project.end()


@pytest.fixture
def small(tmp_path: Path) -> Iterator[tuple[Project, SmallService]]:
    """A service of one class, in a repository of its own without a commit yet."""
    project = Project(tmp_path)
    yield project, SmallService(tmp_path)
    project.end()
