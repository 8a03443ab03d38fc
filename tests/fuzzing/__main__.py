"""`python -m fuzzing`: see the package's docstring."""

from __future__ import annotations

import argparse
import importlib.util
import sys

from fuzzing import registry, runs


def main() -> int:
    """Fuzz the readers asked for; 1 when anything crashed."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing", description="Coverage-guided fuzzing of the readers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a module of tests/fuzzing/readers")
    parser.add_argument("--all", action="store_true", help="every reader; the time is divided among them")
    parser.add_argument("--minutes", type=float, default=10.0, help="in all (default 10)")
    parser.add_argument("--list", action="store_true", help="print the readers and how many seeds each has")
    arguments = parser.parse_args()
    if arguments.list:
        for name in registry.names():
            print(f"{name:24} {sum(1 for _ in registry.load(name).seeds())} seeds")
        return 0
    names = registry.names() if arguments.all else arguments.names
    if unknown := sorted(set(names) - set(registry.names())):
        parser.error(f"no reader is called {unknown[0]}; there are {', '.join(registry.names())}")
    if not names:
        parser.error("name a reader, or --all")
    if importlib.util.find_spec("atheris") is None:
        print("Fuzzing needs atheris: make .venv/fuzz-ready", file=sys.stderr)
        return 2
    return max(_fuzz(name, minutes=arguments.minutes / len(names)) for name in names)


def _fuzz(name: str, *, minutes: float) -> int:
    found = runs.fuzz(registry.load(name), seconds=60 * minutes)
    print(
        f"{name}: {found.executions:,} executions in {found.seconds:.0f} s, coverage {found.coverage}, "
        f"at most {found.peak_mb} MB, {len(found.crashes) or 'no'} crashes",
        flush=True,
    )
    if found.outgrown:
        print(f"{name}: began anew {found.outgrown} times: the process had grown by all that it had read", flush=True)
    for seed, output in found.crashes.items():
        print(f"--- seeds/{name}/{seed}\n{output}\n---", flush=True)
    return 1 if found.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
