"""Jars whose directory is worth more than the jar."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.difference import changed_classes
from pacecar.inputs.builds.libraries import libraries_of, manifest_of
from pacecar.inputs.builds.store import check_jar
from pacecar.system.foreign import jars
from pacecar.system.foreign.jars import NoJar


def jar(**entries: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in entries.items():
            made.writestr(name.replace("__", "/").replace("_class", ".class"), content)
    return held.getvalue()


PLAIN = jar(a__B_class=b"cafe")
END = PLAIN.rfind(b"PK\5\6")
AT = int.from_bytes(PLAIN[END + 16 : END + 20], "little")


def with_end(length: int, at: int = AT, count: int = 1) -> bytes:
    end = b"PK\5\6\0\0\0\0" + 2 * count.to_bytes(2, "little") + length.to_bytes(4, "little") + at.to_bytes(4, "little")
    return PLAIN[:END] + end + b"\0\0"


HOSTILE = {
    "nothing": b"",
    "no zip": b"x" * 1000,
    "only an end": b"PK\5\6" + bytes(18),
    "half an end": PLAIN[:-5],
    "a directory of 4 GiB": with_end(0xFFFFFFFF),
    "a directory larger than the file": with_end(1 << 20),
    "a directory beyond the file": with_end(END - AT, at=1 << 30),
    "a damaged directory": PLAIN[:AT] + b"xxxx" + PLAIN[AT + 4 :],
    "half a directory": with_end(END - AT - 5),
    "an unknown compression": PLAIN[: AT + 10] + b"\x63\0" + PLAIN[AT + 12 :],
    "a version from the future": PLAIN[: AT + 6] + b"\xff\xff" + PLAIN[AT + 8 :],
    "encrypted": PLAIN[: AT + 8] + b"\1\0" + PLAIN[AT + 10 :],
    "a wrong checksum": PLAIN[: AT + 16] + b"\0\0\0\0" + PLAIN[AT + 20 :],
    "a content beyond the file": PLAIN[: AT + 42] + b"\xff\xff\xff\x7f" + PLAIN[AT + 46 :],
    "a content of 4 GiB": PLAIN[: AT + 20] + b"\xfe\xff\xff\xff\xfe\xff\xff\xff" + PLAIN[AT + 28 :],
    "a damaged content": PLAIN[:40] + b"\xff" * 4 + PLAIN[44:],
}


@pytest.mark.hostile
@pytest.mark.parametrize("name", HOSTILE)
def test_no_jar_of_a_build(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.jar"
    path.write_bytes(HOSTILE[name])
    (tmp_path / "b.jar").write_bytes(jar(META_INF__x=HOSTILE[name], x__y_class=b"1"))
    with pytest.raises(NoJar), jars.opened(path) as opened:  # noqa: PT012
        for entry in opened.namelist():
            assert jars.content(opened, entry, most=1000) is not None
        raise NoJar("only its directory is damaged, if at all")
    assert isinstance(changed_classes(path, tmp_path / "b.jar"), tuple)
    assert manifest_of(path) == {}
    assert libraries_of(path) == ()


@pytest.mark.hostile
def test_more_entries_than_any_jar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(jars, "MOST_ENTRIES", 10)
    path = tmp_path / "a.jar"
    path.write_bytes(jar(**{f"a{number}": b"" for number in range(11)}))
    with pytest.raises(BuildError, match="more than 10 entries"):
        check_jar(path)
    assert changed_classes(path, path) == ()


@pytest.mark.hostile
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "itself"])
def test_a_jar_that_is_no_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.jar"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero" if kind == "device" else path)
    with pytest.raises(BuildError):
        check_jar(path)
    assert manifest_of(path) == {}


@pytest.mark.hostile
def test_an_archive_inside_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pacecar.inputs.builds.contents._LARGEST_INNER_BYTES", 1000)
    (tmp_path / "a.jar").write_bytes(jar(lib__a=b"", **{"lib/l.jar": jar(x_class=bytes(9)) + bytes(5000)}))
    (tmp_path / "b.jar").write_bytes(jar(lib__a=b"", **{"lib/l.jar": jar(y_class=b"1")}))
    assert changed_classes(tmp_path / "a.jar", tmp_path / "b.jar") == ("y",)


@pytest.mark.hostile
@pytest.mark.parametrize(
    "entry",
    ["../secret", "/etc/passwd", "%2e%2e/secret", "file:/x", "a\0b", "%00", "x" * 5000, "x/" * 3000, "%2Fetc"],
)
def test_a_class_path_that_leads_elsewhere(tmp_path: Path, entry: str) -> None:
    (tmp_path / "secret").write_text("s")
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "a.jar"
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as made:
        made.writestr("META-INF/MANIFEST.MF", f"Class-Path: {entry}\n")
    path.write_bytes(held.getvalue())
    assert libraries_of(path) == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), min_size=1, max_size=5))
def test_changed_bytes_never_get_out(tmp_path: Path, changes: list[tuple[int, int]]) -> None:
    content = bytearray(jar(a__B_class=b"1", **{"lib/l.jar": PLAIN, "META-INF/MANIFEST.MF": b"Class-Path: b.jar\n"}))
    for at, value in changes:
        content[at % len(content)] = value
    path = tmp_path / "a.jar"
    path.write_bytes(content)
    (tmp_path / "b.jar").write_bytes(PLAIN)
    assert isinstance(changed_classes(path, tmp_path / "b.jar"), tuple)
    assert set(libraries_of(path)) <= {"b.jar"}
