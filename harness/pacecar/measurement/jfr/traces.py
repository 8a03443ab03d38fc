"""The pool of stack traces of a chunk, kept as columns.

Nearly all bytes of the constant pools are stack traces, and they consist of numbers only. So they are not made into
objects: all their numbers are read at once, and it is noted where among them each trace begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pacecar.measurement.jfr.chunk import Chunk
from pacecar.measurement.jfr.metadata import Type, Types
from pacecar.measurement.jfr.numbers import Column, Cursor, DamagedChunk, column, starts
from pacecar.measurement.jfr.values import NUMBERS, SINGLE_BYTES

STACK_TRACE = "jdk.types.StackTrace"
#: Frames of one trace that are believed; profilers stop at 2048 and a few native ones.
_FRAMES = 4096
#: Bytes of one chunk that are searched for stack traces: each takes up to fifty while they are read. A busy chunk of
#: ten seconds has one or two megabytes of them.
_SEARCHED = 16 << 20


@dataclass(frozen=True, kw_only=True)
class StackLayout:
    """Where the numbers of a stack trace are.

    Attributes:
        before: numbers between its id and its first frame; the last of them counts the frames.
        after: numbers after its last frame.
        truncated: which of those before says that the trace was cut.
        stride: numbers per frame.
        method: which of a frame's numbers is the method's id.
        kind: which of them is the frame type's id.
    """

    before: int
    after: int
    truncated: int
    stride: int
    method: int
    kind: int

    @classmethod
    def of(cls, trace: Type, types: Types) -> StackLayout:
        """The layout by the metadata. Raises DamagedChunk when it is none that consists of numbers."""
        frames, truncated = trace.position("frames"), trace.position("truncated")
        if frames is None or truncated is None or truncated > frames or not trace.fields[frames].array:
            raise DamagedChunk("stack traces of an unknown form")
        frame = types[trace.fields[frames].type_id]
        method, kind = frame.position("method"), frame.position("type")
        others = (*trace.fields[:frames], *trace.fields[frames + 1 :], *frame.fields)
        plain = NUMBERS | SINGLE_BYTES
        if (
            method is None
            or kind is None
            or any(other.array or not (other.pooled or types[other.type_id].name in plain) for other in others)
        ):
            raise DamagedChunk("stack traces of an unknown form")
        return cls(
            before=frames + 1,
            after=len(trace.fields) - frames - 1,
            truncated=truncated,
            stride=len(frame.fields),
            method=method,
            kind=kind,
        )


class StackPool:
    """The stack traces of a chunk, as one column of numbers.

    Attributes:
        truncated: ids of traces that are marked as cut.
    """

    def __init__(self, chunk: Chunk) -> None:
        self.truncated: set[int] = set()
        self._chunk = chunk
        #: Trace id -> index of its first frame's first number, and how many frames.
        self._traces: dict[int, tuple[int, int]] = {}
        self._parts: list[Column] = []
        self._numbers_before = 0
        self._searched = 0
        self._layout: StackLayout | None = None

    def read(self, cursor: Cursor, layout: StackLayout) -> None:
        """Take in a pool of stack traces at `cursor` and leave it right after them. Raises DamagedChunk."""
        self._layout = layout
        count = cursor.count()
        # What lies behind the traces is searched as well, for where they end only their numbers tell.
        reach = min(cursor.end, cursor.at + _SEARCHED - self._searched)
        self._searched += reach - cursor.at
        places = starts(self._chunk.bytes, cursor.at, reach)
        # The last entry is the end of the last number.
        numbers, _ = column(self._chunk.bytes, places[:-1])
        at, last = 0, len(numbers)
        for _ in range(count):
            frames_at = at + layout.before + 1
            if frames_at > last:
                raise DamagedChunk(_cut_short(reach < cursor.end))
            trace = int(numbers[at])
            if numbers[at + 1 + layout.truncated]:
                self.truncated.add(trace)
            frames = int(numbers[frames_at - 1])
            at = frames_at + frames * layout.stride + layout.after
            if not 0 <= frames <= _FRAMES:
                raise DamagedChunk(f"a stack trace of {frames} frames")
            if at > last:
                raise DamagedChunk(_cut_short(reach < cursor.end))
            self._traces.setdefault(trace, (self._numbers_before + frames_at, frames))
        cursor.at = int(places[at])
        self._parts.append(numbers[:at])
        self._numbers_before += at

    def frames(self, traces: Column) -> tuple[Column, Column, Column]:
        """The frames of `traces`, one trace after the other, each with its innermost frame first.

        Returns:
            Ids of methods, ids of frame types, and how many of both each trace has: 0 when it is unknown.
        """
        places = np.array([self._traces.get(trace, (0, 0)) for trace in traces.tolist()], dtype=np.int64).reshape(-1, 2)
        first, count = places[:, 0], places[:, 1]
        if self._layout is None or not count.any():
            empty = np.empty(0, dtype=np.int64)
            return empty, empty, np.zeros_like(count)
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        at = np.repeat(first, count) + self._layout.stride * within
        numbers = np.concatenate(self._parts)
        return numbers[at + self._layout.method], numbers[at + self._layout.kind], count


def _cut_short(by_us: bool) -> str:
    return f"stack traces in more than {_SEARCHED} bytes" if by_us else "stack traces that are cut short"
