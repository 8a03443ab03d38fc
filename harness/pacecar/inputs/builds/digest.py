"""Whether a source was built before: a digest over everything the build command is given.

What the command fetches by itself, such as a dependency's snapshot, is not in it; nor is Pacecar's own configuration,
for which no build asks, so that another plan does not cost another build. Nor are credentials, which open doors and
change from job to job.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.sources import SourceCopy
from pacecar.model.experiment import SourceTree
from pacecar.system import environment, paths
from pacecar.system.foreign import files
from pacecar.text import hidden

_OWN_CONFIGURATION = "pacecar.toml"
_MOST_BYTES = 8 << 30


def source_key(copy: SourceCopy, source: SourceTree) -> str:
    """SHA-256, in hex, of the files of `copy`, the build command, its variables, the artifact's pattern and the JDK.

    Raises:
        BuildError: when a file cannot be read, or is none.
    """
    digest = hashlib.sha256()
    for part in (*source.command, "", source.artifact, str(copy.root.relative_to(copy.top)), java_version()):
        _add(digest, os.fsencode(part))
    for name, value in sorted(_variables(source).items()):
        _add(digest, os.fsencode(name))
        _add(digest, os.fsencode(value))
    _add(digest, b"")  # no variable and no file is called that
    for path in _given(copy.top):
        _add(digest, os.fsencode(path.relative_to(copy.top)))
        try:
            _add(digest, _content(path))
        except OSError as error:
            raise BuildError(f"{path} of the source cannot be read: {error.strerror}.") from error
    return digest.hexdigest()


def file_sha256(path: Path) -> str:
    """SHA-256 of a file's content, in hex."""
    with files.opened(path, most=_MOST_BYTES) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def java_version() -> str:
    """What the `java` that builds use says about itself; "" when there is none."""
    try:
        command = [str(paths.java()), "-version"]
        surroundings = environment.inherited()
        answer = subprocess.run(command, env=surroundings, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stderr.decode("utf-8", "replace")


def _variables(source: SourceTree) -> dict[str, str]:
    found = environment.steering_build(source.inherit)
    return {name: hidden.text(value) for name, value in found.items() if not hidden.is_credential(name)}


def _given(top: Path) -> list[Path]:
    # `.git` of a worktree names the worktree itself, which is another one each time.
    found = []
    for folder, folders, names in os.walk(top):
        here = Path(folder)
        links = [name for name in folders if (here / name).is_symlink()]
        found += [here / name for name in (*names, *links) if name not in {".git", _OWN_CONFIGURATION}]
    return sorted(found)


def _content(path: Path) -> bytes:
    if path.is_symlink():
        return b"link " + os.fsencode(path.readlink())
    kind = b"program " if os.access(path, os.X_OK) else b"file "
    return kind + file_sha256(path).encode()


def _add(digest: hashlib._Hash, part: bytes) -> None:
    # With its length before it, so that ("ab", "c") and ("a", "bc") differ.
    digest.update(len(part).to_bytes(8, "big") + part)
