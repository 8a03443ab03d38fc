"""Runs a reader in a separate process with limited memory."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import resource, sys
{imports}
import pathlib
held = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
most = held + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (most, most))
{code}
"""


def confined(code: str, *arguments: object, imports: str, megabytes: int) -> str:
    """What `code` prints, run after `imports` with at most `megabytes` more than those took.

    Args:
        code: Python; `sys.argv[2:]` are the `arguments`.
        arguments: handed on as text.
        imports: what is imported before the limit counts.
        megabytes: a MemoryError, or a death, is what happens beyond.
    """
    script = _SCRIPT.format(imports=imports, code=code)
    command = [sys.executable, "-c", script, str(megabytes << 20), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
