"""HTTP answers that have to be whole by a moment.

`http.client` limits the wait for each piece of an answer: whoever sends a byte now and then is waited for without end.
"""

from __future__ import annotations

import http.client
import io
import math
import socket
import time
from typing import Any, cast


class TimelyConnection(http.client.HTTPConnection):
    """A connection whose answers have to be there by the moment `until`, in seconds of the monotonic clock.

    What comes later is a TimeoutError of whoever reads it.
    """

    until = math.inf

    def response_class(self, sock: socket.socket, *rest: Any, **named: Any) -> http.client.HTTPResponse:  # type: ignore[override]
        """Called as the class of answers."""
        answer = http.client.HTTPResponse(sock, *rest, **named)
        answer.fp = io.BufferedReader(_Received(answer.fp, sock, until=self.until))
        return answer


class _Received(io.RawIOBase):
    """What comes over a socket until a moment."""

    def __init__(self, received: io.BufferedReader, sock: socket.socket, *, until: float) -> None:
        self._received = received.detach()
        self._socket, self._until = sock, until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._socket.settimeout(None if math.isinf(left) else left)
        return cast(int | None, self._received.readinto(buffer))

    def close(self) -> None:
        self._received.close()
        super().close()
