"""Asking a program of ours in a pod."""

from __future__ import annotations

import hashlib
import http.client
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from pacecar.errors import MeasurementError
from pacecar.measurement.pods.files import DIGEST
from pacecar.text.plain import cleaned

ANSWER_S, TRANSFER_S = 10.0, 300.0
#: Of an answer that is no file.
_MOST_BYTES = 64 << 20


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
    _kept: dict[int, http.client.HTTPConnection] = field(default_factory=dict, repr=False)

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
            headers = {DIGEST: digest, "Content-Length": str(file.stat().st_size)}
            self._ask(f"files/{quote(name)}", content, timeout_s=TRANSFER_S, headers=headers)

    def ask(
        self,
        what: str,
        question: Mapping[str, Any] | None = None,
        *,
        timeout_s: float = ANSWER_S,
        most: int = _MOST_BYTES,
    ) -> bytes:
        """The answer to a question, of at most so many bytes. Raises what `lost` or `refusal` returns."""
        return self._ask(what, json.dumps(question or {}).encode(), timeout_s=timeout_s, most=most)

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
        connection = self._connection()
        connection.timeout = timeout_s
        if connection.sock is not None:
            connection.sock.settimeout(timeout_s)
        try:
            connection.request("POST", f"/{what}", body, {"Authorization": f"Bearer {self.token}", **(headers or {})})
            answer = connection.getresponse()
            content = answer.read(most + 1)
        except (OSError, http.client.HTTPException, ValueError) as error:
            connection.close()
            raise self.lost(
                f"{self.who} at {self.host} does not answer: {error or type(error).__name__}.",
                hint="See whether it still runs: kubectl get pods",
            ) from error
        if answer.status != 200 or len(content) > most:
            connection.close()
            raise self.refusal(what.partition("/")[0], answer.status, cleaned(content[:200].decode("utf-8", "replace")))
        return content

    def _connection(self) -> http.client.HTTPConnection:
        # One for each thread: the heaps of both sides are collected at once, while windows are read by one thread.
        thread = threading.get_ident()
        if thread not in self._kept:
            self._kept[thread] = http.client.HTTPConnection(self.host, self.port)
        return self._kept[thread]
