"""A fork in a pod, from the moment that the cluster was asked for it until nothing of it is left."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass
from pathlib import Path

from pacecar.errors import PacecarError
from pacecar.measurement.deploy import DeployError, ForkDied, ForkLost, readiness
from pacecar.measurement.deploy.fork import Fork, Launched
from pacecar.measurement.deploy.jvm import Jvm, gc_log
from pacecar.measurement.deploy.kubernetes import life
from pacecar.measurement.deploy.kubernetes.connected import RemoteWatch, SidecarClient, SidecarLost
from pacecar.measurement.deploy.kubernetes.pod import SIDECAR
from pacecar.measurement.deploy.live_heap import LiveHeap
from pacecar.measurement.pods.clock import Offset, offset
from pacecar.measurement.probes.process import ProcessGone
from pacecar.measurement.watch.watch import Watch, Watched
from pacecar.model.clock import ClockOffset
from pacecar.system.cluster import FORK, ClusterUnreachable, waiting
from pacecar.system.cluster.addresses import address_of, boot_id
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.pods import PodState
from pacecar.system.disk import room_for
from pacecar.text.units import format_duration

_POLL_S = 0.2
#: The API is asked so often while windows are measured, for a pod that has ended says so by itself soon enough.
_CHECK_S = 2.0
#: How long a cluster that does not answer is borne with while a pair is measured.
_SILENCE_S = 30.0
_TOLD_S = 5.0
_TAIL_LINES = 15
_KEPT_LINES = 20_000
_NO_NODE = (
    "Both forks of a pair need room on one node: have one added, or ask for less (target.kubernetes: cpu, memory, "
    "nodes; in the manifest: resources, nodeSelector, tolerations). See kubectl describe nodes"
)
_NO_WAY = (
    "Its sidecar runs, so something between it and Pacecar blocks port {port}: a NetworkPolicy, a "
    "firewall, or a proxy of a service mesh in the pod. What must be open: docs/how-to/kubernetes.md"
)
_GONE = "See who took it: kubectl get events; whatever drains or preempts nodes must spare pods that are measured."


@dataclass(frozen=True, kw_only=True)
class Sent:
    """What the pod of a fork was asked for with.

    Attributes:
        name: of the pod.
        uid: of it, by the API.
        container: the service's.
        sidecar_port: where its sidecar listens.
        token: that the sidecar wants.
        files: name below its folder of files -> file of ours.
        node_network: the pod has the network of its node.
    """

    name: str
    uid: str
    container: str
    sidecar_port: int
    token: str
    files: dict[str, Path]


class KubernetesFork(Fork):
    """A fork that the cluster was asked for.

    Args:
        launched: what every fork has.
        sent: what only one in a pod has.
        connection: to the cluster.
    """

    def __init__(self, launched: Launched, *, sent: Sent, connection: Connection) -> None:
        super().__init__(launched)
        self._sent = sent
        self._cluster = connection
        self._sidecar: SidecarClient | None = None
        self._host = "127.0.0.1"
        self._on_this_machine = True
        self._clock: Offset | None = None
        self._checked = self._answered = time.monotonic()
        self._seen: PodState | None = None
        self._prospects = waiting.Prospects(remedy=_NO_NODE, sidecar=SIDECAR)
        self._starts = launched.moment

    @property
    def pid(self) -> int:
        """Of no process of this machine."""
        return 0

    @property
    def gc_log(self) -> Path:
        """The log of the JVM's collections, copied as it is now; at the end of the fork it is whole."""
        self._keep_gc_logs()
        return gc_log(self._launched.folder, self.jvm_id or 1)

    def await_ready(self) -> None:
        """Have the pod placed, its files sent and its service started; wait until that answers with a 2xx status.

        Raises:
            DeployError: when that takes longer than the target's time, or something ends; the hint holds last lines.
            ForkLost: when the pod is taken away meanwhile.
        """
        state = self._placed()
        self._host = address_of(state)
        if state.address == self._host:
            self.made_address = self._host
        self._sidecar = SidecarClient(host=self._host, port=self._sent.sidecar_port, token=self._sent.token)
        self.url = f"http://{f'[{self._host}]' if ':' in self._host else self._host}:{self._launched.port}"
        self._await_sidecar(self._sidecar)
        self._send(self._sidecar)
        self._await_service(self._sidecar, state)

    def pin(self, cpus: tuple[int, ...], *, compilers: tuple[int, ...] = (), yielding: bool = False) -> None:
        """Does nothing: the cores of a pod are the cluster's to give (`target.kubernetes.cpu`)."""

    def alive(self) -> bool:
        """Whether the pod is there and its service has not ended, as of now."""
        state = self._state()
        return state is not None and state.taken is None and life.ended(state, self._sent.container) is None

    def check(self) -> None:
        """Raise ForkDied when the service has ended, ForkLost when its pod was taken away. Asks every two seconds."""
        if time.monotonic() - self._checked < _CHECK_S:
            return
        self._checked = time.monotonic()
        self._require_there(self._state())

    def check_again(self) -> None:
        """See `Fork`: the node tells the cluster a second or two later what has become of a container."""
        until = time.monotonic() + _TOLD_S
        while time.monotonic() < until:
            self._require_there(self._state())
            time.sleep(_POLL_S)

    def watch(self, watched: Watched) -> Watch:
        """See `Fork`."""
        return RemoteWatch(sidecar=self._reached, watched=watched)

    def live_heap(self, timeout_s: float) -> LiveHeap | None:
        """See `Fork`."""
        with contextlib.suppress(SidecarLost, ProcessGone):
            return self._reached.live_heap(timeout_s)
        return None

    def jvm(self) -> Jvm:
        """See `Fork`."""
        if self._jvm is None and self._sidecar is not None:
            with contextlib.suppress(SidecarLost, ProcessGone):
                self._jvm = self._sidecar.jvm()
        return self._jvm or Jvm()

    def clock(self) -> ClockOffset | None:
        """See `Fork`."""
        if self._clock is None:
            return None
        try:
            after = offset(lambda: self._reached.status().time_ns)
        except SidecarLost:
            after = self._clock
        bound_ns = max(self._clock.bound_ns, after.bound_ns)
        return ClockOffset(before_ns=self._clock.ahead_ns, after_ns=after.ahead_ns, bound_ns=bound_ns)

    def _end(self) -> None:
        """Copy the logs, remove the pod and its secret; returns when they are gone."""
        with contextlib.closing(self._cluster):
            try:
                self._keep_logs(self._launched.folder)
            finally:  # a disk that is full must not keep the pod
                self._cluster.remove(f"{FORK}={self._sent.name}")

    def _keep_logs(self, folder: Path) -> None:
        self._keep_gc_logs()
        log = folder / "service.log"
        with room_for(log):
            log.write_text(self._cluster.last_lines(self._sent.name, self._sent.container, lines=_KEPT_LINES))
        if self._sidecar is not None:
            self._sidecar.release()
            self._sidecar = None

    def _keep_gc_logs(self) -> None:
        with contextlib.suppress(SidecarLost, OSError):
            if self._sidecar is not None:
                self._sidecar.keep_logs(self._launched.folder, self.jvm_id)

    @property
    def _reached(self) -> SidecarClient:
        assert self._sidecar is not None  # `await_ready` has returned
        return self._sidecar

    def _state(self) -> PodState | None:
        """The pod now; None when it is gone, or another has its name. While the cluster is silent, as it was before."""
        try:
            found = self._cluster.pod(self._sent.name)
        except ClusterUnreachable:
            if self._seen is None or time.monotonic() - self._answered > _SILENCE_S:
                raise
            return self._seen
        self._answered = time.monotonic()
        self._seen = found if found is not None and found.uid == self._sent.uid else None
        return self._seen

    def _require_there(self, state: PodState | None) -> PodState:
        if state is None or state.taken is not None:
            what = "is gone: somebody has deleted its pod" if state is None else f"{state.taken}".rstrip(".")
            raise ForkLost(f"{self._name()} {what}.", side=self.side, hint=_GONE)
        if (found := life.ended(state, self._sent.container)) is not None:
            how = life.how(found, log_tail=self._tail(100))
            raise ForkDied(
                f"{self._name()} {how}.",
                side=self.side,
                hint=self._last_lines(),
                at_limit=found.out_of_memory,
            )
        if (broken := life.broken(state, self._sent.container)) is not None:
            how, whose = life.how(state.containers[broken], log_tail=""), f"the {self._name().removeprefix('The ')}"
            raise DeployError(
                f"The container {broken}, which {whose} depends on, {how}.",
                side=self.side,
                hint=self._last_lines(broken),
            )
        return state

    def _placed(self) -> PodState:
        """The pod once its sidecar runs on a node."""
        while True:
            state = self._state()
            if state is None or state.taken is not None:
                self._require_there(state)
            assert state is not None
            self._require_hope(state)
            sidecar = state.containers.get(SIDECAR)
            if sidecar is not None and sidecar.running and state.address:
                return state
            if state.unschedulable is not None:  # a node that is only made now is no fault of the service
                self._starts = time.monotonic()
            self._require_time(waiting.waits_for(state))
            time.sleep(_POLL_S)

    def _await_sidecar(self, sidecar: SidecarClient) -> None:
        while True:
            try:
                boot = sidecar.status().boot
            except SidecarLost as lost:
                self._require_there(self._state())
                self._require_time(lost.message, hint=_NO_WAY.format(port=self._sent.sidecar_port))
                time.sleep(_POLL_S)
                continue
            self._on_this_machine = boot == boot_id()
            return

    def _send(self, sidecar: SidecarClient) -> None:
        try:
            for name, file in self._sent.files.items():
                sidecar.put(name, file)
            sidecar.complete()
        except SidecarLost as lost:
            raise DeployError(f"{self._name()} did not get its files: {lost.message}", hint=lost.hint) from lost

    def _await_service(self, sidecar: SidecarClient, placed: PodState) -> None:
        ready, looked = self._launched.target.ready, time.monotonic()
        answers = readiness.Answers()
        while answer := readiness.ask(self._launched.port, ready.path, host=self._host):
            if time.monotonic() - looked > 1:
                looked = time.monotonic()
                self._require_starting()
            self._require_time(f"GET {ready.path}: {answer}", hopeless=answers.lasts(answer))
            time.sleep(_POLL_S / 4)
        answered = time.monotonic()
        try:
            status = sidecar.status()
        except SidecarLost as lost:
            raise DeployError(f"{self._name()} is ready, but {lost.message}", hint=lost.hint) from lost
        if status.age_s is None:
            raise DeployError(
                f"{self._name()} answers, but its sidecar finds no JVM in the pod.",
                side=self.side,
                hint=f"The container {self._sent.container} must run a JVM, as the user that the manifest names.",
            )
        self.jvm_id = status.jvm
        self.ready_s = max(0.0, status.age_s - (time.monotonic() - answered))
        if not self._on_this_machine:
            self.node = placed.node
            self._clock = offset(lambda: sidecar.status().time_ns)

    def _require_starting(self) -> None:
        state = self._state()
        if state is not None:
            self._require_hope(state)
        try:
            self._require_there(state)
        except ForkDied as died:
            message = f"{died.message.rstrip('.')} before it was ready."
            raise DeployError(message, side=self.side, hint=died.hint) from died

    def _require_hope(self, state: PodState) -> None:
        """Raise DeployError when the pod has been past hope for a while."""
        if (hopeless := self._prospects.given_up(state)) is not None:
            said = f"\n{self._last_lines(hopeless.container)}" if hopeless.container is not None else ""
            raise DeployError(f"{self._name()} will not start: {hopeless.why}.", hint=f"{hopeless.remedy}{said}")

    def _require_time(self, what: str, *, hint: str | None = None, hopeless: bool = False) -> None:
        waited = time.monotonic() - self._starts
        if hopeless or waited > self._launched.target.ready.timeout_s:
            how = f"was not ready after {format_duration(waited)}: {what.rstrip('.')}"
            raise DeployError(f"{self._name()} {how}.", side=self.side, hint=hint or self._last_lines())

    def _tail(self, lines: int, *, container: str | None = None) -> str:
        return self._cluster.last_lines(self._sent.name, container or self._sent.container, lines=lines)

    def _last_lines(self, container: str | None = None) -> str:
        with contextlib.suppress(PacecarError):
            printed = self.struck.out_of(self._tail(_TAIL_LINES, container=container)).strip()
            return f"It printed last:\n{printed or '(nothing)'}"
        return ""
