"""Builds in advance what tests need and no package provides; otherwise tests would wait for it one after the other."""

from __future__ import annotations

from support import cluster, container_engine, go_programs, left_out
from support.cluster import images, kueue


def main() -> None:
    """Build all that is not in the cache and can be built here: what takes longest, then what is needed first."""
    if not cluster.lacking():
        for name in (*cluster.BUILT, kueue.PROGRAM):
            go_programs.program(name)
        if not images.lacking():
            images.prepare()
    for name in left_out.BUILT:
        if not go_programs.lacking(name):
            go_programs.program(name)
    if not container_engine.lacking():
        go_programs.program("docker-compose")
        container_engine.base_archive()


if __name__ == "__main__":
    main()
