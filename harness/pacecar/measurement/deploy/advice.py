"""What to try when a fork does not get ready: told from what it answered, where it listens, and what it printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pacecar.measurement.deploy import readiness

_STATUS = re.compile(r"status (\d)(\d\d)")
#: What JVMs and servers print, and what helps.
_PRINTED = (
    (
        re.compile(r"no main manifest attribute"),
        "This jar cannot be started by itself: name another jar in source.artifact, or name a folder there and start "
        "the main class with -cp in target.command.",
    ),
    (
        re.compile(r"UnsupportedClassVersionError"),
        "It was built for a newer Java than the one that starts it: point JAVA_HOME to the newer one.",
    ),
    (
        re.compile(r"NoClassDefFoundError|ClassNotFoundException|ClassNotFound"),
        "A class is missing. Libraries beside a jar are kept when its manifest's Class-Path names them; otherwise, "
        "set source.artifact to the folder that holds them all.",
    ),
    (
        re.compile(r"BindException|Address already in use|[Pp]ort \d+ (?:was|is) already in use"),
        "The service has another fixed port, and both builds run at once: set that port to {port} or 0 in "
        "target.command, or set target.port to its number, so that they take turns.",
    ),
)


def advice(*, answer: str | None, path: str, port: int, listening: Sequence[int], printed: str) -> str | None:
    """One sentence or two for somebody whose fork was not ready in time, or ended before; None where nothing is known.

    Args:
        answer: what `readiness.ask` said last; None when the fork has ended.
        path: of the page it was asked for.
        port: the one it was given.
        listening: all ports on which it accepts connections, at any address.
        printed: the end of its log.
    """
    for pattern, help_ in _PRINTED:
        if pattern.search(printed):
            return help_
    if answer is None:
        return None
    if match := _STATUS.match(answer):
        return _on_status(int(match[1]), match[1] + match[2])
    if port in listening:
        return _on_silence(answer, path, port)
    if listening:
        there = " and ".join(map(str, listening))
        return (
            f"It listens on port {there} instead of {port}: pass it {{port}} in target.command or target.env, or, if "
            f"its port cannot be changed, set port = {listening[0]} under [target]."
        )
    return 'If it only starts slowly, give it more time: ready_timeout = "5 min" under [target].'


def _on_silence(answer: str, path: str, port: int) -> str:
    if answer == readiness.REFUSED:
        return f"It listens on port {port}, but not at 127.0.0.1: have it listen at 127.0.0.1 or at all addresses."
    return (
        f"It accepts connections on port {port}, but does not answer GET {path} in plain HTTP/1.1: turn TLS off there, "
        f"or name a page in target.ready that answers within {readiness.ATTEMPT_S:g} s."
    )


def _on_status(kind: int, status: str) -> str:
    if status in ("401", "403"):
        return "That page asks for a login: name one in target.ready that does not."
    if status == "400":
        return (
            "It refuses that request: name a page in target.ready that needs no parameters. If it refuses each one, "
            "turn off TLS on that port, or its check of the Host header."
        )
    if kind == 4:
        return "It is up, but has no such page: in target.ready, name one that answers 2xx, with the context path."
    if kind == 3:
        return "It is up, but redirects: name a page in target.ready that answers 2xx itself."
    return (
        "It is up but not healthy: start what it depends on, such as a database, before it, under "
        "[[target.dependencies]]."
    )
