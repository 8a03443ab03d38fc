"""Requests as bytes, for what no client would send."""

from __future__ import annotations

import socket

from pacecar.measurement.receiver.server import Receiver, UploadEndpoint

CHUNKED = b"Transfer-Encoding: chunked\r\n"


def request(
    body: bytes, headers: bytes = CHUNKED, *, upload_endpoint: UploadEndpoint, host: bytes | None = None
) -> bytes:
    host = host if host is not None else upload_endpoint.url.split("/")[2].encode()
    head = b"POST /f/ingest?format=jfr HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    return b"%sHost: %s\r\nAuthorization: Bearer %s\r\n%s\r\n%s" % (
        head,
        host,
        upload_endpoint.token.encode(),
        headers,
        body,
    )


def raw(receiver: Receiver, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", int(receiver.url.rpartition(":")[2])), timeout=5) as connection:
        connection.sendall(sent)
        return connection.recv(65_536)
