"""The text format, line by line; and files that are no log."""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.measurement.load.gatling.simulation_log import LogError, SimulationLog, read

HEADER = b"ASSERTION\tAAECAAMD\nRUN\tshop.A\ta\t1700000000000\t \t3.11.5\n"


def log_of(folder: Path, content: bytes) -> SimulationLog:
    path = folder / "simulation.log"
    path.write_bytes(content)
    return read(path)


def test_every_kind_of_line(tmp_path: Path):
    log = log_of(
        tmp_path,
        HEADER + b"USER\tbrowse\tSTART\t1700000000001\n"
        b"REQUEST\tshop,cart\tPOST /cart\t1700000000002\t1700000000005\tOK\t \n"
        b"REQUEST\t\tGr\xc3\xb6\xc3\x9fe\t1700000000003\t1700000000006\tKO\tstatus 500\n"
        b"GROUP\tshop\t1700000000002\t1700000000005\t3\tOK\n"
        b"ERROR\tno attribute \t1700000000007\n"
        b"USER\tbrowse\tEND\t1700000000008\n",
    )
    assert (log.version, log.simulation, log.start_ms) == ("3.11.5", "shop.A", 1_700_000_000_000)
    assert log.requests.to_numpy().tolist() == [
        ["shop/cart", "POST /cart", 1_700_000_000_002, 1_700_000_000_005, True, ""],
        ["", "Größe", 1_700_000_000_003, 1_700_000_000_006, False, "status 500"],
    ]
    assert log.users["is_start"].tolist() == [True, False]
    assert log.errors.to_numpy().tolist() == [["no attribute ", 1_700_000_000_007]]
    assert (log.truncated, log.unreadable) == (False, None)


def test_message_that_answers_no_request_is_counted_apart(tmp_path: Path):
    log = log_of(tmp_path, HEADER + b"REQUEST\t\tws\t1700000000002\t-9223372036854775808\tOK\t \n")
    assert (log.unmatched, len(log.requests)) == (1, 0)


def test_line_without_its_end_is_left_out(tmp_path: Path):
    # It could be cut inside its last number and would still look whole.
    log = log_of(tmp_path, HEADER + b"ERROR\toops\t1700000000007\nERROR\toops\t17000000000")
    assert log.truncated
    assert len(log.errors) == 1


@pytest.mark.parametrize(
    "line",
    [
        b"REQUEST\t\tGET\t1700000000002\t1700000000005\tOK\n",
        b"REQUEST\t\tGET\t1700000000002\t1700000000005\tOK\t \t \n",
        b"REQUEST\t\tGET\t1700000000002\t1700000000005\tMAYBE\t \n",
        b"REQUEST\t\tGET\t17_0\t1700000000005\tOK\t \n",
        b"REQUEST\t\tGET\t" + b"9" * 5000 + b"\t1700000000005\tOK\t \n",
        b"REQUEST\t\tGET\t1700000000002\t\tOK\t \n",
        b"USER\tbrowse\tSTOP\t1700000000002\n",
        b"ERROR\t1700000000002\n",
        b"\n",
        b"\xff\xfe\x00\n",
    ],
)
def test_nonsense_ends_the_reading_and_is_located(tmp_path: Path, line: bytes):
    sound = b"REQUEST\t\tGET\t1700000000002\t1700000000005\tOK\t \n"
    log = log_of(tmp_path, HEADER + sound * 3 + line + sound)
    assert f"(byte {len(HEADER + sound * 3)})" in str(log.unreadable)
    assert len(log.requests) == 3


@pytest.mark.parametrize("content", [b"hello\n", b"hello", b"\x89PNG\r\n\x1a\n", b"ASSERTION\tA\n", b"RUN\ta\n"])
def test_no_log_at_all(tmp_path: Path, content: bytes):
    with pytest.raises(LogError, match="is not a Gatling log"):
        log_of(tmp_path, content)


def test_empty_file_says_why_it_may_be(tmp_path: Path):
    with pytest.raises(LogError, match="is empty") as error:
        log_of(tmp_path, b"")
    assert "killed" in str(error.value.hint)


def test_absent_file(tmp_path: Path):
    with pytest.raises(LogError, match="No such file"):
        read(tmp_path / "simulation.log")
