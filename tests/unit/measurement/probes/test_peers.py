"""What real processes on the other end of real connections use."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pacecar.measurement.probes.peers import PeerReader
from support.watchdogs import line_of

#: Listens, and serves every connection with a process of its own, as PostgreSQL does; each works until it is told to
#: stop, and says how much it worked.
DATABASE = """
import os, socket, sys, time
server = socket.create_server((sys.argv[1], 0), family=socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET)
print(server.getsockname()[1], flush=True)
while True:
    connection, _ = server.accept()
    if os.fork() == 0:
        server.close()
        work_s = float(connection.recv(10))
        while time.process_time() < work_s:
            pass
        connection.send(b"done")
        connection.recv(10)
        os._exit(0)
    connection.close()
    os.waitpid(-1, os.WNOHANG)
"""
#: Connects to the ports it is told, one a line, asks for so much work, and keeps the connections.
SERVICE = """
import socket, sys
kept = []
for line in sys.stdin:
    host, port, work = line.split()
    kept += [socket.create_connection((host, int(port)))]
    kept[-1].send(work.encode())
    assert kept[-1].recv(10) == b"done"
    print("done", flush=True)
"""


class Running:
    """A child of the test that talks."""

    def __init__(self, stack: ExitStack, code: str, *arguments: str) -> None:
        self._process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-c", code, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        )
        stack.callback(self._process.kill)
        self.pid = self._process.pid

    def line(self) -> str:
        return line_of(self._process).strip()

    def told(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        assert self.line() == "done"


@pytest.fixture
def run() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_database_and_what_serves_a_connection_are_peers(run: ExitStack, host: str) -> None:
    if host == "::1" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("no IPv6 on this machine")
    database, other, service = Running(run, DATABASE, host), Running(run, DATABASE, host), Running(run, SERVICE)
    port = database.line()
    assert other.line() != port
    reader = PeerReader()
    assert reader.read(service.pid) == ()
    service.told(f"{host} {port} 0.3")
    found = reader.read(service.pid)
    assert database.pid in {peer.process for peer in found}
    assert len(found) == 2, "the one that listens, and the one that serves"
    assert 0.3 <= sum(peer.cpu_ns for peer in found) / 1e9 < 5
    assert all(abs(peer.started_ns / 1e9 - time.time()) < 60 for peer in found)
    assert other.pid not in {peer.process for peer in found}


def test_what_is_known_already_is_left_out(run: ExitStack) -> None:
    database, service = Running(run, DATABASE, "127.0.0.1"), Running(run, SERVICE)
    service.told(f"127.0.0.1 {database.line()} 0")
    reader = PeerReader()
    both = {peer.process for peer in reader.read(service.pid)}
    assert len(both) == 2
    assert reader.read(service.pid, known=both) == ()
    (left,) = reader.read(service.pid, known=both - {database.pid})
    assert left.process == database.pid


def test_who_connects_to_the_service_is_no_peer_of_it(run: ExitStack) -> None:
    database, service = Running(run, DATABASE, "127.0.0.1"), Running(run, SERVICE)
    service.told(f"127.0.0.1 {database.line()} 0")
    assert PeerReader().read(database.pid) == ()


def test_we_ourselves_are_no_peer(run: ExitStack) -> None:
    service = Running(run, SERVICE.replace("assert", "print('done', flush=True); continue;"))
    with socket.create_server(("127.0.0.1", 0)) as receiver:
        service.told(f"127.0.0.1 {receiver.getsockname()[1]} 0")
        assert PeerReader().read(service.pid) == ()


def test_a_process_that_is_gone_has_no_peers() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert PeerReader().read(process.pid) == ()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_database_of_another_user_is_known_by_the_user(run: ExitStack) -> None:
    become = "os.setgroups([]); os.setgid({0}); os.setuid({0})\n"
    database = Running(run, DATABASE.replace("server =", become.format(64_001) + "server ="), "127.0.0.1")
    # Whoever measures sees the files of his own service alone; setuid has hidden those, too.
    code = (
        "import ctypes, os, socket, sys, time\n"
        "from pacecar.measurement.probes.peers import PeerReader\n"
        "connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))\n"
        f"{become.format(64_002)}"
        "ctypes.CDLL(None).prctl(4, 1)\n"  # PR_SET_DUMPABLE
        "service = os.fork()\n"
        "service or time.sleep(60)\n"
        "print([peer.process for peer in PeerReader().read(service)])\n"
        "os.kill(service, 9)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, database.line()], capture_output=True, text=True, check=True, timeout=60
    )
    assert str(database.pid) in told.stdout
