"""Pages from a real HTTP server, and from servers that are none."""

from __future__ import annotations

import contextlib
import math
import socket
import threading
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pacecar.measurement.probes.prometheus import Scrape, parse, scrape

PAGE = b"""\
# HELP jvm_memory_used_bytes The amount of used memory
# TYPE jvm_memory_used_bytes gauge
jvm_memory_used_bytes{id="G1 Eden Space",area="heap"} 4194304.0
jvm_memory_used_bytes{area="nonheap",id="Metaspace"} 4.2e7
# TYPE http_server_requests_seconds histogram
http_server_requests_seconds_bucket{method="GET",uri="/items/{id}",le="0.001"} 5.0
http_server_requests_seconds_bucket{method="GET",uri="/items/{id}",le="+Inf"} 7.0
http_server_requests_seconds_count{method="GET",uri="/items/{id}"} 7.0
http_server_requests_seconds_sum{method="GET",uri="/items/{id}"} 0.25
odd{path="C:\\\\dir\\"x\\"\\n"} NaN 1395066363000
up 1
"""

Answer = Callable[[socket.socket, threading.Event], None]


@contextlib.contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """The URL at which every connection gets `answer`, after its request was read."""
    over = threading.Event()
    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)

        def serve() -> None:
            with contextlib.suppress(OSError):
                connection, _ = server.accept()
                with connection:
                    while b"\r\n\r\n" not in connection.recv(65536):
                        pass
                    answer(connection, over)

        threads.append(threading.Thread(target=serve))
        threads[0].start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/actuator/prometheus"
        finally:
            over.set()
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            threads[0].join()


def sending(raw: bytes) -> Answer:
    return lambda connection, _: connection.sendall(raw)


def http(body: bytes, *, status: str = "200 OK", headers: bytes = b"") -> bytes:
    return b"HTTP/1.1 " + status.encode() + b"\r\n" + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body


def drip(connection: socket.socket, over: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not over.wait(0.01):
        connection.sendall(b"#")


def silence(_: socket.socket, over: threading.Event) -> None:
    over.wait()


def flood(connection: socket.socket, over: threading.Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not over.is_set():
        connection.sendall(b"# nothing but comments\n" * 10_000)


def page(body: bytes) -> Scrape:
    return Scrape(body=body, time_ns=1, duration_ms=1.0, error="")


def test_page_is_kept_as_it_came() -> None:
    with serving(sending(http(PAGE))) as url:
        got = scrape(url, timeout_s=5)
    assert (got.body, got.error) == (PAGE, "")
    assert got.time_ns > 0
    assert got.duration_ms > 0


@pytest.mark.parametrize(
    "raw",
    [http(PAGE), b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(PAGE), PAGE)],
)
def test_a_service_may_leave_its_connection_open(raw: bytes) -> None:
    def answer(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(raw)
        over.wait()

    with serving(answer) as url:
        got = scrape(url, timeout_s=5)
    assert (got.body, got.error) == (PAGE, "")


def test_chunked_page() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nup 1\n\r\n6\r\nlow 0\n\r\n0\r\n\r\n"
    with serving(sending(chunked)) as url:
        assert scrape(url, timeout_s=5).body == b"up 1\nlow 0\n"


def test_proxy_of_the_environment_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    with serving(sending(http(PAGE))) as url:
        assert scrape(url, timeout_s=5).error == ""


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (sending(http(b"", status="302 Found", headers=b"Location: http://127.0.0.1:9/\r\n")), "it answered 302"),
        (sending(http(b"down", status="503 Service Unavailable")), "it answered 503"),
        (sending(b""), "closed connection"),
        (sending(b"hello\r\n\r\n"), "hello"),
        (sending(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"), "IncompleteRead"),
        (sending(b"HTTP/1.1 200 OK\r\nContent-Length: 9%s\r\n\r\nshort" % (b"0" * 15)), "IncompleteRead"),
        (sending(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%s\r\nup" % (b"7" * 15)), "IncompleteRead"),
        (sending(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), "could not be read"),
        (sending(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n"), "headers"),
        (drip, "did not arrive within 0.3 s"),
        (silence, "did not arrive within 0.3 s"),
        (flood, "it has more than 100000 bytes"),
    ],
)
def test_answer_that_is_no_page(answer: Answer, error: str) -> None:
    with serving(answer) as url:
        got = scrape(url, timeout_s=0.3, max_bytes=100_000)
    assert error in got.error
    assert got.body == b""


@settings(deadline=None, max_examples=50)
@given(st.binary(max_size=300), st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"]))
def test_any_answer_gives_a_page_or_an_error(raw: bytes, lead: bytes) -> None:
    with serving(sending(lead + raw)) as url:
        got = scrape(url, timeout_s=5)
    parse(got)
    assert not (got.body and got.error)


def test_nobody_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert "refused" in scrape(f"http://127.0.0.1:{port}/", timeout_s=1).error


@pytest.mark.parametrize(
    "url",
    [
        "http://192.0.2.1/metrics",
        "http://example.org/metrics",
        "http://localhost.example.org/",
        "https://127.0.0.1/",
        "file:///proc/self/environ",
        "http://",
        "http://[::1",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1/\u00fc",
    ],
)
def test_only_this_machine_is_asked(url: str) -> None:
    assert scrape(url, timeout_s=0.2).error.startswith("The metrics page could not be read: ")


def test_samples_of_a_page() -> None:
    parsed = parse(page(PAGE))
    rows = {(name, labels): value for name, labels, value in parsed.samples.to_numpy().tolist()}
    assert math.isnan(rows.pop(("odd", r'path="C:\\dir\"x\"\n"')))
    assert rows == {
        ("jvm_memory_used_bytes", 'area="heap",id="G1 Eden Space"'): 4194304.0,
        ("jvm_memory_used_bytes", 'area="nonheap",id="Metaspace"'): 4.2e7,
        ("http_server_requests_seconds_bucket", 'le="0.001",method="GET",uri="/items/{id}"'): 5.0,
        ("http_server_requests_seconds_bucket", 'le="+Inf",method="GET",uri="/items/{id}"'): 7.0,
        ("http_server_requests_seconds_count", 'method="GET",uri="/items/{id}"'): 7.0,
        ("http_server_requests_seconds_sum", 'method="GET",uri="/items/{id}"'): 0.25,
        ("up", ""): 1.0,
    }
    assert (parsed.page_bytes, parsed.series, parsed.error) == (len(PAGE), 8, "")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html><body>not found</body></html>", "is not in the Prometheus text format"),
        (b'up{a="1} 2\n', "is not in the Prometheus text format"),
        (b"up one\n", "is not in the Prometheus text format"),
        (b"up 1\n" * 200_001, "holds more than 200000 series"),
        (b'up{a="' + b"\\" * 70_000 + b'"} 1\n', "has a line of more than 65536 bytes"),
    ],
)
def test_page_that_is_none(body: bytes, error: str) -> None:
    parsed = parse(page(body))
    assert error in parsed.error
    assert (parsed.series, len(parsed.samples)) == (0, 0)
    assert parsed.page_bytes == len(body)


def test_error_of_the_scrape_goes_on() -> None:
    parsed = parse(Scrape(body=b"", time_ns=1, duration_ms=2.0, error="It did not come."))
    assert (parsed.error, parsed.series, list(parsed.samples.columns)) == (
        "It did not come.",
        0,
        ["name", "labels", "value"],
    )


@settings(deadline=None)
@given(st.text(max_size=200) | st.text('ab{}="\\,# 1\n', max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    parsed = parse(page(text.encode("utf-8", "surrogatepass")))
    assert parsed.series == len(parsed.samples)
    assert not (parsed.error and parsed.series)
