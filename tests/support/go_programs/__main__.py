"""`python -m support.go_programs NAME ARGUMENT...`: runs a program, or says in one line why it is left out."""

from __future__ import annotations

import os
import sys

from support.go_programs import lacking, program

if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    if lack := lacking(name):
        print(f"left out: {name} ({lack})")
        sys.exit(0)
    os.execv(program(name), [name, *arguments])
