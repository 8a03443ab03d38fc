from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from pacecar.toolchain.store import digest, link, product


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PACECAR_CACHE", str(folder))
    return folder


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


def test_a_product_is_made_once() -> None:
    made: list[Path] = []

    def make(folder: Path) -> None:
        made.append(folder)
        (folder / "a.jar").write_text("x")

    first = product("kit", key=key(1), make=make)
    second = product("kit", key=key(1), make=make)

    assert first == second
    assert len(made) == 1
    assert [path.name for path in first.iterdir()] == ["a.jar"]
    assert product("kit", key=key(2), make=make) != first


def test_half_a_product_never_bears_its_name() -> None:
    def fail(folder: Path) -> None:
        (folder / "half.jar").write_text("x")
        raise RuntimeError("no network")

    with pytest.raises(RuntimeError):
        product("kit", key=key(1), make=fail)

    whole = product("kit", key=key(1), make=lambda folder: (folder / "whole.jar").touch())
    assert [path.name for path in whole.iterdir()] == ["whole.jar"]


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


def test_a_link_outlives_its_source(tmp_path: Path) -> None:
    (tmp_path / "a.jar").write_text("bytes")
    link(tmp_path / "a.jar", tmp_path / "b.jar")
    (tmp_path / "a.jar").unlink()

    assert (tmp_path / "b.jar").read_text() == "bytes"
