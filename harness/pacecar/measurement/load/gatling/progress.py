"""How far the warm-up has got: the file in which the kit notes how many requests each side was sent."""

from __future__ import annotations

import re
from pathlib import Path

from pacecar.model.experiment import Side
from pacecar.system.foreign import files

#: Ample for hours of warm-up; a simulation may have written anything.
_LARGEST_FILE = 16 << 20
_COUNT = re.compile(r"[0-9]{1,18}")


def read_progress(path: Path) -> dict[Side, int]:
    """Requests sent to each side so far; sides of which nothing is known yet are left out.

    The last line may be in the making: it is left out too.
    """
    try:
        text = files.beginning(path, most=_LARGEST_FILE).decode(errors="replace")
    except OSError:
        return {}
    sent: dict[Side, int] = {}
    for line in text.splitlines(keepends=True):
        parts = line.rstrip("\n").split(",")
        if line.endswith("\n") and len(parts) == 3 and parts[1] in set(Side) and _COUNT.fullmatch(parts[2]):
            sent[Side(parts[1])] = int(parts[2])
    return sent
