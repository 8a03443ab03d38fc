"""Where things lie: the files Pacecar brings, its cache and its state on this machine.

Variables that name a place may name it from the working directory. Every path here is absolute, because builds,
services and tools have working directories of their own.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import platformdirs

from pacecar.errors import UsageError

_PACKAGE = Path(__file__).resolve().parents[1]
_BUNDLED = _PACKAGE / "_bundled"


def brought(relative: str) -> Path:
    """A file or folder that comes with Pacecar, named as in the repository: `scenarios/pom.xml`.

    An installed wheel carries it inside the package; a checkout has it at its top level.
    """
    root = _BUNDLED if _BUNDLED.is_dir() else _PACKAGE.parent.parent
    return root / relative


def java() -> Path:
    """The `java` that services, load generator and tools run with: of JAVA_HOME, else the one on the PATH.

    A machine without one gets the bare name, so that starting it fails with the usual sentence.
    """
    if home := os.environ.get("JAVA_HOME"):
        return Path(home, "bin", "java").absolute()
    found = shutil.which("java")
    return Path(found).absolute() if found else Path("java")


def cache() -> Path:
    """The folder for what can be made again: built artifacts, class paths, tools. Created when missing."""
    path = Path(os.environ.get("PACECAR_CACHE") or platformdirs.user_cache_path("pacecar")).absolute()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def copies() -> Path:
    """The folder for copies of sources that are built. Created when missing.

    Maven and Gradle take settings, and with them programs, from the folders around a project. Around those in the
    system's temporary folder, anybody on the machine may put some.
    """
    path = cache().resolve() / "copies"
    path.mkdir(exist_ok=True)
    return path


def artifact_bytes() -> int:
    """How many bytes of built artifacts the cache keeps: PACECAR_CACHE_GB in units of 10^9, else 5.

    Raises:
        UsageError: when the variable is not a number of gigabytes.
    """
    text = os.environ.get("PACECAR_CACHE_GB") or "5"
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text):
        raise UsageError(f"PACECAR_CACHE_GB is {text!r}, which is not a number.", hint="Such as: PACECAR_CACHE_GB=10")
    return round(float(text) * 1e9)


def state() -> Path:
    """The folder for what must survive a crash of Pacecar: its ledgers. Created when missing."""
    path = state_path()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def state_path() -> Path:
    """Where `state` is, or would be."""
    return Path(os.environ.get("PACECAR_STATE") or platformdirs.user_state_path("pacecar")).absolute()
