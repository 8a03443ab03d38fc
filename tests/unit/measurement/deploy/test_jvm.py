"""Which process is the service, and where its counter agent listens, with processes that do as a JVM does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from pacecar.measurement.deploy.jvm import agent_socket, find_service, pid_inside
from support.watchdogs import line_of

#: Binds the socket of an agent, then starts another process that does as well.
_AGENTS = """
import os, socket, subprocess, sys
listening = socket.socket(socket.AF_UNIX)
listening.bind(f"{sys.argv[1]}.{os.getpid()}")
listening.listen()
if len(sys.argv) > 2:
    with subprocess.Popen([sys.executable, "-c", sys.argv[2], sys.argv[1]], stdout=subprocess.PIPE) as child:
        child.stdout.read(1)
        print(child.pid, flush=True)
        input()
        child.kill()
else:
    print("up", flush=True)
    input()
"""


def test_each_of_several_listens_for_itself(tmp_path: Path) -> None:
    told = tmp_path / "counters.sock"
    with subprocess.Popen(
        [sys.executable, "-c", _AGENTS, told, _AGENTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        child = int(line_of(process))
        assert find_service(process.pid, port=1, socket=told).pid == process.pid
        assert agent_socket(told, process.pid).is_socket()
        assert agent_socket(told, child).is_socket()
        assert agent_socket(told, child) != agent_socket(told, process.pid)
        process.communicate("\n")


def test_behind_a_script_it_is_the_one_that_listens(tmp_path: Path) -> None:
    told = tmp_path / "counters.sock"
    command = ["sh", "-c", '"$@"; :', "sh", sys.executable, "-c", _AGENTS, str(told)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert line_of(process) == "up\n"
        service = find_service(process.pid, port=1, socket=told)
        assert service.ppid() == process.pid
        assert agent_socket(told, service.pid).is_socket()
        process.communicate("\n")


def test_a_process_in_a_namespace_of_its_own_has_the_id_that_it_sees() -> None:
    command = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "sh", "-c", "echo $$; read line"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if line_of(process) != "1\n":
            pytest.skip("this machine lets nobody make a namespace")
        (inside,) = psutil.Process(process.pid).children()
        assert pid_inside(inside.pid) == 1
        assert agent_socket(Path("/run/counters.sock"), inside.pid) == Path("/run/counters.sock.1")
        assert pid_inside(process.pid) == process.pid
        process.communicate("\n")


def test_a_name_that_is_cut_within_a_character_does_not_matter() -> None:
    code = "open('/proc/self/comm', 'w').write('订单-处理线程'); print('up', flush=True); input()"
    command = [sys.executable, "-X", "utf8", "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert line_of(process) == "up\n"
        assert pid_inside(process.pid) == process.pid  # it is in no other namespace than we are
        process.communicate("\n")
