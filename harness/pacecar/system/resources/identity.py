"""Who owns something, in words that another process can check: is that very process alive, dead, or beyond our sight?

A process id alone proves nothing. It is recycled within a boot, means another process in another PID namespace, and
after a restart or on another machine nothing at all. So an identity also holds the process's start in clock ticks, the
id of the boot, the namespace and the machine. No wall clock takes part.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

_TEXT = re.compile(
    r"(?P<pid>[0-9]{1,10})-(?P<started>[0-9]{1,20})-(?P<boot>[0-9a-f]{32})"
    r"-(?P<namespace>[0-9]{1,20})-(?P<host>[0-9a-f]{12})"
)


class Standing(StrEnum):
    """What can be proved of an owner. The text of the last four says why nothing can."""

    ALIVE = "alive"
    DEAD = "dead"
    OTHER_HOST = "owned on another machine"
    OTHER_BOOT = "owned before a restart, or on another machine that shares this folder"
    OTHER_NAMESPACE = "owned in another PID namespace, such as a container's"
    NO_PROC = "/proc does not show this PID namespace"

    @property
    def unknown(self) -> bool:
        """Whether the owner may be alive for all we can see."""
        return self not in (Standing.ALIVE, Standing.DEAD)


@dataclass(frozen=True, kw_only=True)
class Identity:
    """One process of one boot of one machine.

    Attributes:
        pid: process id in its own PID namespace.
        started: clock ticks from boot to its start.
        boot: random id of the boot, 32 hex digits.
        namespace: inode of its PID namespace.
        host: digest of the machine's id, 12 hex digits.
    """

    pid: int
    started: int
    boot: str
    namespace: int
    host: str

    @classmethod
    def own(cls) -> Identity:
        """This process."""
        return cls(
            pid=os.getpid(),
            started=_started("self") or 0,
            boot=_boot(),
            namespace=Path("/proc/self/ns/pid").stat().st_ino,
            host=_host(),
        )

    @classmethod
    def read(cls, text: str) -> Identity | None:
        """The identity that `str` gave as `text`; None when it is none."""
        match = _TEXT.fullmatch(text)
        if match is None:
            return None
        return cls(
            pid=int(match["pid"]),
            started=int(match["started"]),
            boot=match["boot"],
            namespace=int(match["namespace"]),
            host=match["host"],
        )

    def __str__(self) -> str:
        return f"{self.pid}-{self.started}-{self.boot}-{self.namespace}-{self.host}"

    def standing(self, *, local: bool) -> Standing:
        """What can be proved of this process by looking at the machine alone, locks left aside.

        Args:
            local: this identity was read from a file system that no other machine writes.
        """
        here = Identity.own()
        if self.host != here.host:
            return Standing.OTHER_HOST
        if self.boot != here.boot:
            return Standing.DEAD if local else Standing.OTHER_BOOT
        if self.namespace != here.namespace:
            return Standing.OTHER_NAMESPACE
        if self == here:
            return Standing.ALIVE
        if not sees_processes():
            return Standing.NO_PROC
        return Standing.ALIVE if _started(str(self.pid)) == self.started else Standing.DEAD


def sees_processes() -> bool:
    """Whether /proc shows our own PID namespace; in another one's, process ids name strangers."""
    try:
        return Path("/proc/self").readlink() == Path(str(os.getpid()))
    except OSError:
        return False


def _started(pid: str) -> int | None:
    """Clock ticks from boot to the start of a process; None when it is gone, or nobody has collected its end yet."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in ("Z", "X") else int(fields[19])


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip().replace("-", "")


def _host() -> str:
    # The id itself is confidential, see machine-id(5). Without one the name must do: a new name then proves nothing.
    try:
        name = Path("/etc/machine-id").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        name = ""
    return hashlib.sha256(f"pacecar {name or platform.node()}".encode("utf-8", "surrogateescape")).hexdigest()[:12]
