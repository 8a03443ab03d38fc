"""What is left when a Pacecar ends in the middle of storing a pair: killed, or without room on the disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.archive.runs import RunDirectory
from pacecar.model.recording import Pair, RunState
from pacecar.system.disk import NoRoom

#: Stores pair 1 again and again under new numbers.
WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from pacecar.archive.runs import RunDirectory
run = RunDirectory.open(Path(sys.argv[1]))
pair = run.read_pair(1)
for number in range(2, 1000):
    run.write_pair(replace(pair, record=replace(pair.record, number=number)), {})
"""

#: Stores pair 1 again, larger than a file may become.
LIMITED = """
import resource, sys
from dataclasses import replace
from pathlib import Path
from pacecar.system.disk import NoRoom
from pacecar.archive.runs import RunDirectory
run = RunDirectory.open(Path(sys.argv[1]))
pair = run.read_pair(1)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    run.write_pair(replace(pair, record=replace(pair.record, number=2)), {})
except NoRoom as error:
    print(error.message)
    sys.exit(error.exit_code)
"""


def start(script: str, run: RunDirectory) -> subprocess.Popen[str]:
    harness = Path(sys.modules["pacecar"].__path__[0]).parent
    return subprocess.Popen(
        [sys.executable, "-c", script, run.path],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(harness)},
    )


def stop_amid_a_pair(writer: subprocess.Popen[str], run: RunDirectory) -> Path:
    """Hold the writer at a moment when pair 3 is whole and a later one is not."""
    while True:
        writer.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, writer.pid, os.WSTOPPED)
        if 3 in run.pair_numbers() and (parts := list((run.path / "pairs").glob(".*.part/baseline/requests.parquet"))):
            return parts[0].parent.parent
        writer.send_signal(signal.SIGCONT)
        time.sleep(0.002)


def test_killed_in_the_middle_of_a_pair(run: RunDirectory, make_pair: Callable[..., Pair]) -> None:
    run.write_pair(make_pair(1, rows=2_000), {})
    with start(WRITER, run) as writer:
        part = stop_amid_a_pair(writer, run)
        writer.kill()
    number = int(part.name.split(".")[1])
    again = RunDirectory.open(run.path)
    assert again.pair_numbers() == list(range(1, number))
    assert [len(pair.forks) for pair in again.pairs()] == [2] * (number - 1)
    again.write_pair(make_pair(number), {})
    assert again.pair_numbers()[-1] == number
    assert not part.exists()


def test_no_room_for_a_pair(run: RunDirectory, make_pair: Callable[..., Pair]) -> None:
    run.write_pair(make_pair(1, rows=5_000), {})
    with start(LIMITED, run) as writer:
        said, _ = writer.communicate()
    assert writer.returncode == 3
    assert said == f"No room to store {run.path}/pairs/02: File too large.\n"
    assert [path.name for path in (run.path / "pairs").iterdir()] == ["01"]
    assert len(run.read_pair(1).forks) == 2


def test_no_room_for_the_manifest(run: RunDirectory) -> None:
    script = LIMITED.replace("pair = run.read_pair(1)", "").replace(
        "run.write_pair(replace(pair, record=replace(pair.record, number=2)), {})",
        "run.write_manifest(replace(run.manifest, configuration='#' * 10_000))",
    )
    with start(script, run) as writer:
        said, _ = writer.communicate()
    assert writer.returncode == 3
    assert said == f"No room to store {run.path}/manifest.json: File too large.\n"
    assert RunDirectory.open(run.path).manifest == run.manifest
    assert sorted(path.name for path in run.path.iterdir()) == ["manifest.json", "pairs"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")
def test_a_disk_that_is_full(tmp_path: Path, run: RunDirectory, make_pair: Callable[..., Pair]) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=768k", "none", small], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        full = RunDirectory.create(small, run.manifest)
        full.write_pair(make_pair(1, rows=200), {})
        with pytest.raises(NoRoom, match=r"No room to store \S+/pairs/02: No space left on device"):
            full.write_pair(make_pair(2, rows=20_000), {})
        assert full.pair_numbers() == [1]
        full.set_state(RunState.INTERRUPTED)
        assert len(RunDirectory.open(full.path).read_pair(1).forks) == 2
    finally:
        subprocess.run(["umount", small], check=True)
