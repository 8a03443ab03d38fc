"""Forks that are up at the same time: deployed fresh, loaded in turn, taken down.

Usually both sides of a pair; one side where they cannot be up together.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from pacecar.errors import Interrupted, PacecarError
from pacecar.integrations.discovery import announced
from pacecar.measurement.deploy import DeployError, ForkDied
from pacecar.measurement.deploy.dependencies import Dependencies, bring_up
from pacecar.measurement.deploy.fork import Attachment, Fork, ForkOrder, JvmView
from pacecar.measurement.deploy.jvm import COUNTABLE
from pacecar.measurement.probes.process import ProcessGone
from pacecar.measurement.receiver.settings import agent_environment, span_environment, token_environment
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.endpoint_counts import EndpointCounts, counts_of
from pacecar.measurement.session.live_heap import LiveHeap, collect
from pacecar.measurement.session.loading import Loaded, Loading
from pacecar.measurement.session.progress import Phase
from pacecar.measurement.session.prometheus_queries import scrape_intervals
from pacecar.measurement.session.warming import Warming
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.model.experiment import Experiment, Side
from pacecar.model.recording import ForkRecord, Window

#: How long the chunk that covers the last window is waited for: upload intervals, and seconds for a slow upload.
_UPLOADS = 3
_SLOW_UPLOAD_S = 10.0
#: How long the last collection is waited for. Nothing is measured any more, but the run goes on only afterwards.
_COLLECTION_S = 20.0


@dataclass(kw_only=True)
class ForkGroup:
    """The forks of one turn; what was measured of them survives the death of one.

    Attributes:
        number: of the pair.
        folder: of the pair's files.
        order: the sides under load, window by window.
        first_window: index of its first window within the pair.
        needs: what was started beside each fork, by side.
        forks: by side.
        load: what was done to them; None before.
        counts: what followed their windows; None where nothing did.
        records: how each fork was started and how it went.
        live: what each fork's heap had kept after the last window, where that is known.
        profiles: chunks of each fork's profile.
        died: side -> how it ended before its time.
        at_limit: sides that were killed for want of memory at their own limit.
        notes: what a reader should know.
        scrape_intervals_s: of each fork that Prometheus says it scrapes.
    """

    number: int
    folder: Path
    order: Sequence[Side]
    first_window: int
    needs: dict[Side, Dependencies] = field(default_factory=dict)
    forks: dict[Side, Fork] = field(default_factory=dict)
    load: Loading | None = None
    counts: EndpointCounts | None = None
    records: dict[Side, ForkRecord] = field(default_factory=dict)
    live: dict[Side, LiveHeap] = field(default_factory=dict)
    profiles: dict[Side, tuple[Path, ...]] = field(default_factory=dict)
    died: dict[Side, str] = field(default_factory=dict)
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
    def interrupted(self) -> Interrupted | None:
        """By whom the run was ended when all windows were over; None where nobody did."""
        return None if self.counts is None else self.counts.interrupted

    def raw(self, side: Side) -> Path:
        """Folder of the raw files of one side."""
        path = self.folder / side.value
        path.mkdir(exist_ok=True)
        return path

    def key(self, side: Side) -> str:
        """Name of one fork at the receiver."""
        return f"{self.number}-{side.value}"

    def check(self) -> None:
        """Raise ForkDied when a fork is gone."""
        for fork in self.forks.values():
            fork.check()

    def note_deaths(self, first: PacecarError) -> None:
        """Note which forks are gone; raise `first` again when none is."""
        for side, fork in self.forks.items():
            try:
                fork.check()
            except ForkDied as death:
                self.died[side] = death.message
                if death.at_limit:
                    self.at_limit.add(side)
        if not self.died:
            raise first


def measure_forks(context: RunContext, group: ForkGroup) -> None:
    """Deploy the forks of `group`, warm and measure them, collect their profiles, take them down.

    Raises:
        deploy.DeployError: when a fork does not come up.
        load.LoadError: when the load generator fails.
    """
    with deployed(context, group):
        reader = _reader(context.experiment, group)
        group.load = Loading(
            context=context,
            number=group.number,
            order=group.order,
            urls={side: fork.url for side, fork in group.forks.items()},
            reader=reader,
            folder=group.folder / f"gatling-{group.first_window}",
            warming=Warming(context=context, reader=reader),
            done=Loaded(first_window=group.first_window),
        )
        try:
            group.load.drive()
        except (ForkDied, ProcessGone) as death:
            group.note_deaths(death)
        with contextlib.ExitStack() as generators:
            run = None
            if (counts := _counts(context, group, group.load)) is not None:
                # It comes up while the last profile is on its way, and waits.
                run = generators.enter_context(counts.generator(group.folder / counts.name, group.load.urls))
            _read_the_rest(context, group, group.load)
            if counts is not None and run is not None:
                group.counts = counts
                counts.count(run)


def _counts(context: RunContext, group: ForkGroup, load: Loading) -> EndpointCounts | None:
    """What is to follow the windows of forks that have come to their end of them."""
    if group.died or not load.done.windows:
        return None
    last = max(window.index for window in load.done.windows)
    return counts_of(context, reader=load.reader, order=group.order, first_block=last + 1)


def _read_the_rest(context: RunContext, group: ForkGroup, load: Loading) -> None:
    """What forks tell once their windows are over: heaps, flags, the end of their profiles."""
    with context.stopwatch.phase(Phase.HARNESS):
        context.say(Phase.HARNESS, "waiting for the last profile")
        # The JVMs are asked for their heaps and flags first: that time passes while the profile is on its way.
        if not context.experiment.plan.quick:  # so few requests tell nothing of what a heap keeps
            group.live = collect(group.forks, timeout_s=_COLLECTION_S)
        with ThreadPoolExecutor(len(group.forks)) as pool:  # at once: each has to start a program for it
            asked = {side: pool.submit(fork.record, died=group.died.get(side)) for side, fork in group.forks.items()}
        for side, record in asked.items():
            group.records[side] = replace(
                record.result(),
                unsettled=load.warming.unsettled.get(side),
                at_limit=side in group.at_limit,
                artifact_bytes=context.artifacts[side].size,
            )
        for side in group.forks:
            group.profiles[side] = _profile(context, group, side)
        group.scrape_intervals_s = scrape_intervals(context.prometheus, group.instances)


def _reader(experiment: Experiment, group: ForkGroup) -> EdgeReader:
    return EdgeReader(
        forks=group.forks,
        metrics_path=experiment.target.metrics_path,
        check=group.check,
        buckets=not experiment.plan.quick,
        calls=experiment.counts_calls,
    )


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
        for fork in group.forks.values():
            stops.callback(fork.stop)  # one whose reset fails must not keep the other running


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
    return ForkOrder(
        request=context.experiment.builds[side],
        side=side,
        jar=artifact.path,
        images=artifact.images,
        folder=group.raw(side),
        scratch=context.resources.folder(f"{group.number}{side.value[0]}"),
        cpus=context.cores.target,
        aside=context.cores.generator,
    )


def _start(context: RunContext, group: ForkGroup, order: ForkOrder) -> Fork:
    return context.deployer.deploy(order, lambda view: _attachment(context, group, order.side, view))


def _attachment(context: RunContext, group: ForkGroup, side: Side, view: JvmView) -> Attachment:
    """The agents of one fork, as its JVM sees them."""
    experiment, request, tools = context.experiment, context.experiment.builds[side], context.toolchain
    agents = [f"{view.seen(tools.counter_agent)}={view.counters}{_counting(experiment)}"]
    if experiment.plan.quick:  # a profiler allocates, and nothing is profiled that lasts so short
        return Attachment(agents=tuple(agents), options=COUNTABLE)
    if not request.profiler:
        return Attachment(agents=tuple(agents))
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
    return Attachment(
        agents=tuple(agents),
        env=environment | (span_environment(view.seen(spans.extension)) if spans else {}),
        secrets=token_environment(upload_endpoint.token),
    )


def _counting(experiment: Experiment) -> str:
    """What the counter agent is told beside its socket: to count calls, and whose code may have made them."""
    return "|".join(("", "calls", *experiment.target.application)) if experiment.counts_calls else ""


def _profile(context: RunContext, group: ForkGroup, side: Side) -> tuple[Path, ...]:
    """The raw chunks of one fork, after waiting for the one that covers its last window."""
    if context.experiment.plan.quick or not context.experiment.builds[side].profiler:
        return ()
    key = group.key(side)
    windows = group.load.done.windows if group.load else ()
    ends = [window.end_ns for window in windows if window.side is side]
    patience = _UPLOADS * context.experiment.profiler.upload_interval_s + _SLOW_UPLOAD_S
    if ends and not group.died and not context.receiver.wait_until(key, max(ends), patience):
        group.notes.append(
            f"The {side.value}'s last profile did not arrive; its frames miss the end of the last window."
        )
    chunks = context.receiver.collect(key, group.raw(side) / "profile")
    group.notes += context.receiver.notes(key)
    return chunks
