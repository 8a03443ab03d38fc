from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.measurement.receiver import allowance
from pacecar.measurement.receiver.allowance import Allowance, Exhausted
from pacecar.measurement.receiver.inbox import Inbox
from pacecar.measurement.receiver.labels import LabelsSnapshot
from pacecar.measurement.receiver.upload import UploadUnreadable, unpack

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
    assert unpacked.labels == LabelsSnapshot(contexts={}, strings={2: "abc"})


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
        with pytest.raises(UploadUnreadable, match="more than is plausible"):
            unpack(path, content_type=CONTENT_TYPE, into=tmp_path / "out")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 40 << 20


def test_size_limit(body: Callable[[bytes], Path], multipart: Make, tmp_path: Path) -> None:
    path = body(multipart({"jfr": b"x" * 1001}))
    with pytest.raises(UploadUnreadable, match="more than is plausible"):
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


MIB = 1 << 20


def arrived(folder: Path, bodies: list[bytes]) -> Inbox:
    """What a spool would have left of these bodies."""
    folder.mkdir()
    for number, content in enumerate(bodies, start=1):
        (folder / f"{number:05d}.json").write_text(f'{{"content_type": "{CONTENT_TYPE}"}}')
        (folder / f"{number:05d}.upload").write_bytes(content)
    return Inbox(folder)


@pytest.mark.hostile
def test_bombs_are_counted_together(multipart: Make, tmp_path: Path) -> None:
    bomb = multipart({"jfr": bytes(15 * MIB)})
    inbox = arrived(tmp_path / "f", [bomb] * 20)
    inbox.open_new()
    kept = sum(path.stat().st_size for path in (tmp_path / "f").iterdir())
    assert 0 < kept <= allowance.RATIO_COUNTS_FROM
    assert len(inbox.unreadable) == 20 - kept // (15 * MIB)
    assert "together" in inbox.unreadable[0] or "plausible" in inbox.unreadable[0]


@pytest.mark.hostile
def test_forks_share_what_a_run_may_unpack(body: Callable[[bytes], Path], multipart: Make, tmp_path: Path) -> None:
    run = Allowance(limit=5000, of="a run")
    path, into = body(multipart({"jfr": b"x" * 2000})), tmp_path / "out"
    for fork in (Allowance(whole=run), Allowance(whole=run)):
        unpack(path, content_type=CONTENT_TYPE, into=into, allowance=fork)
    into.unlink()
    with pytest.raises(UploadUnreadable, match="a run unpack to more than 5000 bytes"):
        unpack(path, content_type=CONTENT_TYPE, into=into, allowance=Allowance(whole=run))
    assert not into.exists()


@pytest.mark.hostile
def test_what_was_not_kept_leaves_its_room(body: Callable[[bytes], Path], multipart: Make, tmp_path: Path) -> None:
    fork = Allowance(limit=5000)
    cut = multipart({"jfr": b"x" * 3000})[:-9]
    for _ in range(5):
        with pytest.raises(UploadUnreadable, match="cut short"):
            unpack(body(cut), content_type=CONTENT_TYPE, into=tmp_path / "out", allowance=fork)
    assert (
        unpack(
            body(multipart({"jfr": b"x" * 3000})), content_type=CONTENT_TYPE, into=tmp_path / "out", allowance=fork
        ).chunk_bytes
        == 3000
    )


@pytest.mark.hostile
def test_time_for_opening_ends(body: Callable[[bytes], Path], multipart: Make, tmp_path: Path) -> None:
    with pytest.raises(UploadUnreadable, match="takes more than"):
        unpack(
            body(multipart({"jfr": b"x"})),
            content_type=CONTENT_TYPE,
            into=tmp_path / "out",
            allowance=Allowance(seconds=-1.0),
        )
    with pytest.raises(Exhausted):
        Allowance(seconds=-1.0).begin(1)


@pytest.mark.hostile
@pytest.mark.parametrize(
    "content",
    [
        b"--b0undary-of-the-agent\r\n\r\n\r\n" * 20,
        b"--b0undary-of-the-agent\r\n" + b"X: y\r\n" * 20,
        b"--b0undary-of-the-agent\r\nX: " + b"y" * 2000 + b"\r\n",
        b"--b0undary-of-the-agent\r\nX" + b"x" * 300_000 + b": y\r\n",
        b"--b0undary-of-the-agent\r\nContent-Disposition: form-data" + b"; a=b" * 400 + b"\r\n",
        b'--b0undary-of-the-agent\r\nContent-Disposition: form-data; name="' + b"\\" * 5000,
    ],
    ids=["parts", "headers", "a value", "a name", "parameters", "backslashes"],
)
def test_too_much_around_the_parts(content: bytes, body: Callable[[bytes], Path], tmp_path: Path) -> None:
    with pytest.raises(UploadUnreadable):
        unpack(body(content), content_type=CONTENT_TYPE, into=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.hostile
def test_too_many_labels_cost_the_labels_alone(multipart: Make, tmp_path: Path) -> None:
    inbox = arrived(tmp_path / "f", [multipart({"jfr": b"x", "labels": b"\x0a\0" * MIB})])
    inbox.open_new()
    assert inbox.unreadable == ["Profile upload 1: its labels are left out: more than 200000 fields."]
    assert [path.name for path in inbox.move(tmp_path / "moved")] == ["0001.jfr"]


@pytest.mark.hostile
def test_remarks_on_uploads_are_few(tmp_path: Path) -> None:
    inbox = arrived(tmp_path / "f", [b"nonsense"] * 50)
    inbox.open_new()
    assert len(inbox.unreadable) == 21
    assert list((tmp_path / "f").iterdir()) == []


@pytest.mark.hostile
def test_a_full_disk_leaves_no_half_of_a_chunk(body: Callable[[bytes], Path], multipart: Make) -> None:
    # Every write to it fails as on a full disk.
    link = body(multipart({"jfr": b"x" * 100_000})).with_name("full")
    link.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        unpack(link.with_name("00001.upload"), content_type=CONTENT_TYPE, into=link)
    assert not link.is_symlink()
