"""Says what `make test` leaves out on this machine, in one line each, and how to get it."""

from __future__ import annotations

import shutil

from support import cluster, container_engine, go_programs
from support.cluster import images

#: programs (any of them) -> what their absence leaves out, and the remedy
OPTIONAL = {
    ("chromium", "chromium-browser", "google-chrome"): ("the report in a real browser", "apt-get install chromium"),
    ("npm",): ("the TypeScript tests, and those against GitHub's API", "apt-get install nodejs npm"),
    ("prometheus",): ("a real Prometheus server", "apt-get install prometheus"),
}
#: program built for the tests -> what its absence leaves out
BUILT = {
    "versitygw": "the archive in a real S3 server",
    "pyroscope": "a real Pyroscope server",
    "act": "workflows under act",
}


def main() -> None:
    """Print one line per absent part."""
    for programs, (what, remedy) in OPTIONAL.items():
        if not any(shutil.which(program) for program in programs):
            print(f"left out: {what} (no {programs[0]}; {remedy})")
    for name, what in BUILT.items():
        if lack := go_programs.lacking(name):
            print(f"left out: {what} ({lack})")
    if lack := container_engine.lacking():
        print(f"left out: deploying by Compose on a real engine ({lack})")
    if lack := cluster.lacking() or images.lacking():
        print(f"left out: a real Kubernetes cluster ({lack})")


if __name__ == "__main__":
    main()
