"""Scripts that put and promote runs in processes of their own, so that these can be killed or meet each other."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from pacecar.archive.baselines import Store, promote
from pacecar.archive.runs import RunDirectory

#: Runs made of one run with small differences, promoted one after the other; each is told once it is kept.
_COMMON = """
import itertools, os, random, shutil, signal, sys, time
from dataclasses import replace
from pathlib import Path
from pacecar.archive import StoreError
from pacecar.system.disk import NoRoom
from pacecar.archive.baselines import promote, prune
from pacecar.archive.runs import RunDirectory
from pacecar.archive.stores import store_of
from pacecar.model.shared_archive import SharedArchive

model, root, url, endpoint = RunDirectory.open(Path(sys.argv[1])), Path(sys.argv[2]), sys.argv[3], sys.argv[4]

def store():
    options = {"endpoint": endpoint, "region": "us-east-1"} if endpoint else {}
    return store_of(root, SharedArchive(url=url, options=options) if url else None)

def new_run(number, mark):
    run_id = f"20250301-{number:06d}-{mark:04x}"
    run = RunDirectory.create(root, replace(model.manifest, run_id=run_id))
    shutil.copytree(model.path / "pairs", run.path / "pairs", dirs_exist_ok=True)
    return run

def promote_many(mark, numbers, branch, told):
    kept = store()
    for number in numbers:
        run = new_run(number, mark)
        promote(run, branch, kept)
        os.write(told, f"{branch} {run.manifest.run_id}\\n".encode())
"""

#: Killed at `argv[5]` random moments, each in a fresh process, before it has promoted more than a few: what is
#: kept is read to its end afterwards.
KILLED = (
    _COMMON
    + """
import pyarrow  # as packing does at first use: imported once, not by every child in what time it has
moments = random.Random(5)
store()  # and so is what this imports

def promoting(mark, numbers):
    child = os.fork()
    if child == 0:
        promote_many(mark, numbers, f"branch-{mark % 7}", 1)
        os._exit(0)
    return child

kills = int(sys.argv[5])
begun = time.monotonic()
_, status = os.waitpid(promoting(kills, range(3)), 0)
assert status == 0
longest = min(2.0, time.monotonic() - begun)  # however busy the machine is, most of them promote one or two
for mark in range(kills):
    child = promoting(mark, itertools.count())
    time.sleep(moments.uniform(0.002, longest))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""
)

#: Promotes `argv[5]` runs to main, under the mark `argv[6]`.
PROMOTING = (
    _COMMON
    + """
promote_many(int(sys.argv[6]), range(int(sys.argv[5])), "main", 1)
"""
)

#: Removes all but the newest baseline and every run that is none, until its input is closed.
PRUNING = (
    _COMMON
    + """
import select
from pacecar.archive.shared import run_object
kept = store()
while not select.select([sys.stdin], [], [], 0)[0]:
    prune(kept, keep=1)
    shared = kept._shared
    removed = shared.remove([run_object(run) for run in shared.runs()], needed=kept.needed)
    print(len(removed), flush=True)
    time.sleep(0.05)
"""
)

#: Promotes one run where no file may grow beyond `argv[5]` bytes.
LIMITED = (
    _COMMON
    + """
import resource
run = new_run(1, 1)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[5]), int(sys.argv[5])))
try:
    promote(run, "main", store())
except NoRoom as error:
    print(error.message)
    sys.exit(error.exit_code)
"""
)


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    """`script` in a process of its own; `arguments` are those of `_COMMON`, then those of the script."""
    harness = Path(sys.modules["pacecar"].__path__[0]).parent
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(harness)},
    )


def told(output: str) -> set[tuple[str, str]]:
    """Branch and run of everything that was told to be kept; a line that was cut short tells nothing."""
    lines = output.split("\n")[:-1]
    return {(branch, run_id) for branch, run_id in (line.split(" ") for line in lines)}


def sha256(path: Path) -> str:
    """Digest of a file, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def promote_until_refused(model: RunDirectory, store: Store, told: list[str]) -> None:
    """Promote up to a hundred runs like `model`; `told` gets the ids of those that were kept."""
    for number in range(100):
        run_id = f"20250302-{number:06d}-0000"
        model.write_manifest(replace(model.manifest, run_id=run_id))
        promote(model, "main", store)
        told.append(run_id)
