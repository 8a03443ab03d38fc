"""What is done with forks while they are up: they are warmed and measured, and asked for all that they can tell."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from pacecar.measurement.deploy import ForkDied, ForkLost
from pacecar.measurement.load.errors import InjectorLost
from pacecar.measurement.probes.pace import paced
from pacecar.measurement.probes.process import ProcessGone
from pacecar.measurement.session.climbing import Climbing
from pacecar.measurement.session.clock import ahead_ns, with_clock
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.endpoint_counts import EndpointCounts, counts_of
from pacecar.measurement.session.fork_group import ForkGroup, brought_up
from pacecar.measurement.session.live_heap import collect
from pacecar.measurement.session.loading import Loaded, Loading
from pacecar.measurement.session.progress import Phase
from pacecar.measurement.session.prometheus_queries import scrape_intervals
from pacecar.measurement.session.stepping import Stepping, with_load
from pacecar.measurement.session.striking import secrets_of
from pacecar.measurement.session.warming import Warming
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.measurement.watch.watch import Watched, WatchLost
from pacecar.model.capacity import LONGEST_S
from pacecar.model.experiment import Experiment, Side

#: How long the chunk that covers the last window is waited for: upload intervals, and seconds for a slow upload.
_UPLOADS = 3
_SLOW_UPLOAD_S = 10.0
#: How long the last collection is waited for. Nothing is measured any more, but the run goes on only afterwards.
_COLLECTION_S = 20.0


def measure_forks(context: RunContext, group: ForkGroup) -> None:
    """Deploy the forks of `group`, warm and measure them, collect their profiles, take them down.

    Raises:
        deploy.DeployError: when a fork does not come up.
        load.LoadError: when the load generator fails.
    """
    with brought_up(context, group):
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
            with _paced(context, group):
                group.load.drive()
        except (ForkDied, ForkLost, ProcessGone, WatchLost) as end:
            group.note_ends(end)
        except InjectorLost as lost:
            group.lost = lost
        with contextlib.ExitStack() as generators:
            run = None
            if (counts := _counts(context, group, group.load)) is not None:
                # It comes up while the last profile is on its way, and waits.
                run = generators.enter_context(counts.generator(group.folder / counts.name, group.load.urls))
            _read_the_rest(context, group, group.load)
            if counts is not None and run is not None:
                group.counts = counts
                counts.count(run)
        if context.experiment.climbs:
            _climb(context, group)
            _collect_profiles(context, group)


@contextlib.contextmanager
def _paced(context: RunContext, group: ForkGroup) -> Iterator[None]:
    """Watch how fast the cores of the forks run, if they have cores of their own on this machine."""
    if context.experiment.plan.quick or not context.cores.target or context.deployer.machine() is not None:
        yield
        return
    folder = group.folder / f"pace-{group.first_window}"
    with paced(context.cores.target, resources=context.resources, folder=folder) as group.pace:
        yield


def _counts(context: RunContext, group: ForkGroup, load: Loading) -> EndpointCounts | None:
    """What is to follow the windows of forks that have come to their end of them."""
    if not group.all_well:
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
                with_clock(record.result(), load.done.stepped),
                unsettled=load.warming.unsettled.get(side),
                lost=group.lost.message if isinstance(group.lost, ForkLost) and group.lost.side is side else None,
                at_limit=side in group.at_limit,
                artifact_bytes=context.artifacts[side].size,
            )
        if not context.experiment.climbs:  # else the profile is to cover the steps, too
            _collect_profiles(context, group)
        group.scrape_intervals_s = scrape_intervals(context.prometheus, group.instances)


def _reader(experiment: Experiment, group: ForkGroup) -> EdgeReader:
    return EdgeReader(
        forks=group.forks,
        watched=Watched(
            metrics_path=experiment.target.metrics_path,
            calls=experiment.counts_calls,
            calls_in_windows=experiment.counts_calls_in_windows,
        ),
        check=group.check,
        buckets=not experiment.plan.quick,
    )


def _climb(context: RunContext, group: ForkGroup) -> None:
    """The staircase that follows all else, on forks that are warm."""
    if not group.all_well:
        return
    experiment = context.experiment
    group.climbing = Climbing(
        stepping=Stepping(
            context=context,
            forks=group.forks,
            folder=group.folder / f"staircase-{group.first_window}",
            struck=secrets_of(experiment, deployed=context.deployer.struck()),
            deadline=time.monotonic() + LONGEST_S * len(group.forks) / len(experiment.builds),
            warmed=True,
            settled_by_users=True,
        ),
        scenario=with_load(experiment.scenario, context.climbs_from_per_s or experiment.scenario.rate_per_s),
        within_ms=experiment.scenario.within_ms,
        lowest_per_s=experiment.scenario.rate_per_s,
    )
    group.climbing.climb_if_possible()


def _collect_profiles(context: RunContext, group: ForkGroup) -> None:
    for side in group.forks:
        group.profiles[side] = _profile(context, group, side)


def _profile(context: RunContext, group: ForkGroup, side: Side) -> tuple[Path, ...]:
    """The raw chunks of one fork, after waiting for the one that covers its last window."""
    if not context.experiment.profiles(side):
        return ()
    key, jvm = group.key(side), group.forks[side].jvm_id
    ends = [window.end_ns + ahead_ns(group.records[side]) for window in group.profiled(side)]
    patience = _UPLOADS * context.experiment.profiler.upload_interval_s + _SLOW_UPLOAD_S
    if ends and not group.cut_short and not context.receiver.wait_until(key, max(ends), patience, jvm=jvm):
        group.notes.append(
            f"The {side.value}'s last profile did not arrive; its frames miss the end of the last window."
        )
    if context.experiment.profiler.traces:
        group.spans[side] = context.receiver.spans(key, group.folder / f"spans-{side.value}")
    chunks = context.receiver.collect(key, group.raw(side) / "profile", jvm=jvm)
    group.notes += context.receiver.notes(key)
    return chunks
