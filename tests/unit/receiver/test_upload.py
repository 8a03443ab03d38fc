from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.receiver.labels import Labels
from pacecar.receiver.upload import UploadUnreadable, unpack

CONTENT_TYPE = "multipart/form-data; boundary=b0undary-of-the-agent"
Make = Callable[..., bytes]

anything = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100, deadline=None)


@pytest.fixture
def body(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(content: bytes) -> Path:
        path = tmp_path / "00001.upload"
        path.write_bytes(content)
        return path

    return write


@anything
@given(content=st.binary(max_size=300) | st.binary(min_size=1, max_size=5).map(lambda piece: piece * 60_000))
def test_whatever_was_sent_comes_out(
    content: bytes, body: Callable[[bytes], Path], multipart: Make, tmp_path: Path
) -> None:
    into = tmp_path / "out.jfr"
    unpacked = unpack(body(multipart({"other": b"x", "jfr": content})), content_type=CONTENT_TYPE, into=into)
    assert into.read_bytes() == content
    assert (unpacked.chunk_bytes, unpacked.labels) == (len(content), None)


def test_labels_come_with_it(body: Callable[[bytes], Path], multipart: Make, tmp_path: Path) -> None:
    path = body(multipart({"labels": b"\x12\x07\x08\x02\x12\x03abc", "jfr": b"x"}))
    unpacked = unpack(path, content_type=CONTENT_TYPE, into=tmp_path / "out")
    assert unpacked.labels == Labels(contexts={}, strings={2: "abc"})


def test_second_part_of_a_name_counts_for_nothing(
    body: Callable[[bytes], Path], multipart: Make, tmp_path: Path
) -> None:
    end = b"--b0undary-of-the-agent--\r\n"
    twice = multipart({"jfr": b"first"}).removesuffix(end) + multipart({"jfr": b"second"})
    unpack(body(twice), content_type=CONTENT_TYPE, into=tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b"first"


def test_cut_at_every_byte(body: Callable[[bytes], Path], multipart: Make, tmp_path: Path) -> None:
    whole = multipart({"jfr": b"chunk" * 20, "labels": b"\x12\x07\x08\x02\x12\x03abc"})
    for length in range(len(whole) - 4):
        with pytest.raises(UploadUnreadable):
            unpack(body(whole[:length]), content_type=CONTENT_TYPE, into=tmp_path / "out")
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=other",
        "text/plain; boundary=b0undary-of-the-agent",
        "multipart/form-data; boundary=" + "x" * 250,
    ],
)
def test_wrong_boundaries(content_type: str, body: Callable[[bytes], Path], multipart: Make, tmp_path: Path) -> None:
    with pytest.raises(UploadUnreadable):
        unpack(body(multipart({"jfr": b"x"})), content_type=content_type, into=tmp_path / "out")


BROKEN = {
    "not gzipped": ({"jfr": b"FLR\0 in the clear"}, False),
    "empty part": ({"jfr": b""}, False),
    "no such part": ({"profile": b"x"}, True),
    "gzip without its end": ({"jfr": gzip.compress(b"x" * 100)[:-4]}, False),
    "wrong checksum": ({"jfr": gzip.compress(b"x")[:-8] + bytes(8)}, False),
    "labels that are none": ({"jfr": b"x", "labels": b"\x0f\xff"}, True),
}


@pytest.mark.parametrize(("parts", "packed"), BROKEN.values(), ids=BROKEN)
def test_broken_parts(
    parts: dict[str, bytes], packed: bool, body: Callable[[bytes], Path], multipart: Make, tmp_path: Path
) -> None:
    with pytest.raises(UploadUnreadable):
        unpack(body(multipart(parts, packed=packed)), content_type=CONTENT_TYPE, into=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_bombs_go_off_small(body: Callable[[bytes], Path], multipart: Make, tmp_path: Path) -> None:
    zeros = bytes(64 << 20)
    for part in ("jfr", "labels"):
        path = body(multipart({part: zeros}))
        tracemalloc.start()
        with pytest.raises(UploadUnreadable, match="more than is believed"):
            unpack(path, content_type=CONTENT_TYPE, into=tmp_path / "out")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 40 << 20


def test_size_limit(body: Callable[[bytes], Path], multipart: Make, tmp_path: Path) -> None:
    path = body(multipart({"jfr": b"x" * 1001}))
    with pytest.raises(UploadUnreadable, match="more than is believed"):
        unpack(path, content_type=CONTENT_TYPE, into=tmp_path / "out", chunk_limit=1000)
    unpack(path, content_type=CONTENT_TYPE, into=tmp_path / "out", chunk_limit=1001)


@anything
@given(content=st.binary(max_size=500))
def test_any_bytes(content: bytes, body: Callable[[bytes], Path], tmp_path: Path) -> None:
    for sent in (content, b"--b0undary-of-the-agent\r\n" + content):
        with pytest.raises(UploadUnreadable):
            unpack(body(sent), content_type=CONTENT_TYPE, into=tmp_path / "out")


@anything
@given(changes=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 255)), min_size=1, max_size=6))
def test_changed_bytes(
    changes: list[tuple[int, int]], body: Callable[[bytes], Path], multipart: Make, tmp_path: Path
) -> None:
    content = bytearray(multipart({"jfr": b"chunk", "labels": b"\x12\x07\x08\x02\x12\x03abc"}))
    for at, value in changes:
        content[at % len(content)] = value
    try:
        unpack(body(bytes(content)), content_type=CONTENT_TYPE, into=tmp_path / "out")
    except UploadUnreadable:
        assert not (tmp_path / "out").exists()
    else:
        assert (tmp_path / "out").read_bytes() == b"chunk"
