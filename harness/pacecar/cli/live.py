"""The progress display: one live line on a terminal, plain lines anywhere else."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.status import Status
from rich.text import Text

from pacecar.cli.printing import say
from pacecar.text.plain import plain
from pacecar.text.units import format_duration
from pacecar.workflow import Progress

#: Drawing costs the load generator's core: once a second is enough for people.
_REFRESH_PER_S = 1.0


class Live:
    """Shows progress on stderr while a run goes on. Use as a context manager, hand it to `measure`."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(stderr=True)
        self._status: Status | None = None
        self._last = ""
        self._started = time.monotonic()

    def __enter__(self) -> Live:
        if self._console.is_terminal:
            self._status = self._console.status("starting", refresh_per_second=_REFRESH_PER_S)
            self._status.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def progress(self, progress: Progress) -> None:
        """Show `progress`; off a terminal only what is new in phase, pair or estimate gets a line."""
        place = f"pair {progress.pair} of at most {progress.pairs}" if progress.pair else ""
        waits = f"waiting for {_few(progress.look.waits_for)}" if progress.look.waits_for else ""
        lost = _lost(progress.look.voided)
        parts = [part for part in (place, progress.phase.value, progress.look.estimate, waits, lost) if part]
        headline = " · ".join(parts)
        left = f"up to about {format_duration(progress.remaining_s)} left"
        if self._status is not None:
            detail = f" ({progress.detail})" if progress.detail else ""
            self._status.update(_shown(f"{headline}{detail} · {left}"))
        elif headline != self._last:
            elapsed = format_duration(time.monotonic() - self._started)
            self._console.print(_shown(f"[{elapsed}] {headline} · {left}"), soft_wrap=True)
        self._last = headline

    def note(self, line: str) -> None:
        """Print `line`; the progress line goes on below it."""
        say(line, err=True)


def _shown(line: str) -> Text:
    """What a service or a generator said is in `line`: no markup is read from it, and it moves no cursor."""
    return Text(plain(line))


def _lost(reasons: tuple[str, ...]) -> str:
    """That pairs do not count, while there is still time to do something about the reason."""
    if not reasons:
        return ""
    return f"{len(reasons)} pair{'s' if len(reasons) > 1 else ''} left out: {reasons[-1].rstrip('.')}"


def _few(titles: tuple[str, ...]) -> str:
    """The first of `titles`, and how many others there are."""
    return titles[0] if len(titles) == 1 else f"{titles[0]} and {len(titles) - 1} more"
