"""What uploads may come to once they are unpacked: of one fork, and of all forks of a run together."""

from __future__ import annotations

import time

#: Unpacked, of one fork. The sample service comes to 20 MB an hour, a large one with hundreds of threads to some 500.
FORK_BYTES = 1 << 30
#: Unpacked, of all forks of a run: a run keeps its recordings, and 20 pairs of busy forks stay far below.
RUN_BYTES = 16 << 30
#: Unpacked, as a multiple of what was sent (repetitive chunks reach 30); counts from where it is worth the room.
RATIO = 200
RATIO_COUNTS_FROM = 64 << 20
#: CPU time for opening the uploads of one fork. A gigabyte takes some ten seconds.
FORK_SECONDS = 300.0


class Exhausted(ValueError):
    """An allowance is used up; the message says which."""


class Allowance:
    """Bytes and CPU time that are left for opening uploads. For one thread at a time.

    Args:
        limit: bytes, unpacked.
        whole: what this is a part of; whatever is taken here is taken there, too.
        of: whose it is, for messages.
        seconds: CPU time of the thread that opens them.
    """

    def __init__(
        self,
        *,
        limit: int = FORK_BYTES,
        whole: Allowance | None = None,
        of: str = "a fork",
        seconds: float = FORK_SECONDS,
    ) -> None:
        self._limit = limit
        self._whole = whole
        self._of = of
        self._seconds = seconds
        self._spent = 0.0
        self._packed = 0
        self._unpacked = 0
        self._since = 0.0

    def begin(self, packed: int) -> None:
        """An upload of so many bytes is about to be opened: more may come of it. Raises Exhausted."""
        self._packed += packed
        self._since = time.thread_time()
        if self._spent > self._seconds:
            raise Exhausted(f"opening the uploads of {self._of} takes more than {self._seconds:.0f} s")

    def end(self) -> None:
        """The upload is open, or given up."""
        self._spent += time.thread_time() - self._since

    def take(self, size: int) -> None:
        """Use so many bytes. Raises Exhausted."""
        if self._whole is not None:
            self._whole.take(size)
        self._unpacked += size
        if self._unpacked > self._limit:
            raise Exhausted(f"the uploads of {self._of} unpack to more than {self._limit} bytes together")
        if self._packed and self._unpacked > max(RATIO_COUNTS_FROM, RATIO * self._packed):
            raise Exhausted(f"the uploads of {self._of} unpack to more than is plausible for {self._packed} bytes")

    def give_back(self, size: int) -> None:
        """What was unpacked is not kept: its room is free again, the time is not."""
        self._unpacked -= size
        if self._whole is not None:
            self._whole.give_back(size)

    def check_time(self) -> None:
        """Raises Exhausted when the time is used up."""
        if self._spent + time.thread_time() - self._since > self._seconds:
            raise Exhausted(f"opening the uploads of {self._of} takes more than {self._seconds:.0f} s")
