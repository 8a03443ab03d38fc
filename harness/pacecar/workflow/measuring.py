"""A request put under load, alone on this machine."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs, look, unexplained
from pacecar.archive.runs import RunDirectory
from pacecar.integrations import credentials
from pacecar.integrations.exchange import Server
from pacecar.integrations.prometheus import require_understood
from pacecar.measurement.session.preparing import Prepared
from pacecar.measurement.session.progress import Progress
from pacecar.measurement.session.request import Request
from pacecar.measurement.session.run import RunController
from pacecar.model.comparison import Look
from pacecar.model.experiment import Experiment
from pacecar.model.recording import Pair, RunKind
from pacecar.system.interruption import answer_signals
from pacecar.system.resources import Resources, sweep
from pacecar.system.resources.machine import alone_on_machine
from pacecar.workflow.evaluating import context_of
from pacecar.workflow.forwarding import forwarder_of
from pacecar.workflow.history import bring

#: Told of a pair of a run, once it is whole.
Stored = Callable[[RunDirectory, Pair], None]


class Observer(Protocol):
    """Whoever is told what goes on."""

    def progress(self, progress: Progress) -> None:
        """A run has come to another step."""

    def note(self, line: str) -> None:
        """Something that a person should know, in a line."""


class Unobserved:
    """Nobody is told."""

    def progress(self, progress: Progress) -> None:
        """Nothing."""

    def note(self, line: str) -> None:
        """Nothing."""


UNOBSERVED = Unobserved()


def measure(
    request: Request,
    observer: Observer = UNOBSERVED,
    *,
    begun: RunDirectory | None = None,
    wait: bool = True,
    prepared: Prepared | None = None,
    stored: Stored | None = None,
) -> RunDirectory:
    """Measure what `request` asks for, or what `begun` lacks of it. What was measured stays, however this ends.

    Args:
        request: from `requests`.
        observer: told what goes on.
        begun: a run that was interrupted.
        wait: for another measurement on this machine to end.
        prepared: builds and tools that were made elsewhere; None where they are made here.
        stored: told of each pair that is whole, while nothing is deployed; None for nobody.

    Raises:
        MachineBusy: when somebody else measures here and `wait` is False.
        RunTaken: when another process writes `begun`.
        PacecarError: when a build, a tool, a fork or the load generator fails.
    """
    with alone(observer, wait=wait):
        return _measured(request, observer, begun, prepared=prepared, stored=stored)


@contextmanager
def alone(observer: Observer, *, wait: bool) -> Iterator[None]:
    """Nobody else measures on this machine, nothing of a killed Pacecar is left on it, and signals end what we started.

    Raises:
        MachineBusy: when somebody else measures here and `wait` is False.
    """
    answer_signals()
    with alone_on_machine(wait=wait, tell=observer.note):
        for line in sweep():
            observer.note(line)
        yield


def _measured(
    request: Request,
    observer: Observer,
    begun: RunDirectory | None,
    *,
    prepared: Prepared | None,
    stored: Stored | None,
) -> RunDirectory:
    # Once, so that every look and the verdict know the same.
    brought = functools.cache(
        lambda run: bring(run, request.experiment, archive=request.archive, shared=request.shared, note=observer.note)
    )

    def look_at(run: RunDirectory, pairs: list[Pair]) -> Look:
        if run.manifest.kind is RunKind.RECORDING:  # a side by itself has nothing to be compared with yet
            return Look()
        brought(run)
        context = context_of(run, experiment=request.experiment, archive=request.archive, note=observer.note)
        return look(pairs, Criteria.of(request.experiment), context)

    def unexplained_in(run: RunDirectory, pairs: list[Pair]) -> str | None:
        context = context_of(run, experiment=request.experiment, archive=request.archive, note=observer.note)
        compared = compare_pairs(pairs, Criteria.of(request.experiment), replace(context, ended=True))
        return unexplained(compared, request.experiment.plan.tier)

    prometheus, forwarder = _prometheus_of(request.experiment), forwarder_of(request.experiment)
    with credentials.withdrawn(), Resources() as resources:
        run = RunController(
            request=request,
            resources=resources,
            tell=observer.progress,
            look=look_at,
            stored=_each(*filter(None, (stored, forwarder.pair if forwarder else None))),
            prometheus=prometheus,
            unexplained=unexplained_in,
            note=observer.note,
            prepared=prepared,
        ).run(begun)
    if forwarder is not None and (said := forwarder.summary(run.path.name)):
        observer.note(f"note: {said}")
    return run


def _each(*told: Stored) -> Stored:
    """Whoever is told of a pair, one after the other."""

    def tell(run: RunDirectory, pair: Pair) -> None:
        for each in told:
            each(run, pair)

    return tell


def _prometheus_of(experiment: Experiment) -> Server | None:
    """The server that is asked for metrics, once it has read the questions; None where there are none."""
    if experiment.prometheus is None:
        return None
    server = credentials.server(experiment.prometheus.url, kind="PROMETHEUS")
    require_understood(server, experiment.queries)
    return server
