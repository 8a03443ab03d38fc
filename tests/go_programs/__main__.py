"""`python tests/go_programs NAME ARGUMENT...`: runs a program, or says in one line why it is left out."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from go_programs import lacking, program

if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    if lack := lacking(name):
        print(f"left out: {name} ({lack})")
        sys.exit(0)
    os.execv(program(name), [name, *arguments])
