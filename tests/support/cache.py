"""Builds what tests need and no package provides once, in a folder that CI keeps from run to run."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import platformdirs


def folder() -> Path:
    """Where it is kept. Created when missing."""
    path = Path(os.environ.get("PACECAR_TEST_CACHE") or platformdirs.user_cache_path("pacecar") / "tests")
    path.mkdir(parents=True, exist_ok=True)
    return path


@contextlib.contextmanager
def making(path: Path) -> Iterator[Path | None]:
    """Where to put what becomes `path` when all went well; None when it is there already. Others wait meanwhile."""
    with path.with_name(f"{path.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            yield None
            return
        part = path.with_name(f"{path.name}.part")
        yield part
        part.rename(path)
