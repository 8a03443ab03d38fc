"""The labels beside a file of chunks, as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from fuzzing import scratch
from pacecar.measurement.jfr.labels import Labels


def parse(data: bytes) -> None:
    scratch.file(data, "0001.labels.json")
    labels = Labels.beside(scratch.path("0001.jfr"))
    for context, span_name in ((0, 0), (7, 0), (8, 9), (-1, -1)):
        text = labels.text(context=context, span_name=span_name)
        assert len(text) <= 200
        assert "\n" not in text


def seeds() -> Iterator[bytes]:
    yield b'{"contexts": {"7": {"endpoint": "GET /a"}, "8": {"b": "c", "d": "e\\u2028"}}, "strings": {"9": "GET /b"}}'
    yield b'{"contexts": {}, "strings": {}}'
    yield b"[" * 3000
