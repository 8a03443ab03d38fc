"""Packed runs whose headers cost more than their bytes."""

from __future__ import annotations

import contextlib
import io
import tarfile
import unicodedata
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.archive import RunError
from pacecar.archive.packing import pack, unpack
from support.confined import confined


def header(name: str, kind: bytes = tarfile.REGTYPE, size: int = 0, link: str = "") -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.linkname = kind, size, link
    return info.tobuf(tarfile.GNU_FORMAT)


def block(content: bytes) -> bytes:
    return content + bytes(-len(content) % 512)


def extended(*records: tuple[str, str], kind: bytes = tarfile.XHDTYPE) -> bytes:
    body = b""
    for key, value in records:
        rest = f" {key}={value}\n".encode("utf-8", "surrogateescape")
        length = len(rest) + len(str(len(rest) + 2))
        body += str(length).encode() + rest
    return header("PaxHeader", kind, len(body)) + block(body)


FILE = header("a", size=3) + block(b"abc")
END = bytes(1024)

HOSTILE = {
    "an extended header of 2 GiB": header("p", tarfile.XHDTYPE, 2 << 30) + bytes(4096),
    "a global header of 2 GiB": header("p", tarfile.XGLTYPE, 2 << 30) + bytes(4096),
    "a global header": extended(("path", "b"), kind=tarfile.XGLTYPE) + FILE + END,
    "a header of Solaris": extended(("path", "b"), kind=tarfile.SOLARIS_XHDTYPE) + FILE + END,
    "a long name of GNU of 2 GiB": header("p", tarfile.GNUTYPE_LONGNAME, 2 << 30) + bytes(4096),
    "a long link of GNU of 2 GiB": header("p", tarfile.GNUTYPE_LONGLINK, 2 << 30) + bytes(4096),
    "a long name of GNU": header("p", tarfile.GNUTYPE_LONGNAME, 4) + block(b"../x") + FILE + END,
    "a sparse file of GNU": header("p", tarfile.GNUTYPE_SPARSE, 512) + bytes(512) + END,
    "3,000 extended headers": 3000 * extended(("path", "b")) + FILE + END,
    "3,000 long names": 3000 * (header("p", tarfile.GNUTYPE_LONGNAME, 4) + block(b"abcd")) + FILE + END,
    "two extended headers": 2 * extended(("path", "b")) + FILE + END,
    "a sparse map": extended(("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0")) + FILE + END,
    "a real size of a sparse file": extended(("GNU.sparse.realsize", "99999999999")) + FILE + END,
    "a size beside the header's": extended(("size", "99999999999")) + FILE + END,
    "a negative size beside the header's": extended(("size", "-512")) + FILE + END,
    "a path that leads out": extended(("path", "../b")) + FILE + END,
    "an absolute path": extended(("path", "/tmp/b")) + FILE + END,
    "a path that is not UTF-8": extended(("path", "b\udcff")) + FILE + END,
    "a path that is too long": extended(("path", "/".join(["x" * 100] * 8))) + FILE + END,
    "a path of 16 KB": extended(("path", "x" * 16_000)) + FILE + END,
    "a path in a hidden folder": extended(("path", ".git/config")) + FILE + END,
    "a path of control characters": extended(("path", "a\x1b[31m")) + FILE + END,
    "a path that turns its direction": extended(("path", "a\u202eb")) + FILE + END,
    "the same path twice": 2 * (extended(("path", "\u00fc")) + FILE) + END,
    "names that differ in case": extended(("path", "\u00dcBER")) + FILE + extended(("path", "\u00fcber")) + FILE + END,
    "names that differ in form": (
        extended(("path", unicodedata.normalize("NFC", "\u00fc")))
        + FILE
        + extended(("path", unicodedata.normalize("NFD", "\u00fc")))
        + FILE
        + END
    ),
    "names that differ in width": extended(("path", "\uff41")) + FILE + FILE + END,
    "a file where a folder is": FILE + extended(("path", "A/b")) + FILE + extended(("path", "a/b")) + FILE + END,
    "a hard link": FILE + header("l", tarfile.LNKTYPE, link="a") + END,
    "a link": header("l", tarfile.SYMTYPE, link="/etc") + extended(("path", "l/passwd")) + FILE + END,
    "a device": header("d", tarfile.CHRTYPE) + END,
    "a contiguous file": header("c", tarfile.CONTTYPE, 3) + block(b"abc") + END,
    "an unknown type": header("u", b"Z", 3) + block(b"abc") + END,
    "a volume": header("v", b"V") + FILE + END,
    "an extended header at the end": FILE + extended(("path", "b")),
    "an extended header before the end": FILE + extended(("path", "b")) + END,
    "a record without a length": header("p", tarfile.XHDTYPE, 8) + block(b"path=abc") + FILE + END,
    "a record of length 0": header("p", tarfile.XHDTYPE, 8) + block(b"0 path=a") + FILE + END,
    "a record that is too long": header("p", tarfile.XHDTYPE, 9) + block(b"99 path=a") + FILE + END,
    "a record without an end": header("p", tarfile.XHDTYPE, 9) + block(b"9 path=ab") + FILE + END,
    "a record of a huge length": header("p", tarfile.XHDTYPE, 30) + block(b"9" * 25 + b" a=b\n") + FILE + END,
    "a record of Arabic digits": header("p", tarfile.XHDTYPE, 12) + block("\u0669 path=a\n".encode()) + FILE + END,
    "a wrong checksum": b"b" + FILE[1:] + END,
    "a size of letters": FILE[:124] + b"zzzzzzzzzzz\0" + FILE[136:] + END,
    "a size below zero": FILE[:124] + b"\xff" * 12 + FILE[136:] + END,
    "a size beyond all": FILE[:124] + b"\x80" + b"\x7f" * 11 + FILE[136:] + END,
    "no end": FILE,
    "half a header": FILE + FILE[:100],
    "half a file": header("a", size=1 << 20) + bytes(512),
}


def packed(path: Path, tape: bytes) -> Path:
    with pa.output_stream(str(path), compression="zstd") as stream:
        stream.write(tape)
    return path


@pytest.mark.hostile
@pytest.mark.parametrize("name", HOSTILE)
def test_a_tape_that_no_run_makes(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    file = packed(tmp_path / "packed", HOSTILE[name])
    with pytest.raises(RunError) as caught:
        unpack(file, inside / "run")
    assert len(caught.value.message) < 300
    assert caught.value.message.isprintable()
    assert {path.name for path in tmp_path.iterdir()} == {"inside", "packed"}
    assert {path.name for path in inside.iterdir()} == {"run"}
    assert not any(path.is_symlink() for path in inside.rglob("*"))


_UNPACK = """
from pacecar.archive import RunError
try:
    unpack(Path(sys.argv[2]), Path(sys.argv[3]))
except RunError as error:
    print(error.message)
"""
_IMPORTS = "import pyarrow\nfrom pathlib import Path\nfrom pacecar.archive.packing import unpack"


def bomb(path: Path, *pieces: bytes, times: int) -> Path:
    with pa.output_stream(str(path), compression="zstd") as stream:
        for _ in range(times):
            for piece in pieces:
                stream.write(piece)
    return path


@pytest.mark.hostile
@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_SPARSE])
def test_a_header_that_is_a_bomb_takes_no_memory(tmp_path: Path, kind: bytes) -> None:
    file = bomb(tmp_path / "packed", header("p", kind, 600 << 20) + bytes(1 << 20), bytes(1 << 20), times=300)
    said = confined(_UNPACK, file, tmp_path / "run", imports=_IMPORTS, megabytes=200)
    assert "holds" in said


@pytest.mark.hostile
def test_a_file_of_zeros_is_cut_off_by_how_little_was_packed(tmp_path: Path) -> None:
    size = 700 << 20
    with pa.output_stream(str(tmp_path / "packed"), compression="zstd") as stream:
        stream.write(header("zeros", size=size))
        for _ in range(700):
            stream.write(bytes(1 << 20))
        stream.write(END)
    with pytest.raises(RunError, match="larger than any that Pacecar writes"):
        unpack(tmp_path / "packed", tmp_path / "run")
    assert not any((tmp_path / "run").iterdir())


@pytest.mark.hostile
def test_folders_beyond_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pacecar.archive.packing._MAX_FOLDERS", 5)
    tape = b"".join(header(f"{number}/a") for number in range(6)) + END
    with pytest.raises(RunError, match="larger than any that Pacecar writes: see '5/a'"):
        unpack(packed(tmp_path / "packed", tape), tmp_path / "run")


@pytest.mark.hostile
def test_what_could_not_be_unpacked_is_not_packed(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "Db.log").write_text("1")
    (tmp_path / "run" / "db.log").write_text("2")
    with pytest.raises(RunError, match="twice"):
        pack(tmp_path / "run", tmp_path / "packed")


_NAMES = st.lists(st.text(st.characters(categories=("L", "N")), min_size=1, max_size=40), min_size=1, max_size=4).map(
    "/".join
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.dictionaries(_NAMES, st.binary(max_size=2000), max_size=5))
def test_other_programs_tapes_of_plain_files_are_read(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, bytes]
) -> None:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in content.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1.5
            archive.addfile(info, io.BytesIO(data))
    folder = tmp_path_factory.mktemp("tape")
    try:
        unpack(packed(folder / "packed", held.getvalue()), folder / "run")
    except RunError:
        # Such as letters of which one folder would make one name.
        return
    assert {name: (folder / "run" / name).read_bytes() for name in content} == content


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(st.sampled_from(sorted(HOSTILE)), st.integers(0, 1500), st.integers(0, 255))
def test_a_changed_byte_is_a_sentence_or_a_run(
    tmp_path_factory: pytest.TempPathFactory, name: str, at: int, value: int
) -> None:
    tape = bytearray(HOSTILE[name][:8192])
    tape[at % len(tape)] = value
    folder = tmp_path_factory.mktemp("changed")
    with contextlib.suppress(RunError):
        unpack(packed(folder / "packed", bytes(tape)), folder / "run")
    assert {path.name for path in folder.iterdir()} == {"packed", "run"}
