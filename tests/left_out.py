"""Says in one line each what `make test` leaves out on this machine, and how to get it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import container_engine

#: What the modules below tests/servers need.
OLDEST_GO = (1, 22)
#: programs (any of them) -> what their absence leaves out, and the remedy
OPTIONAL = {
    ("chromium", "chromium-browser", "google-chrome"): ("the report in a real browser", "apt-get install chromium"),
    ("npm",): ("the TypeScript tests, and those against GitHub's API", "apt-get install nodejs npm"),
    ("prometheus",): ("a real Prometheus server", "apt-get install prometheus"),
}


def has_go() -> bool:
    """Whether there is a Go to build actionlint and act with."""
    if shutil.which("go") is None:
        return False
    answer = subprocess.run(["go", "version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"go(\d+)\.(\d+)", answer)
    return version is not None and (int(version[1]), int(version[2])) >= OLDEST_GO


def main() -> None:
    """Print one line per absent part."""
    if "--has-go" in sys.argv:
        sys.exit(not has_go())
    if not has_go():
        print("left out: workflows under act, and their check in `make lint` (no Go 1.21 or newer; https://go.dev/dl)")
    for programs, (what, remedy) in OPTIONAL.items():
        if not any(shutil.which(program) for program in programs):
            print(f"left out: {what} (no {programs[0]}; {remedy})")
    if lack := no_pyroscope():
        print(f"left out: a real Pyroscope server ({lack})")
    if lacking := container_engine.lacking():
        print(f"left out: deploying by Compose on a real engine ({lacking})")


def no_pyroscope() -> str:
    """Why a Pyroscope server cannot be built here; "" when it can."""
    go = shutil.which("go")
    if go is None:
        return "no Go: apt-get install golang-go"
    version = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=False).stdout.strip()
    found = re.match(r"go(\d+)\.(\d+)", version)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_GO:
        return f"{version or 'this Go'} is older than 1.22: https://go.dev/dl"
    return ""


if __name__ == "__main__":
    main()
