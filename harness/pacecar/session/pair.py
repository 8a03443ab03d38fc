"""One pair: its turns, one after the other, and what they recorded put together."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from pacecar.experiment import Side
from pacecar.observe.yardstick import YardstickFailed, measure_yardstick
from pacecar.recording import ForkData, Pair, PairRecord, Window, empty_table
from pacecar.session import tables
from pacecar.session.asking import answers
from pacecar.session.bench import Bench
from pacecar.session.loading import Loaded
from pacecar.session.progress import Phase
from pacecar.session.turn import Turn, carry_out


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A pair, and the folder of raw files of each of its sides."""

    pair: Pair
    raw: dict[Side, Path]


def measure(bench: Bench, *, number: int, order: Sequence[Side]) -> Measured:
    """Measure pair `number` with load in `order`; where the sides take turns, the first one's windows come first.

    Raises:
        deploy.DeployError: when a fork does not come up.
        load.LoadError: when the load generator fails.
    """
    folder = bench.custody.folder(f"p{number}")
    turns: list[Turn] = []
    recording = len(set(order)) == 1
    yardstick_ns, notes = _yardstick(bench, folder) if recording else (0.0, [])
    for part in _parts(order, together=not bench.turns):
        windows = sum(len(turn.order) for turn in turns)
        turns.append(Turn(number=number, folder=folder, order=part, first_window=windows))
        carry_out(bench, turns[-1])
        if turns[-1].died:
            break
    with bench.stopwatch.phase(Phase.HARNESS):
        bench.say(Phase.HARNESS, "reading what was recorded")
        measured = _assembled(bench, turns, number=number, first=order[0])
    record = replace(measured.pair.record, yardstick_ns=yardstick_ns, notes=(*notes, *measured.pair.record.notes))
    return replace(measured, pair=replace(measured.pair, record=record))


def _yardstick(bench: Bench, folder: Path) -> tuple[float, list[str]]:
    """The machine's speed just before a recording, and a note when it could not be told."""
    with bench.stopwatch.phase(Phase.HARNESS):
        bench.say(Phase.HARNESS, "measuring the machine")
        try:
            return measure_yardstick(
                bench.toolchain.counter_agent,
                java=bench.java,
                cpus=bench.cores.target,
                custody=bench.custody,
                log=folder / "yardstick.log",
            ), []
        except YardstickFailed as error:
            return 0.0, [error.message]


def _parts(order: Sequence[Side], *, together: bool) -> list[Sequence[Side]]:
    if together:
        return [order]
    return [[side for side in order if side is mine] for mine in dict.fromkeys(order)]


def _assembled(bench: Bench, turns: Sequence[Turn], *, number: int, first: Side) -> Measured:
    """Everything that was recorded of the pair, as records and tables."""
    loads = [turn.load for turn in turns if turn.load is not None]
    done = [load.done for load in loads]
    windows = [window for part in done for window in part.windows]
    requests, notes = tables.requests([log for part in done for log in part.logs], windows)
    all_notes = [f"The sides took turns: {bench.turns}."] if bench.turns else []
    all_notes += [note for turn in turns for note in turn.notes]
    all_notes += [*(note for part in done for note in part.notes), *notes]
    all_notes += [note for load in loads for note in load.reader.notes.values()]
    arrivals = tables.arrivals([(part.arrivals, part.first_window) for part in done], windows)
    requests = tables.refined(requests, arrivals)
    asked, unanswered = _asked(bench, turns, number=number, windows=windows)
    all_notes += unanswered
    forks: dict[Side, ForkData] = {}
    raw: dict[Side, Path] = {}
    for turn, load in zip(turns, loads, strict=True):
        for side, record in turn.records.items():
            mine = [window for window in windows if window.side is side]
            edges = load.reader.tables(side)
            folded = tables.profile(
                turn.profiles[side], mine, profiler=bench.experiment.profiler, counters=edges["counters"]
            )
            forks[side] = ForkData(
                record=replace(record, profile=folded.quality),
                tables={
                    "requests": requests.get(side, empty_table("requests")),
                    "arrivals": arrivals.get(side, empty_table("arrivals")),
                    **edges,
                    "warmup": load.warming.table(side),
                    "pauses": tables.pauses(
                        target=turn.forks[side].gc_log, generators=[log.gc_log for log in load.done.logs]
                    ),
                    "samples": folded.samples,
                    "stacks": folded.stacks,
                    "queries": asked.get(side, empty_table("queries")),
                },
            )
            raw[side] = turn.raw(side)
            _keep_generator_files(load.done, raw[side])
    pair = PairRecord(
        number=number,
        first=first,
        windows=tuple(windows),
        forks={side: fork.record for side, fork in forks.items()},
        notes=tuple(all_notes),
        generator_cpus=bench.cores.generator,
    )
    return Measured(pair=Pair(record=pair, forks=forks), raw=raw)


def _asked(
    bench: Bench, turns: Sequence[Turn], *, number: int, windows: Sequence[Window]
) -> tuple[dict[Side, pd.DataFrame], tuple[str, ...]]:
    return answers(
        bench.prometheus,
        bench.experiment.queries,
        pair=number,
        windows=windows,
        instances={side: instance for turn in turns for side, instance in turn.instances.items()},
        intervals_s={side: seconds for turn in turns for side, seconds in turn.scrape_intervals_s.items()},
    )


def _keep_generator_files(done: Loaded, raw: Path) -> None:
    """Put the load generator's files beside those of the fork: either side can then be read by itself."""
    folder = raw / "gatling"
    folder.mkdir(exist_ok=True)
    for log in done.logs:
        name = "" if log.window is None else f"-{log.window}"
        shutil.copyfile(log.log, folder / f"simulation{name}.log")
        if log.gc_log.exists():
            shutil.copyfile(log.gc_log, folder / f"gc{name}.log")
    if done.arrivals is not None and done.arrivals.exists():
        shutil.copyfile(done.arrivals, folder / done.arrivals.name)
