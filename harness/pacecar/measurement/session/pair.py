"""One pair: its turns, one after the other, and what they recorded put together."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from pacecar.errors import Interrupted
from pacecar.measurement.load.errors import InjectorLost
from pacecar.measurement.probes.gc_log import parts_of
from pacecar.measurement.probes.yardstick import YardstickFailed, measure_yardstick
from pacecar.measurement.schedule import pair_seed
from pacecar.measurement.session import clock, step_tables, tables
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.endpoint_counts import EndpointCounts, OfBlocks, read_counts
from pacecar.measurement.session.fork_group import ForkGroup
from pacecar.measurement.session.loading import KeptRecord, Loaded, Loading
from pacecar.measurement.session.measuring_forks import measure_forks
from pacecar.measurement.session.progress import Phase
from pacecar.measurement.session.prometheus_queries import answers
from pacecar.measurement.session.striking import out_of_pair, secrets_of
from pacecar.measurement.spans import told_spans
from pacecar.model.experiment import Side
from pacecar.model.recording import ForkData, InjectorRecord, Pair, PairRecord, Window
from pacecar.model.tables import empty_table


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A pair, and the folder of raw files of each of its sides, which lies in `folder`.

    `interrupted` is raised once the pair is stored: nothing is to be measured after it.
    """

    pair: Pair
    raw: dict[Side, Path]
    folder: Path
    interrupted: Interrupted | None = None

    def store(self, write: Callable[[Pair, dict[Side, Path]], None]) -> None:
        """Have `write` keep the pair and copies of its raw files, then remove these. Where that fails, they stay."""
        write(self.pair, self.raw)
        shutil.rmtree(self.folder, ignore_errors=True)


def measure(context: RunContext, *, number: int, order: Sequence[Side]) -> Measured:
    """Measure pair `number` with load in `order`; where the sides take turns, the first one's windows come first.

    Raises:
        deploy.DeployError: when a fork does not come up.
        load.LoadError: when the load generator fails.
    """
    struck = secrets_of(context.experiment, deployed=context.deployer.struck())
    with struck.out_of_errors():
        measured = _measured(context, number=number, order=order)
    with context.stopwatch.phase(Phase.HARNESS):
        for raw in measured.raw.values():
            struck.out_of_files(raw)
        return replace(measured, pair=out_of_pair(measured.pair, struck))


def _measured(context: RunContext, *, number: int, order: Sequence[Side]) -> Measured:
    folder = context.resources.folder(f"p{number}")
    groups: list[ForkGroup] = []
    recording = len(set(order)) == 1
    yardstick_ns, notes = _yardstick(context, folder) if recording else (0.0, [])
    for part in _parts(order, together=context.one_at_a_time is None):
        if groups and groups[-1].interrupted is not None:
            raise groups[-1].interrupted  # half a pair is none
        groups.append(ForkGroup(number=number, folder=folder, order=part, first_window=_next_window(groups)))
        measure_forks(context, groups[-1])
        if groups[-1].cut_short:
            break
    with context.stopwatch.phase(Phase.HARNESS):
        context.say(Phase.HARNESS, "reading what was recorded")
        measured = _assembled(context, groups, number=number, first=order[0])
    record = replace(measured.pair.record, yardstick_ns=yardstick_ns, notes=(*notes, *measured.pair.record.notes))
    return replace(measured, pair=replace(measured.pair, record=record))


def _next_window(groups: Sequence[ForkGroup]) -> int:
    """The first index that no window of these groups has."""
    loads = [group.load for group in groups if group.load is not None]
    used = [window.index for load in loads for window in load.done.windows]
    used += [block.index for group in groups for block in group.blocks]
    return max(used, default=-1) + 1


def _yardstick(context: RunContext, folder: Path) -> tuple[float, list[str]]:
    """The machine's speed just before a recording, and a note when it could not be told."""
    if (machine := context.deployer.machine()) is not None:
        return 0.0, [f"The speed of {machine} was not measured, so a slower node looks like a slower build."]
    with context.stopwatch.phase(Phase.HARNESS):
        context.say(Phase.HARNESS, "measuring the machine")
        try:
            return measure_yardstick(
                context.toolchain.counter_agent,
                java=context.java,
                cpus=context.cores.target,
                resources=context.resources,
                log=folder / "yardstick.log",
            ), []
        except YardstickFailed as error:
            return 0.0, [error.message]


def _parts(order: Sequence[Side], *, together: bool) -> list[Sequence[Side]]:
    if together:
        return [order]
    return [[side for side in order if side is mine] for mine in dict.fromkeys(order)]


@dataclass(frozen=True, kw_only=True)
class _OfBoth:
    """What is read for all forks of a pair at once, by side: the load generator keeps one record, Prometheus is asked
    once.
    """

    windows: Sequence[Window]
    counted: OfBlocks
    requests: Mapping[Side, pd.DataFrame]
    sent: Mapping[Side, pd.DataFrame]
    arrivals: Mapping[Side, pd.DataFrame]
    queries: Mapping[Side, pd.DataFrame]
    notes: tuple[str, ...]


def _assembled(context: RunContext, groups: Sequence[ForkGroup], *, number: int, first: Side) -> Measured:
    """Everything that was recorded of the pair, as records and tables."""
    loaded = [(group, group.load) for group in groups if group.load is not None]
    both = _of_both(context, groups, number=number)
    forks: dict[Side, ForkData] = {}
    raw: dict[Side, Path] = {}
    for group, load in loaded:
        for side in group.records:
            forks[side] = _of_fork(context, group, load, side, both)
            raw[side] = group.raw(side)
            _keep_generator_files(load.done, raw[side], counts=group.counts)
    pair = PairRecord(
        number=number,
        first=first,
        windows=tuple(both.windows),
        blocks=both.counted.blocks,
        forks={side: fork.record for side, fork in forks.items()},
        notes=both.notes,
        generator_cpus=context.cores.generator,
        injectors=_injectors(context, groups),
        within_ms=context.experiment.scenario.within_ms if context.experiment.climbs else None,
    )
    return Measured(
        pair=Pair(record=pair, forks=forks), raw=raw, folder=groups[0].folder, interrupted=groups[-1].interrupted
    )


def _injectors(context: RunContext, groups: Sequence[ForkGroup]) -> tuple[InjectorRecord, ...]:
    """Who sent the load, and where."""
    lost = {group.lost.injector: group.lost.message for group in groups if isinstance(group.lost, InjectorLost)}
    nodes = {record.injector: record.node for group in groups if group.load for record in group.load.done.sliced}
    return tuple(
        InjectorRecord(
            number=number, machine=context.machine if node is None else None, node=node, lost=lost.get(number)
        )
        for number, node in sorted((nodes or {0: None}).items())
    )


def _of_both(context: RunContext, groups: Sequence[ForkGroup], *, number: int) -> _OfBoth:
    loads = [group.load for group in groups if group.load is not None]
    done = [load.done for load in loads]
    windows = [window for part in done for window in part.windows]
    warmed = {side: record for part in done for side, record in part.warmed.items()}
    logged = tables.requests([kept for part in done for kept in part.kept], windows, warmed=warmed)
    sliced = [(record, part.first_window) for part in done for record in part.sliced]
    arrivals = tables.arrivals(sliced, windows)
    queries, unanswered = _asked(context, groups, number=number, windows=windows)
    requests = tables.refined(logged.tables, arrivals)
    counted = read_counts([group.counts for group in groups if group.counts is not None], requests)
    return _OfBoth(
        windows=windows,
        counted=counted,
        requests={side: tables.joined(table, counted.requests.get(side)) for side, table in requests.items()},
        sent=logged.sent,
        arrivals=arrivals,
        queries=queries,
        notes=(
            *([f"The sides took turns: {context.one_at_a_time}."] if context.one_at_a_time is not None else []),
            *(note for group in groups for note in group.notes),
            *(note for part in done for note in part.notes),
            *logged.notes,
            *(note for load in loads for note in load.reader.notes.values()),
            *counted.notes,
            *(note for group in groups if group.climbing for note in group.climbing.notes),
            *unanswered,
        ),
    )


def _of_fork(context: RunContext, group: ForkGroup, load: Loading, side: Side, both: _OfBoth) -> ForkData:
    ahead = clock.ahead_ns(group.records[side])
    edges = clock.tables_here(load.reader.tables(side), ahead)
    folded = tables.profile(
        group.profiles[side],
        clock.windows_there([window for window in both.windows if window.side is side], ahead),
        profiler=context.experiment.profiler,
        counters=edges["counters"],
    )
    counted = both.counted.edges.get(side, {})
    sent = both.sent.get(side)
    before, after = (clock.heap_here(live.get(side), ahead) for live in (load.warming.live, group.live))
    heap = tables.heap_growth(before, after, sent)
    first_answer_s = tables.first_answer_s(sent)
    made = group.climbing.made.get(side, []) if group.climbing else []
    return ForkData(
        record=replace(group.records[side], profile=folded.quality, first_answer_s=first_answer_s, heap=heap),
        tables={
            "requests": both.requests.get(side, empty_table("requests")),
            "arrivals": both.arrivals.get(side, empty_table("arrivals")),
            **{
                name: tables.joined(table, clock.table_here(counted[name], ahead) if name in counted else None)
                for name, table in edges.items()
            },
            "warmup": load.warming.table(side),
            "pace": group.pace.table(w for w in both.windows if w.side is side) if group.pace else empty_table("pace"),
            **_logged(context, group, load, side, both),
            "samples": folded.samples,
            "moments": clock.table_here(folded.moments, ahead),
            "stacks": folded.stacks,
            "steps": step_tables.steps(made),
            "pools": step_tables.pools(
                group.profiles[side], made, profiler=context.experiment.profiler, ahead_ns=ahead
            ),
            "queries": both.queries.get(side, empty_table("queries")),
        },
    )


def _logged(context: RunContext, group: ForkGroup, load: Loading, side: Side, both: _OfBoth) -> dict[str, pd.DataFrame]:
    """What the fork and the load generator have logged, on one clock."""
    ahead = clock.ahead_ns(group.records[side])
    log, generators = group.forks[side].gc_log, [kept.record for kept in load.done.kept]
    seed = pair_seed(context.experiment.plan, group.number)
    spans = told_spans(group.spans.get(side, ()), seed=seed, arrivals=both.arrivals.get(side))
    return {
        "pauses": tables.pauses(target=log, generators=generators, ahead_ns=ahead),
        "stalls": clock.table_here(tables.stalls(log), ahead),
        "hiccups": tables.hiccups(generators),
        "spans": clock.table_here(spans, ahead),
    }


def _asked(
    context: RunContext, groups: Sequence[ForkGroup], *, number: int, windows: Sequence[Window]
) -> tuple[dict[Side, pd.DataFrame], tuple[str, ...]]:
    if context.experiment.plan.quick:  # a server that scrapes every few seconds has nothing to say of a block
        return {}, ()
    return answers(
        context.prometheus,
        context.experiment.queries,
        pair=number,
        windows=windows,
        instances={side: instance for group in groups for side, instance in group.instances.items()},
        intervals_s={side: seconds for group in groups for side, seconds in group.scrape_intervals_s.items()},
    )


def _keep_generator_files(done: Loaded, raw: Path, *, counts: EndpointCounts | None) -> None:
    """Put the load generator's files beside those of the fork: either side can then be read by itself."""
    folder = raw / "gatling"
    folder.mkdir(exist_ok=True)
    # One that was ended early has left no requests, but it may have told of its sending.
    unfinished = [] if done.kept else [KeptRecord(record=record, window=None) for record in done.sliced]
    records = [(kept.suffix, kept.record) for kept in (*done.kept, *unfinished)]
    if counts is not None and counts.record is not None:
        records.append(("-blocks", counts.record))
    for suffix, record in records:
        for name, path in record.files.items():
            shutil.copyfile(path, folder / f"{Path(name).stem}{suffix}{Path(name).suffix}")
        for part in parts_of(record.gc_log):
            shutil.copyfile(part, folder / f"gc{suffix}.log{part.name.removeprefix(record.gc_log.name)}")
