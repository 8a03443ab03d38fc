"""Runs and baselines on disk, and in a store that machines share.

In: manifests, `Pair`s and searches. Out: the same again, read from folders and objects, whatever version wrote them.

`runs` is a run's directory and its pairs, `listing` what there is and how long it is kept. `baselines` holds the rules
for runs kept for a branch: `folders` keeps them here, `promotions` in a store; `builds` checks what deploys them again.
`shared` puts whole runs into a store and fetches them: `packing` makes one file of a run, `names` says what it is
called, `bucket` is the store, `systems` the libraries that reach it. `handover` is what one machine has another one
measure. `bisections` are searches for a commit. Below them: `tables` writes and checks Parquet, `records` turns the
dataclasses into JSON and back, those of older versions by `migrations`. `history` is the noise of earlier runs,
`shared_history` that of other machines. What puts bytes on disk so that they stay is `disk`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from pacecar.errors import UsageError

#: The archive's folder, beside the configuration file.
ARCHIVE = ".pacecar"


class RunError(UsageError):
    """A run or baseline does not exist, cannot be read, or was written by a newer Pacecar."""


@contextlib.contextmanager
def advised(hint: str) -> Iterator[None]:
    """Give `hint` to a `RunError` that has none: what reads bytes knows what is wrong, and not what they belong to."""
    try:
        yield
    except RunError as error:
        error.hint = error.hint or hint
        raise


class ObjectGone(RunError):
    """An object of a store was removed, perhaps while it was being read."""


class StoreError(UsageError):
    """The store that is configured for runs and baselines cannot be used: unknown, unreachable, or it refuses us."""


def archive_of(config_path: Path) -> Path:
    """The folder that holds the runs and baselines of the project with this configuration file."""
    return config_path.resolve().parent / ARCHIVE
