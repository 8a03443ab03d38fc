"""What real processes have open."""

from __future__ import annotations

import math
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from pacecar.measurement.probes.descriptors import Descriptors, read_descriptors
from pacecar.measurement.probes.process import ProcessGone

#: Opens or closes what a line on stdin tells it to, and answers each line once that is done.
OPENER = """
import socket, sys
kept = []
for line in sys.stdin:
    what, number = line.split()
    if what == "file":
        kept += [open("/dev/null") for _ in range(int(number))]
    elif what == "connection":
        kept += [socket.create_connection(("127.0.0.1", int(number)))]
    elif what == "unix":
        kept += socket.socketpair()
    else:
        for each in kept: each.close()
        kept = []
    print("done", flush=True)
"""


class Opener:
    """A process that opens what it is told to."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = process.pid

    def told(self, what: str) -> Descriptors:
        """What it has open, once it has done `what`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"
        return read_descriptors(self.pid)


@pytest.fixture
def opener() -> Iterator[Opener]:
    command = [sys.executable, "-c", OPENER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Opener(process)
        process.kill()


def test_files_and_sockets_are_counted_as_they_come_and_go(opener: Opener) -> None:
    idle = opener.told("close all")
    files = opener.told("file 5")
    assert (files.descriptors - idle.descriptors, files.sockets - idle.sockets) == (5, 0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        opener.told(f"connection {port}")
        connected = opener.told(f"connection {port}")
        assert (connected.descriptors - idle.descriptors, connected.sockets - idle.sockets) == (7, 2)
    # Whose other end is gone, it still holds them: that is how connections leak.
    pair = opener.told("unix 1")
    assert (pair.descriptors - idle.descriptors, pair.sockets - idle.sockets) == (9, 4)
    assert opener.told("close all") == idle


def test_a_process_that_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    with pytest.raises(ProcessGone, match=f"Process {process.pid} has ended"):
        read_descriptors(process.pid)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_of_somebody_elses_process_nothing_is_known(opener: Opener) -> None:
    # As a user without rights sees one in a container: it is there, and its descriptors are not shown.
    code = (
        "import os, sys\n"
        "from pacecar.measurement.probes.descriptors import read_descriptors\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "print(read_descriptors(int(sys.argv[1])))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(opener.pid)], capture_output=True, text=True, check=True, timeout=60
    )
    assert told.stdout.strip() == str(Descriptors(descriptors=math.nan, sockets=math.nan))
