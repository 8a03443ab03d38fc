"""After the last window of a pair: what requests to one endpoint cost, counted block by block as the quick tier does.

A window tells what a request of the whole mix costs. In a block one endpoint is asked, so what counters grow by is its
own. Blocks follow when everything else of the pair has been read, profiles among it: whatever happens in them, all that
was measured before stays as it is, and a pair that has lost them is a pair without.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from pacecar.errors import Interrupted, PacecarError
from pacecar.measurement import schedule
from pacecar.measurement.load import load_run
from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.load.injector import LoadRecord, SlicedLoad
from pacecar.measurement.load.load_run import LoadRun
from pacecar.measurement.session import tables
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.counting import Counting
from pacecar.measurement.session.loading import KeptRecord
from pacecar.measurement.session.progress import Phase
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.model.experiment import Side
from pacecar.model.recording import Window
from pacecar.model.scenario import Scenario
from pacecar.model.tiers import FEWEST_AFTER_WINDOWS, Blocks, Tier

_START_S = 30.0
_END_S = 10.0
#: Endpoints that a sentence names.
_NAMED = 3
_MISSING = "what a request to one endpoint costs is missing from this pair"


@dataclass(kw_only=True)
class EndpointCounts:
    """The blocks of one pair.

    Attributes:
        context: tools, plan and who is told.
        blocks: how many, and how large.
        sides: that are up, in the order of their windows.
        reader: reads the counters at the edges of blocks, and of nothing else.
        first_block: index of the first one, within the pair.
        done: blocks that are over; none once something went wrong with them.
        record: what the load generator has left behind; None without blocks.
        notes: what a reader should know.
        interrupted: by whom the blocks were ended; the pair is to be kept, and nothing measured after it.
    """

    context: RunContext
    blocks: Blocks
    sides: Sequence[Side]
    reader: EdgeReader
    first_block: int
    done: list[Window] = field(default_factory=list)
    record: LoadRecord | None = None
    notes: list[str] = field(default_factory=list)
    interrupted: Interrupted | None = None

    @property
    def name(self) -> str:
        """Of the folder of the load generator's files."""
        return f"blocks-{self.first_block}"

    @contextlib.contextmanager
    def generator(self, folder: Path, urls: Mapping[Side, str]) -> Iterator[LoadRun]:
        """A load generator on its way up, which sends nothing before `count`; ended on leaving."""
        experiment, context = self.context.experiment, self.context
        generator = context.generator(heaviest_last(experiment.scenario))
        # To the generator this is the quick tier. In each pair the same requests: counts then differ by nothing but
        # noise.
        plan = replace(experiment.plan, tier=Tier.QUICK, blocks=self.blocks)
        load = SlicedLoad(
            plan=plan,
            order=self.sides,
            urls=urls,
            seed=schedule.pair_seed(plan, 1),
            made=self.reader.made_addresses,
        )
        with load_run.sliced(generator, folder, load) as run:
            yield run

    def count(self, run: LoadRun) -> None:
        """Send the blocks. Raises nothing that is about them: `notes` and `interrupted` say how it went."""
        try:
            self._count(run)
        except Interrupted as interrupted:
            self.interrupted = interrupted
            self._lose("The run was interrupted while its requests were counted endpoint by endpoint")
        except PacecarError as error:
            self._lose(f"After the last window, while requests were counted endpoint by endpoint: {error.message}")

    def _count(self, run: LoadRun) -> None:
        self.reader.generator = run
        with self.context.stopwatch.phase(Phase.LOAD):
            self.context.say(Phase.LOAD, "endpoint by endpoint")
            run.await_clock(_START_S)
            Counting(
                blocks=self.blocks,
                run=run,
                reader=self.reader,
                sides=self.sides,
                first_window=self.first_block,
                windows=self.done,
                notes=self.notes,
                say=self.context.say,
            ).drive()
            self.reader.wait_for_generator(_END_S)
        if run.over:
            run.finish(timeout_s=0)
        else:
            run.close()
        (self.record,) = run.records()
        if not self.record.written:
            raise LoadError("The load generator left no log of requests.")

    def _lose(self, why: str) -> None:
        # Of an endpoint that was counted on one side more often than on the other, or in part, nothing is certain.
        self.done.clear()
        self.record = None
        self.notes.append(f"{why.rstrip('.')}; {_MISSING}.")


def heaviest_last(scenario: Scenario) -> Scenario:
    """The order of blocks is there and back: on the way back the heaviest endpoints have their second block first, so
    that the lightest are those that a short time leaves out. A simulation of the user's own has its own order.
    """
    return replace(scenario, endpoints=tuple(sorted(scenario.endpoints, key=lambda endpoint: endpoint.weight)))


def counts_of(
    context: RunContext, *, reader: EdgeReader, order: Sequence[Side], first_block: int
) -> EndpointCounts | None:
    """What is to follow the last window of forks; None where nothing is.

    Args:
        context: of the run.
        reader: that has read the windows of these forks.
        order: the sides under load, window by window.
        first_block: an index that no window of the pair has, nor any after it.
    """
    experiment = context.experiment
    blocks = None if experiment.plan.quick or not experiment.scenario.sliced else experiment.plan.counted
    if blocks is None:
        return None
    return EndpointCounts(
        context=context,
        blocks=blocks,
        sides=tuple(dict.fromkeys(order)),
        reader=EdgeReader(
            forks=reader.forks,
            watched=reader.watched,
            check=reader.check,
            buckets=False,
        ),
        first_block=first_block,
    )


@dataclass(frozen=True, kw_only=True)
class OfBlocks:
    """What the blocks of a pair have left behind, to be put beside what its windows have.

    Attributes:
        blocks: of all sides, in order of time; none where one side has lost its own.
        requests: side -> rows as in `TABLES["requests"]`.
        edges: side -> tables of probes and of the metrics page, by name.
        notes: what a reader should know.
    """

    blocks: tuple[Window, ...] = ()
    requests: Mapping[Side, pd.DataFrame] = field(default_factory=dict)
    edges: Mapping[Side, Mapping[str, pd.DataFrame]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_counts(counts: Sequence[EndpointCounts], asked: Mapping[Side, pd.DataFrame]) -> OfBlocks:
    """Read what blocks have left behind; not while anything is measured.

    Args:
        counts: of forks that were up together; two where the sides took turns.
        asked: side -> requests inside windows, by which it is told who was not counted.
    """
    notes = [note for each in counts for note in each.notes]
    if not counts or not all(each.done for each in counts):
        return OfBlocks(notes=tuple(notes))
    blocks = tuple(block for each in counts for block in each.done)
    kept = [KeptRecord(record=each.record, window=None) for each in counts if each.record is not None]
    logged = tables.requests(kept, blocks)
    notes += [*logged.notes, *(note for each in counts for note in each.reader.notes.values())]
    left = _not_counted(blocks, asked)
    return OfBlocks(
        blocks=blocks,
        requests=logged.tables,
        edges={side: each.reader.tables(side) for each in counts for side in each.sides},
        notes=(*notes, *([] if left is None else [left])),
    )


def _not_counted(blocks: Sequence[Window], asked: Mapping[Side, pd.DataFrame]) -> str | None:
    """Which endpoints of the windows have too few blocks, in a sentence; None where all have enough."""
    found = Counter((block.side, block.endpoint) for block in blocks)
    busiest = pd.concat([table["endpoint"] for table in asked.values()]).value_counts()
    names = [str(endpoint) for endpoint in busiest.index]
    left = [name for name in names if any(found[side, name] < FEWEST_AFTER_WINDOWS for side in asked)]
    if not left:
        return None
    more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    return (
        f"{len(left)} of {len(names)} endpoints were not counted one by one, for lack of time (plan.counted): "
        f"{', '.join(left[:_NAMED])}{more}."
    )
