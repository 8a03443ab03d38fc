"""A server of the test's own that answers whatever it is told to."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pacecar.integrations.exchange import Server


@dataclass(kw_only=True)
class Scripted:
    """Answers the requests one after the other with `answers`, the last one for ever; keeps what it was asked.

    An answer is (status, headers, body), or a function that is given the open connection.
    """

    answers: list[object] = field(default_factory=lambda: [(200, {}, b"{}")])
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    url: str = ""
    secure: Callable[[ssl.SSLContext], None] = lambda context: None

    @property
    def server(self) -> Server:
        return Server(url=self.url)

    def next(self) -> object:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@pytest.fixture
def scripted() -> Iterator[Scripted]:
    script = Scripted()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            script.asked.append((self.command, self.path, dict(self.headers), body))
            answer = script.next()
            if isinstance(answer, tuple):
                status, headers, content = answer
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
            else:
                behave: Callable[[BaseHTTPRequestHandler], None] = answer  # type: ignore[assignment]
                behave(self)
                self.close_connection = True

        do_GET = do_POST  # noqa: N815  what the library calls

        def log_message(self, *_: object) -> None: ...

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None: ...  # a client that has left

    with Quiet(("127.0.0.1", 0), Handler) as server:
        script.url = f"http://127.0.0.1:{server.server_address[1]}"

        def secure(context: ssl.SSLContext) -> None:
            server.socket = context.wrap_socket(server.socket, server_side=True)

        script.secure = secure
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield script
        server.shutdown()
        thread.join()
