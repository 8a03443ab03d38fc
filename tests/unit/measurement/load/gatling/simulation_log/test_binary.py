"""The binary format, byte by byte."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from pacecar.measurement.load.gatling.simulation_log import LogError, SimulationLog, read

START_MS = 1_700_000_000_000
HEADER = (
    b"\x00"
    b"\x00\x00\x00\x06" + b"3.15.1" + b"\x00"
    b"\x00\x00\x00\x06" + b"shop.A" + b"\x00"
    b"\x00\x00\x01\x8b\xcf\xe5\x68\x00"  # START_MS
    b"\x00\x00\x00\x00"  # no description
    b"\x00\x00\x00\x01"  # one scenario
    b"\x00\x00\x00\x06" + b"browse" + b"\x00"
    b"\x00\x00\x00\x01"  # one assertion
    b"\x00\x00\x00\x03" + b"\xff\x00\x01"
)
#: In group "shop", named "GET /a", from 7 to 9 ms, OK, without a message: defines the texts 1, 2 and 3.
REQUEST = (
    b"\x01"
    b"\x00\x00\x00\x01"
    b"\x00\x00\x00\x01\x00\x00\x00\x04" + b"shop" + b"\x00"
    b"\x00\x00\x00\x02\x00\x00\x00\x06" + b"GET /a" + b"\x00"
    b"\x00\x00\x00\x07\x00\x00\x00\x09\x01"
    b"\x00\x00\x00\x03\x00\x00\x00\x00"
)


@pytest.fixture
def log_of(tmp_path: Path):
    def log(after: bytes, header: bytes = HEADER, chunk_bytes: int = 1 << 20) -> SimulationLog:
        path = tmp_path / "simulation.log"
        path.write_bytes(header + after)
        return read(path, chunk_bytes=chunk_bytes)

    return log


def ints(*values: int) -> bytes:
    return struct.pack(f">{len(values)}i", *values)


def test_run_alone(log_of):
    log = log_of(b"")
    assert (log.version, log.simulation, log.start_ms) == ("3.15.1", "shop.A", START_MS)
    assert (len(log.requests), len(log.users), len(log.errors)) == (0, 0, 0)
    assert (log.truncated, log.unreadable) == (False, None)


def test_request_that_defines_its_texts_and_one_that_refers_to_them(log_of):
    again = b"\x01" + ints(2, -1, -2, -2, 10, 30) + b"\x00" + ints(-3)
    log = log_of(REQUEST + again)
    assert log.requests.to_numpy().tolist() == [
        ["shop", "GET /a", START_MS + 7, START_MS + 9, True, ""],
        ["shop/GET /a", "GET /a", START_MS + 10, START_MS + 30, False, ""],
    ]


def test_request_without_group(log_of):
    log = log_of(REQUEST + b"\x01" + ints(0, -2, 1, 2) + b"\x01" + ints(-3))
    assert list(log.requests["groups"]) == ["shop", ""]


def test_text_may_refer_to_one_defined_in_the_same_record(log_of):
    log = log_of(b"\x01" + ints(1, 1, 4) + b"shop\x00" + ints(-1, 1, 2) + b"\x01" + ints(2, 0))
    assert log.requests[["groups", "name"]].to_numpy().tolist() == [["shop", "shop"]]


def test_utf_16_text(log_of):
    raw = "注文 ✓".encode("utf-16-le")
    log = log_of(b"\x01" + ints(0, 1, len(raw)) + raw + b"\x01" + ints(1, 2) + b"\x01" + ints(2, 0))
    assert list(log.requests["name"]) == ["注文 ✓"]


def test_lone_surrogate_is_replaced(log_of):
    log = log_of(b"\x01" + ints(0, 1, 2) + b"\x00\xd8\x01" + ints(1, 2) + b"\x01" + ints(2, 0))
    assert list(log.requests["name"]) == ["\ufffd"]


def test_line_breaks_and_tabs_become_blanks(log_of):
    log = log_of(b"\x01" + ints(0, 1, 5) + b"a\tb\nc\x00" + ints(1, 2) + b"\x01" + ints(2, 0))
    assert list(log.requests["name"]) == ["a b c"]


def test_users(log_of):
    log = log_of(b"\x02" + ints(0) + b"\x01" + ints(3) + b"\x02" + ints(0) + b"\x00" + ints(8))
    assert log.users.to_numpy().tolist() == [["browse", True, START_MS + 3], ["browse", False, START_MS + 8]]


def test_group_is_passed_over_but_its_texts_count(log_of):
    log = log_of(b"\x03" + ints(1, 1, 1) + b"g\x00" + ints(1, 9, 5) + b"\x01" + b"\x04" + ints(-1, 10))
    assert list(log.errors["message"]) == ["g"]
    assert log.unreadable is None


def test_errors(log_of):
    log = log_of(b"\x04" + ints(1, 4) + b"oops\x00" + ints(5) + b"\x04" + ints(-1, 6))
    assert log.errors.to_numpy().tolist() == [["oops", START_MS + 5], ["oops", START_MS + 6]]


def test_message_that_answers_no_request_is_counted_apart(log_of):
    # Long.MinValue minus the start of the run, as far as it fits into an int.
    no_end = struct.unpack(">i", struct.pack(">Q", (2**63 - START_MS) % 2**64)[4:])[0]
    unmatched = b"\x01" + ints(1, -1, -2, 5, no_end) + b"\x01" + ints(-3)
    assert log_of(REQUEST + unmatched).unmatched == 1
    many = log_of(REQUEST + (unmatched + b"\x01" + ints(1, -1, -2, 7, 9) + b"\x01" + ints(-3)) * 500)
    assert (many.unmatched, len(many.requests)) == (500, 501)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (b"\x05", "A record of type 5"),
        (b"\x00", "A record of type 0"),
        (b"\x01" + ints(-1), "A number of groups of -1"),
        (b"\x01" + ints(2**31 - 1), "A number of groups of 2147483647"),
        (b"\x01" + ints(0, -4), "A reference to text 4, which is not defined"),
        (b"\x01" + ints(0, -(2**31)), "A reference to text 2147483648, which is not defined"),
        (b"\x01" + ints(0, 0), "A definition of text 0, where 4 is next"),
        (b"\x01" + ints(0, 5), "A definition of text 5, where 4 is next"),
        (b"\x01" + ints(0, 4, 2**31 - 1), "A number of bytes of text of 2147483647"),
        (b"\x01" + ints(0, 4, -1), "A number of bytes of text of -1"),
        (b"\x01" + ints(0, 4, 1) + b"x\x02", "A text of 1 bytes in coding 2"),
        (b"\x01" + ints(0, 4, 3) + b"xyz\x01", "A text of 3 bytes in coding 1"),
        (b"\x01" + ints(0, -2, 1, 2) + b"\x02" + ints(-3), "A flag of 2"),
        (b"\x02" + ints(1) + b"\x01" + ints(3), "A reference to scenario 1 of 1"),
        (b"\x02" + ints(-1) + b"\x01" + ints(3), "A reference to scenario -1 of 1"),
        (b"\x02" + ints(0) + b"\x07" + ints(3), "A flag of 7"),
    ],
)
@pytest.mark.parametrize(("before", "chunk_bytes"), [(1, 1 << 20), (300, 1 << 20), (300, 1000)])
def test_nonsense_ends_the_reading_and_is_located(log_of, record: bytes, reason: str, before: int, chunk_bytes: int):
    sound = REQUEST + (b"\x01" + ints(1, -1, -2, 7, 9) + b"\x01" + ints(-3)) * (before - 1)
    log = log_of(sound + record + sound, chunk_bytes=chunk_bytes)
    assert log.unreadable == f"{reason} (byte {len(HEADER + sound)}); nothing after it was read."
    assert len(log.requests) == before
    assert not log.truncated


@pytest.mark.parametrize(
    "content",
    [
        b"\0",
        b"\0" * 100,
        HEADER[:-1],
        HEADER.replace(b"3.15.1", b"x.15.1"),
        HEADER.replace(b"\x00\x00\x01\x8b\xcf\xe5\x68\x00", b"\xff" * 8),
        HEADER.replace(b"\x00\x00\x00\x01\x00\x00\x00\x06browse", b"\x7f\x00\x00\x01\x00\x00\x00\x06browse"),
    ],
)
def test_no_log_at_all(log_of, content: bytes):
    with pytest.raises(LogError) as error:
        log_of(content, header=b"")
    assert "is not a Gatling log" in error.value.message
    assert error.value.hint
