"""Every seed that fuzzing has left goes through its reader: nothing that once crashed does so again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fuzzing import registry
from fuzzing.runs import KEPT_BYTES, KEPT_FILES
from support.checkout import CHECKOUT

TESTS = CHECKOUT / "tests"
#: Against hangs: seconds are what the readers take.
WATCHDOG_S = 300


@pytest.mark.hostile
@pytest.mark.parametrize("name", registry.names())
def test_seeds_are_read(name: str) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": f"{TESTS}:{TESTS.parent / 'harness'}",
        "OPENBLAS_NUM_THREADS": "1",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }
    read = subprocess.run(
        [sys.executable, "-m", "fuzzing.replay", name],
        env=environment,
        capture_output=True,
        text=True,
        timeout=WATCHDOG_S,
    )
    assert read.returncode == 0, f"{read.stdout[-100:]}{read.stderr[-3000:]}"
    assert len(read.stdout.splitlines()) == sum(1 for _ in registry.load(name).seeds()) > 0


@pytest.mark.parametrize("folder", sorted(registry.SEEDS.iterdir()), ids=lambda folder: folder.name)
def test_seeds_are_few_and_belong_to_a_reader(folder: Path) -> None:
    assert folder.name in registry.names()
    sizes = [path.stat().st_size for path in folder.iterdir() if not path.name.startswith("crash-")]
    assert len(sizes) <= KEPT_FILES
    assert sum(sizes) <= KEPT_BYTES
