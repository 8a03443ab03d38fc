"""Asking a program of ours in a pod."""

from __future__ import annotations

import hashlib
import http.client
import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, ClassVar
from urllib.parse import quote

from pacecar.errors import MeasurementError
from pacecar.measurement.pods.files import DIGEST
from pacecar.system.disk import room_for
from pacecar.system.foreign.timely import TimelyConnection
from pacecar.text.plain import cleaned

ANSWER_S, TRANSFER_S = 10.0, 300.0
#: A second more for each so many bytes of a file.
_BYTES_PER_S = 1 << 20
#: Of an answer that is no file.
_MOST_BYTES = 64 << 20
_PIECE_BYTES = 1 << 20
_SAID_BYTES = 200


@dataclass(frozen=True, kw_only=True)
class PodClient(ABC):
    """Speaks to one program. May be used by several threads, each of which has a connection of its own.

    Attributes:
        host: address of its pod.
        port: where it listens.
        token: that it wants.
    """

    #: What messages call the program.
    who: ClassVar[str]

    host: str
    port: int
    token: str = field(repr=False)
    _kept: dict[int, TimelyConnection] = field(default_factory=dict, repr=False)

    @abstractmethod
    def lost(self, message: str, *, hint: str | None = None) -> MeasurementError:
        """The error for a program that does not answer as it should."""

    def refusal(self, what: str, status: int, said: str) -> Exception:
        """The error for an answer of another status than 200."""
        return self.lost(f"{self.who} at {self.host} refused {what}: {said or status}.")

    def put(self, name: str, file: Path) -> None:
        """Have it take a file, under `name` below its folder of files. Raises what `lost` returns."""
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
            content.seek(0)
            size = file.stat().st_size
            headers = {DIGEST: digest, "Content-Length": str(size)}
            timeout_s = _transfer_s(size)
            self._ask(f"files/{quote(name)}", _sent(content, timeout_s), timeout_s=timeout_s, headers=headers)

    def ask(
        self,
        what: str,
        question: Mapping[str, Any] | None = None,
        *,
        timeout_s: float = ANSWER_S,
        most: int = _MOST_BYTES,
    ) -> bytes:
        """The answer to a question, of at most so many bytes, all of it within `timeout_s`.

        Raises what `lost` or `refusal` returns.
        """
        return self._ask(what, json.dumps(question or {}).encode(), timeout_s=timeout_s, most=most)

    def fetch(self, what: str, into: Path, *, most: int) -> None:
        """Have it hand out a file of at most `most` bytes, which is written to `into` piece by piece.

        Nothing is left of one that is larger or was cut short. Raises what `lost` or `refusal` returns, and NoRoom.
        """
        answer = self._answer(what, b"{}", timeout_s=_transfer_s(most))
        if answer.status != http.client.OK:
            raise self._refused(what, answer, self._read(answer, _SAID_BYTES))
        part = into.with_name(f"{into.name}.part")
        try:
            with room_for(into), part.open("wb") as file:
                for piece in self._pieces(what, answer, most=most):
                    file.write(piece)
            part.replace(into)
        finally:
            part.unlink(missing_ok=True)
            if not answer.isclosed():
                answer.close()
                self._connection().close()

    def close(self) -> None:
        """Let go of all connections."""
        while self._kept:
            self._kept.popitem()[1].close()

    def _ask(
        self,
        what: str,
        body: Any,
        *,
        timeout_s: float,
        most: int = _MOST_BYTES,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        answer = self._answer(what, body, timeout_s=timeout_s, headers=headers)
        content = self._read(answer, most + 1)
        if answer.status != http.client.OK or len(content) > most:
            raise self._refused(what, answer, content)
        return content

    def _answer(
        self, what: str, body: Any, *, timeout_s: float, headers: Mapping[str, str] | None = None
    ) -> http.client.HTTPResponse:
        connection = self._connection()
        connection.timeout, connection.until = timeout_s, time.monotonic() + timeout_s
        if connection.sock is not None:
            connection.sock.settimeout(timeout_s)
        try:
            connection.request("POST", f"/{what}", body, {"Authorization": f"Bearer {self.token}", **(headers or {})})
            return connection.getresponse()
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._silent(error) from error

    def _pieces(self, what: str, answer: http.client.HTTPResponse, *, most: int) -> Iterator[bytes]:
        left = most
        while piece := self._read(answer, min(_PIECE_BYTES, left + 1)):
            left -= len(piece)
            if left < 0:
                raise self.lost(f"{self.who} at {self.host} sent more than the {most} bytes that {what} may have.")
            yield piece
        if answer.length:  # of a body whose length was told, nobody else says that it ended early
            raise self._silent(http.client.IncompleteRead(b"", answer.length))

    def _read(self, answer: http.client.HTTPResponse, most: int) -> bytes:
        try:
            return answer.read(most)
        except (OSError, http.client.HTTPException, ValueError) as error:
            answer.close()
            raise self._silent(error) from error

    def _refused(self, what: str, answer: http.client.HTTPResponse, content: bytes) -> Exception:
        answer.close()
        self._connection().close()
        said = cleaned(content[:_SAID_BYTES].decode("utf-8", "replace"))
        return self.refusal(what.partition("/")[0], answer.status, said)

    def _silent(self, error: Exception) -> MeasurementError:
        self._connection().close()
        return self.lost(
            f"{self.who} at {self.host} does not answer: {error or type(error).__name__}.",
            hint="See whether it still runs: kubectl get pods",
        )

    def _connection(self) -> TimelyConnection:
        # One for each thread: the heaps of both sides are collected at once, while windows are read by one thread.
        thread = threading.get_ident()
        if thread not in self._kept:
            self._kept[thread] = TimelyConnection(self.host, self.port)
        return self._kept[thread]


def _transfer_s(size: int) -> float:
    return TRANSFER_S + size / _BYTES_PER_S


def _sent(content: BinaryIO, timeout_s: float) -> Iterator[bytes]:
    """What is sent of a file, in pieces; however slowly it is taken, for so long at most."""
    until = time.monotonic() + timeout_s
    while piece := content.read(_PIECE_BYTES):
        if time.monotonic() > until:
            raise TimeoutError("timed out")
        yield piece
