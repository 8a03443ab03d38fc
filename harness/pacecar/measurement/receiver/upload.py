"""Opening an upload: a multipart body whose parts are each gzipped on their own.

Read in a stream, so that memory stays small however large the body claims to be.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from pacecar.measurement.receiver.allowance import Allowance, Exhausted
from pacecar.measurement.receiver.labels import BadLabels, LabelsSnapshot, TooManyLabels, parse_labels

#: Unpacked size that is believed: in all, and as a multiple of the packed size (repetitive chunks reach 30).
CHUNK_BYTES = 512 << 20
_LABELS_BYTES = 4 << 20
_RATIO = 200
_RATIO_COUNTS_FROM = 16 << 20

#: Parts of one body, and headers of one part: the agent sends two of each.
_PARTS = 16
_HEADERS = 8
_HEADER_BYTES = 1024
_READ_BYTES = 64 << 10
_INFLATE_BYTES = 1 << 20
_GZIP = 16 + zlib.MAX_WBITS


class UploadUnreadable(ValueError):
    """The body is not what the agent sends; the message says why."""


@dataclass(frozen=True, kw_only=True)
class Unpacked:
    """What an upload held.

    Attributes:
        chunk_bytes: size of the JFR data written.
        labels: None when the part was missing, or too much to be read.
        remark: what was left out; None for nothing.
    """

    chunk_bytes: int
    labels: LabelsSnapshot | None
    remark: str | None = None


def unpack(
    upload: Path, *, content_type: str, into: Path, chunk_limit: int = CHUNK_BYTES, allowance: Allowance | None = None
) -> Unpacked:
    """Write the part `jfr` of `upload` to `into`, unpacked, and decode the part `labels`.

    Args:
        upload: the body as it came.
        content_type: its header; names the boundary.
        into: file to be written; nothing of it remains after an error.
        chunk_limit: largest `into`, in bytes.
        allowance: what is left for all uploads of the fork.

    Raises:
        UploadUnreadable: for anything that is not whole and within the limits.
        OSError: the disk is full.
    """
    allowance = allowance or Allowance()
    written = 0
    try:
        allowance.begin(upload.stat().st_size)
        with upload.open("rb") as body, into.open("wb") as chunk:
            opened = _Opened(chunk, limit=chunk_limit, allowance=allowance)
            try:
                return opened.read(body, boundary=_boundary(content_type))
            finally:
                written = opened.written
    except BadLabels as error:
        _forget(into, allowance, written)
        raise UploadUnreadable(f"its labels make no sense: {error}") from error
    except (UploadUnreadable, Exhausted, FormParserError, zlib.error) as error:
        _forget(into, allowance, written)
        raise UploadUnreadable(str(error)) from error
    except OSError:
        _forget(into, allowance, written)
        raise
    finally:
        allowance.end()


def _forget(into: Path, allowance: Allowance, written: int) -> None:
    into.unlink(missing_ok=True)
    allowance.give_back(written)


class _Opened:
    """One upload being opened."""

    def __init__(self, chunk: BinaryIO, *, limit: int, allowance: Allowance) -> None:
        self._labels = bytearray()
        self._allowance = allowance
        self._sinks = {
            b"jfr": _Gunzip(chunk.write, limit=limit, take=allowance.take),
            b"labels": _Gunzip(self._labels.extend, limit=_LABELS_BYTES, take=allowance.take),
        }

    @property
    def written(self) -> int:
        """Bytes of all parts, unpacked."""
        return sum(sink.size for sink in self._sinks.values())

    def read(self, body: BinaryIO, *, boundary: bytes) -> Unpacked:
        """Raises UploadUnreadable, BadLabels, Exhausted, FormParserError, zlib.error."""
        _split(body, boundary=boundary, sinks=self._sinks, check=self._allowance.check_time)
        if not self._sinks[b"jfr"].whole:
            raise UploadUnreadable("it has no whole part named jfr")
        size = self._sinks[b"jfr"].size
        if not self._sinks[b"labels"].whole:
            return Unpacked(chunk_bytes=size, labels=None)
        try:
            return Unpacked(chunk_bytes=size, labels=parse_labels(bytes(self._labels)))
        except TooManyLabels as error:
            return Unpacked(chunk_bytes=size, labels=None, remark=f"its labels are left out: {error}")


def _boundary(content_type: str) -> bytes:
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if kind != b"multipart/form-data" or not boundary:
        raise UploadUnreadable("it is not multipart/form-data with a boundary")
    return boundary


class _Gunzip:
    """Unpacks one part into `write`, piece by piece, within limits."""

    def __init__(self, write: Callable[[bytes], object], *, limit: int, take: Callable[[int], None]) -> None:
        self._write = write
        self._limit = limit
        self._take = take
        self._stream = zlib.decompressobj(_GZIP)
        self._packed = 0
        self.size = 0

    @property
    def whole(self) -> bool:
        """Whether the packed data came to their end; its checksum was right then."""
        return self._stream.eof

    def feed(self, data: bytes) -> None:
        """Unpack more of the part. Raises UploadUnreadable, Exhausted, zlib.error."""
        self._packed += len(data)
        while data and not self._stream.eof:
            piece = self._stream.decompress(data, _INFLATE_BYTES)
            self.size += len(piece)
            if self.size > self._limit or self.size > max(_RATIO_COUNTS_FROM, _RATIO * self._packed):
                raise UploadUnreadable(f"{self._packed} bytes unpack to more than is plausible")
            self._take(len(piece))
            self._write(piece)
            data = self._stream.unconsumed_tail


class _Parts:
    """Callbacks of the multipart parser: hands the data of each known part to its sink, once."""

    def __init__(self, sinks: dict[bytes, _Gunzip]) -> None:
        self._unused = dict(sinks)
        self._sink: _Gunzip | None = None
        self._field = b""
        self._value = b""
        self._name = b""
        self._parts = 0
        self.ended = False

    def on_part_begin(self) -> None:
        self._parts += 1
        if self._parts > _PARTS:
            raise UploadUnreadable(f"it has more than {_PARTS} parts")
        self._sink, self._name = None, b""

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def on_header_end(self) -> None:
        if self._field.lower() == b"content-disposition":
            self._name = parse_options_header(self._value)[1].get(b"name", b"")
        self._field = self._value = b""

    def on_headers_finished(self) -> None:
        self._sink = self._unused.pop(self._name, None)

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._sink is not None:
            self._sink.feed(data[start:end])

    def on_end(self) -> None:
        self.ended = True


def _split(body: BinaryIO, *, boundary: bytes, sinks: dict[bytes, _Gunzip], check: Callable[[], None]) -> None:
    parts = _Parts(sinks)
    parser = MultipartParser(
        boundary,
        {
            "on_part_begin": parts.on_part_begin,
            "on_header_field": parts.on_header_field,
            "on_header_value": parts.on_header_value,
            "on_header_end": parts.on_header_end,
            "on_headers_finished": parts.on_headers_finished,
            "on_part_data": parts.on_part_data,
            "on_end": parts.on_end,
        },
        max_header_count=_HEADERS,
        max_header_size=_HEADER_BYTES,
    )
    while data := body.read(_READ_BYTES):
        check()
        parser.write(data)
    if not parts.ended:
        raise UploadUnreadable("it is cut short")
