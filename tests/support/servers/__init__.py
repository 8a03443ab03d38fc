"""Servers that people run beside their services. A test starts them on loopback and ends them.

Prometheus is Debian's. Pyroscope is built once, from the Go module proxy, into the user's cache.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from pacecar.measurement.deploy.ports import free_port
from support import go_programs

_READY_S = 90


def pyroscope_program() -> Path:
    """The server without its web pages; made where it is not there: some minutes on two cores."""
    if lack := go_programs.lacking("pyroscope"):
        pytest.skip(lack)
    return go_programs.program("pyroscope")


@contextlib.contextmanager
def pyroscope(folder: Path, *options: str) -> Iterator[str]:
    """The address of a Pyroscope server that keeps everything in `folder`."""
    port = free_port()
    loopback = (
        *("server.http-listen-address", "server.grpc-listen-address", "memberlist.bind-addr"),
        *("compactor.ring.instance-addr", "distributor.ring.instance-addr", "overrides-exporter.ring.instance-addr"),
        *("query-frontend.instance-addr", "query-scheduler.ring.instance-addr"),
        *("store-gateway.sharding-ring.instance-addr", "ingester.lifecycler.addr"),
    )
    settings = dict.fromkeys(loopback, "127.0.0.1") | {
        "server.http-listen-port": str(port),
        "server.grpc-listen-port": str(free_port()),
        "memberlist.bind-port": str(free_port()),
        "ingester.min-ready-duration": "0s",
        "pyroscopedb.data-path": str(folder / "data"),
        "storage.backend": "filesystem",
        "storage.filesystem.dir": str(folder / "shared"),
        "blocks-storage.bucket-store.sync-dir": str(folder / "sync"),
        "compactor.data-dir": str(folder / "compactor"),
        "self-profiling.disable-push": "true",
        "usage-stats.enabled": "false",
        "log.level": "warn",
    }
    command = [str(pyroscope_program()), *(f"-{name}={value}" for name, value in settings.items()), *options]
    with _running(command, folder, f"http://127.0.0.1:{port}", ready="/ready") as url:
        yield url


@contextlib.contextmanager
def prometheus(folder: Path, scrape_configs: str, *, interval: str = "1s") -> Iterator[str]:
    """The address of a Prometheus server with these `scrape_configs` (YAML, a list)."""
    if shutil.which("prometheus") is None:
        pytest.skip("no Prometheus: apt-get install prometheus")
    folder.mkdir(exist_ok=True)
    config = folder / "prometheus.yml"
    config.write_text(
        f"global: {{scrape_interval: {interval}, scrape_timeout: 1s}}\nscrape_configs:\n{scrape_configs}\n"
    )
    address = f"127.0.0.1:{free_port()}"
    command = [
        *("prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder / 'tsdb'}"),
        *(f"--web.listen-address={address}", "--log.level=warn"),
    ]
    with _running(command, folder, f"http://{address}", ready="/-/ready") as url:
        yield url


@contextlib.contextmanager
def _running(command: list[str], folder: Path, url: str, *, ready: str) -> Iterator[str]:
    folder.mkdir(exist_ok=True)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + _READY_S
        while not _answers(url + ready):
            tail = (folder / "log").read_text(errors="replace")[-2000:]
            assert process.poll() is None, tail
            assert time.monotonic() < deadline, tail
            time.sleep(0.2)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
