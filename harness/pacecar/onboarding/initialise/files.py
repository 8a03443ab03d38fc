"""Reading a project's files: never more of one than a cap, no pipes or devices, never failing. Links are followed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import yaml

from pacecar.onboarding.initialise.source_folders import source_folders
from pacecar.system.foreign import files

_MOST_BYTES = 1 << 20
#: A second or two of parsing.
_MOST_YAML_BYTES = 1 << 18
_MOST_SOURCES = 2000
_MOST_SOURCE_BYTES = 32 << 20
#: Names that are looked at in one folder and below.
_MOST_NAMES = 100_000
_SCRIPTS = ("pom.xml", "build.gradle.kts", "build.gradle")
_MAIN = re.compile(r"\bstatic\s+void\s+main\s*\(|^(?:suspend\s{1,9})?fun\s+main\s*\(", re.MULTILINE)
#: Folders above a project that are looked at.
_MOST_ABOVE = 6


def content(path: Path) -> bytes | None:
    """The bytes of a regular file of at most 1 MiB; None for anything else."""
    try:
        return files.content(path, most=_MOST_BYTES)
    except OSError:
        return None


def text(path: Path) -> str:
    """The text of a file, "" where there is none; what is not UTF-8 is replaced."""
    return (content(path) or b"").decode("utf-8", "replace")


def runnable(path: Path) -> bool:
    """Whether `path` is a program that may be run."""
    return path.is_file() and os.access(path, os.X_OK)


def above(directory: Path) -> Iterator[Path]:
    """The folders around one in the same git repository, the nearest first; none without a repository."""
    place = directory.absolute()
    folders = [place, *place.parents]
    top = next((number for number, folder in enumerate(folders) if (folder / ".git").exists()), 0)
    yield from folders[1 : min(top, _MOST_ABOVE) + 1]


def yaml_documents(path: Path, *, fill: Callable[[str], str] = str) -> list[object]:
    """The documents of a YAML file of at most 256 KiB: dicts, lists and strings only; [] where it cannot be read.

    Args:
        path: of the file.
        fill: what the build does to its text before anybody reads it.
    """
    found = content(path)
    if not found or len(found) > _MOST_YAML_BYTES:
        return []
    try:
        # Text stays text, and no tag makes an object. In Python, where too deep a nesting is an exception.
        return list(yaml.load_all(fill(found.decode("utf-8", "replace"))[:_MOST_YAML_BYTES], Loader=yaml.BaseLoader))
    except (yaml.YAMLError, OverflowError, RecursionError, ValueError):  # the second of a letter beyond all letters
        return []


def sources(*modules: Path) -> Iterator[tuple[Path, Path]]:
    """Java and Kotlin files of modules as (source folder, path below it).

    At most 2,000 of each folder, and 32 MiB of all together.
    """
    left = _MOST_SOURCE_BYTES
    for folder in (module / name for module in modules for name in _folders(module)):
        found = ((folder, path) for path in _walk(folder) if path.suffix in {".java", ".kt"} and _is_own(path))
        for each in islice(found, _MOST_SOURCES):
            left -= _size(each[0] / each[1])
            if left < 0:
                return
            yield each


def _is_own(path: Path) -> bool:
    """Whether a file below a folder of sources is one, and not in a project that lies in there."""
    return "src" not in path.parts


def _folders(module: Path) -> tuple[str, ...]:
    return source_folders(module, "\n".join(text(module / name) for name in _SCRIPTS))


def starts(module: Path) -> bool:
    """Whether a source of a module has a main method."""
    return any(has_main(text(folder / path)) for folder, path in sources(module))


def has_main(source: str) -> bool:
    """Whether a source has a main method."""
    return _MAIN.search(source) is not None


def named(folder: Path, pattern: re.Pattern[str], *, most: int) -> Iterator[Path]:
    """The first `most` files below `folder` whose whole name fits `pattern`."""
    fitting = (folder / path for path in _walk(folder) if pattern.fullmatch(path.name))
    return islice(fitting, most)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size  # of a link, what reading it costs
    except (OSError, ValueError):
        return 0


def _walk(folder: Path) -> Iterator[Path]:
    return islice(_below(folder), _MOST_NAMES)


def _below(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield (Path(parent) / name).relative_to(folder)
