"""The log of a job: a runner takes lines in it for commands, so what a build or a service said must not be such lines.

What begins with `::` is a command, and what has `##[` anywhere in it (the older form). Between `::stop-commands::TOKEN`
and `::TOKEN::` the runner obeys nothing; the token is random, so that no foreign text can end it. Other commands than
`pacecar github` may print for scripts, where lines of ours would be in the way: there foreign commands are broken up.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import secrets
import sys
from collections.abc import Iterator, Mapping
from typing import LiteralString, Self, TextIO

from pacecar.text.marked import Marked
from pacecar.text.plain import cleaned, plain_lines

_BREAK = "\N{WORD JOINER}"
#: A runner ends a line at each of these, also at a carriage return alone. Space may stand before a command.
_COMMANDS = re.compile(r"((?:^|(?<=[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]))[^\S\r\n]*+:|##)(?=[:\[])")
_SIGNS = ("#", ":", "[")
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


class WorkflowCommand(Marked):
    """A line that a runner may obey: ours, with its texts escaped as GitHub's toolkit does."""

    __slots__ = ()

    @classmethod
    def escape(cls, text: str) -> Self:
        """`text` as a message; its lines stay."""
        return cls("\r".join(map(plain_lines, text.split("\r"))).translate(_DATA))


def command(
    name: LiteralString, message: str, properties: Mapping[str, str | int | None] | None = None
) -> WorkflowCommand:
    """A workflow command; properties of None are left out."""
    given = [
        f"{key}={cleaned(str(value)).translate(_PROPERTY)}"
        for key, value in (properties or {}).items()
        if value is not None
    ]
    return WorkflowCommand(f"::{name}{' ' if given else ''}{','.join(given)}::") + message


def harmless(text: str) -> str:
    """`text` without anything that a runner would take for a command."""
    return _COMMANDS.sub(rf"\1{_BREAK}", text)


def issue(line: WorkflowCommand) -> None:
    """Give the runner a command, past `let_nothing_through`."""
    sys.stdout.flush()
    print(line, file=_straight(), flush=True)


@contextlib.contextmanager
def nothing_obeyed() -> Iterator[None]:
    """The runner obeys nothing of what is printed within, on stdout or stderr.

    Both become one for the while, because a runner reads them side by side and in no order.
    """
    token = secrets.token_hex(16)
    stream = _straight()
    with _one_stream(stream):
        print(f"::stop-commands::{token}", file=stream, flush=True)
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            print(f"\n::{token}::", file=stream, flush=True)


def _straight() -> TextIO:
    assert sys.__stdout__ is not None
    return sys.__stdout__


@contextlib.contextmanager
def _one_stream(stream: TextIO) -> Iterator[None]:
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(stream.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


class HarmlessStream(io.TextIOWrapper):
    """A text stream that lets no command through."""

    _last = ""

    def write(self, text: str, /) -> int:
        """Write `text`; a command that comes in pieces is broken up between them."""
        joined = self._last in _SIGNS and text[:1] in _SIGNS and bool(text)
        super().write((_BREAK if joined else "") + harmless(text))
        self._last = text[-1:] or self._last
        return len(text)


def let_nothing_through() -> None:
    """From here on, what this process prints holds no command."""
    sys.stdout, sys.stderr = (
        HarmlessStream(stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
        for stream in (sys.stdout, sys.stderr)
    )
