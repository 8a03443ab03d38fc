"""Where the traceback of a fault of Pacecar's own is kept, for whoever is to mend it.

    STATE/failures/20250301-101500-4711-9f3a.txt    readable by its owner alone; the newest twenty stay

Nothing is written of local variables or of the arguments of the command, which may hold secrets.
"""

from __future__ import annotations

import contextlib
import os
import platform
import secrets
import stat
import tempfile
import time
import traceback
from pathlib import Path

from pacecar import __version__
from pacecar.system import paths

_KEPT = 20
#: What a traceback takes at most; of a longer one the beginning and the end are kept.
_BYTES = 200_000
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) != "\n"}


def keep(error: BaseException) -> Path | None:
    """Write the traceback of `error` to a private file.

    Returns:
        The file: in the user's state folder, else in a private folder for temporary files; None where neither can be
        written. Never raises an `Exception`.
    """
    with contextlib.suppress(Exception):
        content = _content(error)
        for folder in (_in_state, _in_temporary):
            with contextlib.suppress(Exception):
                return _written(folder(), content)
    return None


def place_of(error: BaseException) -> str:
    """Where `error` came from: the innermost of our own lines, as `judge/case.py:41`; "" when there is none."""
    ours = [
        f"{Path(frame.filename).relative_to(Path(__file__).parent)}:{frame.lineno}"
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(Path(__file__).parent) and Path(frame.filename).stem != "ending"
    ]
    return ours[-1] if ours else ""


def _content(error: BaseException) -> bytes:
    header = f"Pacecar {__version__}, Python {platform.python_version()}, {platform.platform()}\n\n"
    text = "".join(traceback.format_exception(error)).translate(_CONTROL)
    content = (header + text).encode("utf-8", "backslashreplace")
    if len(content) > _BYTES:
        half = _BYTES // 2
        content = content[:half] + b"\n[...]\n" + content[-half:]
    return content


def _in_state() -> Path:
    folder = paths.state() / "failures"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _in_temporary() -> Path:
    """A folder that nobody could have prepared for us: ours, no link, closed to others."""
    folder = Path(tempfile.gettempdir()) / f"pacecar-failures-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(folder)
    return folder


def _written(folder: Path, content: bytes) -> Path:
    path = folder / f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.getpid()}-{secrets.token_hex(2)}.txt"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
    for old in sorted(folder.glob("*.txt"))[:-_KEPT]:
        if old != path:  # the clock may have stepped back
            with contextlib.suppress(OSError):
                old.unlink()
    return path
