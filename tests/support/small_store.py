"""A store that a service depends on, as one script, and what can be seen of it from outside."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from pacecar.measurement.deploy.dependencies import Dependencies

#: A store of a few lines. Arguments: port, folder, what is odd about it. It tells of itself by a file in its folder.
STORE = """
import http.server, json, os, pathlib, signal, subprocess, sys, time
port, folder, mode = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
print("store in mode", mode, flush=True)
about = {"env": dict(os.environ), "pid": os.getpid(), "cpus": sorted(os.sched_getaffinity(0)), "cwd": os.getcwd(),
         "arguments": sys.argv[4:], "started": time.time()}
(folder / "about.json").write_text(json.dumps(about))
if mode == "exits":
    sys.exit("no space left")
if mode == "silent":
    time.sleep(60)
if mode == "away" and os.fork():
    sys.exit(0)
if mode == "leaves":
    # A process in a session of its own, whose parent is gone at once, and which listens.
    code = "import socket, sys, time; s = socket.create_server(('127.0.0.1', 0)); "
    code += "print(s.getsockname()[1], flush=True); time.sleep(60)"
    script = 'setsid "$0" -c "$1" > "$2" 2>&1 < /dev/null & '
    (folder / "left").touch()
    subprocess.run(["sh", "-c", script, sys.executable, code, str(folder / "left")], check=True)
    while not (folder / "left").read_text():
        time.sleep(0.01)
if mode == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if mode == "chatty":
    for _ in range(70):
        sys.stdout.write("x" * (1 << 20) + "\\n")

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(503 if mode == "broken" else 200)
        self.end_headers()
    def log_message(self, *arguments):
        pass

server = http.server.HTTPServer(("127.0.0.1", port), Handler)
print("ready to serve", flush=True)
server.serve_forever()
"""


def about(dependencies: Dependencies, name: str = "store") -> dict[str, Any]:
    """What a store has told of itself."""
    found: dict[str, Any] = json.loads(Path(dependencies.places[f"{name}.folder"], "about.json").read_text())
    return found


def gone(pid: int) -> bool:
    """Whether a process has ended."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def until(happened: Callable[[], object]) -> None:
    """Wait; the test's own time-out ends it."""
    while not happened():
        time.sleep(0.01)


def stores_left() -> list[psutil.Process]:
    """Those that run, of this test."""
    return [each for each in psutil.process_iter(["cmdline"]) if _is_store(each)]


def _is_store(process: psutil.Process) -> bool:
    script = os.environ["PACECAR_STATE"].rpartition("/")[0] + "/store.py"
    return script in (process.info["cmdline"] or []) and not gone(process.pid)
