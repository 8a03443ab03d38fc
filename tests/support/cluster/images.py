"""The image that pods of the tests run: Pacecar from this checkout, with Debian's Java and Python.

It has three layers, the largest first: Debian's packages, the Python packages that Pacecar depends on, and its own
code. The first two are kept. The last one is created each time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from support import cache, debian
from support.checkout import CHECKOUT
from support.cluster.archives import Image, digest, layer

#: Its user is none that Debian knows, and needs to write nowhere.
PACECAR = "pacecar-test/pacecar:1"
USER = 10001

_PACKAGES = "python3,openjdk-17-jdk-headless"
_JAVA = "usr/lib/jvm/*"
_UNUSED = (
    *("var/log/*", f"{_JAVA}/include", f"{_JAVA}/jmods", f"{_JAVA}/man", f"{_JAVA}/lib/src.zip"),
    *(f"{_JAVA}/lib/ct.sym", f"{_JAVA}/lib/server/classes_nocoops.jsa"),
)
#: Of Python packages: tests, headers, programs, and the servers of pyarrow that Pacecar never asks for.
_UNUSED_OF_PYTHON = ("bin", "*/include", "**/tests", "pyarrow/*_flight*")
_LOCKED = CHECKOUT / "requirements" / "extras.lock"
#: Debian's, whatever Python runs the tests.
_PYTHON = "3.11"
_INSTALL_S = 900
_CONFIG = {
    "User": str(USER),
    "WorkingDir": "/tmp",
    "Env": [
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH=/opt/pacecar:/opt/packages",
        "PYTHONDONTWRITEBYTECODE=1",
        "LANG=C.UTF-8",
    ],
    "Cmd": ["python3", "-m", "pacecar"],
}


def lacking() -> str:
    """What keeps the image from being made, with the remedy; "" when nothing does."""
    if _debian_path().exists():
        return ""
    if shutil.which("debootstrap") is None:
        return "no image for pods; apt-get install debootstrap"
    return "no image for pods, and only root can make one" if os.geteuid() != 0 else ""


def prepare() -> tuple[Path, Path]:
    """The two layers that are kept, made where they are not there: some minutes."""
    system = debian.archive("service", _PACKAGES, _UNUSED)
    packages = _packages()
    for large in (system, packages):
        digest(large)
    return system, packages


def pacecar(folder: Path) -> Image:
    """The image, with the code as it is now; its layer is written to `folder`."""
    return Image(name=PACECAR, layers=[*prepare(), _code(folder / "code.tar")], config=_CONFIG)


def _debian_path() -> Path:
    return debian.path("service", _PACKAGES, _UNUSED)


def _packages() -> Path:
    """What `requirements/extras.lock` names, without what nobody uses of it."""
    pinned = hashlib.sha256(_LOCKED.read_bytes() + repr(_UNUSED_OF_PYTHON).encode()).hexdigest()[:16]
    made = cache.folder() / f"packages-{pinned}.tar"
    with cache.making(made) as part, tempfile.TemporaryDirectory(prefix="pacecar-packages-") as folder:
        if part is not None:
            _install(Path(folder))
            for unused in [path for pattern in _UNUSED_OF_PYTHON for path in Path(folder).glob(pattern)]:
                shutil.rmtree(unused) if unused.is_dir() else unused.unlink(missing_ok=True)
            layer(part, {"opt/packages": Path(folder)})
    return made


def _install(folder: Path) -> None:
    for_debian = ("--python-version", _PYTHON, "--only-binary", ":all:", "--require-hashes")
    subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--target", folder, *for_debian),
            *("--compile-bytecode", "-r", _LOCKED),
        ],
        check=True,
        capture_output=True,
        timeout=_INSTALL_S,
    )


def _code(path: Path) -> Path:
    """Pacecar's code and what its wheel carries besides, as `pyproject.toml` says."""
    wheel = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    places = {package: Path(package).name for package in wheel["packages"]} | wheel["force-include"]
    return layer(path, {f"opt/pacecar/{place}": CHECKOUT / source for source, place in places.items()})
