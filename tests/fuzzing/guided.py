"""One reader in this process under libFuzzer: `python -m fuzzing.guided NAME PROGRAM LIBFUZZER-ARGUMENTS…`.

PROGRAM is the command with which libFuzzer starts this module again for its merges.
"""

from __future__ import annotations

import os
import resource
import sys

import atheris

from fuzzing import registry
from fuzzing.limits import confine

_NICE = 19


def main(name: str, program: str, arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends the process."""
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with atheris.instrument_imports(include=registry.watched(name)):
        reader = registry.load(name)
    # Whatever is imported and remembered at first use must not count as an input's memory.
    for data in reader.made():
        reader.parse(data)
    atheris.Setup([program, *arguments], reader.parse)
    confine(reader.limits)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
