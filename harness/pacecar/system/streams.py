"""The standard streams, made so that a reader who leaves does not change what a command does or ends with."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import TextIO


def settle() -> None:
    """Make stdout and stderr streams to which writing goes on, into nothing, once nobody reads them.

    So `pacecar runs prune … | head -1` removes all it was told to, and a verdict has its exit code whoever reads the
    text. A stream that was closed before we began leads nowhere.
    """
    _fill_gaps()
    sys.stdout = sys.__stdout__ = _lasting(1, sys.stdout)  # type: ignore[misc]  # constants to typeshed alone
    sys.stderr = sys.__stderr__ = _lasting(2, sys.stderr)  # type: ignore[misc]


class _Lasting(io.BufferedWriter):
    """A stream that takes everything; what it cannot write is lost, and told once unless the reader has left.

    The file below is Python's own: a signal that raises between its writing and its return would have a line of a
    `write` in Python said twice.
    """

    _lost = False

    def write(self, data: object, /) -> int:
        view = memoryview(data)  # type: ignore[arg-type]
        if not self._lost:
            with self._losing():
                return super().write(view)
        return view.nbytes

    def flush(self) -> None:
        if not self._lost:
            with self._losing():
                super().flush()

    @contextlib.contextmanager
    def _losing(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            self._lost = True
        except OSError:
            self._lost = True
            raise


def _lasting(descriptor: int, like: TextIO | None) -> io.TextIOWrapper:
    if like is not None:
        with contextlib.suppress(OSError):
            like.flush()
    return io.TextIOWrapper(
        _Lasting(io.FileIO(descriptor, "wb", closefd=False)),
        encoding=getattr(like, "encoding", None) or "utf-8",
        errors=getattr(like, "errors", None) or "backslashreplace",
        line_buffering=getattr(like, "line_buffering", False) or getattr(like, "write_through", False),
    )


def _fill_gaps() -> None:
    """Lead closed standard descriptors nowhere: else the next file that is opened becomes stdout."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if descriptor == 0 else os.O_WRONLY)  # takes the lowest number that is free
            os.set_inheritable(descriptor, True)
