"""What one process that sends load can do, and what it leaves behind: whatever generator it is, wherever it runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import pandas as pd

from pacecar.model.experiment import Plan, Side


@dataclass(frozen=True, kw_only=True)
class LoadShare:
    """The part of a load that one injector sends; all draw the same requests, and each sends its own.

    Attributes:
        index: number of the injector, from 0.
        of: how many there are.
    """

    index: int
    of: int

    @property
    def name(self) -> str:
        """What messages call who sends it."""
        return "The load generator" if self.of == 1 else f"Injector {self.index + 1} of {self.of}"


WHOLE = LoadShare(index=0, of=1)


@dataclass(frozen=True, kw_only=True)
class SlicedLoad:
    """The load of a whole pair.

    Attributes:
        plan: lengths of warm-up, slices and gaps.
        order: the side under load in each slice.
        urls: base URL of each side that takes part.
        seed: of the pair.
        made: addresses in `urls` that are not of this machine's loopback interface, and were made for this run alone.
    """

    plan: Plan
    order: Sequence[Side]
    urls: Mapping[Side, str]
    seed: int
    made: frozenset[str] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Clock:
    """The timeline of a run that switches between the sides.

    Slice i takes [measure_start_ns + i (slice_ns + gap_ns), that + slice_ns).

    Attributes:
        load_start_ns: start of the warm-up, nanoseconds since the epoch.
        measure_start_ns: start of the first slice, likewise.
        slice_ns: length of a slice.
        gap_ns: length of the silence after it.
        final: the burst is over or about to be, so that the start of the first slice will not move any more.
    """

    load_start_ns: int
    measure_start_ns: int
    slice_ns: int
    gap_ns: int
    final: bool


@dataclass(frozen=True, kw_only=True)
class BlockProgress:
    """How far a run in blocks has got.

    Attributes:
        operations: how many kinds of requests there are, a block of each in every round; 0 while that is not known.
        answered: the endpoint of each block that all sides have answered, in order.
    """

    operations: int = 0
    answered: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Requests:
    """The requests of one run.

    Attributes:
        table: side (text, which means nothing in a run of one side), endpoint, start_ns, latency_ms, ok, message.
        note: what could not be read of them; None when all could.
    """

    table: pd.DataFrame
    note: str | None = None


class LoadRecord(Protocol):
    """What an injector has left behind, to be read once no window is measured any more."""

    @property
    def injector(self) -> int:
        """Its number, from 0."""

    @property
    def files(self) -> Mapping[str, Path]:
        """What is kept as it is, by the name under which it is; without its own log of pauses."""

    @property
    def ahead_ns(self) -> int:
        """How far the clock of its machine is ahead of ours. Only `gc_log` and `files` are told by that clock."""

    @property
    def node(self) -> str | None:
        """Name of the machine it ran on, where that is not ours; None where it is."""

    @property
    def gc_log(self) -> Path:
        """The log of pauses of the generator's own JVM, as `-Xlog:gc*,safepoint` writes it."""

    @property
    def written(self) -> bool:
        """Whether there is a log of requests; a run that was ended early may have left none."""

    def requests(self) -> Requests:
        """Its requests, in the order in which they are logged."""

    def arrivals(self) -> pd.DataFrame:
        """Planned and real sending as far as it is known.

        Columns are side, slice (from 0), endpoint, due_ns, lag_ms, took_ms and number. In a scenario that is `traced`,
        that is the lower half of the id of the trace that the request begins; the upper half is the seed.
        """

    def hiccups(self) -> pd.DataFrame:
        """When the generator's process stood still, as far as it noticed: start_ns, duration_ms."""


class Injector(Protocol):
    """A process that was started to send load, or a share of it.

    Attributes:
        log: what it prints.
        share: what it sends.
        boots_s: how long its machine may take to come up before it starts by itself.
    """

    log: Path
    share: LoadShare
    boots_s: float

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def cpu_ns(self) -> int:
        """CPU time that it has taken of this machine so far, in ns; 0 where it runs elsewhere."""

    def lead_ns(self) -> int | None:
        """How long ahead it must know when its load begins; None until it is ready. Raises LoadError like `clock`."""

    def begin(self, at_ns: int) -> None:
        """Let its load begin then, in nanoseconds since the epoch."""

    def clock(self) -> Clock | None:
        """The clock as announced by now. Raises LoadError when that makes no sense."""

    def sent(self) -> dict[Side, int]:
        """Requests sent to each side in the warm-up so far."""

    def end_burst(self, at_ns: int) -> None:
        """End the burst then, where it may end early and lasts longer."""

    def open_blocks(self, count: int) -> None:
        """Let it send the first `count` blocks; of a plan of the quick tier, which waits before each block."""

    def end_blocks(self) -> None:
        """Say that no more blocks will be asked for."""

    def blocks(self) -> BlockProgress:
        """How far it has got with its blocks. Raises LoadError when what it says of them makes no sense."""

    def poll(self) -> int | None:
        """Exit status, or None while it runs."""

    @property
    def failed(self) -> bool:
        """Whether it has ended otherwise than it should."""

    def finish(self, timeout_s: float) -> None:
        """Wait for its own end. Raises LoadError when it fails, or has not ended by then; then it is ended.

        Raises InjectorLost when it was killed.
        """

    def close(self) -> None:
        """End it, if it has not ended by itself."""

    def record(self) -> LoadRecord:
        """What it has left behind by now."""


class LoadGenerator(Protocol):
    """Starts injectors of one scenario."""

    def start_sliced(self, folder: Path, load: SlicedLoad, *, share: LoadShare = WHOLE) -> Injector:
        """Start one that sends its share of `load` and switches between the sides by itself.

        `folder` is for its files, and made when missing.

        Raises:
            LoadError: when a URL is not on this machine's loopback interface.
            UsageError: when the generator's program does not exist.
        """

    def start_plain(self, folder: Path, *, url: str, seconds: float, made: Collection[str] = ()) -> Injector:
        """Start one that serves one side for so long. Raises like `start_sliced`."""
