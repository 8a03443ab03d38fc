"""The service's Prometheus page: fetched at the edges of a window, taken apart when no window runs."""

from __future__ import annotations

import io
import ipaddress
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Any, TextIO, cast
from urllib.parse import SplitResult, urlsplit

import pandas as pd
from prometheus_client.parser import text_fd_to_metric_families

_PAGE_BYTES = 16 << 20
_HEAD_BYTES = 64 << 10
_PIECE = 64 << 10
_LINE_BYTES = 64 << 10
_SERIES = 200_000
_LABELS = 250
#: Many times what the largest page takes.
_PARSING_S = 60.0


@dataclass(frozen=True, kw_only=True)
class Scrape:
    """A page as it came.

    Attributes:
        body: the page; empty when there was an error.
        time_ns: when it was asked for.
        duration_ms: until it was there as a whole.
        error: "" or one sentence.
    """

    body: bytes
    time_ns: int
    duration_ms: float
    error: str


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page taken apart.

    Attributes:
        samples: name (str), labels (str: `a="1",b="2"`, sorted, with the page's escapes), value (float64).
        page_bytes: size of the page.
        series: number of samples.
        error: "" or one sentence; there are no samples then.
    """

    samples: pd.DataFrame
    page_bytes: int
    series: int
    error: str


class _Refused(Exception):
    """Why there is no page, as the end of a sentence."""


def scrape(url: str, timeout_s: float, max_bytes: int = _PAGE_BYTES) -> Scrape:
    """Fetch the page at `url`; never raises.

    Asks this machine only, knows neither proxies nor redirects, and takes at most `timeout_s` all together.
    """
    time_ns, started = time.time_ns(), time.monotonic()
    body, error = b"", ""
    try:
        body = _fetch(url, deadline=started + timeout_s, max_bytes=max_bytes)
    except TimeoutError:
        error = f"The metrics page did not arrive within {timeout_s:.2g} s."
    except (_Refused, OSError, ValueError, HTTPException) as failure:
        error = f"The metrics page could not be read: {failure or type(failure).__name__}."
    return Scrape(body=body, time_ns=time_ns, duration_ms=1000 * (time.monotonic() - started), error=error)


def parse(scrape: Scrape, *, buckets: bool = True) -> Page:
    """Take a page in Prometheus' text format apart; never raises.

    Args:
        scrape: the page.
        buckets: have those of histograms among the samples. They are most of many pages, and all are counted as series.
    """
    if scrape.error:
        return _page(scrape, [], scrape.error)
    rows: list[tuple[str, str, float]] = []
    left_out = 0 if buckets else sum(_is_bucket(line) for line in scrape.body.splitlines())
    try:
        lines = (line for line in _lines(scrape.body) if buckets or not _is_bucket(line.encode()))
        for family in text_fd_to_metric_families(cast(TextIO, lines)):
            rows += [(sample.name, _labels(sample.labels), float(sample.value)) for sample in family.samples]
    except _Refused as refused:
        return _page(scrape, [], f"The metrics page {refused}.")
    except Exception as error:  # the parser promises no kind of exception for pages that are none
        return _page(scrape, [], f"The metrics page is not in the Prometheus text format: {str(error)[:200]}")
    return replace(_page(scrape, rows, ""), series=len(rows) + left_out)


def _is_bucket(line: bytes) -> bool:
    return b"_bucket{" in line and not line.startswith(b"#")


def _lines(body: bytes) -> Iterator[str]:
    """The lines of a page, as many and as long as a page may have: the parser would take any number of any length.

    Raises:
        _Refused: at the first that is beyond.
    """
    series, text, deadline = 0, io.BytesIO(body), time.monotonic() + _PARSING_S
    while line := text.readline(_LINE_BYTES + 1):
        if len(line) > _LINE_BYTES:
            raise _Refused(f"has a line of more than {_LINE_BYTES} bytes")
        if line.count(b"=") > _LABELS and not line.startswith(b"#"):
            raise _Refused(f"has a line of more than {_LABELS} labels")
        series += not line.startswith((b"#", b"\n"))
        if series > _SERIES:
            raise _Refused(f"holds more than {_SERIES} series")
        if time.monotonic() > deadline:
            raise _Refused(f"takes more than {_PARSING_S:g} s to read")
        yield line.decode("utf-8", "replace")


def _page(scrape: Scrape, rows: list[tuple[str, str, float]], error: str) -> Page:
    samples = pd.DataFrame(rows, columns=["name", "labels", "value"])
    samples = samples.astype({"name": "str", "labels": "str", "value": "float64"})
    return Page(samples=samples, page_bytes=len(scrape.body), series=len(rows), error=error)


def _labels(labels: dict[str, str]) -> str:
    return ",".join(f'{name}="{_escaped(value)}"' for name, value in sorted(labels.items()))


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _fetch(url: str, *, deadline: float, max_bytes: int) -> bytes:
    parts = urlsplit(url)
    if parts.scheme != "http" or not _is_loopback(parts.hostname or ""):
        raise _Refused("only pages on this machine are read, by http")
    with _Asked(parts, deadline=deadline, max_bytes=max_bytes + _HEAD_BYTES) as asked:
        # Its length is the response's to tell: a service may leave its connection open.
        response = HTTPResponse(cast(socket.socket, asked))
        response.begin()
        if response.status != 200:
            raise _Refused(f"it answered {response.status}")
        # Piece by piece: http.client makes room for whatever length it is told.
        body = b"".join(iter(lambda: response.read(_PIECE), b""))
        if response.length:
            raise IncompleteRead(body, response.length)
    if len(body) > max_bytes:
        raise _Refused(f"it has more than {max_bytes} bytes")
    return body


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class _Asked(io.RawIOBase):
    """A connection on which a page was asked for, in the shape in which HTTPResponse reads one.

    http.client limits the wait for each piece. This limits the wait for all of them together, and their size.
    """

    def __init__(self, parts: SplitResult, *, deadline: float, max_bytes: int) -> None:
        self._deadline, self._max_bytes, self._left_bytes = deadline, max_bytes, max_bytes
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        request = (
            f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            "Accept: text/plain;version=0.0.4\r\nConnection: close\r\n\r\n"
        )
        address = (parts.hostname, parts.port or 80)
        self._connection = socket.create_connection(address, timeout=_left(deadline))
        try:
            self._connection.sendall(request.encode("ascii"))
        except BaseException:
            self._connection.close()
            raise

    def makefile(self, mode: str) -> io.BufferedReader:  # noqa: ARG002
        return io.BufferedReader(self, buffer_size=_PIECE)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        self._connection.settimeout(_left(self._deadline))
        received = self._connection.recv_into(buffer)
        self._left_bytes -= received
        if self._left_bytes < 0:
            raise _Refused(f"it has more than {self._max_bytes - _HEAD_BYTES} bytes")
        return received

    def close(self) -> None:
        self._connection.close()
        super().close()
