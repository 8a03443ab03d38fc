"""Answers of the agent's kind, and of no kind, over a real Unix socket."""

from __future__ import annotations

import contextlib
import json
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacecar.measurement.probes.counters import Counters, CountersMissing, read_counters

ANSWER = {
    "uptimeMs": 12.3,
    "allocatedBytes": 123,
    "allocationSource": "total",
    "threads": 31,
    "threadsEnded": 4,
    "jitMs": 1230,
    "gcCount": 3,
    "gcMs": 17,
    "heapUsedBytes": 5,
    "heapAfterGcBytes": 4,
    "loadedClasses": 9000,
}


def once(*pieces: bytes) -> Callable[[socket.socket, threading.Event], None]:
    """Sends the pieces and closes."""

    def answer(connection: socket.socket, _: threading.Event) -> None:
        for piece in pieces:
            connection.sendall(piece)

    return answer


def silence(_: socket.socket, over: threading.Event) -> None:
    over.wait()


def drip(connection: socket.socket, over: threading.Event) -> None:
    while not over.wait(0.01):
        connection.sendall(b" ")


def flood(connection: socket.socket, over: threading.Event) -> None:
    while not over.is_set():
        connection.sendall(b"[" * 100_000)


@contextlib.contextmanager
def agent(answer: Callable[[socket.socket, threading.Event], None]) -> Iterator[Path]:
    """The path of a socket on which one connection gets `answer`."""
    over = threading.Event()
    with tempfile.TemporaryDirectory(prefix="pacecar") as folder, socket.socket(socket.AF_UNIX) as server:
        path = Path(folder) / "agent"
        server.bind(str(path))
        server.listen(1)

        def serve() -> None:
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError):
                answer(connection, over)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield path
        finally:
            over.set()
            thread.join()


def test_every_counter() -> None:
    with agent(once(json.dumps(ANSWER).encode() + b"\n")) as path:
        assert read_counters(path) == Counters(
            uptime_ms=12.3,
            allocated_bytes=123.0,
            allocation_source="total",
            threads=31,
            threads_ended=4,
            jit_ms=1230.0,
            gc_count=3,
            gc_ms=17.0,
            heap_used_bytes=5,
            heap_after_gc_bytes=4,
            loaded_classes=9000,
        )


def test_answer_in_pieces() -> None:
    raw = json.dumps(ANSWER).encode()
    with agent(once(raw[:10], raw[10:50], raw[50:])) as path:
        assert read_counters(path).threads == 31


@pytest.mark.parametrize("name", ANSWER)
@pytest.mark.parametrize("value", [None, "1", True, -1, float("nan"), float("inf"), 10**400, [], {}])
def test_counter_that_is_none(name: str, value: object) -> None:
    raw = json.dumps({**ANSWER, name: value}).encode()
    with agent(once(raw)) as path, pytest.raises(CountersMissing, match="answered something other than counters"):
        read_counters(path)


@pytest.mark.parametrize("name", ANSWER)
def test_counter_left_out(name: str) -> None:
    raw = json.dumps({key: value for key, value in ANSWER.items() if key != name}).encode()
    with agent(once(raw)) as path, pytest.raises(CountersMissing):
        read_counters(path)


@settings(deadline=None, max_examples=50)
@given(
    st.binary(max_size=5000) | st.recursive(st.none() | st.integers(), st.lists).map(lambda v: json.dumps(v).encode())
)
def test_garbage(raw: bytes) -> None:
    with agent(once(raw)) as path, pytest.raises(CountersMissing):
        read_counters(path)


@pytest.mark.parametrize("answer", [silence, drip])
def test_no_answer_in_time(answer: Callable[[socket.socket, threading.Event], None]) -> None:
    with agent(answer) as path, pytest.raises(CountersMissing, match=r"did not answer within 0\.2 s"):
        read_counters(path, timeout_s=0.2)


def test_endless_answer_is_not_held() -> None:
    with agent(flood) as path, pytest.raises(CountersMissing, match="answered something other than counters"):
        read_counters(path)


def test_no_agent(tmp_path: Path) -> None:
    with pytest.raises(CountersMissing, match="No such file") as error:
        read_counters(tmp_path / "agent")
    assert error.value.hint


def test_agent_that_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "agent"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
    with pytest.raises(CountersMissing, match="refused"):
        read_counters(path)
