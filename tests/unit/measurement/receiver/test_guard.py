"""Who may speak to the receiver, and that what it refuses is printed nowhere."""

from __future__ import annotations

import gzip
import http.client
import socket
import urllib.parse
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pacecar.measurement.receiver.server import Receiver
from support.jfr_files import Sample, chunk
from unit.measurement.receiver.requests import CHUNKED, raw, request

Make = Callable[[Mapping[str, bytes]], bytes]
Post = Callable[..., int]
JFR = chunk([Sample()], duration_ns=3_000_000_000)


OF_BROWSERS = (
    {"Origin": "http://example.com"},
    {"Origin": "null"},
    {"origin": ""},
    {"Origin": "http://127.0.0.1"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Mode": "no-cors"},
    {"sec-fetch-dest": "image"},
    {"Sec-Fetch-User": "?1"},
    {"Sec-Fetch-Storage-Access": "active"},
    {"Referer": "http://127.0.0.1/"},
    {"Cookie": "a=b"},
)


@pytest.mark.hostile
@pytest.mark.parametrize("headers", OF_BROWSERS, ids=str)
@pytest.mark.parametrize("method", ["POST", "OPTIONS", "GET"])
def test_browsers_are_refused(headers: Mapping[str, str], method: str, receiver: Receiver) -> None:
    answer, allowed = asked(receiver, method, headers)
    assert answer == 403
    assert not allowed


@pytest.mark.hostile
@pytest.mark.parametrize(
    "host",
    [
        "",
        "example.com",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost.:{port}",
        "127.0.0.2:{port}",
        "x@127.0.0.1:{port}",
        "127.0.0.1:{port} ",
        "127.0.0.1.nip.io:{port}",
        "[::1]:{port}",
        "0.0.0.0:{port}",
        "127.1:{port}",
        "2130706433:{port}",
    ],
)
def test_foreign_hosts_are_refused(host: str, receiver: Receiver) -> None:
    port = receiver.url.rpartition(":")[2]
    upload_endpoint = receiver.admit("f")
    answer = raw(receiver, request(b"0\r\n\r\n", upload_endpoint=upload_endpoint, host=host.format(port=port).encode()))
    if host == "127.0.0.1:{port} ":  # white space around a value is none of it
        assert b" 200 " in answer.splitlines()[0]
    else:
        assert answer.splitlines()[0].split()[1] in (b"421", b"400")
        assert not list(Path(receiver._folder, "f").iterdir())


@pytest.mark.hostile
def test_two_hosts_or_two_tokens_are_refused(receiver: Receiver) -> None:
    upload_endpoint = receiver.admit("f")
    host = upload_endpoint.url.split("/")[2].encode()
    for more in (b"Host: " + host, b"Authorization: Bearer " + upload_endpoint.token.encode()):
        answer = raw(receiver, request(b"0\r\n\r\n", CHUNKED + more + b"\r\n", upload_endpoint=upload_endpoint))
        assert answer.splitlines()[0].split()[1] in (b"400", b"401", b"421")


@pytest.mark.hostile
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
def test_other_methods_are_refused(method: str, receiver: Receiver) -> None:
    answer, allowed = asked(receiver, method, {})
    assert answer == 405
    assert not allowed


@pytest.mark.hostile
def test_a_preflight_learns_nothing(receiver: Receiver) -> None:
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"}
    assert asked(receiver, "OPTIONS", asks) == (405, [])


@pytest.mark.hostile
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "GZIP", "identity, gzip"])
def test_encoded_bodies_are_refused(encoding: str, receiver: Receiver, post: Post) -> None:
    assert post(receiver.admit("f"), gzip.compress(b"x" * 1000), headers={"Content-Encoding": encoding}) == 415


@pytest.mark.hostile
@pytest.mark.parametrize(
    "headers",
    [
        "Transfer-Encoding: gzip, chunked\r\n\r\n0",
        "Content-Encoding: identity\r\nContent-Encoding: br\r\nContent-Length: 0",
    ],
)
def test_encodings_beside_harmless_ones_are_refused(headers: str, receiver: Receiver) -> None:
    token = receiver.admit("f").token
    head = f"POST /f/ingest HTTP/1.1\r\n@\r\nAuthorization: Bearer {token}\r\n{headers}\r\n\r\n"
    assert _said(receiver, head).startswith(b"HTTP/1.1 415 ")


@pytest.mark.hostile
@pytest.mark.parametrize(
    "request_head",
    [
        "POST /f/ingest HTTP/1.1\r\n@\r\nAuthorization: Bearer\r\n {token}\r\n\r\n",
        "POST /f/ingest HTTP/1.1\r\n@\r\n@\r\nAuthorization: Bearer {token}\r\n\r\n",
        "POST /f/ingest?{token}\0 HTTP/1.1\r\n@\r\n\r\n",
        "POST /f/ingest HTTP/1.1\r\n@\r\nContent-Length: {token}\r\n\r\n",
    ],
)
def test_nothing_of_a_broken_request_is_printed(
    request_head: str, receiver: Receiver, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    at = receiver.admit("f")
    assert _said(receiver, request_head.replace("{token}", at.token)).startswith(b"HTTP/1.")
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


def _said(receiver: Receiver, request: str) -> bytes:
    """The answer to a request as it is written here; `@` is the header with the host."""
    address = urllib.parse.urlsplit(receiver.url)
    assert address.hostname is not None
    with socket.create_connection((address.hostname, address.port or 0), timeout=20) as connection:
        connection.sendall(request.replace("@", f"Host: {address.netloc}").encode())
        return connection.recv(4096)


def asked(receiver: Receiver, method: str, headers: Mapping[str, str]) -> tuple[int, list[str]]:
    """Status of the answer to a request with the right token, and the headers in it that would let a page read it."""
    upload_endpoint = receiver.admit("f")
    address = urllib.parse.urlsplit(upload_endpoint.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    try:
        connection.request(
            method,
            f"{address.path}/ingest?format=jfr",
            headers={"Authorization": f"Bearer {upload_endpoint.token}", **headers},
        )
        answer = connection.getresponse()
        return answer.status, [name for name in answer.headers if name.lower().startswith("access-control")]
    finally:
        connection.close()
