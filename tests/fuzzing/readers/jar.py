"""A jar: its directory, its manifest, and the archives inside."""

from __future__ import annotations

import contextlib
import io
import zipfile
from collections.abc import Iterator

from fuzzing import scratch
from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.difference import changed_classes
from pacecar.inputs.builds.libraries import libraries_of
from pacecar.inputs.builds.store import check_jar

INSTRUMENT = ("zipfile",)


def parse(data: bytes) -> None:
    jar = scratch.file(data, "a.jar")
    if not scratch.path("b.jar").exists():
        scratch.file(next(iter(seeds())), "b.jar")
    changed_classes(jar, scratch.path("b.jar"))
    libraries_of(jar)
    with contextlib.suppress(BuildError):
        check_jar(jar)


def seeds() -> Iterator[bytes]:
    for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        inner, outer = io.BytesIO(), io.BytesIO()
        with zipfile.ZipFile(inner, "w", kind) as jar:
            jar.writestr("lib/L.class", b"1")
        with zipfile.ZipFile(outer, "w", kind) as jar:
            jar.writestr("META-INF/MANIFEST.MF", "Main-Class: a.B\nClass-Path: b.jar ../c.jar\n")
            jar.writestr("BOOT-INF/classes/a/B.class", b"cafe")
            jar.writestr("BOOT-INF/lib/l.jar", inner.getvalue())
        yield outer.getvalue()
