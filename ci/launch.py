"""Runs the Pacecar of this checkout, whatever lies in the working directory: start it with `python -I`.

Isolated, the interpreter heeds no variables and no files of the user's, and does not look for modules beside the
script.
"""

import os
import sys
from pathlib import Path

if not sys.flags.isolated:
    sys.exit("Start this with python -I, or modules of the working directory may be run.")
# Last, so that nothing in here stands in for a module of Python's.
sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))
# git, java and mvn are looked up there: an empty or relative entry would be the working directory.
os.environ["PATH"] = os.pathsep.join(filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep)))

from pacecar.__main__ import main

main()
