"""The body of an upload: multipart, with gzipped parts.

The first byte says what the rest is: a body, or the content of the two parts. The parts are then packed here, because
no mutation gets past a checksum.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from fuzzing import scratch
from pacecar.measurement.receiver.inbox import Inbox
from pacecar.measurement.receiver.upload import UploadUnreadable, unpack

INSTRUMENT = ("python_multipart",)

_TYPE = "multipart/form-data; boundary=b0undary"


def parse(data: bytes) -> None:
    body = data[1:] if data[:1] != b"p" else _body(*data[1:].partition(b"|")[::2])
    into = scratch.path("0001.jfr")
    try:
        unpacked = unpack(scratch.file(body, "0001.upload"), content_type=_TYPE, into=into, chunk_limit=1 << 20)
        assert unpacked.chunk_bytes == into.stat().st_size
    except UploadUnreadable:
        assert not into.exists()
    folder = scratch.path("inbox")
    folder.mkdir(exist_ok=True)
    (folder / "00001.upload").write_bytes(body)
    (folder / "00001.json").write_text(f'{{"content_type": "{_TYPE}"}}')
    inbox = Inbox(folder)
    inbox.open_new()
    for chunk in inbox.move(folder):
        chunk.unlink()
        chunk.with_suffix(".labels.json").unlink(missing_ok=True)


def _body(chunk: bytes, labels: bytes) -> bytes:
    packed = {b"jfr": gzip.compress(chunk, 1, mtime=0), b"labels": gzip.compress(labels, 1, mtime=0)}
    parts = (
        b'--b0undary\r\nContent-Disposition: form-data; name="%s"; filename="%s"\r\n\r\n%s\r\n' % (name, name, content)
        for name, content in packed.items()
    )
    return b"".join(parts) + b"--b0undary--\r\n"


def seeds() -> Iterator[bytes]:
    yield b"b" + _body(b"FLR\0", b"\x12\x07\x08\x02\x12\x03abc")
    yield b"b" + _body(b"FLR\0", b"")[:-6]
    yield b"b--b0undary\r\nX: y\r\n\r\n\r\n--b0undary--\r\n"
    yield b"pFLR\0" + bytes(64) + b"|\x12\x07\x08\x02\x12\x03abc"
