"""What runs, kept by the digest of its content, and which source each was built to; those not used for long make room.

    <cache>/artifacts/<digest>/orders.jar                          a jar or war by itself
    <cache>/artifacts/<digest>/thin/orders.jar/orders.jar, libs/…  a jar with the libraries that its manifest names
    <cache>/artifacts/<digest>/folder/quarkus-app/…                a folder
    <cache>/built/<key>                                            digest of what the source with this key was built to

It appears under its name whole, and is never written again: forks of a run that lasts an hour all start the same bytes,
whatever is rebuilt meanwhile. Several Pacecars may use the store at once. Whoever uses something of it holds a lock on
its folder until its `Resources` end, and nobody removes what is held.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.digest import file_sha256
from pacecar.inputs.builds.libraries import files_below, libraries_of
from pacecar.system import paths
from pacecar.system.disk import parts
from pacecar.system.disk.leftovers import remove_leftovers
from pacecar.system.disk.parts import SUFFIX
from pacecar.system.foreign import files, jars
from pacecar.system.resources import Resources, lone

_MAX_BYTES = 2 * 1024**3
_MAX_FILES = 20_000
_POINTER_BYTES = 100
_SHA256 = re.compile(r"[0-9a-f]{64}")
_THIN, _FOLDER = "thin", "folder"
_TRIES = 100


def find(key: str, *, resources: Resources) -> Path | None:
    """What the source with this key was built to, held until `resources` ends; None when it is not kept."""
    try:
        sha256 = _pointed(_pointer(key))
    except (OSError, UnicodeDecodeError):
        return None
    return held(sha256, resources=resources)


def held(sha256: str, *, resources: Resources) -> Path | None:
    """What has this digest, held while `resources` last; None when it is not kept, or is a jar no longer readable."""
    if not _SHA256.fullmatch(sha256) or not resources.hold(_folder(sha256)):
        return None
    path = _in(_folder(sha256))
    if path is None:
        return None
    try:
        if path.is_file():
            check_jar(path)
    except BuildError:
        path.unlink(missing_ok=True)
        return None
    os.utime(_folder(sha256))  # the one used longest ago goes first
    return path


def keep(built: Path, key: str, *, resources: Resources) -> Path:
    """Keep a copy of a build, and that the source with this key was built to it; held until `resources` ends.

    Where another Pacecar was first, its copy counts.

    Args:
        built: a jar, or a folder.
        key: of the source.
        resources: of the run that is to use it.

    Raises:
        BuildError: when a jar is not a readable zip file, or it is too large, or cannot be copied.
    """
    kept = adopt(built, resources=resources)
    pointer = _pointer(key)
    try:
        with parts.new_file(pointer, mode=0o644) as (part, _):
            try:
                part.write_text(sha256_of(kept))
                while not _linked(part, pointer):
                    if first := find(key, resources=resources):
                        return first
                    pointer.unlink(missing_ok=True)  # what it points at has been evicted
            finally:
                part.unlink(missing_ok=True)
    except OSError as error:
        raise _not_kept(built, error) from error
    return kept


def adopt(built: Path, *, resources: Resources) -> Path:
    """Keep a copy of a jar, with the libraries its manifest names, or of a folder; held until `resources` ends.

    Raises:
        BuildError: when a jar is not a readable zip file, or it is too large, or cannot be copied.
    """
    try:
        with parts.new_folder(_folder("adopted")) as part:
            try:
                copy = _copied(built, part)
                folder = _folder(sha256_of(copy))
                _hold_new(folder, resources=resources)
                held(folder.name, resources=resources)  # makes room where a jar has become unreadable
                kept = folder / copy.relative_to(part)
                _moved(part / kept.relative_to(folder).parts[0], folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise _not_kept(built, error) from error
    evict(paths.artifact_bytes())
    return _in(folder) or kept


def evict(most_bytes: int) -> list[Path]:
    """Remove what was used longest ago until the others take at most `most_bytes`; none that somebody holds.

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


def sha256_of(kept: Path) -> str:
    """SHA-256, in hex: of a jar by itself its content's, else of names and contents of all files that belong to it."""
    if kept.is_dir():
        return _digest_of(kept)
    return file_sha256(kept) if is_one_jar(kept) else _digest_of(kept.parent)


def ending_of(sha256: str) -> str:
    """`.war` for what has this digest where it is kept as one, which a launcher tells by the name; else `.jar`."""
    kept = _in(_folder(sha256)) if _SHA256.fullmatch(sha256) else None
    return ".war" if kept is not None and kept.suffix == ".war" else ".jar"


def folder_of(kept: Path) -> Path:
    """The folder that holds `kept` and all that belongs to it, and nothing else."""
    return kept.parent if is_one_jar(kept) else kept.parent.parent if kept.is_dir() else kept.parent.parent.parent


def is_one_jar(kept: Path) -> bool:
    """Whether it is a jar that needs nothing beside it."""
    return kept.is_file() and kept.parent.parent.name != _THIN


def check_jar(path: Path) -> None:
    """Raise BuildError unless `path` is a zip file with something in it."""
    try:
        with jars.opened(path) as jar:
            names = jar.namelist()
    except OSError as error:
        raise BuildError(f"{path} cannot be read: {error.strerror}.") from error
    except jars.NoJar as error:
        raise BuildError(f"{path} is not a jar: {error}.", hint="Build it again.") from error
    if not names:
        raise BuildError(f"{path} is not a jar: it is empty.", hint="Build it again.")


def _digest_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in files_below(folder):
        content = os.fsencode(path.readlink()).hex() if path.is_symlink() else file_sha256(path)
        digest.update(f"{path.relative_to(folder)}\0{content}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _copied(built: Path, into: Path) -> Path:
    """Copy `built` into the new folder `into`, as it lies in the store."""
    if built.is_dir():
        _check_size(built, files_below(built))
        copy = into / _FOLDER / built.name
        shutil.copytree(built, copy, symlinks=True)
        return copy
    check_jar(built)
    libraries = libraries_of(built)
    _check_size(built, [(built.parent / name).resolve() for name in (built.name, *libraries)])
    together = into / _THIN / built.name if libraries else into
    for name in (built.name, *libraries):
        (together / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(built.parent / name, together / name)
    check_jar(together / built.name)  # the copy counts: the original may be rebuilt at this very moment
    return together / built.name


def _check_size(built: Path, files: Iterable[Path]) -> None:
    found = list(files)
    size = sum(path.lstat().st_size for path in found)
    if len(found) > _MAX_FILES or size > _MAX_BYTES:
        raise BuildError(
            f"{built} is too large to keep: {len(found)} files, {size // 1024**2} MiB.",
            hint="Name a folder that holds only what the service needs to run.",
        )


def _in(folder: Path) -> Path | None:
    """What is kept in a folder of the store."""
    thin = [together / together.name for together in folder.glob(f"{_THIN}/*/")]
    alone = [path for path in folder.glob("[!.]*") if path.is_file()]
    kept = sorted([*alone, *thin, *folder.glob(f"{_FOLDER}/*/")])
    return kept[0] if kept else None


def _moved(part: Path, folder: Path) -> None:
    """Put `part`, a jar or a folder, into `folder` in one step, unless the same is there: the first one wins."""
    if part.is_file():
        _linked(part, folder / part.name)
        return
    try:
        part.rename(folder / part.name)
    except OSError:
        if not (folder / part.name).is_dir():
            raise


def _hold_new(folder: Path, *, resources: Resources) -> None:
    for _ in range(_TRIES):
        folder.mkdir(exist_ok=True)
        if resources.hold(folder):
            os.utime(folder)
            return
        time.sleep(0.01)  # somebody is removing the folder of that name
    # Here is a file system without locks: nobody can hold a folder, so nobody removes one either.


def _used() -> Iterator[tuple[float, int, Path]]:
    """When each was last used, its bytes, its folder. A folder of an earlier layout is as any other."""
    for folder in _artifacts().iterdir():
        with contextlib.suppress(OSError):
            if folder.is_dir() and not folder.name.startswith("."):
                size = sum(path.lstat().st_size for path in files_below(folder))
                yield folder.stat().st_mtime, size, folder


def _remove(folder: Path) -> bool:
    """Take the folder's name away while nobody holds it, then its content."""
    gone = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}{SUFFIX}")
    with lone(folder) as alone:
        if not alone:
            return False
        folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)
    return True


def _forget_pointers() -> None:
    for pointer in _pointer("").iterdir():
        with contextlib.suppress(OSError, UnicodeDecodeError):
            if not _folder(_pointed(pointer)).is_dir():
                pointer.unlink()


def _clear_leftovers() -> None:
    for place in (_artifacts(), _pointer("")):
        remove_leftovers(place.glob(f".*{SUFFIX}"))


def _linked(part: Path, final: Path) -> bool:
    # A hard link, unlike a rename, fails where the name is taken: the first one wins.
    try:
        os.link(part, final)
    except FileExistsError:
        return False
    return True


def _not_kept(built: Path, error: OSError) -> BuildError:
    if isinstance(error, shutil.Error):  # of a folder, which may hold what cannot be copied, such as a pipe
        return BuildError(
            f"{built} cannot be kept: {error.args[0][0][2]}.",
            hint="Name a folder that holds only what the service needs to run.",
        )
    return BuildError(f"{built} cannot be kept in {_artifacts()}: {error.strerror}.", hint="Make room there.")


def _artifacts() -> Path:
    place = paths.cache().resolve() / "artifacts"
    place.mkdir(exist_ok=True)
    return place


def _folder(sha256: str) -> Path:
    return _artifacts() / sha256


def _pointer(key: str) -> Path:
    place = paths.cache().resolve() / "built"
    place.mkdir(exist_ok=True)
    return place / key


def _pointed(pointer: Path) -> str:
    return files.beginning(pointer, most=_POINTER_BYTES).decode("ascii").strip()
