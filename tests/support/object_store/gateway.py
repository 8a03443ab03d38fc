"""A real S3-compatible server for tests and benchmarks: versitygw, which keeps buckets as folders."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support import go_programs

ACCESS_KEY = "pacecar"
SECRET_KEY = "not-a-secret-of-anybody"
BUCKET = "performance"


@dataclass(frozen=True, kw_only=True)
class Gateway:
    """A server that runs. `data` holds its buckets as folders; `log` what it says."""

    endpoint: str
    data: Path
    log: Path

    @property
    def url(self) -> str:
        """A prefix in its only bucket."""
        return f"s3://{BUCKET}/orders"

    @property
    def environment(self) -> dict[str, str]:
        """Credentials as its users have them, and nothing of the machine's own."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return kept | {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}


@contextlib.contextmanager
def running(folder: Path, data: Path | None = None) -> Iterator[Gateway]:
    """A server on a free port of the loopback address, with one bucket; ends on leaving."""
    data = data or folder / "data"
    (data / BUCKET).mkdir(parents=True)
    log = folder / "gateway.log"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY}
    command: list[str | Path] = [
        go_programs.program("versitygw"),
        "--port",
        f"127.0.0.1:{port}",
        "--quiet",
        "posix",
        "--sidecar",
        folder / "sidecar",
        data,
    ]
    (folder / "sidecar").mkdir()
    with log.open("wb") as output, subprocess.Popen(command, env=environment, stdout=output, stderr=output) as process:
        try:
            _await(port, process, log)
            yield Gateway(endpoint=f"http://127.0.0.1:{port}", data=data, log=log)
        finally:
            process.terminate()


def _await(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    while process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise RuntimeError(log.read_text())
