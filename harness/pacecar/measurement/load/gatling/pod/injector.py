"""One load generator in a pod, from the moment that the cluster was asked for it until nothing of it is left."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from pacecar.errors import PacecarError
from pacecar.measurement.load.errors import InjectorLost, LoadError
from pacecar.measurement.load.gatling import jvm
from pacecar.measurement.load.gatling.plan import ARRIVALS_FILE
from pacecar.measurement.load.gatling.pod.client import InjectorClient, Silent
from pacecar.measurement.load.gatling.pod.pod import CONTAINER
from pacecar.measurement.load.gatling.pod.told import FOLDER, Failure, GatlingStatus
from pacecar.measurement.load.gatling.record import GatlingRecord
from pacecar.measurement.load.injector import BlockProgress, Clock, LoadShare
from pacecar.measurement.pods.clock import offset
from pacecar.model.experiment import Side
from pacecar.system.cluster import FORK, waiting
from pacecar.system.cluster.addresses import address_of, boot_id
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.pods import PodState
from pacecar.text.units import format_duration

#: Once a node has taken a pod, its image is pulled and its files are sent in less.
BOOTS_S = 180.0
_POLL_S = 0.1
#: What it said so short a time ago is believed, since several questions are asked of it at once.
_FRESH_S = 0.01
#: How long an answer is waited for.
_SILENCE_S = 3.0
_NO_NODE = (
    "Have a node added, or ask for less (target.kubernetes.injectors: cpu, nodes; scenario.heap). "
    "See kubectl describe nodes"
)
_TAIL_LINES = 15
_MS = 1_000_000
#: A clock that jumps by more while it sends puts requests into windows that they do not belong to.
_TOLERATED_NS = 25_000_000
_LOG = "simulation.log"


@dataclass(frozen=True, kw_only=True)
class SentInjector:
    """What the pod of a load generator was asked for with.

    Attributes:
        name: of the pod.
        uid: of it, by the API.
        port: where its program listens.
        token: that the program wants.
        files: name below its folder of files -> file of ours.
    """

    name: str
    uid: str
    port: int
    token: str
    files: Mapping[str, Path]


class PodInjector:
    """See `Injector`. Leaving it as a context manager removes its pod.

    Args:
        sent: what it was asked for with.
        share: what it sends of the load.
        folder: for what it leaves.
        connection: to the cluster.
    """

    boots_s = waiting.PLACING_S + BOOTS_S

    def __init__(self, sent: SentInjector, *, share: LoadShare, folder: Path, connection: Connection) -> None:
        self.share = share
        self.log = folder / "generator.log"
        self._sent, self._folder, self._cluster = sent, folder, connection
        self._client: InjectorClient | None = None
        self._here = True
        self._node: str | None = None
        self._ahead_ns = 0
        self._asked = time.monotonic()
        self._prospects = waiting.Prospects(remedy=_NO_NODE)
        self._seen: GatlingStatus | None = None
        self._seen_at = 0.0
        self._closed = False

    def __enter__(self) -> PodInjector:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def cpu_ns(self) -> int:
        """See `Injector`."""
        return self._standing().cpu_ns if self._here else 0

    def lead_ns(self) -> int | None:
        """See `Injector`. The pod is sent what it needs as soon as it is there."""
        if self._client is None and not self._reach():
            return None
        return self._standing().lead_ns

    def begin(self, at_ns: int) -> None:
        """See `Injector`."""
        self._tell("begin", at_ns=at_ns + self._ahead_ns)

    def clock(self) -> Clock | None:
        """See `Injector`."""
        told = None if self._client is None else self._standing().clock
        return None if told is None else told.here(self._ahead_ns)

    def sent(self) -> dict[Side, int]:
        """See `Injector`."""
        return dict(self._standing().sent)

    def end_burst(self, at_ns: int) -> None:
        """See `Injector`."""
        self._tell("burst", at_ns=at_ns + self._ahead_ns)

    def open_blocks(self, count: int) -> None:
        """See `Injector`."""
        self._tell("open", count=count)

    def end_blocks(self) -> None:
        """See `Injector`."""
        self._tell("end-blocks")

    def blocks(self) -> BlockProgress:
        """See `Injector`."""
        try:
            return self._reached.blocks().here()
        except Silent as silent:
            raise self._lost(silent) from silent

    def poll(self) -> int | None:
        """See `Injector`."""
        return None if self._client is None else self._standing().status

    @property
    def failed(self) -> bool:
        """See `Injector`."""
        return self._client is not None and self._standing().failure is not None

    def finish(self, timeout_s: float) -> None:
        """See `Injector`."""
        until = time.monotonic() + timeout_s
        while (standing := self._standing()).status is None:
            if time.monotonic() > until:
                self.close()
                raise LoadError(
                    f"{self.share.name} was stopped {timeout_s:.0f} s after it should have ended.",
                    hint="Check that the service still answers.",
                )
            time.sleep(_POLL_S)
        jumped_ns = 0 if self._closed else self._jumped_ns()
        self.close()
        if jumped_ns > _TOLERATED_NS:
            raise InjectorLost(
                f"{self.share.name} has a clock that jumped by {jumped_ns / 1e6:.0f} ms while it sent requests.",
                injector=self.share.index,
                hint="Have its node follow a time server: chronyc tracking.",
            )
        if standing.failure is not None:
            raise self._failure(standing.failure)

    def close(self) -> None:
        """See `Injector`: fetches what it has left, and removes its pod; returns when that is gone."""
        if self._closed:
            return
        self._closed = True
        with contextlib.closing(self._cluster):
            try:
                if self._client is not None:
                    self._fetch(self._client)
            finally:  # a disk that is full must not keep the pod
                self._cluster.remove(f"{FORK}={self._sent.name}")

    def record(self) -> GatlingRecord:
        """See `Injector`."""
        log = self._folder / _LOG
        return GatlingRecord(
            log=log if log.exists() else None,
            gc_log=self._folder / jvm.GC_LOG,
            arrivals_file=self._folder / ARRIVALS_FILE,
            injector=self.share.index,
            ahead_ns=self._ahead_ns,
            node=None if self._here else self._node,
        )

    @property
    def _reached(self) -> InjectorClient:
        assert self._client is not None  # it is ready
        return self._client

    def _reach(self) -> bool:
        """Whether its program answers; then it has what it needs."""
        state = self._require_there()
        self._require_hope(state)
        container = state.containers.get(CONTAINER)
        if container is None or not container.running or not state.address:
            self._require_time(waiting.waits_for(state))
            return False
        client = InjectorClient(host=address_of(state), port=self._sent.port, token=self._sent.token)
        try:
            boot = client.standing().boot
        except Silent as silent:
            self._require_time(silent.message.rstrip("."))
            return False
        self._here, self._node = boot == boot_id(), state.node
        if not self._here:
            self._ahead_ns = round(offset(lambda: client.standing().time_ns).ahead_ns / _MS) * _MS
        self._send(client)
        self._client = client
        return True

    def _send(self, client: InjectorClient) -> None:
        try:
            for name, file in self._sent.files.items():
                client.put(name, file)
            client.start()
        except Silent as silent:
            raise LoadError(f"{self.share.name} did not get its files: {silent.message}", hint=silent.hint) from silent

    def _standing(self) -> GatlingStatus:
        """How it stands, as of now; once it has ended, as it was then."""
        seen = self._seen
        if seen is not None and (seen.status is not None or time.monotonic() - self._seen_at < _FRESH_S):
            return seen
        until = time.monotonic() + _SILENCE_S
        while True:
            try:
                self._seen, self._seen_at = self._reached.standing(), time.monotonic()
            except Silent as silent:
                self._require_there()
                if time.monotonic() > until:
                    raise self._lost(silent) from silent
                time.sleep(_POLL_S)
            else:
                return self._seen

    def _tell(self, what: str, **more: int) -> None:
        try:
            self._reached.tell(what, **more)
        except Silent as silent:
            self._require_there()
            raise self._lost(silent) from silent

    def _fetch(self, client: InjectorClient) -> None:
        with contextlib.closing(client), contextlib.suppress(Silent):
            if self._seen is None or self._seen.status is None:
                client.tell("end")
            client.keep(self._folder)

    def _jumped_ns(self) -> int:
        """By how much its clock has jumped; 0 where that cannot be told any more."""
        if self._here:
            return 0
        try:
            return abs(offset(lambda: self._reached.standing().time_ns).ahead_ns - self._ahead_ns)
        except Silent:
            return 0

    def _require_there(self) -> PodState:
        """Its pod as it is now. Raises InjectorLost when it is gone, or its program has ended."""
        state = self._cluster.pod(self._sent.name)
        if state is None or state.uid != self._sent.uid or state.taken is not None:
            raise self._gone(state)
        container = state.containers.get(CONTAINER)
        if container is not None and container.exit_code is not None:
            memory = "was killed for lack of memory"
            how = memory if container.out_of_memory else f"ended with exit status {container.exit_code}"
            raise InjectorLost(f"{self.share.name} {how}.", injector=self.share.index, hint=self._last_lines())
        return state

    def _require_hope(self, state: PodState) -> None:
        if state.unschedulable is not None:  # a node is waited for by itself
            self._asked = time.monotonic()
        if (found := self._prospects.given_up(state)) is not None:
            raise LoadError(f"{self.share.name} will not start: {found.why}.", hint=found.remedy)

    def _require_time(self, what: str) -> None:
        waited = time.monotonic() - self._asked
        if waited > BOOTS_S:
            how = f"was not ready after {format_duration(waited)}: {what}"
            raise LoadError(f"{self.share.name} {how}.", hint=self._last_lines())

    def _gone(self, state: PodState | None) -> InjectorLost:
        what = (
            "is gone: somebody has deleted its pod" if state is None else (state.taken or "is another one").rstrip(".")
        )
        return InjectorLost(
            f"{self.share.name} {what}.", injector=self.share.index, hint="See who took it: kubectl get events"
        )

    def _lost(self, silent: Silent) -> InjectorLost:
        return InjectorLost(
            f"{self.share.name} is lost: {silent.message}", injector=self.share.index, hint=silent.hint or ""
        )

    def _failure(self, failure: Failure) -> LoadError:
        hint = (failure.hint or "").replace(FOLDER, str(self._folder))
        if failure.lost:
            return InjectorLost(failure.message, injector=self.share.index, hint=hint)
        return LoadError(failure.message, hint=hint or None)

    def _last_lines(self) -> str:
        with contextlib.suppress(PacecarError):
            printed = self._cluster.last_lines(self._sent.name, CONTAINER, lines=_TAIL_LINES).strip()
            return f"It printed last:\n{printed or '(nothing)'}"
        return ""
