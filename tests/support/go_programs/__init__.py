"""Programs that tests need and no system package provides, built once from the Go module proxy into a cache.

A module in `modules` pins each of them. Users of Pacecar need neither these programs nor Go.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from support import cache

_MODULES = Path(__file__).parent / "modules"
#: The oldest Go that fetches the Go which a module asks for.
_OLDEST_GO = (1, 21)
_BUILD_S = 1800


@dataclass(frozen=True, kw_only=True)
class _Program:
    """A command of a module; a package that begins with a dot lies beside the module's `go.mod`.

    `version_in` names the variable of the program that holds its version, which is that of the module `version_of`.
    `folder` is one of that module that is kept beside the program.
    """

    module: str
    package: str
    tags: str = ""
    version_of: str = ""
    version_in: str = ""
    folder: str = ""


_PROGRAMS = {
    "act": _Program(module="workflows", package="github.com/nektos/act"),
    "actionlint": _Program(module="workflows", package="github.com/rhysd/actionlint/cmd/actionlint"),
    "docker-compose": _Program(
        module="compose",
        package="github.com/docker/compose/v2/cmd",
        version_of="github.com/docker/compose/v2",
        version_in="github.com/docker/compose/v2/internal.Version",
    ),
    "kubernetes-node": _Program(
        module="cluster",
        package=".",
        version_of="k8s.io/kubernetes",
        version_in="k8s.io/component-base/version.gitVersion",
    ),
    "kueue": _Program(
        module="queue",
        package="sigs.k8s.io/kueue/cmd/kueue",
        version_of="sigs.k8s.io/kueue",
        version_in="sigs.k8s.io/kueue/pkg/version.GitVersion",
        folder="config/components",
    ),
    "pause": _Program(module="cluster", package="./pause"),
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
    with cache.making(path) as part:
        if part is not None:
            _build(_PROGRAMS[name], part)
            _keep(_PROGRAMS[name], _folder(path))
    return path


def beside(name: str) -> Path:
    """The folder of its module that is kept with the program `name`, built like it."""
    return _folder(program(name))


def _folder(path: Path) -> Path:
    return path.with_name(f"{path.name}.files")


def _path(name: str) -> Path:
    wanted = _PROGRAMS[name]
    module = _MODULES / wanted.module
    sources = sorted((module / wanted.package).glob("*.go")) if wanted.package.startswith(".") else []
    made_of = b"".join(path.read_bytes() for path in (module / "go.mod", module / "go.sum", *sources))
    pinned = hashlib.sha256(made_of).hexdigest()[:16]
    return cache.folder() / f"{name}-{pinned}"


def _keep(wanted: _Program, folder: Path) -> None:
    if wanted.folder:
        asked = ["go", "list", "-m", "-f", "{{.Dir}}", wanted.version_of]
        module = _MODULES / wanted.module
        told = subprocess.run(asked, cwd=module, capture_output=True, text=True, check=True, timeout=_BUILD_S)
        shutil.rmtree(folder, ignore_errors=True)
        # Those of the module cache may only be read, by whoever would remove them, too.
        shutil.copytree(Path(told.stdout.strip()) / wanted.folder, folder, copy_function=shutil.copyfile)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


def _build(wanted: _Program, path: Path) -> None:
    module = _MODULES / wanted.module
    flags = "-s -w"
    if wanted.version_in:
        version = re.search(rf"\s{re.escape(wanted.version_of)} (v\S+)", (module / "go.mod").read_text())
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
