"""What the commands say and do beside a live run, on a machine that is being measured on, and when a signal comes."""

from __future__ import annotations

import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.archive import bisections
from pacecar.archive.runs import RunDirectory
from pacecar.model.bisection import Bisection, End
from pacecar.model.options import RunOptions
from pacecar.model.recording import Manifest, Pair, RunState
from pacecar.system import paths
from pacecar.system.resources.machine import alone_on_machine
from support.watchdogs import line_of
from unit.archive.conftest import make_pair, manifest  # noqa: F401  fixtures
from unit.system.resources.owners import end, end_started, environment, start

pytestmark = pytest.mark.hostile

CONFIG = """
[target]
name = "orders"
command = ["{java}", "-jar", "{artifact}", "--port={port}"]
ready = "/ready"
"""
#: What a search needs besides: commits are built.
SOURCE = """
[source]
root = "."
command = ["true"]
artifact = "a.jar"
"""
COMMANDS = {
    "compare": ("compare", "--baseline", "a.jar", "--candidate", "a.jar"),
    "record": ("record", "--build", "a.jar"),
    "noise": ("noise", "--build", "a.jar"),
    "resume": ("resume",),
}
#: Owns a run until it is killed.
WRITING = """
import sys, time
from pathlib import Path
from pacecar.archive.runs import RunDirectory
run = RunDirectory.open(Path(sys.argv[1]))
sys.argv[1:] = ["compare"]
with run.owned():
    print("owns", flush=True)
    time.sleep(600)
"""


@pytest.fixture(autouse=True)
def nothing_goes_on() -> Iterator[None]:
    """Whatever becomes of a test, the processes it has started end."""
    yield
    end_started()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("STATE", "CACHE", "LOCKS"):
        monkeypatch.setenv(f"PACECAR_{name}", str(tmp_path / name.lower()))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "pacecar.toml").write_text(CONFIG)
    with zipfile.ZipFile(folder / "a.jar", "w") as jar:
        jar.writestr("A.class", b"")
    return folder


@pytest.fixture
def run(project: Path, manifest: Manifest, make_pair: Callable[..., Pair]) -> RunDirectory:  # noqa: F811
    run = RunDirectory.create(project / ".pacecar", manifest)
    run.write_pair(make_pair(1), {})
    return run


def begin(project: Path, *arguments: str, within: tuple[str, ...] = (), **changes: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*within, sys.executable, "-m", "pacecar", *arguments],
        cwd=project,
        env=environment(NO_COLOR="1", **changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def done(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, errors = process.communicate(timeout=300)
    assert "Traceback" not in errors
    return process.returncode, out + errors


def test_a_run_that_is_written_is_not_resumed(project: Path, run: RunDirectory) -> None:
    with start(WRITING, run.path) as writer:
        line_of(writer, writer.stdout)
        code, said = done(begin(project, "resume"))
        assert code == 2
        assert f"Run {run.path.name} is being written by pacecar compare (process {writer.pid} of " in said
        code, said = done(begin(project, "runs", "prune", "--older-than", "1d"))
        assert (code, said) == (0, "")
        assert done(begin(project, "baseline", "promote", run.path.name, "--branch", "main"))[0] == 2
        assert run.pair_numbers() == [1]
        end(writer)


def test_a_search_that_goes_on_is_not_resumed(project: Path) -> None:
    for command in (
        ["init", "-q"],
        ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-mx"],
    ):
        subprocess.run(["git", *command], cwd=project, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project, check=True, capture_output=True, text=True)
    search = Bisection(
        bisection_id="20250301-101500-9f3a",
        created="2025-03-01T10:15:00+00:00",
        good=End(ref="HEAD", commit=head.stdout.strip()),
        bad=End(ref="HEAD", commit=head.stdout.strip()),
        first_parent=False,
        candidates=1,
        configuration=CONFIG + SOURCE,
        config=str(project / "pacecar.toml"),
    )
    bisections.store(project / ".pacecar", search)
    with bisections.owned(project / ".pacecar", search.bisection_id):
        code, said = done(begin(project, "bisect", "--resume", search.bisection_id))
    assert code == 2
    assert "Bisection 20250301-101500-9f3a is being written by " in said
    with alone_on_machine(wait=False, tell=print):
        code, said = done(begin(project, "bisect", "--resume", search.bisection_id, "--no-wait"))
    assert (code, "Another measurement runs on this machine:" in said) == (3, True)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("by", ["option", "environment"])
def test_whoever_does_not_wait_for_the_machine(command: str, by: str, project: Path, run: RunDirectory) -> None:
    run.set_state(RunState.INTERRUPTED)
    run.write_manifest(_runnable(run.manifest))
    with alone_on_machine(wait=False, tell=print):
        if by == "option":
            code, said = done(begin(project, *COMMANDS[command], "--no-wait"))
        else:
            code, said = done(begin(project, *COMMANDS[command], PACECAR_NO_WAIT="1"))
    assert code == 3, said
    assert "error: Another measurement runs on this machine: " in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "within",
    [
        (),
        ("sh", "-c", "trap '' INT; exec \"$@\"", "-"),
        ("sh", "-c", "trap '' INT TERM QUIT; exec \"$@\"", "-"),
        (
            sys.executable,
            "-c",
            "import os, signal, sys; signal.pthread_sigmask(0, {1, 2, 15}); os.execvp(sys.argv[1], sys.argv[1:])",
        ),
    ],
    ids=["plainly", "INT ignored", "INT and TERM ignored", "blocked"],
)
def test_a_measurement_ends_by_a_signal_however_it_was_started(
    number: signal.Signals, within: tuple[str, ...], project: Path
) -> None:
    with alone_on_machine(wait=False, tell=print):
        process = begin(project, *COMMANDS["compare"], within=within)
        assert line_of(process, process.stderr).startswith("waiting for ")
        process.send_signal(number)
        code, said = done(process)
    assert (code, said) == (130, f"error: Interrupted by {number.name}.\n")


def test_nohup_goes_on_when_the_terminal_goes(project: Path) -> None:
    with alone_on_machine(wait=False, tell=print):
        process = begin(project, *COMMANDS["compare"], within=("sh", "-c", "trap '' HUP; exec \"$@\"", "-"))
        assert line_of(process, process.stderr).startswith("waiting for ")
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        code, said = done(process)
        assert (code, said) == (130, "error: Interrupted by SIGTERM.\n")


def test_the_cache_is_not_forgotten_under_a_live_owner(project: Path) -> None:
    script = (
        "import time\nfrom pacecar.system.resources import Resources\n"
        "c = Resources()\nprint('up', flush=True)\ntime.sleep(600)"
    )
    owner = start(script)
    line_of(owner, owner.stdout)
    (paths.cache() / "kept").write_text("kept")
    assert "is using the cache" in (said := done(begin(project, "clean", "--cache")))[1]
    assert said[0] == 2
    assert (paths.cache() / "kept").exists()
    end(owner)


def _runnable(manifest: Manifest) -> Manifest:  # noqa: F811
    options = RunOptions(config="pacecar.toml", baseline="a.jar", candidate="a.jar")
    return replace(manifest, configuration=CONFIG, options=options)
