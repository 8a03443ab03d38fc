"""The protobuf of label ids beside a chunk."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from fuzzing.limits import Limits
from pacecar.measurement.receiver.labels import BadLabels, TooManyLabels, parse_labels

LIMITS = Limits(input_bytes=8192)


def parse(data: bytes) -> None:
    with contextlib.suppress(BadLabels, TooManyLabels):
        parse_labels(data)


def seeds() -> Iterator[bytes]:
    endpoint = bytes.fromhex("120c 0801 1208") + b"endpoint" + bytes.fromhex("120a 0802 1206") + b"GET /a"
    yield bytes.fromhex("0a0a 0807 1206 0a04 0801 1002") + endpoint
    yield bytes.fromhex("39 0000000000000000 45 00000000") + endpoint
    yield bytes.fromhex("0a 05 08 ffffffffffffffffff01")
