"""Builds that are the same in all that a service loads, and builds that only look so."""

from __future__ import annotations

import io
import itertools
import shutil
import subprocess
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from pacecar.inputs.builds import class_file, contents
from pacecar.inputs.builds import sameness as room
from pacecar.inputs.builds.sameness import sameness
from pacecar.model.recording import Sameness

MANIFEST = "Manifest-Version: 1.0\r\nMain-Class: shop.Orders\r\nBuild-Jdk-Spec: {jdk}\r\nCreated-By: {by}\r\n\r\n"
#: Path in an archive -> content.
Entries = Mapping[str, bytes | str]

_days = itertools.count(1)


def packed(entries: Entries, *, method: int = zipfile.ZIP_DEFLATED, level: int = 6, before: bytes = b"") -> bytes:
    """An archive like every build makes it: with times of its own."""
    out = io.BytesIO(before)
    out.seek(len(before))
    with zipfile.ZipFile(out, "w", method, compresslevel=level) as archive:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name, (2026, 1, 1 + next(_days) % 28, 12, 0, 0))
            info.compress_type = zipfile.ZIP_STORED if name.endswith(".jar") else method
            archive.writestr(info, content, compresslevel=level)
    return out.getvalue()


def jar(folder: Path, name: str, entries: Entries, **how: object) -> Path:
    path = folder / name
    path.write_bytes(packed(entries, **how))  # type: ignore[arg-type]
    return path


def boot(more: Entries | None = None, *, code: str = "1" * 5_000, library: Entries | None = None) -> Entries:
    """What is in a jar of Spring Boot, and `more`."""
    entries: dict[str, bytes | str] = {
        "META-INF/MANIFEST.MF": MANIFEST.format(jdk="17", by="Maven JAR Plugin 3.4.1"),
        "BOOT-INF/classes/shop/Order.class": code,
        "BOOT-INF/classes/application.properties": "a=1",
        "BOOT-INF/lib/json-1.0.jar": packed(library or {"json/A.class": "a" * 3_000, "json/B.class": "b"}),
        "BOOT-INF/lib/log-1.0.jar": packed({"log/A.class": "l"}),
    }
    return {**entries, **(more or {})}


def compared(tmp_path: Path, before: Entries, after: Entries, **how: object) -> Sameness | None:
    return sameness(jar(tmp_path, "a.jar", before), jar(tmp_path, "b.jar", after, **how))


SAME = Sameness(identical=False)


def test_times_order_and_compression_do_not_count(tmp_path: Path) -> None:
    assert compared(tmp_path, boot(), dict(reversed(list(boot().items()))), level=9) == SAME
    assert compared(tmp_path, boot(), boot(), method=zipfile.ZIP_STORED) == SAME


@pytest.mark.parametrize(
    "after",
    [
        boot(code="2" * 5_000),
        boot(library={"json/A.class": "a" * 2_999 + "x", "json/B.class": "b"}),
        boot(library={"json/A.class": "a" * 3_000}),
        boot({"BOOT-INF/classes/application.properties": "a=2"}),
        boot({"BOOT-INF/classes/shop/New.class": "n"}),
        boot({"BOOT-INF/classes/templates/": ""}),
        boot({"META-INF/MANIFEST.MF": MANIFEST.format(jdk="17", by="x").replace("shop.Orders", "shop.Other")}),
        boot({"META-INF/SHOP.SF": "signed"}),
        boot({"BOOT-INF/classes/git.properties": "git.commit.id=1"}),
    ],
    ids=["class", "library", "less", "resource", "new", "folder", "main", "signed", "reported"],
)
def test_whatever_a_service_loads_counts(tmp_path: Path, after: Entries) -> None:
    assert compared(tmp_path, boot(), after) is None
    assert compared(tmp_path, after, boot()) is None


def test_what_describes_a_build_or_is_never_loaded_is_told_and_does_not_count(tmp_path: Path) -> None:
    before = {
        "META-INF/maven/shop/orders/pom.properties": "#Mon\nversion=1",
        "META-INF/maven/shop/orders/pom.xml": "<project/>",
        "META-INF/SHOP.SF": "one",
        "BOOT-INF/classes/git.properties": "git.commit.id=1\ngit.build.time=1",
        "META-INF/build-info.properties": "build.time=1\nbuild.name=orders",
        "shop/Order.java": "class Order {}",
    }
    after = before | {
        "META-INF/MANIFEST.MF": MANIFEST.format(jdk="21", by="Maven\r\n  JAR Plugin"),
        "META-INF/maven/shop/orders/pom.properties": "#Tue\nversion=1",
        "META-INF/SHOP.SF": "two",
        "BOOT-INF/classes/git.properties": "git.commit.id=2\ngit.build.time=2",
        "META-INF/build-info.properties": "# later\nbuild.time=2\nbuild.name=orders",
        "shop/Order.java": "class Order { }",
        "META-INF/sbom/application.cdx.json": "{}",
    }
    del after["META-INF/maven/shop/orders/pom.xml"]
    found = compared(tmp_path, boot(before), boot(after))
    assert found is not None
    assert not found.identical
    assert set(found.unloaded) == {*before, "META-INF/MANIFEST.MF", "META-INF/sbom/application.cdx.json"}


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("BOOT-INF/classes/git.properties", "git.id=1\nspeed=1", "git.id=1\nspeed=2"),
        ("META-INF/build-info.properties", "build.pool=1", "build.pool=2"),
        ("BOOT-INF/classes/git.properties", "git.id=1\\\nx=1", "git.id=1\\\nx=2"),
        ("BOOT-INF/classes/git.properties", b"git.id=\xff", b"git.id=\xfe"),
        ("META-INF/MANIFEST.MF", "Main-Class: a.B\n", "Main-Class: a.B\nAdd-Opens: java.base/java.lang\n"),
        ("META-INF/MANIFEST.MF", "Main-Class: a.B\n\nName: a/\nSealed: true\n", "Main-Class: a.B\n"),
    ],
)
def test_what_else_such_files_say_counts(tmp_path: Path, name: str, before: str, after: str) -> None:
    assert compared(tmp_path, boot({name: before}), boot({name: after})) is None


def test_differences_in_a_library_are_told_with_their_place(tmp_path: Path) -> None:
    classes = {"json/A.class": "a"}
    before = boot(library=classes | {"META-INF/maven/json/json/pom.properties": "#Mon"})
    after = boot(library=classes | {"META-INF/maven/json/json/pom.properties": "#Tue"})
    found = compared(tmp_path, before, after)
    assert found == Sameness(
        identical=False, unloaded=("BOOT-INF/lib/json-1.0.jar!/META-INF/maven/json/json/pom.properties",)
    )


def test_many_differences_are_counted(tmp_path: Path) -> None:
    more = {f"META-INF/maven/g/a{number:02}/pom.xml": "x" for number in range(30)}
    found = compared(tmp_path, boot(), boot(more))
    assert found is not None
    assert (len(found.unloaded), found.more) == (20, 10)


def test_the_order_of_libraries_counts_where_they_have_the_same_class(tmp_path: Path) -> None:
    one, other = packed({"shop/A.class": "1", "x/": ""}), packed({"shop/A.class": "2", "x/": ""})
    before: dict[str, bytes | str] = {"BOOT-INF/lib/one.jar": one, "BOOT-INF/lib/other.jar": other}
    assert compared(tmp_path, before, dict(reversed(before.items()))) is None
    before["BOOT-INF/lib/other.jar"] = packed({"shop/B.class": "2", "x/": ""})
    assert compared(tmp_path, before, dict(reversed(before.items()))) == SAME


@pytest.mark.hostile
class TestHostile:
    """An archive may be made to look like another one."""

    def test_a_checksum_that_lies_hides_nothing(self, tmp_path: Path) -> None:
        # The JVM reads a jar without looking at checksums.
        before = jar(tmp_path, "a.jar", {"shop/Order.class": b"quick" * 9}, method=zipfile.ZIP_STORED)
        after = jar(tmp_path, "b.jar", {"shop/Order.class": b"slow!" * 9}, method=zipfile.ZIP_STORED)
        true, claimed = (zlib.crc32(text * 9).to_bytes(4, "little") for text in (b"slow!", b"quick"))
        after.write_bytes(after.read_bytes().replace(true, claimed))
        with zipfile.ZipFile(before) as old, zipfile.ZipFile(after) as new:
            assert old.infolist()[0].CRC == new.infolist()[0].CRC
        assert sameness(before, after) is None

    def test_a_name_that_is_there_twice(self, tmp_path: Path) -> None:
        paths = []
        for name, (first, second) in (("a.jar", (b"1", b"2")), ("b.jar", (b"2", b"1"))):
            paths.append(tmp_path / name)
            with zipfile.ZipFile(paths[-1], "w") as archive:
                archive.writestr(zipfile.ZipInfo("shop/Order.class"), first)
                with pytest.warns(UserWarning, match="Duplicate"):
                    archive.writestr(zipfile.ZipInfo("shop/Order.class"), second)
        assert sameness(*paths) is None

    def test_what_stands_before_the_archive_counts(self, tmp_path: Path) -> None:
        script = b"#!/bin/sh\nexec java -Xint -jar $0\n"
        plain = jar(tmp_path, "plain.jar", boot())
        started, again = (jar(tmp_path, name, boot(), before=script) for name in ("a.jar", "b.jar"))
        assert sameness(plain, started) is None
        assert sameness(started, again) == SAME

    def test_what_stands_behind_the_archive_counts(self, tmp_path: Path) -> None:
        # Whoever looks for its end there may find another one than we do.
        before, after = (jar(tmp_path, name, boot()) for name in ("a.jar", "b.jar"))
        with zipfile.ZipFile(after, "a") as archive:
            archive.comment = b"PK\5\6"
        assert sameness(before, after) is None

    def test_more_than_anybody_unpacks_is_not_the_same(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        before = jar(tmp_path, "a.jar", {"big.bin": bytes(3 << 20)})
        after = jar(tmp_path, "b.jar", {"big.bin": bytes(3 << 20)}, level=1)
        assert sameness(before, after) == SAME
        monkeypatch.setattr(room, "_MOST_UNPACKED", 1 << 20)
        assert sameness(before, after) is None

    def test_a_library_that_is_too_large_to_be_opened(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(contents, "_LARGEST_INNER_BYTES", 100)
        assert compared(tmp_path, boot(), boot()) is None

    @pytest.mark.parametrize("content", [b"", b"no archive", b"PK\5\6" + bytes(18)])
    def test_what_is_no_archive(self, tmp_path: Path, content: bytes) -> None:
        good, bad = jar(tmp_path, "a.jar", boot()), tmp_path / "b.jar"
        bad.write_bytes(content)
        assert sameness(good, bad) is None
        assert sameness(good, tmp_path / "none.jar") is None

    def test_every_cut_and_every_changed_byte_of_a_jar_ends_in_an_answer(self, tmp_path: Path) -> None:
        good = jar(tmp_path, "a.jar", {"A.class": b"abc", "META-INF/MANIFEST.MF": b"A: b\n"})
        content, other = good.read_bytes(), tmp_path / "b.jar"
        for at in range(len(content)):
            other.write_bytes(content[:at])
            assert sameness(good, other) is None
            other.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
            sameness(good, other)


def test_folders_are_compared_file_by_file(tmp_path: Path) -> None:
    sides = [tmp_path / "before", tmp_path / "after"]
    for side in sides:
        (side / "lib").mkdir(parents=True)
        jar(side / "lib", "json.jar", {"json/A.class": "a", "META-INF/maven/x/pom.xml": str(side)})
        (side / "app.conf").write_text("pool = 1")
        (side / "current").symlink_to("lib")
    found = sameness(*sides)
    assert found == Sameness(identical=False, unloaded=("lib/json.jar!/META-INF/maven/x/pom.xml",))
    (sides[1] / "app.conf").write_text("pool = 2")
    assert sameness(*sides) is None
    (sides[1] / "app.conf").write_text("pool = 1")
    (sides[1] / "current").unlink()
    (sides[1] / "current").symlink_to(".")
    assert sameness(*sides) is None


def test_a_jar_and_its_libraries_are_compared_together(tmp_path: Path) -> None:
    sides = []
    for name, library in (("before", "a"), ("same", "a"), ("after", "b")):
        (tmp_path / name / "lib").mkdir(parents=True)
        jar(tmp_path / name / "lib", "json.jar", {"json/A.class": library})
        manifest = "Manifest-Version: 1.0\nMain-Class: shop.Orders\nClass-Path: lib/json.jar\n\n"
        sides.append(jar(tmp_path / name, "orders.jar", {"META-INF/MANIFEST.MF": manifest}))
    assert sameness(sides[0], sides[1]) == SAME
    assert sameness(sides[0], sides[2]) is None


@pytest.mark.skipif(not shutil.which("javac"), reason="needs a JDK")
class TestCompiled:
    """Classes as a compiler makes them."""

    SOURCE = """package shop;
    record Order(long id, double price) implements Comparable<Order> {
        static final long MOST = 1L << 40;
        public int compareTo(Order other) {
            %s
            Runnable told = () -> System.out.println(other + " %s");
            told.run();
            return Long.compare(id, other.id);
        }
    }"""

    def classes(self, tmp_path: Path, name: str, *text: str) -> Entries:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "Order.java").write_text(self.SOURCE % text)
        subprocess.run(["javac", "-g", "-d", folder / "out", folder / "Order.java"], check=True)
        return {
            f"BOOT-INF/classes/{path.relative_to(folder / 'out')}": path.read_bytes()
            for path in (folder / "out").rglob("*.class")
        }

    def test_a_comment_more_changes_nothing_that_runs(self, tmp_path: Path) -> None:
        before = self.classes(tmp_path, "before", "", "")
        after = self.classes(tmp_path, "after", "// says it\n\n\n", "")
        assert before != after
        assert compared(tmp_path, before, after) == Sameness(identical=False, lines=1)
        assert compared(tmp_path, before, self.classes(tmp_path, "other", "", "!")) is None
        assert compared(tmp_path, before, self.classes(tmp_path, "more", "id();", "")) is None

    @pytest.mark.hostile
    def test_no_byte_of_a_class_is_overlooked_but_those_of_its_lines(self, tmp_path: Path) -> None:
        (content,) = self.classes(tmp_path, "before", "", "").values()
        assert isinstance(content, bytes)
        assert class_file.same_but_for_lines(content, content)
        overlooked = 0
        for at in range(len(content)):
            changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
            overlooked += class_file.same_but_for_lines(content, changed)
            assert not class_file.same_but_for_lines(content, content[:at])
        # The compiler is asked how many bytes its tables of lines take.
        tables = subprocess.run(
            ["javap", "-c", "-l", "-p", tmp_path / "before" / "out" / "shop" / "Order.class"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        lines = sum(line.strip().startswith("line ") for line in tables.splitlines())
        assert 0 < overlooked <= 4 * lines + 12 * tables.count("LineNumberTable")
