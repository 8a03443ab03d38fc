"""The example run, built once: its objects are immutable and its tables are only read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pacecar.reporting.document import Document
from support.documents import Run, passed, run


@pytest.fixture(scope="session")
def example() -> Run:
    return run()


@pytest.fixture(scope="session")
def quiet(example: Run) -> Document:
    """The document of a comparison that passed."""
    return replace(example, comparison=passed()).document()


@pytest.fixture(scope="session")
def document(example: Run) -> Document:
    return example.document()
