"""A cap on a log while a program writes it, which the program does not notice.

The program keeps its descriptor and appends, so the file can be cut below it: nobody waits for a reader, as with a
pipe, and nobody is killed, as by a limit on file sizes. What stays is the beginning, where a service says what it is,
and the end, where it says why it died; in between stands a remark.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from pathlib import Path
from types import TracebackType

#: A log that is larger is cut to its first and its last bytes.
MOST = 64 << 20
HEAD = 1 << 20
TAIL = 8 << 20
_LOOK_S = 0.25


class LogLimit:
    """Looks at the log `path` four times a second and cuts it when it is larger than `MOST`; until `end`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name=f"log limit {path.name}", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Look once more, now that nobody writes, and stop looking."""
        self._over.set()
        self._thread.join()
        cut(self._path)

    def __enter__(self) -> LogLimit:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def _watch(self) -> None:
        while not self._over.wait(_LOOK_S):
            cut(self._path)


def cut(path: Path, *, most: int = MOST, head: int = HEAD, tail: int = TAIL) -> bool:
    """Cut the log at `path` to its first `head` and last `tail` bytes when it is larger than `most`.

    What is written while it is cut, some milliseconds, may be lost. A log that cannot be cut is left as it is.
    """
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "r+b", buffering=0) as log:
            status = os.fstat(log.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size <= most:
                return False
            end = os.pread(log.fileno(), tail, max(head, status.st_size - tail))
            log.truncate(head)
            remark = f"\n[pacecar] log cut at {most >> 20} MiB: what stood here is left out\n".encode()
            log.write(remark + end.partition(b"\n")[2])
            return True
    return False
