"""Forks that are up at the same time: deployed fresh, loaded in turn, taken down.

Usually both sides of a pair; one side where they cannot be up together.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from pacecar.errors import Interrupted, PacecarError
from pacecar.integrations.discovery import announced
from pacecar.measurement.deploy import DeployError, ForkDied, ForkLost
from pacecar.measurement.deploy.dependencies import Dependencies, bring_up
from pacecar.measurement.deploy.fork import Attachment, Fork, ForkOrder, JvmView
from pacecar.measurement.deploy.jvm import COUNTABLE
from pacecar.measurement.deploy.live_heap import LiveHeap
from pacecar.measurement.load.errors import InjectorLost
from pacecar.measurement.probes.pace import Pace
from pacecar.measurement.receiver.settings import (
    agent_environment,
    span_environment,
    token_environment,
    trace_token_environment,
)
from pacecar.measurement.session.climbing import Climbing
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.endpoint_counts import EndpointCounts
from pacecar.measurement.session.loading import Loading
from pacecar.measurement.session.progress import Phase
from pacecar.model.experiment import Experiment, Side
from pacecar.model.recording import ForkRecord, Window

#: How often forks are started that are taken away before they are measured.
_ATTEMPTS = 3


@dataclass(kw_only=True)
class ForkGroup:
    """The forks of one turn; what was measured of them survives the death of one.

    Attributes:
        number: of the pair.
        folder: of the pair's files.
        order: the sides under load, window by window.
        first_window: index of its first window within the pair.
        scratch: folder of each fork's own, by side; gone once the fork is.
        needs: what was started beside each fork, by side.
        forks: by side.
        load: what was done to them; None before.
        pace: how fast their cores were meanwhile; None where that was not watched.
        counts: what followed their windows; None where nothing did.
        climbing: the staircase that followed all else; None where none did.
        records: how each fork was started and how it went.
        live: what each fork's heap had kept after the last window, where that is known.
        profiles: chunks of each fork's profile.
        spans: bodies of what was told of single requests of each fork.
        died: side -> how it ended before its time.
        lost: an injector that was killed while it sent load to them, or a fork that was taken away; None when none was.
        at_limit: sides that were killed for want of memory at their own limit.
        notes: what a reader should know.
        scrape_intervals_s: of each fork that Prometheus says it scrapes.
    """

    number: int
    folder: Path
    order: Sequence[Side]
    first_window: int
    scratch: dict[Side, Path] = field(default_factory=dict)
    needs: dict[Side, Dependencies] = field(default_factory=dict)
    forks: dict[Side, Fork] = field(default_factory=dict)
    load: Loading | None = None
    pace: Pace | None = None
    counts: EndpointCounts | None = None
    climbing: Climbing | None = None
    records: dict[Side, ForkRecord] = field(default_factory=dict)
    live: dict[Side, LiveHeap] = field(default_factory=dict)
    profiles: dict[Side, tuple[Path, ...]] = field(default_factory=dict)
    spans: dict[Side, tuple[Path, ...]] = field(default_factory=dict)
    died: dict[Side, str] = field(default_factory=dict)
    lost: InjectorLost | ForkLost | None = None
    at_limit: set[Side] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    scrape_intervals_s: dict[Side, float] = field(default_factory=dict)

    @property
    def instances(self) -> dict[Side, str]:
        """`host:port` of each fork, as Prometheus calls it."""
        return {side: urlsplit(fork.url).netloc for side, fork in self.forks.items()}

    @property
    def blocks(self) -> Sequence[Window]:
        """What followed their windows, endpoint by endpoint."""
        return () if self.counts is None else self.counts.done

    @property
    def all_well(self) -> bool:
        """Whether the forks have come to the end of their windows and nobody has asked for an end."""
        return bool(self.load and self.load.done.windows) and not self.cut_short and self.interrupted is None

    @property
    def cut_short(self) -> bool:
        """Whether their load ended before its time, because a fork or an injector is gone."""
        return bool(self.died) or self.lost is not None

    def profiled(self, side: Side) -> Sequence[Window]:
        """What the profile of a fork is to cover: its windows, and those of its steps."""
        windows = self.load.done.windows if self.load else ()
        made = self.climbing.made.get(side, ()) if self.climbing else ()
        return [*(each for each in windows if each.side is side), *(each for step in made for each in step.windows)]

    @property
    def interrupted(self) -> Interrupted | None:
        """By whom the run was ended when all windows were over; None where nobody did."""
        after = (self.counts, self.climbing)
        return next((each.interrupted for each in after if each is not None and each.interrupted is not None), None)

    def raw(self, side: Side) -> Path:
        """Folder of the raw files of one side."""
        path = self.folder / side.value
        path.mkdir(exist_ok=True)
        return path

    def key(self, side: Side) -> str:
        """Name of one fork at the receiver."""
        return f"{self.number}-{side.value}"

    def check(self) -> None:
        """Raise ForkDied or ForkLost when a fork is gone."""
        for fork in self.forks.values():
            fork.check()

    def note_ends(self, first: PacecarError) -> None:
        """Note which forks have died or were taken away; raise `first` again when none is gone."""
        for side, fork in self.forks.items():
            try:
                fork.check_again()
            except ForkDied as death:
                self.died[side] = death.message
                if death.at_limit:
                    self.at_limit.add(side)
            except ForkLost as lost:
                self.lost = lost
        if not self.cut_short:
            raise first


@contextlib.contextmanager
def brought_up(context: RunContext, group: ForkGroup) -> Iterator[None]:
    """`deployed`, once more where a fork is taken away before anything was measured of it."""
    with contextlib.ExitStack() as up:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                up.enter_context(deployed(context, group))
                break
            except ForkLost as lost:
                if attempt == _ATTEMPTS:
                    raise
                group.notes.append(f"{lost.message} Nothing was measured yet, so it was restarted.")
                for side in dict.fromkeys(group.order):
                    context.receiver.forget(group.key(side))
                group.forks.clear()
        yield


@contextlib.contextmanager
def deployed(context: RunContext, group: ForkGroup) -> Iterator[None]:
    """All forks up on entering; all down, however it went, on leaving."""
    try:
        with context.stopwatch.phase(Phase.DEPLOY):
            orders = {side: _order(context, group, side) for side in dict.fromkeys(group.order)}
            _bring_up_needs(context, group, orders)
            for side, order in orders.items():
                group.forks[side] = _start(context, group, replace(order, dependencies=group.needs[side]))
            context.say(Phase.DEPLOY, "waiting until " + " and ".join(side.value for side in group.forks) + " is ready")
            _await_all(group.forks.values())
            for fork in group.forks.values():
                fork.fill()
        with announced(_targets(context), _labelled(group), resources=context.resources):
            yield
    except BaseException:
        with contextlib.suppress(DeployError):  # a reset that fails as well would hide why
            _take_down(context, group)
        raise
    _take_down(context, group)


def _take_down(context: RunContext, group: ForkGroup) -> None:
    """End what is up. Raises as `Fork.stop`, for the last of those that do."""
    with context.stopwatch.phase(Phase.DEPLOY), contextlib.ExitStack() as stops:
        for needs in group.needs.values():
            stops.callback(needs.end)  # after every fork: what was noted first here is done last
        for side, fork in group.forks.items():
            stops.callback(_stop, fork, group.scratch[side])  # one whose reset fails must not keep the other running


def _stop(fork: Fork, scratch: Path) -> None:
    fork.stop()
    shutil.rmtree(scratch, ignore_errors=True)  # what it left there would stay until the end of the run


def _targets(context: RunContext) -> Path | None:
    return context.experiment.prometheus.targets if context.experiment.prometheus else None


def _labelled(group: ForkGroup) -> dict[str, dict[str, str]]:
    return {instance: {"side": side.value, "pair": str(group.number)} for side, instance in group.instances.items()}


def _await_all(forks: Iterable[Fork]) -> None:
    """Wait for all at once, so that each one's time to readiness is its own."""
    waiters = ThreadPoolExecutor()
    try:
        for waiting in [waiters.submit(fork.await_ready) for fork in forks]:
            waiting.result()
    finally:
        waiters.shutdown(wait=False, cancel_futures=True)


def _bring_up_needs(context: RunContext, group: ForkGroup, orders: Mapping[Side, ForkOrder]) -> None:
    for side, order in orders.items():
        group.needs[side] = context.deployer.dependencies(order)
    names = dict.fromkeys(name for needs in group.needs.values() for name in needs.names)
    if names:
        context.say(Phase.DEPLOY, f"waiting until {' and '.join(names)} {'is' if len(names) == 1 else 'are'} ready")
    bring_up([*group.needs.values()])


def _order(context: RunContext, group: ForkGroup, side: Side) -> ForkOrder:
    artifact = context.artifacts[side]
    group.scratch[side] = context.resources.folder(f"{group.number}{side.value[0]}")
    return ForkOrder(
        request=context.experiment.builds[side],
        side=side,
        jar=artifact.path,
        images=artifact.images,
        folder=group.raw(side),
        scratch=group.scratch[side],
        cpus=context.cores.target,
        aside=context.cores.generator,
    )


def _start(context: RunContext, group: ForkGroup, order: ForkOrder) -> Fork:
    return context.deployer.deploy(order, lambda view: _attachment(context, group, order.side, view))


def _attachment(context: RunContext, group: ForkGroup, side: Side, view: JvmView) -> Attachment:
    """The agents of one fork, as its JVM sees them."""
    experiment, request, tools = context.experiment, context.experiment.builds[side], context.toolchain
    agents = [f"{view.seen(tools.counter_agent)}={view.counters}{_counting(experiment)}"]
    options = COUNTABLE if experiment.plan.quick else ()
    if not context.experiment.profiles(side):
        return Attachment(agents=tuple(agents), options=options)
    agents.append(view.seen(tools.profiling_agent))
    spans = tools.span_agent if request.spans else None
    if spans is not None:  # it finds the profiler that was loaded before it
        agents.append(view.seen(spans.agent))
    upload_endpoint = context.receiver.admit(group.key(side), host=view.host)
    environment = agent_environment(
        experiment.profiler,
        server=upload_endpoint.url,
        application=experiment.target.name,
        labels={"side": side.value, "pair": str(group.number)},
        scratch=view.scratch,
    )
    secrets = token_environment(upload_endpoint.token)
    if spans is not None:
        traced = experiment.profiler.traces
        environment |= span_environment(view.seen(spans.extension), traces=upload_endpoint.traces if traced else None)
        secrets |= trace_token_environment(upload_endpoint.token) if traced else {}
    return Attachment(agents=tuple(agents), options=options, env=environment, secrets=secrets)


def _counting(experiment: Experiment) -> str:
    """What the counter agent is told beside its socket: to count calls, and whose code may have made them."""
    return "|".join(("", "calls", *experiment.target.application)) if experiment.counts_calls else ""
