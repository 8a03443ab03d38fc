"""A Pacecar process with one fork, which `forks` starts and kills or lets end: `owner FOLDER JAR [--hold]`."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from pacecar.system.resources import Resources
from support.container_engine.project import Project

_HOLD_S = 600


def main() -> None:
    """Deploy the fork, print `started`, wait until it is up, hold it if asked to, stop it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("jar", type=Path)
    parser.add_argument("--hold", action="store_true")
    asked = parser.parse_args()
    with Resources() as resources:
        fork = Project(folder=asked.folder, resources=resources, jar=asked.jar).deploy()
        print("started", flush=True)
        fork.await_ready()
        if asked.hold:
            time.sleep(_HOLD_S)
        fork.stop()


if __name__ == "__main__":
    main()
