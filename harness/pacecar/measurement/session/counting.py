"""Putting the forks of a pair through blocks: all there is to the quick tier, the end of a pair in the full one.

Before a block the counters of both sides are read, then it is sent to both at once, then they are read again. What
they grew by belongs to the one endpoint that was asked. The metrics pages are fetched in between, so what they cost
falls into no block; one page is the end of a block and the start of the next.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.load_run import LoadRun
from pacecar.measurement.probes.prometheus import Scrape
from pacecar.measurement.session.context import Say
from pacecar.measurement.session.progress import Phase
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from pacecar.model.tiers import Blocks

_POLL_S = 0.005
#: How long the kit may take until it has named its operations, which it does before it announces its clock.
_OPERATIONS_S = 5.0
#: How long after the last answer the counters are read: work that was handed to other threads should be done by then.
_SETTLED_S = 0.05
#: A block that takes longer is not waited for: the generator itself gives a request up after 60 s.
_LONGEST_BLOCK_S = 90.0


#: Bytes of a metrics page that is fetched around the first measured block only.
_LARGE_PAGE = 1 << 20


class _Unanswered(Exception):
    """A block that was not answered in time."""


@dataclass(kw_only=True)
class Counting:
    """The blocks of one pair.

    Attributes:
        blocks: how many, and how large.
        run: the load generator.
        reader: reads the counters.
        sides: that take part, in the order of their windows.
        first_window: index of the first window that may be measured, within the pair.
        windows: of those blocks that were measured so far; grows block by block.
        notes: what a reader should know.
        say: told what goes on.
    """

    blocks: Blocks
    run: LoadRun
    reader: EdgeReader
    sides: Sequence[Side]
    first_window: int
    windows: list[Window]
    notes: list[str]
    say: Say
    _sent: int = 0
    _pages: dict[Side, Scrape | None] = field(default_factory=dict)

    def drive(self) -> None:
        """Send the unmeasured rounds, then the measured ones. Raises ForkDied or LoadError."""
        operations = self._operations()
        try:
            self._unmeasured(operations)
            self._measured(operations)
        except _Unanswered:
            self.notes.append(
                f"A block of {self.blocks.requests} requests was not answered within {self._patience_s:.0f} s, so no "
                "further one was sent."
            )
        self.run.end_blocks()

    @property
    def _patience_s(self) -> float:
        """How long a block is waited for."""
        return min(_LONGEST_BLOCK_S, self.blocks.longest_s) if self.blocks.strict else _LONGEST_BLOCK_S

    def _unmeasured(self, operations: int) -> None:
        begun = time.monotonic()
        for number in range(self.blocks.unmeasured):
            if number and time.monotonic() - begun > self.blocks.longest_s:
                return
            self.say(Phase.WARMUP, f"round {number + 1} of {self.blocks.unmeasured}")
            for _ in range(operations):
                self._send()
                self._turn_pages()  # making them is to be warm, too

    def _measured(self, operations: int) -> None:
        if not self._pages:
            self._turn_pages()
        begun = time.monotonic()
        for number in range(self.blocks.rounds):
            late = time.monotonic() - begun > self.blocks.longest_s
            if late and 3 * number >= self.blocks.rounds:
                return
            self.say(Phase.LOAD, f"endpoint by endpoint, round {number + 1} of {self.blocks.rounds}")
            for _ in range(operations):
                if self.blocks.strict and time.monotonic() - begun > self.blocks.longest_s:
                    return
                self._block()

    def _operations(self) -> int:
        deadline = time.monotonic() + _OPERATIONS_S
        while not (found := self.run.blocks().operations) and time.monotonic() < deadline:
            self._look()
        if not found:
            raise LoadError(
                "The load generator has not said which endpoints it asks.",
                hint="Build the simulation against the kit that comes with this Pacecar.",
            )
        return found

    def _block(self) -> None:
        """Send the next block and read the counters of every side around it."""
        first = self.first_window + self._sent * len(self.sides)
        numbered = {side: first + place for place, side in enumerate(self.sides)}
        for side, index in numbered.items():
            self.reader.keep(side, self.reader.count(index, side, "start"), self._pages.get(side))
        start_ns = self.reader.now()
        endpoint = self._send()
        end_ns = self.reader.now()
        time.sleep(_SETTLED_S)
        ended = {side: self.reader.count(index, side, "end") for side, index in numbered.items()}
        self._turn_pages()
        for side, index in numbered.items():
            self.reader.keep(side, ended[side], self._pages.get(side))
            self.windows.append(Window(index=index, side=side, start_ns=start_ns, end_ns=end_ns, endpoint=endpoint))

    def _send(self) -> str:
        """Let the next block be sent; returns its endpoint once all sides have answered it."""
        self._sent += 1
        self.run.open_blocks(self._sent)
        deadline = time.monotonic() + self._patience_s
        while len(answered := self.run.blocks().answered) < self._sent:
            if time.monotonic() > deadline:
                raise _Unanswered
            self._look()
        return answered[self._sent - 1]

    def _turn_pages(self) -> None:
        pages = self._pages.values()
        if self.windows and any(page is None or len(page.body) > _LARGE_PAGE for page in pages):
            # So much would have to be kept and read for each block that nobody had an answer in two minutes.
            self._pages = dict.fromkeys(self.sides)
            return
        self._pages = {side: self.reader.page(side) for side in self.sides}

    def _look(self) -> None:
        self.reader.check()
        if self.run.over:
            self.run.finish(timeout_s=0)  # raises when it failed
        time.sleep(_POLL_S)
