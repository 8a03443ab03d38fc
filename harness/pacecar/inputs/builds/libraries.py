"""The files beside a jar that it cannot run without: what its manifest's class path names."""

from __future__ import annotations

import os
import zipfile
from email.parser import BytesParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from pacecar.system.foreign import files, jars
from pacecar.system.foreign.jars import NoJar

_LARGEST_MANIFEST = 1 << 20
_MOST_ENTRIES = 5_000


def libraries_of(jar: Path) -> tuple[str, ...]:
    """Paths of jars, relative to the jar's folder and below it, that its `Class-Path` names; () of none.

    Nothing else, which a JVM would not read either: a stranger's jar may name a key or a token that lies near it.
    """
    found = []
    for entry in manifest_of(jar).get("Class-Path", "").split()[:_MOST_ENTRIES]:
        path = PurePosixPath(unquote(entry))
        inside = not path.is_absolute() and ".." not in path.parts and ":" not in entry
        if inside and _is_jar(jar.parent / path):
            found.append(str(path))
    return tuple(dict.fromkeys(found))


def _is_jar(path: Path) -> bool:
    try:
        with files.opened(path, most=files.ANY_SIZE) as file:
            return zipfile.is_zipfile(file)
    except (OSError, ValueError):  # such as a name that no file system bears
        return False


def manifest_of(jar: Path) -> dict[str, str]:
    """The main attributes of a jar's manifest; {} where it has none that can be read."""
    try:
        with jars.opened(jar) as archive:
            content = jars.content(archive, "META-INF/MANIFEST.MF", most=_LARGEST_MANIFEST) or b""
    except (OSError, NoJar):
        return {}
    # Lines of 72 bytes, each continued by a blank: joined without one, unlike in mail.
    joined = content.replace(b"\r\n", b"\n").replace(b"\n ", b"")
    return {name: str(value) for name, value in BytesParser().parsebytes(joined, headersonly=True).items()}


def files_below(folder: Path) -> list[Path]:
    """All files below `folder`, links included but not followed, in order."""
    found = []
    for parent, folders, names in os.walk(folder):
        links = [name for name in folders if (Path(parent) / name).is_symlink()]
        found += [Path(parent) / name for name in (*names, *links)]
    return sorted(found)
