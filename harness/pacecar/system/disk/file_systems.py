"""Who else may write to a file system."""

from __future__ import annotations

from pathlib import Path

import psutil

#: File systems that one kernel alone writes: who locked a file there in an earlier boot is dead.
_LOCAL = frozenset(
    ("bcachefs", "btrfs", "ext2", "ext3", "ext4", "f2fs", "overlay", "ramfs", "reiserfs", "tmpfs", "xfs", "zfs")
)


def is_local(path: Path) -> bool:
    """Whether `path` lies on a file system that no other machine writes; one we do not know does not count."""
    wanted, best, kind = path.resolve(), -1, ""
    for mount in psutil.disk_partitions(all=True):
        at = Path(mount.mountpoint)
        if len(at.parts) >= best and wanted.is_relative_to(at):  # the later of two at one place hides the other
            best, kind = len(at.parts), mount.fstype
    return kind in _LOCAL
