"""Bytes from anywhere: reading ends, keeps what came before the trouble, and holds no more than the file is worth."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pacecar.measurement.load.gatling.simulation_log import LogError, read
from support import gatling_logs
from support.gatling_logs import Error, Group, Record, Request, Run, User

RUN = Run()
SLOW_FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
RECORDS: list[Record] = [
    User(scenario=1, is_start=True, time=1),
    Request(groups=("shop",), name="GET /items", start=2, end=5),
    Request(groups=("shop", "cart"), name="POST /cart", start=6, end=9, ok=False, message="status 500 ✗"),
    Group(groups=("shop",), start=2, end=9),
    Error(message="no attribute", time=10),
    Request(name="注文", start=12, end=19),
]
PARTS = {
    "binary": gatling_logs.binary_parts(RUN, RECORDS * 40),
    "text": gatling_logs.text_parts(RUN, RECORDS * 40),
}


@SLOW_FIXTURE
@given(content=st.binary(max_size=300), lead=st.sampled_from([b"", b"\0", b"\0\0\0\0\6", b"RUN\t", b"ASSERTION\t\n"]))
def test_bytes_from_anywhere_are_no_log(content: bytes, lead: bytes, tmp_path: Path) -> None:
    path = tmp_path / "simulation.log"
    path.write_bytes(lead + content)
    with pytest.raises(LogError):
        read(path)


@pytest.mark.parametrize("kind", PARTS)
@SLOW_FIXTURE
@given(garbage=st.binary(min_size=1, max_size=200))
@example(garbage=b"\1\0\0\0\0")
def test_garbage_after_records_costs_none_of_them(kind: str, garbage: bytes, tmp_path: Path) -> None:
    path = tmp_path / "simulation.log"
    path.write_bytes(b"".join(PARTS[kind]) + garbage)
    log = read(path)
    assert len(log.requests) >= 120
    assert log.requests["name"].tolist()[:120] == ["GET /items", "POST /cart", "注文"] * 40


@pytest.mark.parametrize("kind", PARTS)
@SLOW_FIXTURE
@given(seed=st.integers(0, 2**32))
def test_changed_bytes_cost_nothing_before_them(kind: str, seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    parts = PARTS[kind]
    whole = bytearray(b"".join(parts))
    changed = sorted(draw.randrange(len(parts[0]), len(whole)) for _ in range(draw.randint(1, 5)))
    for place in changed:
        whole[place] ^= draw.randint(1, 255)
    path = tmp_path / "simulation.log"
    path.write_bytes(whole)

    log = read(path, chunk_bytes=draw.choice([50, 3000, 1 << 20]))

    untouched, size = 0, len(parts[0])
    for part, record in zip(parts[1:], RECORDS * 40, strict=True):
        size += len(part)
        if size > changed[0]:
            break
        untouched += isinstance(record, Request)
    assert log.requests["start_ms"].tolist()[:untouched] == ([RUN.start_ms + t for t in (2, 6, 12)] * 40)[:untouched]
    assert len(log.requests) <= 40 * len(RECORDS)


@pytest.mark.parametrize("lead", [b"x", PARTS["text"][0], PARTS["binary"][0] + b"\1\0\0\0\0"])
def test_endless_line_or_text_is_not_held(lead: bytes, tmp_path: Path) -> None:
    path = tmp_path / "simulation.log"
    with path.open("wb") as file:
        file.write(lead)
        file.truncate(len(lead) + (200 << 20))  # a hole: 200 MiB of zero bytes
    tracemalloc.start()
    try:
        if lead == b"x":
            with pytest.raises(LogError):
                read(path)
        else:
            log = read(path)
            assert log.unreadable
            assert not log.truncated
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_small_log_cannot_ask_for_much_memory(tmp_path: Path) -> None:
    # Texts near the longest that is believed, joined to ever new paths of groups: 90 bytes of log ask for a megabyte.
    long = ["x" * 60_000 + str(n) for n in range(16)]
    draw = random.Random(1)
    records = [Request(groups=tuple(draw.choices(long, k=16)), name="a", start=1, end=2) for _ in range(2000)]
    path = tmp_path / "simulation.log"
    path.write_bytes(gatling_logs.binary_log(RUN, records))

    log = read(path)

    assert "MiB of distinct names and messages" in str(log.unreadable)
    assert 0 < len(log.requests) < 2000
