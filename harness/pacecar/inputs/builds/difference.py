"""Which classes differ between two builds, however they were made: by what their jars say of their entries.

Only directories of archives are read, and archives inside archives or folders that are not the same on both sides; no
class is.
"""

from __future__ import annotations

import contextlib
import re
import zipfile
import zlib
from pathlib import Path
from typing import Protocol

from pacecar.inputs.builds.libraries import files_below, libraries_of
from pacecar.system.foreign import files, jars
from pacecar.system.foreign.jars import NoJar

#: Classes beyond these would say that nearly everything differs, which helps nobody.
MOST = 5_000
_LARGEST_INNER_BYTES = 256 << 20
#: Of all archives inside one together.
_MOST_INNER_BYTES = 1 << 30
_MOST_ENTRIES = 200_000
#: Where the folders of classes lie in the jars of Spring Boot, in wars and in jars for several versions of Java.
_ROOTS = re.compile(r"^(?:BOOT-INF/classes/|WEB-INF/classes/|META-INF/versions/\d+/)")

_Checksums = dict[str, int]


def changed_classes(baseline: Path, candidate: Path) -> tuple[str, ...]:
    """Names of classes (`shop.orders.Order$Line`) whose code differs, or that only one of two builds has; sorted.

    Empty when a file is no archive that can be read, or when more than `MOST` classes differ.

    Args:
        baseline: a jar, or a folder of jars and classes.
        candidate: likewise.
    """
    try:
        with contextlib.ExitStack() as opened:
            before, after = _classes(_open(baseline, opened), _open(candidate, opened))
    except (OSError, NoJar):
        return ()
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return tuple(changed) if len(changed) <= MOST else ()


class _Entries(Protocol):
    """The files of a jar or folder."""

    checksums: _Checksums

    def bytes_of(self, name: str) -> bytes:
        """One of them, if it is not too large: else none."""


class _Jar:
    """A jar, by its directory."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._left = _MOST_INNER_BYTES
        self.checksums = {info.filename: info.CRC for info in archive.infolist()}

    def bytes_of(self, name: str) -> bytes:
        found = jars.content(self._archive, name, most=min(_LARGEST_INNER_BYTES, self._left)) or b""
        self._left -= len(found)
        return found


class _Folder:
    """A folder: what is neither jar nor class does not count."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        files = [path for path in files_below(folder) if path.suffix in {".jar", ".class"} and path.is_file()]
        if len(files) > _MOST_ENTRIES:
            raise NoJar(f"more than {_MOST_ENTRIES} files")
        self.checksums = {path.relative_to(folder).as_posix(): _crc(path) for path in files}

    def bytes_of(self, name: str) -> bytes:
        path = self._folder / name
        try:
            return files.content(path, most=_LARGEST_INNER_BYTES)
        except files.Unfit:
            return b""


def _open(built: Path, opened: contextlib.ExitStack) -> _Entries:
    if built.is_dir():
        return _Folder(built)
    if libraries_of(built):
        return _Folder(built.parent)
    return _Jar(opened.enter_context(jars.opened(built)))


def _classes(baseline: _Entries, candidate: _Entries) -> tuple[_Checksums, _Checksums]:
    """Checksums of the classes of both builds; of archives inside that both have alike, none."""
    both = (baseline, candidate)
    inner = [{name: crc for name, crc in each.checksums.items() if name.endswith(".jar")} for each in both]
    same = dict(inner[0].items() & inner[1].items())
    found = []
    for entries, archives in zip(both, inner, strict=True):
        classes = _class_names(entries.checksums)
        for name in sorted(archives.keys() - same.keys()):
            classes |= _inside(entries.bytes_of(name))
        found.append(classes)
    return found[0], found[1]


def _inside(content: bytes) -> _Checksums:
    if not content:
        return {}
    with jars.opened(content) as inner:
        return _class_names(_Jar(inner).checksums)


def _crc(path: Path) -> int:
    crc = 0
    with files.opened(path, most=jars.MOST_BYTES) as file:
        while part := file.read(1 << 20):
            crc = zlib.crc32(part, crc)
    return crc


def _class_names(entries: _Checksums) -> _Checksums:
    return {
        _ROOTS.sub("", name).removesuffix(".class").replace("/", "."): crc
        for name, crc in entries.items()
        if name.endswith(".class")
    }
