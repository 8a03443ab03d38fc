"""Folders that a copy of the source goes without, unless git tracks what is in them: what builds leave behind, and our
own archive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_ANYWHERE = frozenset({".git", ".pacecar", "node_modules"})
#: A folder called so may be a package as well: a build's own lies beside what steers the build, and not among sources.
_BUILT = "target"
_STEERING = re.compile(r"pom\.xml|project\.clj|Makefile|build\..+")
_SOURCES = "src"


def is_left_out(folder: Path, *, top: Path) -> bool:
    """Whether a copy goes without `folder`, relative to `top`; the folders around it are not looked at."""
    if folder.name in _ANYWHERE:
        return True
    if folder.name != _BUILT or _SOURCES in folder.parts:
        return False
    try:
        beside = list((top / folder.parent).iterdir())
    except OSError:  # it is gone, or not ours to look at
        return False
    return any(_STEERING.fullmatch(path.name) and path.is_file() for path in beside)


def without_left_out(files: Iterable[Path], *, top: Path) -> list[Path]:
    """Those of `files`, relative to `top`, that lie in no folder that a copy goes without."""
    known: dict[Path, bool] = {}

    def is_out(folder: Path) -> bool:
        if folder not in known:
            known[folder] = is_left_out(folder, top=top)
        return known[folder]

    return [file for file in files if not any(map(is_out, file.parents))]
