"""Which classes differ between two builds, however they were made: by what their jars say of their entries.

Only directories of archives are read, and archives inside archives or folders that are not the same on both sides; no
class is.
"""

from __future__ import annotations

import re
from pathlib import Path

from pacecar.inputs.builds.contents import Checksums, Contents, opened
from pacecar.system.foreign.jars import NoJar

#: Classes beyond these would say that nearly everything differs, which helps nobody.
MOST = 5_000
#: Where the folders of classes lie in the jars of Spring Boot, in wars and in jars for several versions of Java.
_ROOTS = re.compile(r"^(?:BOOT-INF/classes/|WEB-INF/classes/|META-INF/versions/\d+/)")


def changed_classes(baseline: Path, candidate: Path) -> tuple[str, ...]:
    """Names of classes (`shop.orders.Order$Line`) whose code differs, or that only one of two builds has; sorted.

    Empty when a file is no archive that can be read, or when more than `MOST` classes differ.

    Args:
        baseline: a jar, or a folder of jars and classes.
        candidate: likewise.
    """
    try:
        with opened(baseline) as old, opened(candidate) as new:
            before, after = _classes(old, new)
    except (OSError, NoJar):
        return ()
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return tuple(changed) if len(changed) <= MOST else ()


def _classes(baseline: Contents, candidate: Contents) -> tuple[Checksums, Checksums]:
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


def _inside(content: bytes) -> Checksums:
    if not content:
        return {}
    with opened(content) as inner:
        return _class_names(inner.checksums)


def _class_names(entries: Checksums) -> Checksums:
    return {
        _ROOTS.sub("", name).removesuffix(".class").replace("/", "."): crc
        for name, crc in entries.items()
        if name.endswith(".class")
    }
