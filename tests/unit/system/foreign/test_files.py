"""The door for files that somebody else may have put there."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.system.foreign import files
from pacecar.system.foreign.files import Unfit


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert files.content(tmp_path / "a", most=5) == b"12345"
    assert files.beginning(tmp_path / "a", most=2) == b"12"
    with files.opened(str(tmp_path / "a"), most=5) as file:
        assert file.read() == b"12345"


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))


def _folder(path: Path) -> None:
    path.mkdir()


def _zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _terminal(path: Path) -> None:
    path.symlink_to("/dev/ptmx")


def _itself(path: Path) -> None:
    path.symlink_to(path)


def _nothing(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def _pipe_behind_a_link(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to(path.with_name("pipe"))


def _sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


@pytest.mark.hostile
@pytest.mark.parametrize(
    "make",
    [_pipe, _socket, _folder, _zeros, _terminal, _itself, _nothing, _pipe_behind_a_link, _sparse],
    ids=lambda make: make.__name__,
)
@pytest.mark.parametrize("read", [files.content, files.opened], ids=["content", "opened"])
def test_anything_else_is_an_error_with_a_reason(
    tmp_path: Path, make: Callable[[Path], None], read: Callable[..., object]
) -> None:
    make(tmp_path / "a")
    with pytest.raises(OSError, match=r".") as caught:
        read(tmp_path / "a", most=1 << 20)
    assert caught.value.strerror


@pytest.mark.hostile
def test_a_file_that_grows_after_it_was_opened(tmp_path: Path) -> None:
    assert Path("/proc/self/status").stat().st_size == 0
    with pytest.raises(Unfit, match="larger than 10 bytes"):
        files.content("/proc/self/status", most=10)


@pytest.mark.hostile
@pytest.mark.parametrize("target", ["../secret", "../run-2/secret", "/etc/hostname", "sub/../../secret", "out/secret"])
def test_a_link_out_of_the_folder(tmp_path: Path, target: str) -> None:
    for folder in ("run/sub", "run-2"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "secret").write_text("s")
    (tmp_path / "run-2" / "secret").write_text("s")
    (tmp_path / "run" / "out").symlink_to(tmp_path)
    (tmp_path / "run" / "a").symlink_to(target)
    with pytest.raises(Unfit, match="leads out of"):
        files.content(tmp_path / "run" / "a", most=1000, inside=tmp_path / "run")


def test_links_within_and_around_the_folder_are_followed(tmp_path: Path) -> None:
    (tmp_path / "disk" / "run").mkdir(parents=True)
    (tmp_path / "disk" / "run" / "b").write_text("b")
    (tmp_path / "disk" / "run" / "a").symlink_to("b")
    (tmp_path / "run").symlink_to("disk/run")
    assert files.content(tmp_path / "run" / "a", most=10, inside=tmp_path / "run") == b"b"


@pytest.mark.hostile
@pytest.mark.parametrize("name", ["a\0b", "x" * 300, "a/" * 3000 + "b", ""])
def test_names_that_no_file_has(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=r".") as caught:
        files.content(f"{tmp_path}/{name}", most=10)
    assert caught.value.strerror


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200), st.integers(min_value=0, max_value=220))
def test_never_more_than_the_cap(tmp_path: Path, content: bytes, most: int) -> None:
    (tmp_path / "a").write_bytes(content)
    assert files.beginning(tmp_path / "a", most=most) == content[:most]
    if len(content) <= most:
        assert files.content(tmp_path / "a", most=most) == content
    else:
        with pytest.raises(Unfit):
            files.content(tmp_path / "a", most=most)
