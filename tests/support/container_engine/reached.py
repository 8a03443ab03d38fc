"""An engine for the tests that need one, or the reason why they are skipped."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from support import container_engine


@contextlib.contextmanager
def reached() -> Iterator[None]:
    """Every `docker` of this process reaches a container engine; the test is skipped where there can be none."""
    if lacking := container_engine.lacking():
        pytest.skip(lacking)
    with contextlib.ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        try:
            found = stack.enter_context(container_engine.running())
        except container_engine.NoEngine as reason:  # a machine that lets nobody start one
            pytest.skip(str(reason))
        for name, value in found.items():
            patch.setenv(name, value)
        yield
