"""Runs the Pacecar of this checkout, whatever is in the working directory: start it with `python -I`.

An isolated interpreter ignores the user's variables and files, and does not look for modules beside the script.
"""

import os
import sys
from pathlib import Path

if not sys.flags.isolated:
    sys.exit("Start this with python -I, or modules of the working directory may be run.")
# Last, so that nothing here shadows a module of Python's.
sys.path.append(str(Path(__file__).resolve().parents[1] / "harness"))
# git, java and mvn are found there: an empty or relative entry would refer to the working directory.
os.environ["PATH"] = os.pathsep.join(filter(os.path.isabs, os.environ.get("PATH", "").split(os.pathsep)))

from pacecar.__main__ import main

main()
