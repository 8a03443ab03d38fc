from __future__ import annotations

import gzip
import http.client
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from pacecar.measurement.receiver.server import Receiver, UploadEndpoint

BOUNDARY = "b0undary-of-the-agent"
CONTENT_TYPE = f"multipart/form-data; boundary={BOUNDARY}"
QUERY = (
    "name=pacecar.orders%7Bside%3Dbaseline%7D&units=samples&aggregationType=sum"
    "&from=1&until=2&spyName=javaspy&format=jfr"
)

Post = Callable[..., int]


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    folder = tmp_path / "uploads"
    folder.mkdir()
    with Receiver(folder) as running:
        yield running


@pytest.fixture
def multipart() -> Callable[[Mapping[str, bytes]], bytes]:
    """The body that the agent makes of parts, each gzipped on its own."""

    def make(parts: Mapping[str, bytes], *, packed: bool = True) -> bytes:
        out = b""
        for name, content in parts.items():
            head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n\r\n'
            out += head.encode() + (gzip.compress(content) if packed else content) + b"\r\n"
        return out + f"--{BOUNDARY}--\r\n".encode()

    return make


@pytest.fixture
def post() -> Post:
    """Sends a body in chunks, as the agent does, and tells the status of the answer; with the token of its fork."""

    def send(
        server: str | UploadEndpoint,
        body: bytes,
        *,
        query: str = QUERY,
        content_type: str = CONTENT_TYPE,
        headers: Mapping[str, str] | None = None,
    ) -> int:
        own = {}
        if isinstance(server, UploadEndpoint):
            own, server = {"Authorization": f"Bearer {server.token}"}, server.url
        address = urllib.parse.urlsplit(server)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
        try:
            connection.request(
                "POST",
                f"{address.path}/ingest?{query}",
                body=iter([body[: len(body) // 2], body[len(body) // 2 :]]),
                headers={"Content-Type": content_type, **own, **(headers or {})},
                encode_chunked=True,
            )
            return connection.getresponse().status
        finally:
            connection.close()

    return send
