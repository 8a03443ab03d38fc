"""The store that a project's configuration names."""

from __future__ import annotations

from pathlib import Path

from pacecar.archive.baselines import Store
from pacecar.archive.bucket import Bucket
from pacecar.archive.folders import FolderStore
from pacecar.archive.promotions import SharedStore
from pacecar.archive.shared import Shared
from pacecar.model.shared_archive import SharedArchive


def shared_of(root: Path, wanted: SharedArchive | None) -> Shared | None:
    """The runs that machines share; None when there is no such store.

    Raises:
        StoreError: when nothing here speaks its protocol.
    """
    return Shared(bucket=Bucket(wanted.url, wanted.options), root=root) if wanted else None


def store_of(root: Path, wanted: SharedArchive | None) -> Store:
    """Where baselines are kept: in the shared store, or without one in the archive at `root`."""
    shared = shared_of(root, wanted)
    return SharedStore(shared) if shared else FolderStore(root)
