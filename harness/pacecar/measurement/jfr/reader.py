"""Samples of many files of chunks, one chunk in memory at a time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from pacecar.measurement.jfr.chunk import Chunk, Unreadable, chunks
from pacecar.measurement.jfr.events import Intervals, find_events
from pacecar.measurement.jfr.labels import Labels
from pacecar.measurement.jfr.metadata import Metadata
from pacecar.measurement.jfr.numbers import DamagedChunk
from pacecar.measurement.jfr.pools import Pools
from pacecar.measurement.jfr.samples import sample_table
from pacecar.measurement.jfr.stacks import StackTable

#: By how much a chunk's own clock may be behind that of its events.
_CLOCKS_NS = 1_000_000_000
#: CPU time for the chunks of one fork. A gigabyte, which is all that a fork may send, takes about 100 s.
_SECONDS = 900.0
#: Remarks that are kept; one more says that there were others.
_REMARKS = 100
_TOO_LONG = f"reading took more than {_SECONDS:.0f} s of CPU time; what begins here is left out"


@dataclass(kw_only=True)
class FlightRecording:
    """Files of chunks that a JVM has recorded, and what was come across in them so far.

    Attributes:
        paths: the files, in order; `NNNN.labels.json` beside one is read with it.
        intervals: what a sample stands for.
        begin_ns: chunks that end before are counted but not read; since the epoch.
        stacks: the distinct stacks so far.
        chunks: chunks come across so far, damaged ones included.
        unreadable: what could not be read.
    """

    paths: Sequence[Path]
    intervals: Intervals
    begin_ns: int = 0
    stacks: StackTable = field(default_factory=StackTable)
    chunks: int = 0
    unreadable: list[Unreadable] = field(default_factory=list)
    _metadata: Metadata = field(default_factory=Metadata)

    def samples(self) -> Iterator[pd.DataFrame]:
        """The samples of one chunk after another.

        Columns: `event` (cpu, wall, alloc, lock), `time_ns` (int64, since the epoch) at which it began, `span_ns`
        (int64) that it covers from then on (batches of wall samples, waits for locks), `stack` (int32, into `stacks`),
        `thread`, `state` and `label` (text), `samples` (int64), `weight` (float64; ns, for alloc bytes), `span`,
        `trace_hi`, `trace_lo` (int64, 0 for none). Texts are categories.

        A CPU or wall sample weighs its interval, an allocation its size over the chance that it was sampled, a wait for
        a lock what it is, or the sampling interval where that is more. So weights add up to the whole.
        """
        end = time.thread_time() + _SECONDS
        for path in self.paths:
            labels = Labels.beside(path)
            for chunk in chunks(path):
                if time.thread_time() > end:
                    self.remark(Unreadable(path=path, offset=chunk.offset, reason=_TOO_LONG))
                    return
                self.chunks += 1
                if isinstance(chunk, Unreadable):
                    self.remark(chunk)
                elif not self._over(chunk):
                    yield from self._read(chunk, path, labels)

    def remark(self, unreadable: Unreadable) -> None:
        """Keep what could not be read, if it is not one of very many."""
        if len(self.unreadable) < _REMARKS:
            self.unreadable.append(unreadable)
        elif len(self.unreadable) == _REMARKS:
            self.unreadable.append(replace(unreadable, reason="this and more could not be read"))

    def _over(self, chunk: Chunk) -> bool:
        """Whether everything in the chunk was over before `begin_ns`; one that was not finished tells no end."""
        return 0 < chunk.duration_ns < self.begin_ns - _CLOCKS_NS - chunk.start_ns

    def _read(self, chunk: Chunk, path: Path, labels: Labels) -> Iterator[pd.DataFrame]:
        try:
            types = self._metadata.of(chunk)
            pools = Pools(chunk, types)
            found = find_events(chunk, types)
            for reason in found.damage:
                self._note(path, chunk, reason)
            if found.events:
                yield sample_table(
                    chunk, pools, found.events, labels=labels, stacks=self.stacks, intervals=self.intervals
                )
        except DamagedChunk as error:
            self._note(path, chunk, str(error))

    def _note(self, path: Path, chunk: Chunk, reason: str) -> None:
        self.remark(Unreadable(path=path, offset=chunk.offset, reason=reason))
