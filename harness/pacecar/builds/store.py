"""What runs, kept by what it was made from.

    <cache>/artifacts/<key>/orders.jar                          a jar by itself
    <cache>/artifacts/<key>/thin/orders.jar/orders.jar, libs/…  a jar with the libraries that its manifest names
    <cache>/artifacts/<key>/folder/quarkus-app/…                a folder

It appears under its name whole, and is never written again: forks of a run that lasts an hour all start the same
bytes, whatever is rebuilt meanwhile. Several Pacecars may use the store at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path

from pacecar import places
from pacecar.builds import BuildError
from pacecar.builds.digest import file_sha256
from pacecar.builds.libraries import files_below, libraries_of

_MAX_BYTES = 2 * 1024**3
_MAX_FILES = 20_000
_THIN, _FOLDER = "thin", "folder"


def find(key: str) -> Path | None:
    """What is kept under `key`. A jar that has become unreadable is removed, as if it were not there."""
    for path in sorted(_place(key).glob("*.jar")):
        try:
            check_jar(path)
        except BuildError:
            path.unlink(missing_ok=True)
        else:
            return path
    thin = [folder / folder.name for folder in _place(key).glob(f"{_THIN}/*/")]
    kept = sorted([*thin, *_place(key).glob(f"{_FOLDER}/*/")])
    return kept[0] if kept else None


def keep(built: Path, key: str) -> Path:
    """Keep a copy of a jar, with its libraries, or of a folder under `key`; where another was first, its copy counts.

    Raises:
        BuildError: when it is not a readable zip file, too large, or cannot be copied.
    """
    try:
        _place(key).mkdir(parents=True, exist_ok=True)
        if built.is_dir():
            _check_size(built, files_below(built))
            return _keep_together(built.parent, [built.name], final=_place(key) / _FOLDER) / built.name
        check_jar(built)
        if libraries := libraries_of(built):
            _check_size(built, [built.parent / name for name in libraries])
            final = _place(key) / _THIN / built.name
            return _keep_together(built.parent, [built.name, *libraries], final=final) / built.name
        part = _part(_place(key))
        try:
            shutil.copyfile(built, part)
            return _publish(part, _place(key) / built.name)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise _not_kept(built, error) from error


def adopt(jar: Path) -> Path:
    """Keep a copy of a jar that the user has built, with its libraries, under its own digest.

    Raises:
        BuildError: when it is not a readable zip file, or cannot be copied.
    """
    check_jar(jar)
    libraries = libraries_of(jar)
    if libraries:
        # Under the digest of all, since a library may be built again without the jar that names it.
        return keep(jar, digest_of(jar, [jar.parent / name for name in libraries]))
    place = _place("")
    place.mkdir(parents=True, exist_ok=True)
    part = _part(place)
    try:
        shutil.copyfile(jar, part)
        check_jar(part)  # the copy counts: the original may be rebuilt at this very moment
        folder = _place(file_sha256(part))
        folder.mkdir(exist_ok=True)
        return _publish(part, folder / jar.name)
    except OSError as error:
        raise _not_kept(jar, error) from error
    finally:
        part.unlink(missing_ok=True)


def sha256_of(kept: Path) -> str:
    """SHA-256, in hex: of a jar by itself its content's, else of names and contents of all files that belong to it."""
    if kept.is_dir():
        return digest_of(kept, files_below(kept))
    if kept.parent.parent.name == _THIN:
        return digest_of(kept.parent, files_below(kept.parent))
    return file_sha256(kept)


def digest_of(around: Path, files: Iterable[Path]) -> str:
    """SHA-256, in hex, of `around`, when it is a file, and of names and contents of `files`."""
    digest = hashlib.sha256()
    for path in ([around] if around.is_file() else []) + sorted(files):
        name = path.name if path == around else str(path.relative_to(around if around.is_dir() else around.parent))
        content = f"link {path.readlink()}" if path.is_symlink() else file_sha256(path)
        digest.update(f"{name}\0{content}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


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


def _keep_together(place: Path, names: Iterable[str], *, final: Path) -> Path:
    """Copy `names`, files and folders below `place`, to the folder `final`, and return it."""
    final.parent.mkdir(parents=True, exist_ok=True)
    part = _part(_place(""))
    try:
        for name in names:
            source, copy = place / name, part / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, copy, symlinks=True)
            else:
                shutil.copyfile(source, copy)
        try:
            part.rename(final)
        except OSError:
            if not final.is_dir():
                raise  # else another Pacecar was first, and its copy counts
        return final
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _check_size(built: Path, files: Iterable[Path]) -> None:
    found = list(files)
    size = sum(path.lstat().st_size for path in found)
    if len(found) > _MAX_FILES or size > _MAX_BYTES:
        raise BuildError(f"{built} is too large to keep: {len(found)} files, {size // 1024**2} MiB.")


def _publish(part: Path, final: Path) -> Path:
    # A hard link, unlike a rename, fails where the name is taken: the first one wins.
    with contextlib.suppress(FileExistsError):
        os.link(part, final)
    return final


def _not_kept(jar: Path, error: OSError) -> BuildError:
    return BuildError(f"{jar} cannot be kept in {_place('')}: {error.strerror}.", hint="Make room there.")


def _place(key: str) -> Path:
    return places.cache().resolve() / "artifacts" / key


def _part(folder: Path) -> Path:
    return folder / f".{secrets.token_hex(8)}.part"
