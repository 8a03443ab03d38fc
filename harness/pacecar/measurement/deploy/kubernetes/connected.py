"""Speaking to the sidecar of a fork."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from pacecar.measurement.deploy.jvm import Jvm
from pacecar.measurement.deploy.kubernetes.sidecar.layout import GONE
from pacecar.measurement.deploy.live_heap import LiveHeap
from pacecar.measurement.pods.client import ANSWER_S, PodClient
from pacecar.measurement.probes.process import ProcessGone
from pacecar.measurement.probes.prometheus import Scrape
from pacecar.measurement.probes.registry import PROBES
from pacecar.measurement.watch import wire
from pacecar.measurement.watch.local import COUNTERS, WARMTH
from pacecar.measurement.watch.reading import CounterReading
from pacecar.measurement.watch.watch import Edge, Watched, WatchLost
from pacecar.model.tables import TABLES
from pacecar.text.plain import cleaned

_MOST_LOG = 64 << 20
_TEXT = Annotated[str, Field(max_length=500)]
_STRICT = ConfigDict(extra="forbid", strict=True)
#: Table and column of all that is read at an edge, and of what a warm-up is watched by.
_ALL = tuple((probe.name, column) for probe in PROBES for column in probe.columns)
_OF_WARMTH = tuple((COUNTERS, column) for column in sorted(WARMTH))


class SidecarLost(WatchLost):
    """The sidecar of a fork does not answer."""


class Status(BaseModel):
    """Where and when the sidecar is, since when the service runs, and which id its JVM has in the pod; None for either
    while it does not.
    """

    model_config = _STRICT

    time_ns: Annotated[int, Field(ge=0, lt=2**63)]
    boot: Annotated[str, Field(max_length=64)]
    age_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    jvm: Annotated[int, Field(gt=0, lt=2**31)] | None


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
class SidecarClient(PodClient):
    """The sidecar of one fork."""

    who: ClassVar[str] = "The sidecar"

    def lost(self, message: str, *, hint: str | None = None) -> SidecarLost:
        """See `PodClient`."""
        return SidecarLost(message, hint=hint)

    def refusal(self, what: str, status: int, said: str) -> Exception:
        """See `PodClient`: where the service is gone, ProcessGone."""
        return ProcessGone(0) if status == GONE else super().refusal(what, status, said)

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
        found: _Heap | None = _valid(_HEAP, self.ask("heap", {"timeout_s": timeout_s}, timeout_s=timeout_s + ANSWER_S))
        return None if found is None else LiveHeap(time_ns=found.time_ns, used_bytes=found.used_bytes)

    def keep_logs(self, folder: Path, jvm: int | None) -> list[Path]:
        """Copy what the JVM of the id `jvm` has logged of its collections to `folder`; of None, what every JVM has.

        Raises SidecarLost or NoRoom.
        """
        kept = []
        for name in _valid(_NAMES, self.ask("logs", {"jvm": jvm})):
            path = folder / name
            self.fetch(f"logs/{name}", path, most=_MOST_LOG)
            kept.append(path)
        return kept

    def release(self) -> None:
        """Have it end as soon as it is told to, and let go of it."""
        with contextlib.suppress(SidecarLost, ProcessGone):
            self.ask("release")
        self.close()


@dataclass(frozen=True, kw_only=True)
class RemoteWatch:
    """See `watch.watch.Watch`: reads a fork through its sidecar."""

    sidecar: SidecarClient
    watched: Watched

    def at_edge(self, edge: Edge, *, page_within_s: float | None) -> CounterReading:
        """See `Watch`."""
        patience_s = ANSWER_S + (page_within_s or 0.0)
        answer = self._ask("edge", timeout_s=patience_s, edge=edge, page_within_s=page_within_s)
        return _whole(wire.unpacked(answer), _ALL)

    def counters(self) -> CounterReading:
        """See `Watch`."""
        return _whole(wire.unpacked(self._ask("counters")), _ALL)

    def warmth(self) -> CounterReading:
        """See `Watch`."""
        return _whole(wire.unpacked(self._ask("warmth")), _OF_WARMTH)

    def page(self) -> Scrape | None:
        """See `Watch`."""
        return wire.unpacked_page(self._ask("page"))

    def rehearse(self, *, within_s: float) -> None:
        """See `Watch`."""
        self._ask("rehearse", within_s=within_s)

    def _ask(self, what: str, *, timeout_s: float = ANSWER_S, **more: Any) -> bytes:
        asked = {**asdict(self.watched), **more}
        return self.sidecar.ask(what, asked, timeout_s=timeout_s)


def _whole(read: CounterReading, wanted: Iterable[tuple[str, str]]) -> CounterReading:
    """`read`, in which each of its tables has the columns `wanted` of it. Raises SidecarLost."""
    for table, column in wanted:
        if table not in read.rows and table != COUNTERS:
            continue  # such a fork has none
        found = read.rows.get(table, {}).get(column)
        if found is None or (TABLES[table][column].startswith("int") and not isinstance(found, int)):
            raise SidecarLost(f"The sidecar of a fork did not tell its {column}.")
    return read


def _valid(kind: TypeAdapter[Any], answer: bytes) -> Any:
    try:
        return kind.validate_json(answer)
    except (ValidationError, RecursionError) as error:
        raise SidecarLost(f"The sidecar of a fork gave an answer that cannot be read: {answer[:80]!r}.") from error
