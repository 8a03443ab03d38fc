"""The samples of many forks, read once: cost per request in columns of numbers, for everything made of profiles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.profiles.entries import is_bare
from pacecar.analysis.profiles.renamed_pools import same_pools
from pacecar.analysis.profiles.stacks import NO_NAME, Names, StackNumbers, Stacks, ranks
from pacecar.analysis.stats.arrays import Indices, Numbers
from pacecar.model.hotspot import Kind, kind_of
from pacecar.model.profiles import ProfileKind
from pacecar.model.thread_pools import pool_of

#: Kinds of profile, by number.
KINDS = tuple(ProfileKind)
_NANOSECONDS_PER_MS = 1e6
_SLEEPING = "STATE_SLEEPING"
#: Share of a thread's time asleep in one place from which on it is taken to wait for work there.
_RESTING = 0.95
#: What a thread did at a wall-clock sample: ran (or wanted to), waited within its work, or waited for work.
STATES = ("", "idle", "running", "waiting")
NONE, IDLE, RUNNING, WAITING = range(len(STATES))

#: (baseline, candidate) of each pair; None where a side is not there.
Forks = Sequence[tuple[MeasuredFork | None, MeasuredFork | None]]
_KEY = ["event", "stack", "pool", "endpoint", "state"]
_SUMS = ["cost", "variance"]


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """The samples of forks, by numbers.

    Attributes:
        forks: that they are of.
        stacks: all that were sampled.
        pools: of threads, by number. One that only has another name on the candidate has that one on both sides.
        names: of endpoints, by number: labels, and frames of `stacks`.
        rows: columns `pair`, `side` (0 baseline, 1 candidate), `event` (into `KINDS`), `stack`, `pool`, `endpoint`
            (into `names`), `state` (into `STATES`; NONE but for wall-clock time), `cost` per request in ms, for
            allocation in bytes, and its Poisson `variance`.
    """

    forks: Forks
    stacks: Stacks
    pools: tuple[str, ...]
    names: tuple[str, ...]
    rows: pd.DataFrame

    @classmethod
    def of(cls, forks: Forks, *, application: Sequence[str], changed_classes: Collection[str] = ()) -> Sampled:
        """Read the samples of all forks.

        Args:
            forks: (baseline, candidate) of each pair; a side that is None counts as not there at all.
            application: prefixes of the class names that are the user's own code.
            changed_classes: names of classes whose code differs between the builds.
        """
        stacks, labels, pools = StackNumbers(), Names(), Names()
        parts = [
            _samples(fork, stacks, labels, pools).assign(pair=pair, side=side)
            for pair, sides in enumerate(forks)
            for side, fork in enumerate(sides)
            if fork is not None
        ]
        known = Stacks.of(stacks, application=application, changed_classes=changed_classes)
        named = _labels_to_endpoints(labels, stacks.names)
        added = [_added(part, known, named) for part in parts if not part.empty]
        rows = pd.concat(added, ignore_index=True) if added else _NO_ROWS
        running = rows[rows["event"] == KINDS.index(ProfileKind.CPU)]
        renamed = same_pools(running, tuple(pools), known.kept.last)
        return cls(
            forks=forks,
            stacks=known,
            pools=tuple(pools),
            names=tuple(stacks.names),
            rows=rows.assign(pool=rows["pool"].replace(renamed)) if renamed else rows,
        )

    def of_event(self, event: ProfileKind, *, pairs: Sequence[int] | None = None) -> Part:
        """The samples of one kind, of some pairs where they are named."""
        rows = self.rows[self.rows["event"] == KINDS.index(event)]
        chosen = range(len(self.forks)) if pairs is None else pairs
        if pairs is not None:
            place = np.full(len(self.forks), -1)
            place[list(pairs)] = np.arange(len(pairs))
            rows = rows[place[rows["pair"]] >= 0]
            rows = rows.assign(pair=place[rows["pair"]])
        before, after = (sum(self.forks[pair][side] is not None for pair in chosen) for side in (0, 1))
        return Part(rows=rows, pairs=len(chosen), before=before, after=after)

    @cached_property
    def stack_order(self) -> Indices:
        """(stacks,) place in the order of their texts."""
        return self.stacks.order()

    @cached_property
    def pool_order(self) -> Indices:
        """(pools,) place in the order of their texts."""
        return ranks(self.pools)

    @cached_property
    def name_order(self) -> Indices:
        """(names,) place in the order of their texts."""
        return ranks(self.names)


@dataclass(frozen=True, kw_only=True)
class Part:
    """Samples of one kind.

    Attributes:
        rows: as in `Sampled`.
        pairs: how many they are of.
        before: forks of the baseline.
        after: forks of the candidate.
    """

    rows: pd.DataFrame
    pairs: int
    before: int
    after: int

    def working(self) -> Part:
        """Without what threads did that waited for work, not within it."""
        return Part(rows=self.rows[self.rows["state"] != IDLE], pairs=self.pairs, before=self.before, after=self.after)

    def costs(self, node: Indices, nodes: int) -> Numbers:
        """(2, pairs, nodes) own cost on either side, of rows that belong to these nodes."""
        place = (self._side * self.pairs + self.rows["pair"].to_numpy()) * nodes + node
        sums = np.bincount(place, weights=self.rows["cost"], minlength=2 * self.pairs * nodes).astype(
            np.float64, copy=False
        )
        return sums.reshape(2, self.pairs, nodes)

    def poisson(self, node: Indices, nodes: int) -> Numbers:
        """(nodes,) Poisson variance of one pair's difference, mean over pairs."""
        sums = np.bincount(self._side * nodes + node, weights=self.rows["variance"], minlength=2 * nodes)
        baseline, candidate = sums.reshape(2, nodes)
        found: Numbers = baseline / max(1, self.before) + candidate / max(1, self.after)
        return found

    @property
    def _side(self) -> Indices:
        return self.rows["side"].to_numpy(dtype=np.intp)


_NO_ROWS = pd.DataFrame({column: pd.Series(dtype="int64") for column in ("pair", "side", *_KEY)}).assign(
    cost=0.0, variance=0.0
)


def unpaired(baseline: Sequence[MeasuredFork], candidate: Sequence[MeasuredFork]) -> Forks:
    """Forks that were not measured side by side, each by itself, so that none is taken for another's partner."""
    return [*((fork, None) for fork in baseline), *((None, fork) for fork in candidate)]


def _samples(fork: MeasuredFork, stacks: StackNumbers, labels: Names, pools: Names) -> pd.DataFrame:
    """Cost per request and its Poisson variance of each row of the samples whose stack is known."""
    samples = fork.samples
    samples = samples[samples["event"].isin(KINDS) & (samples["samples"] > 0)]
    table = fork.data.tables["stacks"]
    table = table[~table["stack"].duplicated() & table["stack"].isin(samples["stack"].unique())]
    row = pd.Index(table["stack"]).get_indexer(samples["stack"])
    samples, row = samples[row >= 0], row[row >= 0]
    if samples.empty or fork.requests.empty:
        return pd.DataFrame()
    number = stacks.numbers(table["frames"].astype(str))
    event = pd.Index(KINDS).get_indexer(samples["event"])
    unit = np.where(event == KINDS.index(ProfileKind.ALLOCATION), 1.0, _NANOSECONDS_PER_MS) * len(fork.requests)
    cost = samples["weight"].to_numpy() / unit * _in_mix(fork, samples["window"].to_numpy())
    return pd.DataFrame(
        {
            "event": event,
            "stack": number[row],
            "pool": _numbered(samples["thread"], pools, called=pool_of),
            "label": _numbered(samples["label"], labels, called=str),
            "thread": pd.factorize(samples["thread"])[0],
            "of_jvm": samples["thread"].map(_of_the_jvm(samples["thread"])).to_numpy(dtype=bool),
            "asleep": (samples["state"] == _SLEEPING).to_numpy(),
            "taken": samples["samples"].where(event == KINDS.index(ProfileKind.WALL), 0).to_numpy(),
            "cost": cost,
            # A row adds up samples of one size: n of them vary by n times the square of that size.
            "variance": cost**2 / samples["samples"].to_numpy(),
        }
    )


def _in_mix(fork: MeasuredFork, windows: Indices) -> Numbers:
    """(samples,) what a request in the window of each counts for: blocks ask one endpoint as often as the next, and
    what they cost together is that of the mix.
    """
    if fork.in_blocks is not fork or not fork.mix:
        return np.ones(len(windows))
    endpoints = {window.index: window.endpoint for window in fork.windows}
    asked = fork.asked.groupby([endpoints[window] for window in fork.asked.index]).sum()
    counts = (pd.Series(fork.mix) * asked.sum() / asked).to_dict()
    return np.array([counts[endpoints[window]] for window in windows.tolist()])


def _of_the_jvm(threads: pd.Series[str]) -> dict[str, bool]:
    """Thread -> whether it is one of HotSpot's."""
    return {name: kind_of(name) is not Kind.SERVICE for name in threads.unique()}


def _rests(part: pd.DataFrame, stacks: Stacks) -> npt.NDArray[np.bool_]:
    """(samples,) whether the thread waits for work in a place that `idle` does not know.

    One of the JVM's own does. So does one that is hardly ever anywhere else than asleep with this stack; or, if this is
    its own loop, than asleep there and where threads wait for work, since many a loop has two or three places to sleep.
    What is the application's is at work, but for the thread that started the program and now waits for its end.
    """
    stack, thread = part["stack"].to_numpy(), part["thread"]
    asleep = part["taken"].where(part["asleep"], 0)
    here = asleep.groupby([thread, part["stack"]]).transform("sum")
    at_ease = asleep.where(stacks.idle[stack] | stacks.loops[stack], 0).groupby(thread).transform("sum")
    most = _RESTING * part["taken"].groupby(thread).transform("sum")
    still = (here >= most) | (stacks.loops[stack] & (at_ease >= most))
    nobodys, starts = stacks.entry[stack] == NO_NAME, stacks.starts[stack]
    found: npt.NDArray[np.bool_] = (part["of_jvm"] & nobodys | still & (nobodys | starts)).to_numpy(dtype=bool)
    return found


def _numbered(texts: pd.Series[str], names: Names, *, called: Callable[[str], str]) -> Indices:
    codes, distinct = pd.factorize(texts.astype(str))
    return names.numbers(map(called, distinct.tolist()))[codes]


def _labels_to_endpoints(labels: Names, names: Names) -> Indices:
    """(labels,) what each names, in `names`; -1 where it is no endpoint."""
    texts = list(labels)
    return np.where(is_bare(texts), -1, names.numbers(texts))


def _added(part: pd.DataFrame, stacks: Stacks, named: Indices) -> pd.DataFrame:
    """The costs of one fork added up by stack, pool, endpoint and, of wall-clock time, state."""
    stack, label, event = (part[column].to_numpy() for column in ("stack", "label", "event"))
    endpoint = named[label]
    # A sample that names its endpoint serves it, wherever it was taken that threads are not known to wait for work.
    idle = stacks.idle[stack] | (_rests(part, stacks) & (endpoint < 0))
    state = np.where(part["asleep"], np.where(idle, IDLE, WAITING), RUNNING)
    rows = part.assign(
        endpoint=np.where(endpoint >= 0, endpoint, stacks.entry[stack]),
        state=np.where(event == KINDS.index(ProfileKind.WALL), state, NONE),
    )
    added: pd.DataFrame = rows.groupby([*_KEY, "pair", "side"], as_index=False, sort=False)[_SUMS].sum()
    return added
