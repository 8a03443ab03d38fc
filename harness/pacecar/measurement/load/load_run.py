"""The load on the forks of a pair while it lasts: one injector, or several that share it and act as one."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pacecar.measurement.load.errors import InjectorLost, LoadError
from pacecar.measurement.load.injector import (
    BlockProgress,
    Clock,
    Injector,
    LoadGenerator,
    LoadRecord,
    LoadShare,
    SlicedLoad,
)
from pacecar.measurement.load.steady_clock import SteadyClock
from pacecar.model.experiment import Side

_POLL_S = 0.02
#: How much sooner than they must, injectors are told when the load begins and when the burst ends. They look for it
#: every 20 and every 200 ms.
_NOTICE_NS, _NOTICE_OF_END_NS = 200_000_000, 500_000_000
_MS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class LoadRun:
    """Injectors that were started for one load.

    Attributes:
        injectors: at least one. They begin together, and each knows the times of all.
        steady: the time by which they are conducted.
    """

    injectors: tuple[Injector, ...]
    steady: SteadyClock = field(default_factory=SteadyClock)

    def cpu_ns(self) -> int:
        """CPU time that they have taken of this machine so far, in ns."""
        return sum(injector.cpu_ns() for injector in self.injectors)

    def await_clock(self, timeout_s: float) -> Clock:
        """Wait until all are ready, let the load begin, and say when that is.

        Args:
            timeout_s: how long that may take, beside the time in which their machines come up.

        Raises:
            LoadError: when one ends before that, or that time passes.
        """
        timeout_s += max(injector.boots_s for injector in self.injectors)
        deadline = time.monotonic() + timeout_s
        told = False
        while (clock := self.clock()) is None:
            leads = [injector.lead_ns() for injector in self.injectors]
            ready = [lead for lead in leads if lead is not None]
            if not told and len(ready) == len(leads):
                told = True
                self._begin(max(ready))
            self.require_going()
            if time.monotonic() > deadline:
                late = self.injectors[next((place for place, lead in enumerate(leads) if lead is None), 0)]
                raise LoadError(
                    f"{late.share.name} did not start its load within {timeout_s:.0f} s of its own start.",
                    hint=f"Does the simulation call SlicedLoad.fromPlan().run(...)? Its output: {late.log}",
                )
            time.sleep(_POLL_S)
        return clock

    def clock(self) -> Clock | None:
        """The clock that all have announced by now; it is final when it is for each of them.

        Raises:
            LoadError: when what one says makes no sense.
            InjectorLost: when one does not agree with the others.
        """
        clocks = [injector.clock() for injector in self.injectors]
        known = [clock for clock in clocks if clock is not None]
        if len(known) < len(clocks):
            return None
        # One that has seen the end of the burst is ahead of those that have not yet.
        if any(clock.final for clock in known) and not all(clock.final for clock in known):
            return next(clock for clock in known if not clock.final)
        for injector, clock in zip(self.injectors, known, strict=True):
            if clock != known[0]:
                later_s = (clock.measure_start_ns - known[0].measure_start_ns) / 1e9
                raise InjectorLost(
                    f"{injector.share.name} is out of step with the first one: its windows begin {abs(later_s):.3f} s "
                    f"{'later' if later_s > 0 else 'earlier'}.",
                    injector=injector.share.index,
                    hint="It stood still when the load began or the burst ended. Give the injectors more cores, or use "
                    "fewer of them.",
                )
        return known[0]

    def sent(self) -> dict[Side, int]:
        """Requests sent to each side in the warm-up so far, by all."""
        total: Counter[Side] = Counter()
        for injector in self.injectors:
            total.update(injector.sent())
        return dict(total)

    def end_burst(self) -> None:
        """End the burst in half a second, for all at the same moment, where it may end early. Twice is once."""
        at_ns = _whole_ms(self.steady.now_ns() + _NOTICE_OF_END_NS)
        for injector in self.injectors:
            injector.end_burst(at_ns)

    def open_blocks(self, count: int) -> None:
        """Let the first `count` blocks be sent; of a plan of the quick tier, which one injector carries out."""
        self.injectors[0].open_blocks(count)

    def end_blocks(self) -> None:
        """Say that no more blocks will be asked for."""
        self.injectors[0].end_blocks()

    def blocks(self) -> BlockProgress:
        """How far its blocks have got. Raises LoadError when what is said of them makes no sense."""
        return self.injectors[0].blocks()

    @property
    def over(self) -> bool:
        """Whether all have ended, or one has failed."""
        ended = [injector.poll() is not None for injector in self.injectors]
        return all(ended) or any(injector.failed for injector in self.injectors)

    def require_going(self) -> None:
        """Raise LoadError where an injector has ended."""
        for injector in self.injectors:
            if injector.poll() is not None:
                injector.finish(timeout_s=0)  # raises when it has failed, which says more
                raise LoadError(f"{injector.share.name} ended too early.", hint=f"Its output: {injector.log}")

    def finish(self, timeout_s: float) -> None:
        """Wait for their own end. Raises LoadError when one fails, or has not ended by then; then all are ended."""
        deadline = time.monotonic() + timeout_s
        failed = [injector for injector in self.injectors if injector.failed]
        for injector in (*failed, *self.injectors):
            injector.finish(max(0.0, deadline - time.monotonic()))

    def close(self) -> None:
        """End those that have not ended by themselves."""
        for injector in self.injectors:
            injector.close()

    def records(self) -> tuple[LoadRecord, ...]:
        """What they have left behind by now, those that have left a log of requests or not."""
        return tuple(injector.record() for injector in self.injectors)

    def _begin(self, lead_ns: int) -> None:
        at_ns = _whole_ms(self.steady.now_ns() + lead_ns + _NOTICE_NS)
        for injector in self.injectors:
            injector.begin(at_ns)


@contextlib.contextmanager
def sliced(
    generator: LoadGenerator,
    folder: Path,
    load: SlicedLoad,
    *,
    injectors: int = 1,
) -> Iterator[LoadRun]:
    """A load on a whole pair that switches between the sides by itself; ended on leaving.

    Args:
        generator: starts the injectors.
        folder: for their files; each of several has a folder in it.
        load: what is sent. What is counted block by block comes from one injector.
        injectors: how many share it.

    Raises:
        LoadError, UsageError: like `LoadGenerator.start_sliced`.
    """
    of = 1 if load.plan.quick else injectors
    with contextlib.ExitStack() as started:
        yield LoadRun(
            injectors=tuple(
                started.enter_context(
                    generator.start_sliced(
                        folder if of == 1 else folder / f"injector-{index}", load, share=LoadShare(index=index, of=of)
                    )
                )
                for index in range(of)
            )
        )


@contextlib.contextmanager
def plain(
    generator: LoadGenerator, folder: Path, *, url: str, seconds: float, made: Collection[str] = ()
) -> Iterator[LoadRun]:
    """A load on one side for so long; ended on leaving. `made` is as in `SlicedLoad`. Raises like `sliced`."""
    with generator.start_plain(folder, url=url, seconds=seconds, made=made) as injector:
        yield LoadRun(injectors=(injector,))


def _whole_ms(moment_ns: int) -> int:
    """The next whole millisecond: what is finer is lost on the way to an injector."""
    return -(-moment_ns // _MS) * _MS
