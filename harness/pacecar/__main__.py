"""The program `pacecar`, also as `python -m pacecar`."""

from __future__ import annotations

import sys

from pacecar.ending import guarded


def main() -> None:
    """Run the command line and leave with one of the documented exit codes."""
    sys.exit(guarded(_command))


def _command() -> int:
    from pacecar.cli import run  # within the guard: a library may be damaged, or a signal come meanwhile

    return run()


if __name__ == "__main__":
    main()
