# ruff: noqa: E501  seeds are lines of other formats
"""What the kernel says about a container: its groups and their files, separated by zero bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import astuple
from itertools import zip_longest

from fuzzing import scratch
from pacecar.measurement.probes.cgroup import read_account

_FILES = ("proc/1/cgroup", "proc/1/net/dev", "two/cpu.stat", "two/cpu.max", "two/memory.stat", "two/memory.max")


def parse(data: bytes) -> None:
    # Every file is written each time: what an earlier input left there must not be read as this one's.
    for name, content in zip_longest(_FILES, data.split(b"\0")[: len(_FILES)], fillvalue=b""):
        path = scratch.path(str(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (scratch.path("two") / "cgroup.controllers").touch()
    account = read_account(1, proc=scratch.path("proc"), cgroups=scratch.path("two"))
    assert all(math.isnan(value) or math.isfinite(value) for value in astuple(account))


def seeds() -> Iterator[bytes]:
    yield b"0::/\n\0a\nb\neth0: 1 2 3 4 5 6 7 8 9\n\0usage_usec 5\nnr_periods 1\n\0max 100000\0anon 4096\nfile_mapped 1\n\0max\n"
    yield b"3:cpu,cpuacct:/a\n2:memory:/a\n0::/..\n\0\0\0\x3150000 100000"
    yield b"0::/\n\0\0\0\0anon 4096\n\0\x1c 9\n"
