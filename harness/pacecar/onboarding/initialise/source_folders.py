"""Where the sources of a module lie: the folders that Maven and Gradle know, and those that a build names itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

_LANGUAGES = ("java", "kotlin")
_MAIN = tuple(f"src/main/{language}" for language in _LANGUAGES)
#: Of Kotlin for several platforms, whose names anybody may choose; and those that run on no JVM of a service.
_PLATFORM = re.compile(r"([a-z]\w{0,60})Main", re.ASCII)
_ELSEWHERE = re.compile(
    r"(?:js|wasm|native|ios|macos|tvos|watchos|linux|mingw|android|apple|web|browser|front|client|desktop)"
)
#: `<sourceDirectory>src</sourceDirectory>`, `kotlin.srcDirs("src")`.
_NAMED = re.compile(
    r"<sourceDirectory>\s{0,20}+(?:\$\{(?:project\.)?basedir\}/)?([\w./-]{1,100})\s{0,20}+</sourceDirectory>"
    r"|\bsrcDirs?\b[\s(=+\[]{1,20}(?:(?:set)?Of\()?[\"']([\w./-]{1,100})[\"']",
    re.ASCII,
)
_FOLDER = re.compile(r"[A-Za-z0-9_][\w.-]*(?:/[A-Za-z0-9_][\w.-]*){0,5}", re.ASCII)
_NO_SOURCES = re.compile(r"test|resource|webapp|generated|build|target", re.IGNORECASE)
_MOST_NAMES, _MOST = 200, 10


def source_folders(module: Path, scripts: str) -> tuple[str, ...]:
    """Folders below a module that may hold Java and Kotlin of its service.

    Args:
        module: the project, or the module of it.
        scripts: text of its build files.
    """
    usual = (*_MAIN, *_of_platforms(module))
    there = [folder for folder in usual if (module / folder).is_dir()]
    return (*usual, *dict.fromkeys(_named(scripts, there)))


def _of_platforms(module: Path) -> Iterator[str]:
    try:
        names = sorted(path.name for path in islice((module / "src").iterdir(), _MOST_NAMES))
    except OSError:
        return
    for name in names:
        platform = _PLATFORM.fullmatch(name)
        if platform and not _ELSEWHERE.match(platform[1]):
            yield from (f"src/{name}/{language}" for language in _LANGUAGES)


def _named(scripts: str, usual: Sequence[str]) -> Iterator[str]:
    """Those that the build names, apart from what usual ones lie in, and tests beside these."""
    for match in islice(_NAMED.finditer(scripts), _MOST):
        folder = (match[1] or match[2]).removeprefix("./").rstrip("/")
        if not _FOLDER.fullmatch(folder) or _NO_SOURCES.search(folder) or ".." in folder:
            continue
        if not any(f"{each}/".startswith(f"{folder}/") or folder.startswith(f"{each}/") for each in usual):
            yield folder
