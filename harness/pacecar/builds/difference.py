"""Which classes differ between two jars, however they were built: by what the jars themselves say of their entries.

Only directories of archives are read, and archives inside archives that are not the same on both sides; no class is.
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

#: Classes beyond these would say that nearly everything differs, which helps nobody.
MOST = 5_000
_LARGEST_INNER_BYTES = 256 << 20
_MOST_ENTRIES = 200_000
#: Where the folders of classes lie in the jars of Spring Boot, in wars and in jars for several versions of Java.
_ROOTS = re.compile(r"^(?:BOOT-INF/classes/|WEB-INF/classes/|META-INF/versions/\d+/)")

_Checksums = dict[str, int]


def changed_classes(baseline: Path, candidate: Path) -> tuple[str, ...]:
    """Names of classes (`shop.orders.Order$Line`) whose code differs, or that only one of two jars has; sorted.

    Empty when a file is no archive that can be read, or when more than `MOST` classes differ.
    """
    try:
        before, after = _classes(baseline, candidate)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError):
        return ()
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return tuple(changed) if len(changed) <= MOST else ()


def _classes(baseline: Path, candidate: Path) -> tuple[_Checksums, _Checksums]:
    """Checksums of the classes of both jars; of archives inside that both have alike, none."""
    with zipfile.ZipFile(baseline) as first, zipfile.ZipFile(candidate) as second:
        entries = [_entries(archive) for archive in (first, second)]
        inner = [{name: crc for name, crc in each.items() if name.endswith(".jar")} for each in entries]
        same = inner[0].items() & inner[1].items()
        found = []
        for archive, every, jars in zip((first, second), entries, inner, strict=True):
            classes = _class_names(every)
            for name in sorted(jars.keys() - dict(same).keys()):
                classes |= _inside(archive, name)
            found.append(classes)
    return found[0], found[1]


def _inside(archive: zipfile.ZipFile, name: str) -> _Checksums:
    if archive.getinfo(name).file_size > _LARGEST_INNER_BYTES:
        return {}
    with zipfile.ZipFile(io.BytesIO(archive.read(name))) as inner:
        return _class_names(_entries(inner))


def _entries(archive: zipfile.ZipFile) -> _Checksums:
    infos = archive.infolist()
    if len(infos) > _MOST_ENTRIES:
        raise zipfile.BadZipFile(f"more than {_MOST_ENTRIES} entries")
    return {info.filename: info.CRC for info in infos}


def _class_names(entries: _Checksums) -> _Checksums:
    return {
        _ROOTS.sub("", name).removesuffix(".class").replace("/", "."): crc
        for name, crc in entries.items()
        if name.endswith(".class")
    }
