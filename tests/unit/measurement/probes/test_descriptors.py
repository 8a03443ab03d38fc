"""What real processes have open."""

from __future__ import annotations

import math
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pacecar.measurement.probes.descriptors import Descriptors, read_descriptors
from pacecar.measurement.probes.process import ProcessGone
from support.watchdogs import line_of

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
    elif what == "listen":
        kept += [socket.create_server((number, 0), family=socket.AF_INET6 if ":" in number else socket.AF_INET)]
        print(kept[-1].getsockname()[1], flush=True)
    elif what == "accept":
        kept += [kept[0].accept()[0] for _ in range(int(number))]
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
        self._say(what)
        assert line_of(self._process) == "done\n"
        return read_descriptors(self.pid)

    def listens(self, host: str) -> int:
        """The port on which it now listens."""
        self._say(f"listen {host}")
        port = int(line_of(self._process))
        assert line_of(self._process) == "done\n"
        return port

    def _say(self, what: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()


@pytest.fixture
def opener() -> Iterator[Opener]:
    command = [sys.executable, "-c", OPENER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Opener(process)
        process.kill()


def test_files_and_connections_are_counted_as_they_come_and_go(opener: Opener) -> None:
    idle = opener.told("close all")
    assert (idle.descriptors, idle.connections) == (3, 0)
    assert opener.told("file 5") == Descriptors(descriptors=8, connections=0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        for _ in range(2):
            connected = opener.told(f"connection {server.getsockname()[1]}")
            server.accept()[0].close()
    assert connected == Descriptors(descriptors=10, connections=2)
    # Whose other end is gone, it still holds them: that is how connections leak.
    assert opener.told("unix 1") == Descriptors(descriptors=12, connections=2)
    assert opener.told("close all") == idle


@pytest.mark.parametrize("family", ["IPv4", "IPv6"])
def test_what_it_listens_on_counts_and_what_it_has_accepted_does_not(opener: Opener, family: str) -> None:
    host = {"IPv4": "127.0.0.1", "IPv6": "::1"}[family]
    if family == "IPv6" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("no IPv6 on this machine")
    port = opener.listens(host)
    listening = read_descriptors(opener.pid)
    assert listening == Descriptors(descriptors=4, connections=0)
    with socket.create_connection((host, port)), socket.create_connection((host, port)):
        opener.told("accept 2")
        assert read_descriptors(opener.pid) == listening


def test_a_table_that_takes_too_long_to_read_is_left_alone(tmp_path: Path) -> None:
    process = tmp_path / "7"
    (process / "fd").mkdir(parents=True)
    (process / "net").mkdir()
    (process / "fd" / "3").symlink_to("socket:[12]")
    row = "   0: 0100007F:1F90 00000000:0000 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0 100 0\n"
    (process / "net" / "tcp").write_text("heading\n" + row)
    assert read_descriptors(7, proc=tmp_path) == Descriptors(descriptors=1, connections=1)
    (process / "net" / "tcp").write_text("heading\n" + 50_000 * row)
    unknown = read_descriptors(7, proc=tmp_path)
    assert math.isnan(unknown.descriptors)
    assert math.isnan(unknown.connections)


def test_a_process_that_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    with pytest.raises(ProcessGone, match=f"Process {process.pid} ended"):
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
    assert told.stdout.strip() == str(Descriptors(descriptors=math.nan, connections=math.nan))
