"""Which classes differ between two jars."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from pacecar.inputs.builds import difference
from pacecar.inputs.builds.difference import changed_classes

Content = dict[str, bytes]


def _archive(entries: Content) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _jar(folder: Path, name: str, entries: Content) -> Path:
    path = folder / name
    path.write_bytes(_archive(entries))
    return path


def test_changed_new_and_removed_classes_in_a_boot_jar(tmp_path: Path) -> None:
    root = "BOOT-INF/classes/shop/"
    before = {f"{root}Same.class": b"1", f"{root}Order$Line.class": b"2", f"{root}Gone.class": b"3"}
    after = {f"{root}Same.class": b"1", f"{root}Order$Line.class": b"9", f"{root}New.class": b"4"}
    found = changed_classes(_jar(tmp_path, "a.jar", before), _jar(tmp_path, "b.jar", after))
    assert found == ("shop.Gone", "shop.New", "shop.Order$Line")


def test_libraries_are_compared_by_their_classes_whatever_they_are_called(tmp_path: Path) -> None:
    before = {"BOOT-INF/lib/json-1.0.jar": _archive({"json/A.class": b"1", "json/B.class": b"2"})}
    after = {"BOOT-INF/lib/json-1.1.jar": _archive({"json/A.class": b"1", "json/B.class": b"3"})}
    assert changed_classes(_jar(tmp_path, "a.jar", before), _jar(tmp_path, "b.jar", after)) == ("json.B",)


def test_other_content_does_not_count(tmp_path: Path) -> None:
    before, after = {"application.yml": b"a", "x/A.class": b"1"}, {"application.yml": b"b", "x/A.class": b"1"}
    assert changed_classes(_jar(tmp_path, "a.jar", before), _jar(tmp_path, "b.jar", after)) == ()


def test_what_is_no_archive_says_nothing(tmp_path: Path) -> None:
    jar = _jar(tmp_path, "a.jar", {"x/A.class": b"1"})
    broken = tmp_path / "b.jar"
    broken.write_bytes(b"no archive")
    assert changed_classes(jar, broken) == ()
    assert changed_classes(jar, tmp_path / "missing.jar") == ()
    inner = _jar(tmp_path, "c.jar", {"BOOT-INF/lib/json.jar": b"no archive"})
    assert changed_classes(jar, inner) == ()


def test_when_nearly_everything_differs_nothing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(difference, "MOST", 2)
    before = _jar(tmp_path, "a.jar", {f"x/{number}.class": b"1" for number in range(3)})
    after = _jar(tmp_path, "b.jar", {f"x/{number}.class": b"2" for number in range(3)})
    assert changed_classes(before, after) == ()


def test_folders_are_read_jar_by_jar(tmp_path):
    sides = [tmp_path / "before", tmp_path / "after"]
    for side, body in zip(sides, ("one", "two"), strict=True):
        (side / "lib").mkdir(parents=True)
        (side / "readme.txt").write_text(body)
        (side / "Loose.class").write_text("same")
        for name, content in (("same.jar", "same"), (f"shop-{body}.jar", body)):
            with zipfile.ZipFile(side / "lib" / name, "w") as jar:
                jar.writestr(zipfile.ZipInfo("shop/Order.class" if content == body else "lib/Other.class"), content)
    assert changed_classes(*sides) == ("shop.Order",)
