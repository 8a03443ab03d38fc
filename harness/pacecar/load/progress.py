"""How far the warm-up has got: the file in which the kit notes how many requests each side was sent."""

from __future__ import annotations

from pathlib import Path

from pacecar.experiment import Side

#: Ample for hours of warm-up; a simulation may have written anything.
_LARGEST_FILE = 16 << 20


def read_progress(path: Path) -> dict[Side, int]:
    """Requests sent to each side so far; sides of which nothing is known yet are left out.

    The last line may be in the making: it is left out too.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST_FILE).decode(errors="replace")
    except FileNotFoundError:
        return {}
    sent: dict[Side, int] = {}
    for line in text.splitlines(keepends=True):
        parts = line.rstrip("\n").split(",")
        if line.endswith("\n") and len(parts) == 3 and parts[1] in set(Side) and parts[2].isdecimal():
            sent[Side(parts[1])] = int(parts[2])
    return sent
