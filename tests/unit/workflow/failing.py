"""Calls that change a disk, counted below one folder; one of them fails as on a disk that is full or broken."""

from __future__ import annotations

import builtins
import io
import os
import re
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

#: What a name has of a process or of chance.
_CHANCE = re.compile(r"\.\d+\.[0-9a-f]{8}(?=\.part$)")
#: Where the path stands, or descriptors for those that write to an open file.
_BY_DESCRIPTOR = {"write": 0, "pwrite": 0, "fsync": 0, "sendfile": 0}
_BY_PATH = {"replace": 1, "rename": 1, "link": 1, "mkdir": 0}
#: A full disk still lets a file be renamed, and what is written already be flushed.
_NEED_ROOM = {"write", "pwrite", "sendfile", "mkdir", "create", "link"}


class Failing:
    """While entered, call number `call` (0 for none) below the folder `below` raises OSError with the number `error`.

    With `lasting`, so does every later call that needs room.

    Attributes:
        calls: what was done, each with the name of its file.
        failed: the first that failed, with the name of its file; "" for none.
    """

    def __init__(self, *, below: Path, call: int, error: int, lasting: bool) -> None:
        self.calls: list[str] = []
        self.failed = ""
        self._below = str(below)
        self._call = call
        self._error = error
        self._lasting = lasting
        self._real: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> Failing:
        for name, place in _BY_DESCRIPTOR.items():
            self._patch(os, name, self._of_descriptor(name, place))
        for name, place in _BY_PATH.items():
            self._patch(os, name, self._of_path(name, place))
        self._patch(os, "open", self._low_open(os.open))
        opened = self._open(io.open)
        self._patch(io, "open", opened)
        self._patch(builtins, "open", opened)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._real:
            module, name, real = self._real.pop()
            setattr(module, name, real)

    def count(self, what: str, path: str, *, named: bool) -> None:
        """Note a call that does `what` to `path`; raise if it is to fail, with the path where the system names it."""
        if not path.startswith(self._below):
            return
        self.calls.append(f"{what} {_CHANCE.sub('', Path(path).name)}")
        later = self._lasting and self.failed and what in _NEED_ROOM
        if len(self.calls) != self._call and not later:
            return
        self.failed = self.failed or self.calls[-1]
        raise OSError(self._error, os.strerror(self._error), *([path] if named else []))

    def _patch(self, module: Any, name: str, replacement: Callable[..., Any]) -> None:
        self._real.append((module, name, getattr(module, name)))
        setattr(module, name, replacement)

    def _of_descriptor(self, name: str, place: int) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*given: Any, **named: Any) -> Any:
            self.count(name, str(Path(f"/proc/self/fd/{given[place]}").readlink()), named=False)
            return real(*given, **named)

        return call

    def _of_path(self, name: str, place: int) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*given: Any, **named: Any) -> Any:
            self.count(name, str(Path(given[place]).absolute()), named=True)
            return real(*given, **named)

        return call

    def _low_open(self, real: Callable[..., int]) -> Callable[..., int]:
        def call(path: Any, flags: int, *given: Any, **named: Any) -> int:
            if flags & os.O_CREAT:
                self.count("create", str(Path(path).absolute()), named=True)
            return real(path, flags, *given, **named)

        return call

    def _open(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(file: Any, mode: str = "r", *given: Any, **named: Any) -> Any:
            path = str(Path(file).absolute()) if isinstance(file, (str, os.PathLike)) else ""
            if not set(mode) & set("wxa+") or not path.startswith(self._below):
                return real(file, mode, *given, **named)
            if "b" not in mode or {*given, *named.values()} - {-1, None}:
                raise NotImplementedError(f"{path} is opened in a way that is not counted: {mode} {given} {named}")
            self.count("create", path, named=True)
            return io.BufferedWriter(_Written(path, mode.replace("b", ""), self))

        return call


class _Written(io.FileIO):
    """A file each write to which counts."""

    def __init__(self, path: str, mode: str, failing: Failing) -> None:
        super().__init__(path, mode)
        self._failing = failing
        self._path = path

    def write(self, data: Any, /) -> int:
        self._failing.count("write", self._path, named=False)
        return super().write(data)
