"""Reading a project's files: never more of one than a cap, never outside of the project, never failing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

_MOST_BYTES = 1 << 20
_MOST_SOURCES = 2000
_SOURCES = ("src/main/java", "src/main/kotlin")


def content(path: Path) -> bytes | None:
    """The bytes of a regular file of at most 1 MiB; None for anything else."""
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            return None
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except OSError:
        return None


def text(path: Path) -> str:
    """The text of a file, "" where there is none; what is not UTF-8 is replaced."""
    return (content(path) or b"").decode("utf-8", "replace")


def sources(module: Path) -> Iterator[tuple[Path, Path]]:
    """Java and Kotlin files of a module as (source folder, path below it), at most 2,000 of each folder."""
    for folder in (module / name for name in _SOURCES):
        yield from islice(((folder, path) for path in _walk(folder)), _MOST_SOURCES)


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith((".java", ".kt")):
                yield (Path(parent) / name).relative_to(folder)
