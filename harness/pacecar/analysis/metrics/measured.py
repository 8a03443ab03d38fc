"""One fork as the judge sees it: what happened inside its windows, and nothing else."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from pacecar.analysis.metrics.compilers import knows_compilers
from pacecar.analysis.metrics.growths import Growths
from pacecar.analysis.metrics.page_counters import PageCounters
from pacecar.analysis.metrics.reading import ALL, Missing, Reading, Value
from pacecar.analysis.metrics.sample_weights import as_counted, as_least_blocks, rescaled
from pacecar.analysis.stats.histograms import Buckets, histograms
from pacecar.model.calls import CallKind
from pacecar.model.experiment import Side
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import ForkData, Pair, Window
from pacecar.model.tables import empty_table
from pacecar.model.tiers import FEWEST_AFTER_WINDOWS

_NO_CALLS: pd.Series[float] = pd.Series(dtype="float64")


@dataclass(frozen=True, kw_only=True)
class MeasuredFork:
    """A fork with the windows in which it was under load.

    Attributes:
        data: what was recorded of it.
        windows: its own.
        compilers_apart: CPU time of its JIT compilers is not counted as the service's, see `compilers.told_apart`.
        blocks: of the full tier, what followed the last window; of endpoints with enough of them.
        within_ms: the latency budget of its staircase; None without one.
        mix: endpoint -> its share of the requests, the same for all forks that are compared, see `endpoints.mix_of`.
    """

    data: ForkData
    windows: tuple[Window, ...]
    compilers_apart: bool
    blocks: tuple[Window, ...] = ()
    within_ms: float | None = None
    mix: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, pair: Pair, side: Side, *, compilers_apart: bool | None = None) -> MeasuredFork:
        """The fork of `side`; `pair` must hold one.

        Args:
            pair: it was measured in.
            side: which.
            compilers_apart: see `MeasuredFork`; None where it is compared with no other, so that it may decide itself.
        """
        windows = tuple(window for window in pair.record.windows if window.side is side)
        blocks = [block for block in pair.record.blocks if block.side is side]
        found = Counter(block.endpoint for block in blocks)
        data = pair.forks[side]
        return cls(
            data=data,
            windows=windows,
            compilers_apart=knows_compilers(data) if compilers_apart is None else compilers_apart,
            blocks=tuple(block for block in blocks if found[block.endpoint] >= FEWEST_AFTER_WINDOWS),
            within_ms=pair.record.within_ms,
        )

    @cached_property
    def in_blocks(self) -> MeasuredFork:
        """The fork in those of its windows in which one endpoint was asked: in the quick tier all of them, in the full
        tier the blocks after the last one, none where there are none.
        """
        if all(window.endpoint is not None for window in self.windows):
            return self
        return replace(self, windows=self.blocks, blocks=())

    def inside(self, table: str) -> pd.DataFrame:
        """Rows of a table with a `window` column that belong to this fork's windows."""
        rows = self.data.tables.get(table)
        if rows is None or not self.windows:
            return empty_table(table)
        if rows.empty:
            return rows
        return rows[np.isin(rows["window"].to_numpy(), self._own)]

    @property
    def _own(self) -> list[int]:
        return [window.index for window in self.windows]

    @cached_property
    def counts_calls(self) -> bool:
        """Whether the agent in its JVM has counted calls, in windows or in the blocks after them."""
        return not (self.inside("calls").empty and self.in_blocks.inside("calls").empty)

    def called(self, kind: CallKind) -> pd.Series[float]:
        """Calls of a kind in each window in which they were counted, whoever made them."""
        return self._called.get(kind.value, _NO_CALLS)

    @cached_property
    def _called(self) -> dict[str, pd.Series[float]]:
        """Kind of call -> `called`."""
        counts = self.inside("calls").groupby(["kind", "window"])["count"].sum().astype("float64")
        return {str(kind): of_kind.droplevel("kind") for kind, of_kind in counts.groupby(level="kind")}

    @cached_property
    def requests(self) -> pd.DataFrame:
        """Requests inside windows, failed ones too."""
        return self.inside("requests")

    @cached_property
    def asked(self) -> pd.Series[int]:
        """Window -> requests inside it, failed ones too; of every window."""
        # Not by `bincount`: a recording from elsewhere may number its windows as it likes.
        return self.requests["window"].value_counts().reindex(self._own, fill_value=0).rename(None)

    @cached_property
    def asked_of(self) -> dict[str, pd.Series[int]]:
        """Endpoint -> `asked`, of the windows in which it alone was asked."""
        by_endpoint = self.asked.groupby([window.endpoint for window in self.windows])
        return {str(endpoint): asked for endpoint, asked in by_endpoint}

    @cached_property
    def samples(self) -> pd.DataFrame:
        """Profile samples inside windows; weights in ns of CPU, wall-clock or blocked time, for alloc in bytes.

        Those of CPU time share what the process clock counted, pool by pool where its threads were read. The JVM counts
        every allocated byte and samples a few, in one fork a tenth more than in another: they share what was counted.
        """
        rows, quality = self.inside("samples"), self.data.record.profile
        if quality is not None:
            rows = rescaled(rows, ProfileKind.CPU, counted=quality.accounted_cpu_s, sampled=quality.sampled_cpu_s)
        if not (pools := self.inside("pool_cpu")).empty:
            rows = as_counted(rows, pools, process_ns=self.growth("cpu_ns"))
        allocated = self.growth("allocated_bytes")
        if self.in_blocks is self:
            return as_least_blocks(rows, self.asked_of, allocated=allocated)
        sampled = rows[(rows["event"] == ProfileKind.ALLOCATION) & rows["window"].isin(allocated.index)]["weight"].sum()
        return rescaled(rows, ProfileKind.ALLOCATION, counted=float(allocated.sum()), sampled=float(sampled))

    def stacks_of(self, event: str) -> pd.DataFrame:
        """The samples of one kind whose stack is known, as `samples` with its text in `frames`."""
        rows = self.samples[(self.samples["event"] == event) & (self.samples["samples"] > 0)]
        texts = self.data.tables["stacks"].drop_duplicates("stack").set_index("stack")["frames"]
        rows = rows[rows["stack"].isin(texts.index)]
        return rows.assign(frames=rows["stack"].map(texts).astype(str))

    @cached_property
    def latencies(self) -> dict[str, npt.NDArray[np.float64]]:
        """Endpoint -> latencies of its answered requests in ms; `ALL` holds those of every endpoint."""
        answered = self.requests[self.requests["ok"].astype(bool)]
        found = {
            str(endpoint): rows.to_numpy(dtype="float64")
            for endpoint, rows in answered.groupby("endpoint")["latency_ms"]
        }
        return found | {ALL: answered["latency_ms"].to_numpy(dtype="float64")}

    @cached_property
    def resolution_ms(self) -> float:
        """What latencies are known to: whole milliseconds, or microseconds."""
        latencies = self.latencies[ALL]
        return 1.0 if bool(np.all(latencies == np.rint(latencies))) else 1e-3

    @cached_property
    def outcomes(self) -> dict[str, tuple[int, int]]:
        """Endpoint -> (failed requests, all requests); `ALL` holds the sum."""
        failed = ~self.requests["ok"].astype(bool)
        by_endpoint = failed.groupby(self.requests["endpoint"]).agg(["sum", "size"])
        found = {str(row.Index): (int(row[1]), int(row[2])) for row in by_endpoint.itertuples()}
        return found | {ALL: (int(failed.sum()), len(failed))}

    @cached_property
    def server_histograms(self) -> dict[str, Buckets]:
        """Endpoint -> its latencies as the service counted them; `ALL` holds those of every endpoint."""
        return histograms(self.inside("series"))

    @cached_property
    def page_counters(self) -> PageCounters:
        """What the service's own counters grew by in each window, by its metrics page."""
        return PageCounters.of(self.inside("series"), self.inside("scrapes"))

    def growth(self, column: str, *, table: str = "counters") -> pd.Series[float]:
        """By how much a cumulative counter grew in each window.

        Windows whose edges are not both there, and those in which the counter fell (it was reset), are left out.
        """
        if (found := self._grown.get(table)) is None:
            found = self._grown[table] = Growths.of(self.inside(table))
        return found.of_column(column)

    @cached_property
    def _grown(self) -> dict[str, Growths]:
        """What `growth` has read already: most who ask need one table of three."""
        return {}

    def per_request(self, column: str, *, factor: float = 1.0) -> Reading:
        """Growth of a counter per request, times `factor`, over the windows in which it could be read."""
        return self.grown_per_request(self.growth(column), column, factor=factor)

    def grown_per_request(self, grown: pd.Series[float], column: str, *, factor: float = 1.0) -> Reading:
        """The same for growth that was worked out already, by window; `column` names it where there is none."""
        if grown.empty:
            return Missing(reason=f"the counter {column} was not read at both edges of any window", absent=True)
        requests = int(self.asked.reindex(grown.index).sum())
        if requests == 0:
            return Missing(reason="no request was recorded inside a window")
        return Value(amount=factor * float(grown.sum()) / requests, requests=requests)

    @cached_property
    def own_cpu_ns(self) -> pd.Series[float]:
        """CPU time of the service in each window, without its JIT compilers where `compilers_apart`.

        Their work is for requests to come.
        """
        together = self.growth("cpu_ns")
        return (together - self.growth("jit_cpu_ns")).dropna() if self.compilers_apart else together

    @cached_property
    def peers_s(self) -> Mapping[str, float]:
        """Name -> seconds of CPU time that such processes used in windows, which the service was connected to.

        One that came within a window counts with all that it used; one that the service was not connected to at its
        start, or no longer at its end, with nothing in it.
        """
        rows = self.inside("peers")
        if rows.empty:
            return {}
        key = ["window", "process", "name", "started_ns"]
        start, end = (rows[rows["edge"] == edge].set_index(key) for edge in ("start", "end"))
        before = start["cpu_ns"].groupby(level=key).last().reindex(end.index)
        begins = {window.index: window.start_ns for window in self.windows}
        came = end.index.get_level_values("started_ns") >= end.index.get_level_values("window").map(begins)
        used = (end["cpu_ns"] - before.where(before.notna(), np.where(came, 0.0, np.nan))).dropna().clip(lower=0)
        return {str(name): float(amount) / 1e9 for name, amount in used.groupby(level="name").sum().items()}

    @cached_property
    def dependencies_s(self) -> Mapping[str, float]:
        """Name -> seconds of CPU time that what was started for the fork used in its windows; none in containers."""
        rows = self.inside("dependencies").drop_duplicates(["name", "window", "edge"], keep="last")
        if rows.empty:
            return {}
        used = rows.pivot(index=["name", "window"], columns="edge", values="cpu_ns").reindex(columns=["start", "end"])
        grown = (used["end"] - used["start"]).dropna().clip(lower=0).groupby(level="name").sum()
        return {str(name): float(amount) / 1e9 for name, amount in grown.items()}

    @cached_property
    def dependencies_aside_s(self) -> float:
        """Seconds of CPU time that it used while the other side was under load, see `aside_s`."""
        rows = self.inside("dependencies")
        return sum(self._between(own)[0] for _, own in rows.groupby("name"))

    @cached_property
    def aside_s(self) -> tuple[float, float]:
        """Seconds of CPU time that the service used while the other side was under load, and how long that lasted.

        Each reaches from the end of one of its windows to the start of the next, where others lie in between.
        """
        return self._between(self.inside("counters"))

    def _between(self, counted: pd.DataFrame) -> tuple[float, float]:
        """See `aside_s`; `counted` has the columns window, edge, cpu_ns and time_ns."""
        columns = (counted[name].tolist() for name in ("edge", "window", "cpu_ns", "time_ns"))
        read = {(edge, window): (cpu_ns, time_ns) for edge, window, cpu_ns, time_ns in zip(*columns, strict=True)}
        used = lasted = 0
        for before, after in itertools.pairwise(self._own):
            end, start = read.get(("end", before)), read.get(("start", after))
            if after - before > 1 and start and end and start[0] >= end[0]:
                used, lasted = used + start[0] - end[0], lasted + start[1] - end[1]
        return used / 1e9, lasted / 1e9

    @cached_property
    def busy(self) -> float:
        """Share of its cores, or of its container's limit, that the service used in its windows.

        NaN where it is kept to neither, so that nobody knows how much it might have used.
        """
        rooms = [*self.inside("containers")["cpu_limit"].dropna(), len(self.data.record.cpus)]
        cores = min((float(room) for room in rooms if room), default=math.nan)
        seconds = sum(window.seconds for window in self.windows if window.index in self.own_cpu_ns.index)
        return float(self.own_cpu_ns.sum()) / 1e9 / (cores * seconds) if seconds else math.nan

    def pause_ms(self, process: str = "target") -> float:
        """Stop-the-world time of the target, or of the generator, inside windows, in ms.

        A pause across an edge counts in part.
        """
        pauses = self.data.tables["pauses"]
        return sum(self._within_windows(pauses[pauses["process"] == process]).values())

    @cached_property
    def generator_stood_still_ms(self) -> Mapping[int, float]:
        """Window -> how long the load generator stood still in it, in ms, collections included.

        All 0 where nobody watched, as in runs of earlier Pacecars and of simulations without the kit.
        """
        return self._within_windows(self.data.tables.get("hiccups", empty_table("hiccups")))

    def _within_windows(self, spans: pd.DataFrame) -> dict[int, float]:
        """Window -> ms of it that `spans`, which do not overlap, cover; of injectors, the one that has most of it."""
        start = spans["start_ns"].to_numpy(dtype="float64")
        end = start + spans["duration_ms"].to_numpy(dtype="float64") * 1e6
        injector = spans["injector"].clip(lower=0).to_numpy(dtype="int64")
        found = {}
        for window in self.windows:
            inside = np.clip(np.minimum(end, window.end_ns) - np.maximum(start, window.start_ns), 0.0, None)
            found[window.index] = float(np.bincount(injector, weights=inside, minlength=1).max()) / 1e6
        return found
