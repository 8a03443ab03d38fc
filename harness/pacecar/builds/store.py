"""Jars kept by what they were made from.

    <cache>/artifacts/<key>/orders.jar

A file appears under its name whole, and is never written again: forks of a run that lasts an hour all start the same
bytes, whatever is rebuilt meanwhile. Several Pacecars may use the store at once.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import zipfile
from pathlib import Path

from pacecar import places
from pacecar.builds import BuildError
from pacecar.builds.digest import file_sha256

_MAX_BYTES = 2 * 1024**3


def find(key: str) -> Path | None:
    """The jar kept under `key`. One that has become unreadable is removed, as if it were not there."""
    for path in sorted(_folder(key).glob("*.jar")):
        try:
            check_jar(path)
        except BuildError:
            path.unlink(missing_ok=True)
        else:
            return path
    return None


def keep(jar: Path, key: str) -> Path:
    """Keep a copy of `jar` under `key`; where another Pacecar was first, its copy counts.

    Raises:
        BuildError: when `jar` is not a readable zip file, or cannot be copied.
    """
    check_jar(jar)
    folder = _folder(key)
    folder.mkdir(parents=True, exist_ok=True)
    part = _part(folder)
    try:
        shutil.copyfile(jar, part)
        return _publish(part, folder / jar.name)
    except OSError as error:
        raise _not_kept(jar, error) from error
    finally:
        part.unlink(missing_ok=True)


def adopt(jar: Path) -> Path:
    """Keep a copy of a jar that the user has built, under its own digest.

    Raises:
        BuildError: when it is not a readable zip file, or cannot be copied.
    """
    check_jar(jar)
    place = _folder("")
    place.mkdir(parents=True, exist_ok=True)
    part = _part(place)
    try:
        shutil.copyfile(jar, part)
        check_jar(part)  # the copy counts: the original may be rebuilt at this very moment
        folder = _folder(file_sha256(part))
        folder.mkdir(exist_ok=True)
        return _publish(part, folder / jar.name)
    except OSError as error:
        raise _not_kept(jar, error) from error
    finally:
        part.unlink(missing_ok=True)


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


def _publish(part: Path, final: Path) -> Path:
    # A hard link, unlike a rename, fails where the name is taken: the first one wins.
    with contextlib.suppress(FileExistsError):
        os.link(part, final)
    return final


def _not_kept(jar: Path, error: OSError) -> BuildError:
    return BuildError(f"{jar} cannot be kept in {_folder('')}: {error.strerror}.", hint="Make room there.")


def _folder(key: str) -> Path:
    return places.cache().resolve() / "artifacts" / key


def _part(folder: Path) -> Path:
    return folder / f".{secrets.token_hex(8)}.part"
