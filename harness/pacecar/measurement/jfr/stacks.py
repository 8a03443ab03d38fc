"""The distinct stacks of all chunks: a number for each, however many chunks it is seen in.

Ids in a chunk hold for that chunk only, so a stack is known by the names of its frames: each distinct pair of name
and kind has a number, and a stack is the bytes of its frames' numbers.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pacecar.measurement.jfr.frames import (
    INTERRUPTED,
    KINDS,
    NATIVE_KINDS,
    NOTE_KIND,
    SIGNAL_RETURNS,
    TRUNCATED,
    UNKNOWN_KIND,
    frame_text,
    is_note,
)
from pacecar.measurement.jfr.numbers import Column, DamagedChunk, distinct_pairs
from pacecar.measurement.jfr.pools import Pools
from pacecar.model.tables import TABLES

_FRAME = np.int32
#: Frames of all distinct stacks together that are kept. A service has some hundred thousand.
_FRAMES = 10_000_000
#: Distinct stacks, distinct frames, and characters of the table of stacks, likewise: memory follows them. A service has
#: some ten thousand, some ten thousand, and some ten million.
_STACKS = 1_000_000
_NAMES = 500_000
_CHARACTERS = 400_000_000
#: Frames as chunks describe them that are remembered, so that their names are made stable once.
_SEEN = 200_000
#: Names of more characters are looked up anew each time.
_REMEMBERED = 512


class StackTable:
    """Distinct stacks by number, from 0.

    A stack that was cut at the depth limit has the note `[truncated]` in place of its entry point. One that begins
    with a signal handler is the note `[interrupted]` alone.
    """

    def __init__(self) -> None:
        self._stacks: dict[bytes, int] = {}
        self._frames: dict[tuple[str, str], int] = {}
        self._seen: dict[tuple[str, str, str], int] = {}
        self._size = self._characters = 0
        self._lengths: list[int] = []
        self._truncated = self._frame(TRUNCATED, NOTE_KIND)
        self._interrupted = self._frame(INTERRUPTED, NOTE_KIND)
        self._signal_returns: set[int] = set()

    def __len__(self) -> int:
        return len(self._stacks)

    def numbers(self, pools: Pools, traces: Column) -> Column:
        """The stack's number for each of these stack trace ids of one chunk. Raises DamagedChunk."""
        distinct, inverse = np.unique(traces, return_inverse=True)
        methods, kinds, counts = pools.stacks.frames(distinct)
        frames = self._frames_of(pools, methods, kinds)
        ends = np.cumsum(counts)
        known = []
        for trace, begin, end in zip(distinct.tolist(), (ends - counts).tolist(), ends.tolist(), strict=True):
            stack = frames[begin:end][::-1]
            if len(stack) and int(stack[0]) in self._signal_returns:
                stack = np.array([self._interrupted], dtype=_FRAME)
            if trace in pools.stacks.truncated:
                stack = np.concatenate([np.array([self._truncated], dtype=_FRAME), stack])
            known.append(self._number(stack))
        return np.array(known, dtype=np.int64)[inverse]

    def table(self) -> pd.DataFrame:
        """The columns of `tables.TABLES["stacks"]`, in the order of the numbers."""
        names = [name for name, _ in self._frames]
        kinds = [kind for _, kind in self._frames]
        stacks = [np.frombuffer(key, dtype=_FRAME).tolist() for key in self._stacks]
        return pd.DataFrame(
            {
                "stack": np.arange(len(stacks)),
                "frames": ["\n".join([names[frame] for frame in stack]) for stack in stacks],
                "kinds": ["".join([kinds[frame] for frame in stack]) for stack in stacks],
            }
        ).astype(TABLES["stacks"])

    def quality(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """By number: whether the stack failed, and whether it was cut at the depth limit.

        A stack has failed when it has no frame, or when a note stands where its entry point should be.
        """
        entries = [int(np.frombuffer(key, dtype=_FRAME, count=1)[0]) if key else -1 for key in self._stacks]
        notes = {number for (_, kind), number in self._frames.items() if kind == NOTE_KIND} | {-1}
        truncated = np.array([entry == self._truncated for entry in entries], dtype=bool)
        return np.array([entry in notes for entry in entries], dtype=bool) & ~truncated, truncated

    def _frames_of(self, pools: Pools, methods: Column, kinds: Column) -> NDArray[np.int32]:
        """Frame numbers for pairs of method and frame type ids; names are looked up once per distinct pair."""
        codes, pairs = distinct_pairs(methods, kinds)
        classes, owners = pools.contents("jdk.types.Method", "type"), pools.texts("java.lang.Class", "name")
        names, types = pools.texts("jdk.types.Method", "name"), pools.texts("jdk.types.FrameType", "description")
        known = [
            self._described(owners.get(classes.get(method, 0), ""), names.get(method, ""), types.get(kind, ""))
            for method, kind in pairs
        ]
        return np.array(known, dtype=_FRAME)[codes]

    def _described(self, owner: str, name: str, kind: str) -> int:
        """The number of a frame by its class, method and frame type, as chunk after chunk has them."""
        number = self._seen.get((owner, name, kind))
        if number is None:
            letter = NOTE_KIND if is_note(owner, name) else KINDS.get(kind, UNKNOWN_KIND)
            number = self._frame(frame_text(owner, name), letter)
            if name in SIGNAL_RETURNS and letter in NATIVE_KINDS:
                self._signal_returns.add(number)
            if len(self._seen) < _SEEN and len(owner) + len(name) + len(kind) <= _REMEMBERED:
                self._seen[owner, name, kind] = number
        return number

    def _frame(self, name: str, kind: str) -> int:
        number = self._frames.setdefault((name, kind), len(self._frames))
        if number == len(self._lengths):
            if number >= _NAMES:
                del self._frames[name, kind]
                raise DamagedChunk(f"more than {_NAMES} distinct frames")
            self._lengths.append(len(name) + 1)
        return number

    def _number(self, stack: NDArray[np.int32]) -> int:
        key = stack.tobytes()
        number = self._stacks.get(key)
        if number is None:
            number = len(self._stacks)
            self._admit(stack)
            self._stacks[key] = number
        return number

    def _admit(self, stack: NDArray[np.int32]) -> None:
        size = self._size + len(stack)
        characters = self._characters + sum(map(self._lengths.__getitem__, stack.tolist()))
        if size > _FRAMES:
            raise DamagedChunk(f"distinct stacks of more than {_FRAMES} frames together")
        if characters > _CHARACTERS:
            raise DamagedChunk(f"distinct stacks of more than {_CHARACTERS} characters together")
        if len(self._stacks) >= _STACKS:
            raise DamagedChunk(f"more than {_STACKS} distinct stacks")
        self._size, self._characters = size, characters
