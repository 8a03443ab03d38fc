"""Debian's packages as the content of an image, without an image registry."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from support import cache

_SUITE = "bookworm"
_LEFT_OUT = ("dev", "proc", "sys", "var/cache/apt/archives", "var/lib/apt/lists")
_TEXTS = ("usr/share/doc", "usr/share/man", "usr/share/locale")


def path(name: str, packages: str, without: Sequence[str] = ()) -> Path:
    """Where the archive is, or would be."""
    made_of = "\n".join((packages, *without))
    return cache.folder() / f"{name}-{_SUITE}-{hashlib.sha256(made_of.encode()).hexdigest()[:8]}.tar"


def archive(name: str, packages: str, without: Sequence[str] = ()) -> Path:
    """A system with these packages (names with commas between) but not what these patterns of `tar` match.

    Made where it is not in the cache, as root alone can: a minute or two.
    """
    made = path(name, packages, without)
    with cache.making(made) as part:
        if part is not None:
            with tempfile.TemporaryDirectory(prefix="pacecar-rootfs-") as root:
                command = ["debootstrap", "--variant=minbase", f"--include={packages}", _SUITE, root]
                subprocess.run(command, check=True, capture_output=True, timeout=1800)
                left_out = [f"--exclude=./{pattern}" for pattern in (*_LEFT_OUT, *_TEXTS, *without)]
                subprocess.run(["tar", "-C", root, *left_out, "-cf", part, "."], check=True)
    return made
