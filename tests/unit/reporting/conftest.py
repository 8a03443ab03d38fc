"""The example run, built once: its objects are immutable and its tables are only read."""

from __future__ import annotations

import pytest

from pacecar.reporting.document import Document
from support.documents import Run, run


@pytest.fixture(scope="session")
def example() -> Run:
    return run()


@pytest.fixture(scope="session")
def document(example: Run) -> Document:
    return example.document()
