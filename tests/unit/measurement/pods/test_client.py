"""Fetching files from a program in a pod: whole or not at all, capped in size, and never as a whole in memory."""

from __future__ import annotations

import socketserver
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import ClassVar

import pytest

from pacecar.errors import MeasurementError
from pacecar.measurement.pods import client as client_module
from pacecar.measurement.pods.client import PodClient
from pacecar.system.disk import NoRoom
from support.watchdogs import WATCHDOG_S

Answer = Callable[[socketserver.StreamRequestHandler], int | None]
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_MIB = 1 << 20


class Client(PodClient):
    who: ClassVar[str] = "The program"

    def lost(self, message: str, *, hint: str | None = None) -> MeasurementError:
        return MeasurementError(message, hint=hint)


@contextmanager
def answering(answer: Answer, *, after_all: bool = True) -> Iterator[Client]:
    """A client of a server that answers each request by `answer`, after all of it has come, and then hangs up."""

    class Handler(socketserver.StreamRequestHandler):
        timeout = WATCHDOG_S

        def handle(self) -> None:
            size = 0
            for line in takewhile(bytes.strip, self.rfile):
                name, _, value = line.partition(b":")
                size = int(value) if name.lower() == b"content-length" else size
            if after_all:
                self.rfile.read(size)  # what is not read would have the connection reset
            answer(self)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        client = Client(host="127.0.0.1", port=server.server_address[1], token="t")
        try:
            yield client
        finally:
            client.close()
            server.shutdown()
            thread.join()


def chunked(mebibytes: int) -> Answer:
    def answer(handler: socketserver.StreamRequestHandler) -> None:
        handler.wfile.write(_CHUNKED)
        for _ in range(mebibytes):
            handler.wfile.write(b"%x\r\n" % _MIB + bytes(_MIB) + b"\r\n")
        handler.wfile.write(b"0\r\n\r\n")

    return answer


def test_a_large_file_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    with answering(chunked(64)) as client:
        tracemalloc.start()
        try:
            client.fetch("left/a", tmp_path / "a", most=64 * _MIB)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert (tmp_path / "a").stat().st_size == 64 * _MIB
    assert peak < 16 * _MIB


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (chunked(3), "sent more than the 2097152 bytes that left/a may have"),
        (lambda handler: handler.wfile.write(_HEAD % 100 + b"half"), "does not answer: IncompleteRead"),
        (lambda handler: handler.wfile.write(_CHUNKED + b"64\r\nhalf"), "does not answer: IncompleteRead"),
        (lambda handler: handler.wfile.write(b"HTTP/1.1 422 No\r\n\r\nno such file\x1b"), "refused left: no such file"),
        (lambda _: None, "does not answer"),
    ],
    ids=["too large", "cut", "cut within a piece", "refused", "silent"],
)
def test_nothing_is_left_of_a_file_that_did_not_come_whole(tmp_path: Path, answer: Answer, said: str) -> None:
    with answering(answer) as client, pytest.raises(MeasurementError, match=said) as caught:
        client.fetch("left/a", tmp_path / "a", most=2 * _MIB)
    assert "\x1b" not in caught.value.message
    assert list(tmp_path.iterdir()) == []


def dripping(handler: socketserver.StreamRequestHandler) -> None:
    handler.wfile.write(_HEAD % 20)
    for _ in range(20):
        handler.wfile.write(b"x")
        time.sleep(0.1)


@pytest.mark.hostile
def test_an_answer_that_comes_byte_by_byte_is_not_waited_for(tmp_path: Path) -> None:
    with answering(dripping) as client, pytest.raises(MeasurementError, match="does not answer: timed out"):
        client.ask("status", timeout_s=0.5)


@pytest.mark.hostile
def test_a_file_that_comes_byte_by_byte_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "TRANSFER_S", 0.5)
    with answering(dripping) as client, pytest.raises(MeasurementError, match="does not answer: timed out"):
        client.fetch("left/a", tmp_path / "a", most=100)
    assert list(tmp_path.iterdir()) == []


def sipping(handler: socketserver.StreamRequestHandler) -> None:
    for _ in range(40):
        handler.rfile.read(64 << 10)
        time.sleep(0.05)
    handler.wfile.write(_HEAD % 0)


@pytest.mark.hostile
def test_a_file_that_is_taken_bit_by_bit_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(bytes(32 * _MIB))  # more than the kernel takes in advance
    with answering(lambda handler: handler.wfile.write(_HEAD % 0)) as client:
        client.put("a", tmp_path / "a")
    monkeypatch.setattr(client_module, "TRANSFER_S", 0.5)
    monkeypatch.setattr(client_module, "_BYTES_PER_S", 1 << 40)
    with answering(sipping, after_all=False) as client, pytest.raises(MeasurementError, match="timed out"):
        client.put("a", tmp_path / "a")


def test_a_full_disk_is_no_fault_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "a.part").symlink_to("/dev/full")
    with answering(chunked(2)) as client, pytest.raises(NoRoom, match="No room to store"):
        client.fetch("left/a", tmp_path / "a", most=2 * _MIB)
