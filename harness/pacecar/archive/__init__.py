"""Runs and baselines on disk.

`runs` is a run's directory and its pairs, `baselines` the runs kept for a branch, `bisections` searches for a commit.
Below them: `tables` writes and
checks Parquet, `records` turns the dataclasses into JSON and back, `durable` puts bytes on disk so that they stay.
"""

from __future__ import annotations

from pacecar.errors import MeasurementError, UsageError


class RunError(UsageError):
    """A run or baseline does not exist, cannot be read, or was written by a newer Pacecar."""


class ArchiveFull(MeasurementError):
    """There is no room for what was measured; pairs stored before stay readable."""
