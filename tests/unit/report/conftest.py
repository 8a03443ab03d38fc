"""The example run, built once: its objects are immutable and its tables are only read."""

from __future__ import annotations

import pytest

from pacecar.report.document import Document
from unit.report.examples import Run, run


@pytest.fixture(scope="session")
def example() -> Run:
    return run()


@pytest.fixture(scope="session")
def document(example: Run) -> Document:
    return example.document()
