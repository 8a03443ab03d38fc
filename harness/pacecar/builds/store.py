"""Jars kept by their digest, and which source each was built from; those not used for long make room for others.

    <cache>/artifacts/<sha256>/orders.jar    a jar
    <cache>/built/<key>                      the digest of what the source with this key was built to

A file appears under its name whole, and is never written again: forks of a run that lasts an hour all start the same
bytes, whatever is rebuilt meanwhile. Several Pacecars may use the store at once. Whoever uses a jar holds a lock on its
folder until its custody ends, and nobody removes what is held.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

from pacecar import places
from pacecar.builds import BuildError
from pacecar.builds.digest import file_sha256
from pacecar.custody import Custody, lone

_MAX_BYTES = 2 * 1024**3
_SHA256 = re.compile(r"[0-9a-f]{64}")
#: What was begun longer ago than any build may take is nobody's any more.
_STALE_S = 86_400
_TRIES = 100


def find(key: str, *, custody: Custody) -> Path | None:
    """The jar that the source with this key was built to, held until `custody` ends; None when it is not kept."""
    try:
        sha256 = _pointer(key).read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return held(sha256, custody=custody)


def held(sha256: str, *, custody: Custody) -> Path | None:
    """The jar with this digest, held until `custody` ends; None when it is not kept, or has become unreadable."""
    if not _SHA256.fullmatch(sha256) or not custody.hold(_folder(sha256)):
        return None
    for path in sorted(_folder(sha256).glob("*.jar")):
        try:
            check_jar(path)
        except BuildError:
            path.unlink(missing_ok=True)
        else:
            os.utime(path.parent)  # the one used longest ago goes first
            return path
    return None


def keep(jar: Path, key: str, *, custody: Custody) -> Path:
    """Keep a copy of `jar`, and that the source with this key was built to it; held until `custody` ends.

    Where another Pacecar was first, its copy counts.

    Raises:
        BuildError: when `jar` is not a readable zip file, or cannot be copied.
    """
    kept = adopt(jar, custody=custody)
    pointer = _pointer(key)
    part = _part(pointer.parent)
    try:
        part.write_text(kept.parent.name)
        while not _linked(part, pointer):
            if first := find(key, custody=custody):
                return first
            pointer.unlink(missing_ok=True)  # what it points at has been evicted
    except OSError as error:
        raise _not_kept(jar, error) from error
    finally:
        part.unlink(missing_ok=True)
    return kept


def adopt(jar: Path, *, custody: Custody) -> Path:
    """Keep a copy of a jar under its own digest; held until `custody` ends.

    Raises:
        BuildError: when it is not a readable zip file, or cannot be copied.
    """
    check_jar(jar)
    part = _part(_artifacts())
    try:
        shutil.copyfile(jar, part)
        check_jar(part)  # the copy counts: the original may be rebuilt at this very moment
        folder = _folder(file_sha256(part))
        _hold_new(folder, custody=custody)
        held(folder.name, custody=custody)  # makes room where the jar has become unreadable
        kept = folder / jar.name
        _linked(part, kept)
    except OSError as error:
        raise _not_kept(jar, error) from error
    finally:
        part.unlink(missing_ok=True)
    evict(places.artifact_bytes())
    return kept


def evict(most_bytes: int) -> list[Path]:
    """Remove the jars used longest ago until the others take at most `most_bytes`; none that somebody holds.

    Returns:
        The folders removed.
    """
    folders = sorted(_used(), reverse=True)
    total, removed = 0, []
    for _, size, folder in folders:
        total += size
        if total > most_bytes and _remove(folder):
            total -= size
            removed.append(folder)
    if removed:
        _forget_pointers()
    _clear_leftovers()
    return removed


def check_jar(path: Path) -> None:
    """Raise BuildError unless `path` is a zip file with something in it."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise BuildError(f"{path} is larger than {_MAX_BYTES // 1024**3} GiB.")
        with zipfile.ZipFile(path) as jar:
            names = jar.namelist()
    except OSError as error:
        raise BuildError(f"{path} cannot be read: {error.strerror}.") from error
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise BuildError(f"{path} is not a jar: {error}.", hint="Build it again.") from error
    if not names:
        raise BuildError(f"{path} is not a jar: it is empty.", hint="Build it again.")


def _hold_new(folder: Path, *, custody: Custody) -> None:
    for _ in range(_TRIES):
        folder.mkdir(exist_ok=True)
        if custody.hold(folder):
            os.utime(folder)
            return
        time.sleep(0.01)  # somebody is removing the folder of that name
    # Here is a file system without locks: nobody can hold a folder, so nobody removes one either.


def _used() -> Iterator[tuple[float, int, Path]]:
    """When each jar was last used, its bytes, its folder. A folder of an earlier layout is as any other."""
    for folder in _artifacts().iterdir():
        with contextlib.suppress(OSError):
            if folder.is_dir() and not folder.name.startswith("."):
                size = sum(path.stat().st_size for path in folder.iterdir())
                yield folder.stat().st_mtime, size, folder


def _remove(folder: Path) -> bool:
    """Take the folder's name away while nobody holds it, then its content."""
    gone = _part(folder.parent)
    with lone(folder) as alone:
        if not alone:
            return False
        folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)
    return True


def _forget_pointers() -> None:
    for pointer in _pointer("").iterdir():
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if not _folder(pointer.read_text("ascii").strip()).is_dir():
                pointer.unlink()


def _clear_leftovers() -> None:
    for place in (_artifacts(), _pointer("")):
        for part in place.glob(".*.part"):
            with contextlib.suppress(OSError):
                if time.time() - part.stat().st_mtime > _STALE_S:
                    shutil.rmtree(part) if part.is_dir() else part.unlink()


def _linked(part: Path, final: Path) -> bool:
    # A hard link, unlike a rename, fails where the name is taken: the first one wins.
    try:
        os.link(part, final)
    except FileExistsError:
        return False
    return True


def _not_kept(jar: Path, error: OSError) -> BuildError:
    return BuildError(f"{jar} cannot be kept in {_artifacts()}: {error.strerror}.", hint="Make room there.")


def _artifacts() -> Path:
    place = places.cache().resolve() / "artifacts"
    place.mkdir(exist_ok=True)
    return place


def _folder(sha256: str) -> Path:
    return _artifacts() / sha256


def _pointer(key: str) -> Path:
    place = places.cache().resolve() / "built"
    place.mkdir(exist_ok=True)
    return place / key


def _part(folder: Path) -> Path:
    return folder / f".{secrets.token_hex(8)}.part"
