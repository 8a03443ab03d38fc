"""Runs every seed of a reader through it, in this process: `python -m fuzzing.replay NAME`.

The name of each seed is printed before it is read, so the last one printed is the one that hung or crashed.
"""

from __future__ import annotations

import sys

from fuzzing import registry
from fuzzing.limits import confine


def main(name: str) -> None:
    """Read all of them. Raises what the reader lets through."""
    reader = registry.load(name)
    seeds = list(reader.seeds())
    confine(reader.limits)
    for seed, data in seeds:
        print(seed, flush=True)
        reader.parse(data)


if __name__ == "__main__":
    main(sys.argv[1])
