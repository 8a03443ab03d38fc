"""JFR chunks to events to stacks.

    chunk     a file's chunks: header, bytes, where the next one begins
    numbers   the varints everything is made of, one at a time or a column at once
    metadata  a chunk's own description of its types
    values    readers for any described type, built from the metadata
    pools     the constant pools, with stack traces kept as columns
    frames    what a frame is called
    stacks    the distinct stacks of all chunks
    events    samples as columns
    labels    what the label ids beside a chunk mean
    reader    all of this for a list of files, one chunk in memory at a time
    fold      samples added up by window

The format: a chunk is a 68-byte header and a run of events; one event holds the metadata, others the constant
pools. Type ids, field order and pool ids hold for one chunk only, so nothing is hard-coded but names.

Files come from a service under test. Damage costs the rest of its chunk and is reported, never raised.
"""

from __future__ import annotations

from pacecar.measurement.jfr.chunk import Unreadable
from pacecar.measurement.jfr.events import Intervals
from pacecar.measurement.jfr.fold import Counts, Folded, fold
from pacecar.measurement.jfr.reader import FlightRecording

__all__ = ["Counts", "FlightRecording", "Folded", "Intervals", "Unreadable", "fold"]
