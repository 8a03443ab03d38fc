"""The container engine of this machine, asked through its own command-line program.

Contexts, sockets, certificates and credentials are the program's business: Pacecar reaches whatever engine the user
reaches. `compose` is the same for compose files, `removal` for ending what Pacecar has started.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pacecar.errors import UsageError
from pacecar.system import environment
from pacecar.text import hidden

PROGRAM = "docker"
#: The label by which everything Pacecar has started is found again; its value names the owner.
OWNER = "dev.pacecar.owner"
#: The label with the name of the one fork that a container, network or volume belongs to.
FORK = "dev.pacecar.fork"

_TIMEOUT_S = 60.0
_VERSION_S, _VERSION_LENGTH = 20.0, 100
_UNPRINTABLE = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SENTENCE = 400


class EngineError(UsageError):
    """The engine cannot be reached, or refuses what it is asked for."""


def ask(arguments: Sequence[str], *, timeout_s: float = _TIMEOUT_S, host: str | None = None) -> str:
    """What the engine's program prints for `arguments`.

    Args:
        arguments: without the program's name.
        timeout_s: for the answer.
        host: address of the engine; None for the one that the user's own commands reach.

    Raises:
        EngineError: when it cannot be reached, fails, or takes too long.
    """
    status, out, complaint = call(arguments, timeout_s=timeout_s, host=host)
    if status != 0:
        raise refused(complaint, what=" ".join(arguments[:2]))
    return out


def version() -> str:
    """What the engine is, in two words. Raises EngineError when it cannot be reached."""
    answer = ask(["version", "--format", "{{.Server.Version}}"], timeout_s=_VERSION_S).strip()
    first = answer.splitlines()[0] if answer else "no answer"
    return f"Docker {_UNPRINTABLE.sub('', first)[:_VERSION_LENGTH]}"


def call(
    arguments: Sequence[str], *, timeout_s: float = _TIMEOUT_S, host: str | None = None, inherit: Iterable[str] = ()
) -> tuple[int, str, str]:
    """Exit status, output and complaint of the engine's program.

    Args:
        arguments: as for `ask`.
        timeout_s: as for `ask`.
        host: as for `ask`.
        inherit: variables that it gets beside the usual.

    Raises:
        EngineError: when the engine cannot be reached, or does not answer in time.
    """
    surroundings = environment.of_engine(inherit) | ({"DOCKER_HOST": host} if host else {})
    try:
        done = subprocess.run(
            [PROGRAM, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            env=surroundings,
            check=False,
            start_new_session=True,  # an impatient Ctrl-C must not cut short the removal of containers
        )
    except FileNotFoundError as error:
        raise EngineError(
            "There is no docker program.", hint="apt-get install docker.io, then: pacecar doctor"
        ) from error
    except OSError as error:
        raise EngineError(f"docker cannot be started: {error.strerror}.", hint="pacecar doctor") from error
    except subprocess.TimeoutExpired as error:
        raise EngineError(
            f"The container engine did not answer `docker {' '.join(arguments[:2])}` within {timeout_s:g} s.",
            hint="See whether it works at all: docker info",
        ) from error
    complaint = done.stderr.decode("utf-8", "replace")
    if done.returncode != 0:
        unreachable(complaint)
    return done.returncode, done.stdout.decode("utf-8", "replace"), complaint


def unreachable(complaint: str) -> None:
    """Raise EngineError when `complaint` says that there is no engine, or none for this user."""
    if "permission denied while trying to connect" in complaint or (
        "dial unix" in complaint and "permission denied" in complaint
    ):
        raise EngineError(
            "This user may not use the container engine: permission denied on its socket.",
            hint="Add the user to its group and log in again: sudo usermod -aG docker $USER",
        )
    if "Cannot connect to the Docker daemon" in complaint or "Is the docker daemon running" in complaint:
        raise EngineError(
            "The container engine cannot be reached: nothing answers on its socket.",
            hint="Start it: sudo systemctl start docker; or set DOCKER_HOST to where it listens",
        )


def refused(complaint: str, *, what: str) -> EngineError:
    """The error for a command that failed with `complaint`."""
    return EngineError(f"docker {what} failed: {last_words(complaint)}", hint="See what the engine says: docker info")


def last_words(complaint: str, *, lines: int = 1) -> str:
    """The last lines of what a program complained of, fit to be shown."""
    plain = [_UNPRINTABLE.sub("", line).strip() for line in complaint.splitlines()]
    said = [hidden.text(line.removeprefix("Error response from daemon: ")) for line in plain if line]
    return "\n".join(line[:_SENTENCE] for line in said[-lines:]) or "it did not say why"


def inspect(kind: str, name: str) -> Mapping[str, Any] | None:
    """What the engine knows of one container, image, network or volume; None when there is none of that name.

    Raises:
        EngineError: when the engine cannot be reached.
    """
    status, out, _ = call([kind, "inspect", name])
    found = json.loads(out) if status == 0 and out.strip() else []
    return found[0] if found and isinstance(found[0], dict) else None
