"""Runs as one file; and files that are none of ours."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.archive import RunError, packing
from pacecar.archive.packing import pack, unpack
from pacecar.archive.runs import RunDirectory
from pacecar.model.experiment import Side
from pacecar.model.recording import Pair


def entry(name: str, *, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def packed(path: Path, *entries: tuple[tarfile.TarInfo, bytes]) -> Path:
    with (
        pa.output_stream(str(path), compression="zstd") as stream,
        tarfile.open(fileobj=stream, mode="w|") as archive,
    ):
        for info, content in entries:
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def test_the_same_run_gives_the_same_bytes(
    run: RunDirectory, make_pair: Callable[..., Pair], raw: dict[Side, Path], tmp_path: Path
) -> None:
    run.write_pair(make_pair(1), raw)
    (run.path / "pairs" / ".02.part").mkdir()
    (run.path / "pairs" / ".02.part" / "pair.json").write_text("{")
    (run.path / "elsewhere").symlink_to("/etc")
    pack(run.path, tmp_path / "a")
    pack(run.path, tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    unpack(tmp_path / "a", tmp_path / "again")
    again = RunDirectory.open(tmp_path / "again")
    assert again.manifest == run.manifest
    assert again.pair_numbers() == [1]
    assert (again.raw(1, Side.BASELINE) / "chunks" / "1.jfr").read_bytes() == b"FLR\0"
    assert not (tmp_path / "again" / "elsewhere").exists()


@pytest.mark.parametrize(
    "hostile",
    [
        entry("../outside"),
        entry("/tmp/outside"),
        entry("pairs/../../outside"),
        entry("pairs//01"),
        entry("./manifest.json"),
        entry(".hidden"),
        entry("a\nb"),
        entry("x" * 300),
        entry("/".join("x" * 20)),
        entry("link", kind=tarfile.SYMTYPE, link="/etc/passwd"),
        entry("link", kind=tarfile.LNKTYPE, link="manifest.json"),
        entry("device", kind=tarfile.CHRTYPE),
        entry("device", kind=tarfile.BLKTYPE),
        entry("pipe", kind=tarfile.FIFOTYPE),
        entry("folder", kind=tarfile.DIRTYPE),
    ],
    ids=lambda info: f"{info.type!r} {info.name[:20]!r}",
)
def test_what_no_run_holds_is_not_written(tmp_path: Path, hostile: tarfile.TarInfo) -> None:
    file = packed(tmp_path / "packed", (entry("manifest.json"), b"{}"), (hostile, b""))
    with pytest.raises(RunError, match=r"holds .* which is not a (regular file|file name of a run)"):
        unpack(file, tmp_path / "run")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["manifest.json", "packed", "run"]


def test_nothing_is_written_through_a_name_twice(tmp_path: Path) -> None:
    for second in ("a", "a/b"):
        file = packed(tmp_path / "packed", (entry("a"), b"1"), (entry(second), b"2"))
        with pytest.raises(RunError, match=f"holds '{second}' twice"):
            unpack(file, tmp_path / f"run-{len(second)}")
        assert (tmp_path / f"run-{len(second)}" / "a").read_bytes() == b"1"


def test_a_bomb_ends_before_it_fills_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_MAX_BYTES", 10 << 20)
    zeros = b"\0" * (6 << 20)
    file = packed(tmp_path / "packed", (entry("a"), zeros), (entry("b"), zeros))
    assert file.stat().st_size < 10_000
    with pytest.raises(RunError, match="is larger than any that Pacecar writes: see 'b'"):
        unpack(file, tmp_path / "run")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["a"]


def test_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "_MAX_FILES", 3)
    file = packed(tmp_path / "packed", *((entry(f"f{number}"), b"") for number in range(4)))
    with pytest.raises(RunError, match="is larger than any that Pacecar writes: see 'f3'"):
        unpack(file, tmp_path / "run")


@pytest.mark.parametrize("cut", [0, 1, 10, -100, -1])
def test_a_file_that_was_cut_short(tmp_path: Path, cut: int) -> None:
    content = bytes(range(256)) * 400
    file = packed(tmp_path / "packed", (entry("a"), content), (entry("b"), content[::-1]))
    whole = file.read_bytes()
    file.write_bytes(whole[: cut if cut >= 0 else len(whole) + cut])
    with pytest.raises(RunError, match="packed is not a packed run"):
        unpack(file, tmp_path / "run")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.binary(max_size=2000))
def test_any_bytes_are_a_sentence(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "packed").write_bytes(content)
    with pytest.raises(RunError, match="is not a packed run"):
        unpack(folder / "packed", folder / "run")
