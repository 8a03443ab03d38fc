"""A fork as it is watched, but without a service: the process of the tests itself."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from pacecar.measurement.deploy.dependencies import Dependencies
from pacecar.measurement.watch.local import LocalWatch
from pacecar.model.experiment import Side


def ourselves(folder: Path, *, side: Side = Side.BASELINE) -> Any:
    """Our own process, with no agent in it and nothing around it."""
    fork = SimpleNamespace(
        side=side,
        url="http://127.0.0.1:9",
        pid=os.getpid(),
        socket=folder / "none",
        containers=None,
        dependencies=Dependencies(),
    )
    fork.watch = lambda watched: LocalWatch(fork, watched)
    return fork
