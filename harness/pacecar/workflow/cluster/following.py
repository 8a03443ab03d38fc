"""Following a run that a cluster measures: what its job says, how it ended, and the run itself."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

from pacecar.archive import handover
from pacecar.archive.runs import RunDirectory
from pacecar.archive.shared import Shared
from pacecar.ending import Fault
from pacecar.errors import MeasurementError, PacecarError, UsageError
from pacecar.inputs import config
from pacecar.measurement.deploy.deployers import job_terms_of
from pacecar.model.recording import RunState
from pacecar.system.cluster import RUN, ClusterError, ClusterUnreachable, waiting
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.jobs import JobState
from pacecar.system.cluster.pods import PodState
from pacecar.system.cluster.waiting import Hopeless
from pacecar.workflow.cluster.job import CONTAINER, name_of
from pacecar.workflow.stores import shared_at

#: A few requests each time; whoever waits for minutes does not need more.
_POLL_S = 2.0
#: A pod that cannot start is given up after so long: its secret may just be on the way.
_SURE_S = 8.0
#: How far back a log is read at first, and for how long again, since clocks of nodes differ.
_ALL_S, _OVERLAP_S = 86_400, 30
_FAILURES = (UsageError.exit_code, MeasurementError.exit_code, Fault.exit_code)
#: How long a cluster that does not answer is borne with.
_SILENCE_S = 300.0
_OUT_OF_MEMORY = "It was killed for lack of memory."

#: Told a line of the job's log, or what it waits for.
Tell = Callable[[str], None]


def follow(run_id: str, config_path: Path, tell: Tell) -> RunDirectory:
    """Tell what the job of a run says until it has ended, and fetch the run.

    Args:
        run_id: as `submit` has returned it.
        config_path: the configuration that it was submitted with: names cluster and store.
        tell: told what the job says.

    Raises:
        ClusterError: when the job cannot start; it is removed then. Also when neither cluster nor store knows the run.
        PacecarError: what the run has ended with, where it is not complete.
    """
    shared = _store(config_path)
    with contextlib.closing(connection_to(config_path)) as cluster:
        why = _watch(cluster, run_id, tell)
    return fetched(shared, run_id, why=why)


def cancel(run_id: str, config_path: Path) -> bool:
    """End the job of a run; what it has measured stays in the store. False when there was none. Raises ClusterError."""
    with contextlib.closing(connection_to(config_path)) as cluster:
        return cluster.remove_job(name_of(run_id))


def connection_to(config_path: Path) -> Connection:
    """To the cluster that a configuration names. Raises UsageError where it names none."""
    return Connection(job_terms_of(config.load(config_path).target).place)


def _store(config_path: Path) -> Shared:
    shared = shared_at(config_path)
    if shared is None:
        raise UsageError(
            f"{config_path} names no store to fetch the run from.",
            hint='Name the one it was submitted with: [archive] url = "s3://bucket/prefix"',
        )
    return shared


def _watch(cluster: Connection, run_id: str, tell: Tell) -> str | None:
    """Tell what the pods of the job say until the job has ended or is gone; why it ended, where the cluster knows."""
    said, waits = _Said(cluster=cluster, tell=tell), _Waits(cluster=cluster, run_id=run_id, tell=tell)
    silence = Silence(tell=tell)
    while True:
        try:
            ended = _look(cluster, run_id, said, waits)
            silence.broken()
        except ClusterUnreachable as error:
            silence.borne(error)
            continue
        if ended is not None:
            return ended.why
        time.sleep(_POLL_S)


def _look(cluster: Connection, run_id: str, said: _Said, waits: _Waits) -> JobState | None:
    """Tell what is new of a job; how it has ended, or None while it goes on."""
    job = cluster.job(name_of(run_id))
    if job is None:
        return JobState(ended=True)
    pod = cluster.newest_pod(f"{RUN}={run_id}")
    state = pod.containers.get(CONTAINER) if pod is not None else None
    if pod is not None and state is not None and state.begun:
        said.by(pod.name)
    if not job.ended:
        waits.look(job, pod)
        return None
    return JobState(ended=True, why=_OUT_OF_MEMORY) if state is not None and state.out_of_memory else job


class Silence:
    """A cluster that does not answer for a while: its job goes on meanwhile."""

    def __init__(self, *, tell: Tell) -> None:
        self._tell = tell
        self._since: float | None = None

    def broken(self) -> None:
        """It has answered."""
        self._since = None

    def borne(self, error: ClusterUnreachable) -> None:
        """Wait a little. Raises `error` when that has been so for long."""
        now = time.monotonic()
        if self._since is None:
            self._since = now
            self._tell(f"{error.message} Still trying.")
        if now - self._since > _SILENCE_S:
            raise error
        time.sleep(_POLL_S)


class _Said:
    """The log of a job's pods, each line once."""

    def __init__(self, *, cluster: Connection, tell: Tell) -> None:
        self._cluster, self._tell = cluster, tell
        self._pod, self._last = "", ""
        self._heard = time.monotonic()

    def by(self, pod: str) -> None:
        """Tell what a pod has said since it was last heard."""
        now = time.monotonic()
        since_s = _ALL_S if pod != self._pod else round(now - self._heard) + _OVERLAP_S
        if pod != self._pod:
            self._pod, self._last = pod, ""
        for at, line in self._cluster.lines(pod, CONTAINER, since_s=since_s):
            if at > self._last:
                self._last = at
                self._tell(line)
        self._heard = now


class _Waits:
    """What a job waits for until it runs."""

    def __init__(self, *, cluster: Connection, run_id: str, tell: Tell) -> None:
        self._cluster, self._run_id, self._tell = cluster, run_id, tell
        self._told = ""
        self._hopeless_since: float | None = None

    def look(self, job: JobState, pod: PodState | None) -> None:
        """Tell what is new. Raises ClusterError when it will never start."""
        if pod is not None and pod.phase != "Pending":
            return
        what, found = self._found(job, pod)
        if what != self._told:
            self._told = what
            self._tell(f"waiting: {what}")
        if found is None:
            self._hopeless_since = None
            return
        self._hopeless_since = self._hopeless_since or time.monotonic()
        if time.monotonic() - self._hopeless_since > _SURE_S:
            self._cluster.remove_job(name_of(self._run_id))
            raise ClusterError(f"The job of run {self._run_id} will never start: {found.why}.", hint=found.remedy)

    def _found(self, job: JobState, pod: PodState | None) -> tuple[str, Hopeless | None]:
        """What it waits for, and why in vain."""
        if pod is not None:
            return waiting.waits_for(pod), waiting.hopeless(pod)
        if job.suspended:
            return waiting.held_back(self._cluster.held_back(job)), None
        complaint = self._cluster.complaint(name_of(self._run_id))
        return complaint or "its pod is about to be made", waiting.unmade(complaint)


class _Failed(PacecarError):
    """What a run in a cluster has ended with, as it was told there."""

    def __init__(self, ended: handover.Ended) -> None:
        super().__init__(ended.message, hint=ended.hint)
        # Whoever may write to the store may have written it: no failure passes for a verdict.
        known = ended.exit_code in _FAILURES
        self.exit_code = ended.exit_code if known else MeasurementError.exit_code  # type: ignore[misc]  # of this one


def fetched(shared: Shared, run_id: str, *, why: str | None) -> RunDirectory:
    """A run whose job has ended, from the store.

    Args:
        shared: the store.
        run_id: of the run.
        why: what the cluster says of the job's end; None for nothing.

    Raises:
        PacecarError: what the run has ended with, where it is not complete.
    """
    stored = shared.find(run_id)
    if stored is not None and stored.state is RunState.COMPLETE:
        return shared.fetch(stored)
    if (ended := handover.ended(shared, run_id)) is not None:
        raise _Failed(ended)
    told = f" {why}" if why else ""
    if stored is not None:
        pairs = "1 pair is" if stored.pairs == 1 else f"{stored.pairs} pairs are"
        raise ClusterError(
            f"The job of run {run_id} has ended before the run was complete.{told} {pairs.capitalize()} in the store.",
            hint=f"Continue: pacecar submit --resume {run_id}; judge what is there: pacecar judge {run_id}",
        )
    raise ClusterError(
        f"{shared.bucket.url} holds nothing of run {run_id}, and no job measures it.{told}",
        hint="See what there is: pacecar runs list",
    )
