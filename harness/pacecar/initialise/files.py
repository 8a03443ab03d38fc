"""Reading a project's files: never more of one than a cap, never outside of the project, never failing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import yaml

_MOST_BYTES = 1 << 20
#: A second or two of parsing.
_MOST_YAML_BYTES = 1 << 18
_MOST_SOURCES = 2000
_MAIN = re.compile(r"\bstatic\s+void\s+main\s*\(|^fun\s+main\s*\(", re.MULTILINE)
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


def runnable(path: Path) -> bool:
    """Whether `path` is a program that may be run."""
    return path.is_file() and os.access(path, os.X_OK)


def yaml_documents(path: Path) -> list[object]:
    """The documents of a YAML file of at most 256 KiB: dicts, lists and strings only; [] where it cannot be read."""
    found = content(path)
    if not found or len(found) > _MOST_YAML_BYTES:
        return []
    try:
        # Text stays text, and no tag makes an object. In Python, where too deep a nesting is an exception.
        return list(yaml.load_all(found.decode("utf-8", "replace"), Loader=yaml.BaseLoader))
    except (yaml.YAMLError, RecursionError, ValueError):
        return []


def sources(module: Path) -> Iterator[tuple[Path, Path]]:
    """Java and Kotlin files of a module as (source folder, path below it), at most 2,000 of each folder."""
    for folder in (module / name for name in _SOURCES):
        found = ((folder, path) for path in _walk(folder) if path.suffix in {".java", ".kt"})
        yield from islice(found, _MOST_SOURCES)


def starts(module: Path) -> bool:
    """Whether a source of a module has a main method."""
    return any(_MAIN.search(text(folder / path)) for folder, path in sources(module))


def named(folder: Path, pattern: re.Pattern[str], *, most: int) -> Iterator[Path]:
    """The first `most` files below `folder` whose whole name fits `pattern`."""
    fitting = (folder / path for path in _walk(folder) if pattern.fullmatch(path.name))
    return islice(fitting, most)


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield (Path(parent) / name).relative_to(folder)
