"""Speaking to the sidecar of a fork."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pacecar.measurement.deploy.jvm import Jvm
from pacecar.measurement.deploy.kubernetes.sidecar.layout import DIGEST, GONE
from pacecar.measurement.deploy.live_heap import LiveHeap
from pacecar.measurement.probes.process import ProcessGone
from pacecar.measurement.probes.prometheus import Scrape
from pacecar.measurement.watch import wire
from pacecar.measurement.watch.reading import Reading
from pacecar.measurement.watch.watch import Edge, Watched, WatchLost
from pacecar.text.plain import cleaned

_ANSWER_S, _TRANSFER_S = 10.0, 300.0
_MOST_LOG = 64 << 20
_TEXT = Annotated[str, Field(max_length=500)]
_STRICT = ConfigDict(extra="forbid", strict=True)


class SidecarLost(WatchLost):
    """The sidecar of a fork does not answer."""


class Status(BaseModel):
    """Where and when the sidecar is, and since when the service runs; None while it does not."""

    model_config = _STRICT

    time_ns: Annotated[int, Field(ge=0, lt=2**63)]
    boot: Annotated[str, Field(max_length=64)]
    age_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None


class _Heap(BaseModel):
    model_config = _STRICT

    time_ns: Annotated[int, Field(ge=0, lt=2**63)]
    used_bytes: Annotated[int, Field(ge=0, lt=2**63)]


class _Jvm(BaseModel):
    model_config = _STRICT

    flags: Annotated[list[_TEXT], Field(max_length=500)]
    version: _TEXT | None


_HEAP = TypeAdapter(_Heap | None)
_NAMES = TypeAdapter(Annotated[list[Annotated[str, Field(pattern=r"^gc-[0-9A-Za-z._-]{1,80}$")]], Field(max_length=20)])


@dataclass(frozen=True, kw_only=True)
class Sidecar:
    """The sidecar of one fork.

    Attributes:
        host: address of its pod.
        port: where it listens.
        token: that it wants.
    """

    host: str
    port: int
    token: str = field(repr=False)
    _kept: dict[int, http.client.HTTPConnection] = field(default_factory=dict, repr=False)

    def put(self, name: str, file: Path) -> None:
        """Have it take a file, under `name` below its folder of files. Raises SidecarLost."""
        with file.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
            content.seek(0)
            headers = {DIGEST: digest, "Content-Length": str(file.stat().st_size)}
            self._ask(f"files/{quote(name)}", content, timeout_s=_TRANSFER_S, headers=headers)

    def complete(self) -> None:
        """Have the service start: every file is there. Raises SidecarLost."""
        self.ask("complete")

    def status(self) -> Status:
        """How it stands. Raises SidecarLost."""
        found: Status = _valid(TypeAdapter(Status), self.ask("status"))
        return found

    def jvm(self) -> Jvm:
        """What the JVM says it is. Raises SidecarLost or ProcessGone."""
        found: _Jvm = _valid(TypeAdapter(_Jvm), self.ask("jvm", timeout_s=60.0))
        return Jvm(
            flags=tuple(cleaned(flag) for flag in found.flags),
            version=None if found.version is None else cleaned(found.version),
        )

    def live_heap(self, timeout_s: float) -> LiveHeap | None:
        """See `deploy.live_heap`. Raises SidecarLost or ProcessGone."""
        found: _Heap | None = _valid(_HEAP, self.ask("heap", {"timeout_s": timeout_s}, timeout_s=timeout_s + _ANSWER_S))
        return None if found is None else LiveHeap(time_ns=found.time_ns, used_bytes=found.used_bytes)

    def keep_logs(self, folder: Path) -> list[Path]:
        """Copy what the JVM has logged of its collections to `folder`. Raises SidecarLost."""
        kept = []
        for name in _valid(_NAMES, self.ask("logs")):
            path = folder / name
            path.write_bytes(self.ask(f"logs/{name}", timeout_s=_TRANSFER_S, most=_MOST_LOG))
            kept.append(path)
        return kept

    def ask(
        self,
        what: str,
        question: Mapping[str, Any] | None = None,
        *,
        timeout_s: float = _ANSWER_S,
        most: int = wire.MOST_BYTES,
    ) -> bytes:
        """The answer to a question. Raises SidecarLost, or ProcessGone when the service is gone."""
        return self._ask(what, json.dumps(question or {}).encode(), timeout_s=timeout_s, most=most)

    def _ask(
        self,
        what: str,
        body: Any,
        *,
        timeout_s: float,
        most: int = wire.MOST_BYTES,
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
            raise SidecarLost(
                f"The sidecar at {self.host} does not answer: {error or type(error).__name__}.",
                hint="See whether it still runs: kubectl get pods",
            ) from error
        if answer.status == GONE:
            raise ProcessGone(0)
        if answer.status != 200 or len(content) > most:
            connection.close()
            said = cleaned(content[:200].decode("utf-8", "replace"))
            raise SidecarLost(f"The sidecar at {self.host} refused {what.partition('/')[0]}: {said or answer.status}.")
        return content

    def release(self) -> None:
        """Have it end as soon as it is told to, and let go of it."""
        with contextlib.suppress(SidecarLost, ProcessGone):
            self.ask("release")
        self.close()

    def close(self) -> None:
        """Let go of all connections."""
        while self._kept:
            self._kept.popitem()[1].close()

    def _connection(self) -> http.client.HTTPConnection:
        # One for each thread: the heaps of both sides are collected at once, while windows are read by one thread.
        thread = threading.get_ident()
        if thread not in self._kept:
            self._kept[thread] = http.client.HTTPConnection(self.host, self.port)
        return self._kept[thread]


@dataclass(frozen=True, kw_only=True)
class RemoteWatch:
    """See `watch.watch.Watch`: reads a fork through its sidecar."""

    sidecar: Sidecar
    watched: Watched

    def at_edge(self, edge: Edge, *, page_within_s: float | None) -> Reading:
        """See `Watch`."""
        patience_s = _ANSWER_S + (page_within_s or 0.0)
        return wire.unpacked(self._ask("edge", timeout_s=patience_s, edge=edge, page_within_s=page_within_s))

    def counters(self) -> Reading:
        """See `Watch`."""
        return wire.unpacked(self._ask("counters"))

    def warmth(self) -> Reading:
        """See `Watch`."""
        return wire.unpacked(self._ask("warmth"))

    def page(self) -> Scrape | None:
        """See `Watch`."""
        return wire.unpacked_page(self._ask("page"))

    def rehearse(self, *, within_s: float) -> None:
        """See `Watch`."""
        self._ask("rehearse", within_s=within_s)

    def _ask(self, what: str, *, timeout_s: float = _ANSWER_S, **more: Any) -> bytes:
        asked = {"metrics_path": self.watched.metrics_path, "calls": self.watched.calls, **more}
        return self.sidecar.ask(what, asked, timeout_s=timeout_s)


def _valid(kind: TypeAdapter[Any], answer: bytes) -> Any:
    try:
        return kind.validate_json(answer)
    except (ValidationError, RecursionError) as error:
        raise SidecarLost(f"The sidecar of a fork answered something that is no answer: {answer[:80]!r}.") from error
