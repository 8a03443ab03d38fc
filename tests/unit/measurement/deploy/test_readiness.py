"""Whether a fork answers yet, whatever it answers with."""

from __future__ import annotations

import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile

import pytest

from pacecar.measurement.deploy import readiness
from support.watchdogs import WATCHDOG_S

Answer = Callable[[socketserver.StreamRequestHandler], int | None]


@contextmanager
def answering(answer: Answer) -> Iterator[int]:
    """Port of a server that answers by `answer` and hangs up."""

    class Handler(socketserver.StreamRequestHandler):
        timeout = WATCHDOG_S

        def handle(self) -> None:
            list(takewhile(bytes.strip, self.rfile))  # what is not read would have the connection reset
            answer(self)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def said(text: bytes) -> Answer:
    return lambda handler: handler.wfile.write(text)


def dripping(handler: socketserver.StreamRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(20):
        handler.wfile.write(b"x")
        time.sleep(0.1)
    handler.wfile.write(b"\r\nContent-Length: 0\r\n\r\n")


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (said(b"HTTP/1.1 204 No Content\r\n\r\n"), None),
        (said(b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"), "status 302"),
        (said(b"hello\r\n\r\n"), "no valid HTTP answer (BadStatusLine)"),
        (said(b""), "no valid HTTP answer (RemoteDisconnected)"),
        (said(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n"), "no valid HTTP answer (HTTPException)"),
    ],
)
def test_what_a_fork_answers(answer: Answer, found: str | None) -> None:
    with answering(answer) as port:
        assert readiness.ask(port, "/health") == found


@pytest.mark.hostile
def test_an_answer_that_comes_byte_by_byte_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "ATTEMPT_S", 0.5)
    with answering(dripping) as port:
        assert readiness.ask(port, "/health") == "no answer within 0.5 s"


@pytest.mark.parametrize(
    ("answers", "lasts"),
    [
        ([(0, "status 401"), (20, "status 401"), (21, "status 401")], True),
        ([(0, "status 401"), (20, "status 401")], False),
        ([(0, "status 400"), (21, "status 400")], True),
        ([(0, "status 302"), (1, readiness.REFUSED), (21, "status 302")], False),  # it has been started anew
        ([(0, "status 302"), (21, "status 403")], False),
        ([(0, "status 404"), (50, "status 404")], False),  # an application server may deploy for a while
        ([(0, "status 503"), (50, "status 503")], False),
        ([(0, readiness.REFUSED), (50, readiness.REFUSED)], False),
    ],
)
def test_only_a_lasting_redirection_or_refusal_ends_the_wait(
    monkeypatch: pytest.MonkeyPatch, answers: list[tuple[float, str]], lasts: bool
) -> None:
    moments = iter([moment for moment, _ in answers])
    monkeypatch.setattr(time, "monotonic", lambda: next(moments))
    so_far = readiness.Answers()
    assert [so_far.lasts(answer) for _, answer in answers][-1] is lasts
