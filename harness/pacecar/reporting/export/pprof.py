"""pprof: the protocol buffer that `go tool pprof`, speedscope and most profile stores read, gzipped.

Field numbers are those of `proto/profile.proto` in https://github.com/google/pprof. Eight message types with whole
numbers and strings are all it takes, so they are written by hand instead of by generated code.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from pacecar.model.profiles import ProfileKind
from pacecar.reporting.export.stacks import StackSums

#: Kind of profile -> the two types of values of a sample, as other profilers of the JVM call them.
_TYPES = {
    ProfileKind.CPU: (("samples", "count"), ("cpu", "nanoseconds")),
    ProfileKind.WALL: (("samples", "count"), ("wall", "nanoseconds")),
    ProfileKind.ALLOCATION: (("alloc_objects", "count"), ("alloc_space", "bytes")),
    ProfileKind.LOCK: (("contentions", "count"), ("delay", "nanoseconds")),
}
#: Kind of profile -> what a sample is taken every so much of, as the agent's own profiles say it.
_PERIODS = {
    ProfileKind.CPU: ("cpu", "nanoseconds"),
    ProfileKind.WALL: ("wall", "nanoseconds"),
    ProfileKind.ALLOCATION: ("space", "bytes"),
    ProfileKind.LOCK: ("mutex", "count"),
}
_VARINT, _BYTES = 0, 2


class _Strings:
    """The table of strings; the first must be empty."""

    def __init__(self) -> None:
        self._numbers = {"": 0}

    def __getitem__(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)


def pprof(sums: StackSums, *, comment: str | None = None, time_ns: int | None = None, counts: bool = True) -> bytes:
    """The stacks as a gzipped profile; pool, endpoint and state are labels of the samples.

    Args:
        sums: what is written.
        comment: a word on where it comes from, if any.
        time_ns: when it began, since the epoch; None where it does not matter.
        counts: whether samples carry their number beside their weight.
    """
    strings, frames = _Strings(), dict[str, int]()
    rows = sums.rows
    columns = (rows[name].tolist() for name in ("frames", "samples", "weight", "pool", "endpoint", "state"))
    samples = [
        _sample(
            strings,
            frames,
            stack,
            (count, weight) if counts else (weight,),
            {"pool": pool, "endpoint": endpoint, "state": state},
        )
        for stack, count, weight, pool, endpoint, state in zip(*columns, strict=True)
    ]
    types = [_message((1, strings[name]), (2, strings[unit])) for name, unit in _TYPES[sums.event][not counts :]]
    period = _message(*((number, strings[text]) for number, text in enumerate(_PERIODS[sums.event], start=1)))
    locations = [_message((1, n), (4, _message((1, n)))) for n in frames.values()]
    functions = [_message((1, n), (2, strings[name]), (3, strings[name])) for name, n in frames.items()]
    body = b"".join(
        (
            *(_field(1, each) for each in types),
            *(_field(2, each) for each in samples),
            *(_field(4, each) for each in locations),
            *(_field(5, each) for each in functions),
            *([_field(9, time_ns)] if time_ns is not None else []),
            _field(10, round(1e9 * sums.measured_s)),
            _field(11, period),
            *([_field(13, strings[comment])] if comment is not None else []),
            _field(14, strings[_TYPES[sums.event][1][0]]),
            *(_field(6, text.encode()) for text in list(strings)),
        )
    )
    return gzip.compress(body, mtime=0)


def _sample(
    strings: _Strings, frames: dict[str, int], stack: str, values: tuple[float, ...], labels: dict[str, str]
) -> bytes:
    numbers = [frames.setdefault(name, len(frames) + 1) for name in reversed(stack.split("\n"))]  # the leaf comes first
    return b"".join(
        (
            _field(1, b"".join(map(_varint, numbers))),
            _field(2, b"".join(_varint(round(value)) for value in values)),
            *(_field(3, _message((1, strings[key]), (2, strings[text]))) for key, text in labels.items() if text),
        )
    )


def _message(*fields: tuple[int, int | bytes]) -> bytes:
    return b"".join(_field(number, value) for number, value in fields)


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3 | _VARINT) + _varint(value)
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
