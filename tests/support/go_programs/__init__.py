"""Programs that tests need and no package of the system brings, built once from the Go module proxy into a cache.

Each is pinned by a module below `modules`. Users of Pacecar need none of them, nor Go.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_MODULES = Path(__file__).parent / "modules"
#: The oldest Go that fetches the Go which a module asks for.
_OLDEST_GO = (1, 21)
_BUILD_S = 1800


@dataclass(frozen=True, kw_only=True)
class _Program:
    """A command of a module; `version_in` names a variable of the program that holds the version of that package."""

    module: str
    package: str
    tags: str = ""
    version_in: str = ""


_PROGRAMS = {
    "act": _Program(module="workflows", package="github.com/nektos/act"),
    "actionlint": _Program(module="workflows", package="github.com/rhysd/actionlint/cmd/actionlint"),
    "docker-compose": _Program(
        module="compose",
        package="github.com/docker/compose/v2/cmd",
        version_in="github.com/docker/compose/v2/internal.Version",
    ),
    "pyroscope": _Program(module="pyroscope", package="github.com/grafana/pyroscope/cmd/pyroscope", tags="netgo"),
    "versitygw": _Program(module="s3", package="github.com/versity/versitygw/cmd/versitygw"),
}


@functools.cache
def lacking(name: str) -> str:
    """Why the program `name` is not there and cannot be built, with the remedy; "" when it is or can."""
    if _path(name).exists():
        return ""
    if shutil.which("go") is None:
        return f"no Go to build {name} with; apt-get install golang-go"
    told = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=False).stdout.strip()
    version = re.match(r"go(\d+)\.(\d+)", told)
    if version is None or (int(version[1]), int(version[2])) < _OLDEST_GO:
        return f"{told or 'this Go'} is too old to build {name}; https://go.dev/dl"
    return ""


def program(name: str) -> Path:
    """The program `name`, built where the cache does not hold it yet: seconds to minutes on two cores."""
    path = _path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with (path.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            part = path.with_suffix(".part")
            _build(_PROGRAMS[name], part)
            part.rename(path)
    return path


def _path(name: str) -> Path:
    module = _MODULES / _PROGRAMS[name].module
    pinned = hashlib.sha256((module / "go.mod").read_bytes() + (module / "go.sum").read_bytes()).hexdigest()[:16]
    cache = os.environ.get("PACECAR_TEST_CACHE") or platformdirs.user_cache_path("pacecar") / "tests"
    return Path(cache) / f"{name}-{pinned}"


def _build(wanted: _Program, path: Path) -> None:
    module = _MODULES / wanted.module
    flags = "-s -w"
    if wanted.version_in:
        package = wanted.version_in.rpartition("/")[0]
        version = re.search(rf"{re.escape(package)} (v\S+)", (module / "go.mod").read_text())
        assert version is not None
        flags += f" -X {wanted.version_in}={version[1]}"
    built = subprocess.run(
        [
            "go",
            "build",
            "-mod=readonly",
            "-trimpath",
            "-tags",
            wanted.tags,
            "-ldflags",
            flags,
            "-o",
            path,
            wanted.package,
        ],
        cwd=module,
        env={**os.environ, "CGO_ENABLED": "0"},
        capture_output=True,
        text=True,
        timeout=_BUILD_S,
    )
    assert built.returncode == 0, built.stderr[-2000:]
