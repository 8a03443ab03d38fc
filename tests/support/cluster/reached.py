"""A cluster for the tests that need one, or the reason why they are skipped."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import cluster
from support.cluster import images


@contextlib.contextmanager
def reached() -> Iterator[cluster.Cluster]:
    """A cluster with the image of Pacecar; the test is skipped where there can be none."""
    if lacking := cluster.lacking() or images.lacking():
        pytest.skip(lacking)
    images.prepare()  # before anything runs: the first time, it takes minutes
    with contextlib.ExitStack() as stack:
        try:
            found = stack.enter_context(cluster.running())
        except cluster.NoCluster as reason:  # a machine that lets nobody start one
            pytest.skip(str(reason))
        with tempfile.TemporaryDirectory(prefix="pacecar-image-") as folder:
            found.load(images.pacecar(Path(folder)))
        yield found
