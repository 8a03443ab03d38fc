"""Says in one line each what `make test` leaves out on this machine, and how to get it."""

from __future__ import annotations

import shutil

import container_engine

#: programs (any of them) -> what their absence leaves out, and the remedy
OPTIONAL = {
    ("chromium", "chromium-browser", "google-chrome"): ("the report in a real browser", "apt-get install chromium"),
    ("npm",): ("the TypeScript tests", "apt-get install nodejs npm"),
    ("go",): ("the check of workflow files in `make lint`", "apt-get install golang-go"),
}


def main() -> None:
    """Print one line per absent part."""
    for programs, (what, remedy) in OPTIONAL.items():
        if not any(shutil.which(program) for program in programs):
            print(f"left out: {what} (no {programs[0]}; {remedy})")
    if lacking := container_engine.lacking():
        print(f"left out: deploying by Compose on a real engine ({lacking})")


if __name__ == "__main__":
    main()
