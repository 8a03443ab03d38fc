from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.inputs.toolchain.maven import ToolchainError
from pacecar.inputs.toolchain.store import RECORD, copy, digest, entries
from pacecar.inputs.toolchain.store import product as made
from pacecar.system.resources import Resources


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PACECAR_CACHE", str(folder))
    return folder


def product(name: str, *, key: str, make: Callable[[Path], None], resources: Resources | None = None) -> Path:
    if resources is not None:
        return made(name, key=key, make=make, resources=resources).folder
    with Resources() as resources:
        return made(name, key=key, make=make, resources=resources).folder


def key(number: int) -> str:
    return digest([], str(number))


def test_the_digest_sees_names_bytes_and_texts(tmp_path: Path) -> None:
    source = tmp_path / "src"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "A.java").write_text("one")
    before = digest([source])

    assert digest([source]) == before
    assert digest([source], "") != before
    assert digest([source], "1", "2") != digest([source], "12")
    (source / "deep" / "A.java").write_text("two")
    changed = digest([source])
    (source / "deep" / "A.java").rename(source / "deep" / "B.java")
    assert len({before, changed, digest([source])}) == 3


def test_a_name_that_is_no_text_counts_as_it_is(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9")).write_text("one")
    before = digest([tmp_path])
    (tmp_path / os.fsdecode(b"caf\xe9")).rename(tmp_path / os.fsdecode(b"caf\xe8"))
    assert digest([tmp_path]) != before


def test_a_product_is_made_once() -> None:
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        (folder / "a.jar").write_text("x")

    first = product("kit", key=key(1), make=make)
    second = product("kit", key=key(1), make=make)

    assert first == second
    assert len(made) == 1
    assert [path.name for path in entries(first)] == ["a.jar"]
    assert product("kit", key=key(2), make=make) != first


def test_half_a_product_never_bears_its_name() -> None:
    def fail(folder: Path) -> None:
        (folder / "half.jar").write_text("x")
        raise RuntimeError("no network")

    with pytest.raises(RuntimeError):
        product("kit", key=key(1), make=fail)

    whole = product("kit", key=key(1), make=lambda folder: (folder / "whole.jar").touch())
    assert [path.name for path in entries(whole)] == ["whole.jar"]


def test_two_at_once_make_it_once() -> None:
    made: list[Path] = []
    inside = threading.Event()
    go_on = threading.Event()

    def make(folder: Path) -> None:
        made.append(folder)
        inside.set()
        go_on.wait(20)

    threads = [threading.Thread(target=product, args=("kit",), kwargs={"key": key(1), "make": make}) for _ in range(2)]
    for thread in threads:
        thread.start()
    inside.wait(20)
    go_on.set()
    for thread in threads:
        thread.join()

    assert len(made) == 1


def test_only_the_versions_used_last_are_kept(cache: Path) -> None:
    for number in range(8):
        folder = product("kit", key=key(number), make=lambda folder: None)
        os.utime(folder, (number, number))
    other = product("kit-of-another-name", key=key(0), make=lambda folder: None)
    product("kit", key=key(0), make=lambda folder: None)  # used again
    product("kit", key=key(8), make=lambda folder: None)

    kept = {path.name for path in (cache / "toolchain").iterdir() if path.is_dir()}
    assert kept == {f"kit-{key(number)[:20]}" for number in (0, 2, 3, 4, 5, 6, 7, 8)} | {other.name}


@pytest.mark.hostile
def test_what_is_in_use_stays_however_old_a_step_of_the_clock_makes_it(cache: Path) -> None:
    with Resources() as resources:
        used = product("kit", key=key(0), make=lambda folder: None, resources=resources)
        os.utime(used, (0, 0))
        for number in range(1, 10):
            product("kit", key=key(number), make=lambda folder: None)
        assert used.is_dir()

    product("kit", key=key(10), make=lambda folder: None)
    assert not used.exists()


def test_a_copy_shares_nothing_with_its_source(tmp_path: Path) -> None:
    (tmp_path / "a.jar").write_text("bytes")
    copy(tmp_path / "a.jar", tmp_path / "b.jar")
    (tmp_path / "a.jar").write_text("other")

    assert (tmp_path / "b.jar").read_text() == "bytes"
    assert (tmp_path / "b.jar").stat().st_nlink == 1


def fill(folder: Path) -> None:
    (folder / "000-a.jar").write_bytes(b"a" * 5000)
    (folder / "001-b.jar").write_bytes(b"b" * 5000)
    (folder / "002-classes" / "shop").mkdir(parents=True)
    (folder / "002-classes" / "shop" / "Browsing.class").write_bytes(b"class")


def swapped(folder: Path) -> None:
    (folder / "000-a.jar").write_bytes(b"x" * 5000)


def swapped_within_its_time(folder: Path) -> None:
    before = (folder / "000-a.jar").stat()
    with (folder / "000-a.jar").open("r+b") as file:
        file.write(b"x")
    os.utime(folder / "000-a.jar", ns=(before.st_atime_ns, before.st_mtime_ns))


def truncated(folder: Path) -> None:
    os.truncate(folder / "001-b.jar", 4999)


def emptied(folder: Path) -> None:
    os.truncate(folder / "001-b.jar", 0)


def removed(folder: Path) -> None:
    (folder / "000-a.jar").unlink()


def foreign(folder: Path) -> None:
    (folder / "000-a-first.jar").write_bytes(b"foreign")


def foreign_class(folder: Path) -> None:
    (folder / "002-classes" / "shop" / "Evil.class").write_bytes(b"foreign")


def linked(folder: Path) -> None:
    (folder / "000-a.jar").rename(folder.parent / "elsewhere.jar")
    (folder / "000-a.jar").symlink_to(folder.parent / "elsewhere.jar")


def folder_linked(folder: Path) -> None:
    (folder / "002-classes").rename(folder.parent / "classes")
    (folder / "002-classes").symlink_to(folder.parent / "classes")


def exchanged(folder: Path) -> None:
    (folder / "000-a.jar").rename(folder / "x")
    (folder / "001-b.jar").rename(folder / "000-a.jar")
    (folder / "x").rename(folder / "001-b.jar")


def a_folder_in_its_place(folder: Path) -> None:
    (folder / "000-a.jar").unlink()
    (folder / "000-a.jar").mkdir()


def record_damaged(folder: Path) -> None:
    (folder / RECORD).write_text("nonsense\n")


def record_binary(folder: Path) -> None:
    (folder / RECORD).write_bytes(bytes(range(256)))


def record_shortened(folder: Path) -> None:
    (folder / RECORD).write_text((folder / RECORD).read_text().splitlines()[0] + "\n")


@pytest.mark.hostile
@pytest.mark.parametrize(
    "accident",
    [
        *(swapped, swapped_within_its_time, truncated, emptied, removed, foreign, foreign_class, linked, folder_linked),
        *(exchanged, a_folder_in_its_place, record_damaged, record_binary, record_shortened),
    ],
)
def test_what_is_no_longer_what_was_made_is_said_with_what_mends_it(accident: Callable[[Path], None]) -> None:
    folder = product("kit", key=key(1), make=fill)
    accident(folder)

    with pytest.raises(ToolchainError) as caught:
        product("kit", key=key(1), make=fill)

    assert str(folder) in caught.value.message
    command = caught.value.hint.partition(": ")[2]
    assert command == f"rm -r {folder}"
    subprocess.run(command.split(), check=True)
    assert [path.name for path in entries(product("kit", key=key(1), make=fill))] == [
        *("000-a.jar", "001-b.jar", "002-classes")
    ]


@pytest.mark.hostile
def test_a_product_without_a_record_is_made_anew() -> None:
    folder = product("kit", key=key(1), make=fill)
    (folder / RECORD).unlink()
    swapped(folder)

    assert (product("kit", key=key(1), make=fill) / "000-a.jar").read_bytes() == b"a" * 5000


@pytest.mark.hostile
def test_what_is_refused_when_it_was_just_made_is_not_kept() -> None:
    def refuse(folder: Path) -> None:
        raise ToolchainError("another jar")

    with Resources() as resources:
        with pytest.raises(ToolchainError, match="another jar"):
            made("kit", key=key(1), make=fill, resources=resources, check=refuse)
        assert made("kit", key=key(1), make=fill, resources=resources).fresh


@pytest.mark.hostile
def test_every_file_is_on_disk_before_the_product_bears_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    real = os.fsync
    renamed: list[int] = []
    real_rename = Path.rename

    def fsync(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        real(descriptor)

    def rename(self: Path, target: Path) -> Path:
        renamed.append(len(synced))
        return real_rename(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "rename", rename)
    product("kit", key=key(1), make=fill)

    assert {"000-a.jar", "001-b.jar", "Browsing.class", RECORD, "kit.partial"} <= set(synced[: renamed[0]])
    assert synced[renamed[0] :] == ["toolchain"]
