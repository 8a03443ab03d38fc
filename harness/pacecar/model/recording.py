"""What was recorded: pairs of forks, their windows, and the tables measured in them.

A run is a directory that any other tool can open:

    manifest.json                       Manifest
    pairs/01/pair.json                  PairRecord: windows, forks, notes
    pairs/01/baseline/requests.parquet  one table per name in `TABLES`
    pairs/01/baseline/raw/              Gatling's log, the agent's chunks, GC log, service log
    pairs/01/candidate/...

Times are nanoseconds since the epoch in int64 columns named `*_ns`. A table that was not measured is
present with its columns and no rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from pacecar.model.clock import ClockOffset
from pacecar.model.deployment import DependencyRecord
from pacecar.model.experiment import Side
from pacecar.model.options import RunOptions

if TYPE_CHECKING:  # a command that only lists runs must not wait for it
    import pandas as pd

#: 2: a side says what else than its artifact it was deployed with. 3: options have a shape, and what there is not
#: is null. See `archive.migrations`.
SCHEMA_VERSION = 3


class RunState(StrEnum):
    """Whether more is to come."""

    OPEN = "open"
    INTERRUPTED = "interrupted"
    COMPLETE = "complete"


class RunKind(StrEnum):
    """Both sides side by side, or one side by itself."""

    PAIRED = "paired"
    RECORDING = "recording"


#: What begins with this is no frame but the profiler's note in place of one.
NOTE = "["


@dataclass(frozen=True, kw_only=True)
class Window:
    """One measured stretch of load on one fork: arrivals fall in [start_ns, end_ns).

    `endpoint` is the one endpoint that was asked in it; None where all of them were.
    """

    index: int
    side: Side
    start_ns: int
    end_ns: int
    endpoint: str | None = None

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return (self.end_ns - self.start_ns) / 1e9


@dataclass(frozen=True, kw_only=True)
class ForkRecord:
    """How one fork was started and how it went.

    Attributes:
        side: which build.
        command: what was started, without values of variables; secrets as their variable's name.
        jvm_flags: what the JVM says it runs with.
        jvm_version: version and vendor.
        ready_s: from the start of its process, or of its container, to the first 2xx answer of the readiness path.
        first_answer_s: from sending its first request of the load to the first answer; None when not known.
        heap: what its heap kept over its measured life; None when not known.
        cpus: the cores it was pinned to; empty when not pinned.
        node: name of the machine it was on, where that was not the load generator's; None where it was.
        clock: how far the clock of its machine was ahead of the load generator's, which reads its own but once; None
            where there was one clock, and nobody set it.
        artifact_bytes: size of what was deployed, where that is a file or a folder; None when not known.
        died: how it ended before its time, in one sentence; None when it did not.
        lost: how it was taken away while it was measured, by nothing that it did; None when it was not.
        at_limit: it died because the kernel killed it for want of memory at the limit of its own container.
        unsettled: in what way it was not steady yet when the first window began, in a few words; None when it was.
        profile: quality of the profile, see `ProfileQuality`.
        dependencies: the processes that were started for it, in their order; none of those in containers.
    """

    side: Side
    command: tuple[str, ...]
    jvm_flags: tuple[str, ...] = ()
    jvm_version: str | None = None
    ready_s: float = 0.0
    first_answer_s: float | None = None
    heap: HeapGrowth | None = None
    cpus: tuple[int, ...] = ()
    node: str | None = None
    clock: ClockOffset | None = None
    artifact_bytes: int | None = None
    died: str | None = None
    lost: str | None = None
    at_limit: bool = False
    unsettled: str | None = None
    profile: ProfileQuality | None = None
    dependencies: tuple[DependencyRecord, ...] = ()


@dataclass(frozen=True, kw_only=True)
class HeapGrowth:
    """The live set of one fork, each after a full collection that Pacecar asked for.

    Attributes:
        before_bytes: shortly before the first window.
        after_bytes: after the last window.
        requests: sent to it in between, those outside of windows included.
    """

    before_bytes: int
    after_bytes: int
    requests: int


@dataclass(frozen=True, kw_only=True)
class ProfileQuality:
    """Whether the profile can be believed.

    Attributes:
        chunks: JFR chunks received.
        unreadable: chunks, or parts of one, that could not be read.
        samples: CPU samples inside windows.
        failed_stacks: CPU samples without a usable stack.
        truncated_stacks: CPU samples cut at the depth limit.
        sampled_cpu_s: CPU time by samples, inside windows.
        accounted_cpu_s: CPU time by the process clock, inside the same windows.
    """

    chunks: int
    unreadable: int
    samples: int
    failed_stacks: int
    truncated_stacks: int
    sampled_cpu_s: float
    accounted_cpu_s: float


@dataclass(frozen=True, kw_only=True)
class InjectorRecord:
    """A process that sent load to the forks of a pair, or a share of it.

    Attributes:
        number: from 0, as in the tables.
        machine: where it ran; None when not known.
        node: name of the node of a cluster that it ran on, where that is not the machine that conducts.
        lost: how it was killed before its time, or lost step with the others, in one sentence; None when it did not.
    """

    number: int
    machine: Fingerprint | None = None
    node: str | None = None
    lost: str | None = None


@dataclass(frozen=True, kw_only=True)
class PairRecord:
    """`pair.json`: everything about a pair that is not a table.

    Attributes:
        number: from 1.
        first: the side that led.
        windows: all measured windows in order of time.
        blocks: of the full tier: what was asked of one endpoint each after the last window; their indices are in no
            window. Requests and counters of them stand in the same tables.
        within_ms: the latency budget of the staircase that followed them; None without one.
        forks: one record per side; a recording has one.
        notes: what a reader should know, such as a profile chunk that never came.
        generator_cpus: cores of the load generator, for all its injectors together; empty when it was not pinned.
        injectors: who sent the load; empty where nobody noted it.
        yardstick_ns: of a recording: time of one round of a fixed piece of work just before it; 0 when not measured.
    """

    number: int
    first: Side
    windows: tuple[Window, ...]
    forks: dict[Side, ForkRecord]
    notes: tuple[str, ...] = ()
    generator_cpus: tuple[int, ...] = ()
    yardstick_ns: float = 0.0
    blocks: tuple[Window, ...] = ()
    within_ms: float | None = None
    injectors: tuple[InjectorRecord, ...] = ()

    @property
    def lost(self) -> str | None:
        """How an injector or a fork was lost in it; None where none was."""
        lost = (*(each.lost for each in self.injectors), *(each.lost for each in self.forks.values()))
        return next((how for how in lost if how is not None), None)

    @property
    def in_turns(self) -> bool:
        """Whether all windows of one side come before all of the other's."""
        sides = [window.side for window in self.windows]
        return sum(one is not other for one, other in pairwise(sides)) == 1


@dataclass(frozen=True, kw_only=True)
class ForkData:
    """One fork as measured: its record and its tables, by the names in `TABLES`."""

    record: ForkRecord
    tables: dict[str, pd.DataFrame]


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The unit of replication and of storage: forks measured side by side (a recording: one fork)."""

    record: PairRecord
    forks: dict[Side, ForkData]


@dataclass(frozen=True, kw_only=True)
class BuiltSide:
    """What was deployed on one side.

    Attributes:
        label: what reports call it.
        kind: one of `experiment.BuildKind`.
        value: as the user named it.
        commit: what it was built from, with `+dirty` for uncommitted changes; None outside git.
        artifact_sha256: digest of the artifact.
        patch: the patch it was built with, shortened when it is long; None without one.
        jvm_args: added to the target's own JVM arguments on this side.
        env: added to the target's environment on this side; names with a mark for each value.
        profiler: whether the profiling agent was attached.
        spans: whether the OpenTelemetry agent was, where the profiler was to have it.
        java: home of the runtime it was to run on; None for the one that Pacecar found.
        jvm: what that runtime says it is: name, version and vendor; None when not known.
    """

    label: str
    kind: str
    value: str
    commit: str | None
    artifact_sha256: str
    patch: str | None = None
    jvm_args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    profiler: bool = True
    spans: bool = True
    java: str | None = None
    jvm: str | None = None


@dataclass(frozen=True, kw_only=True)
class Sameness:
    """Two builds that are the same in all that a service loads, so that nothing was measured.

    Attributes:
        identical: byte for byte.
        lines: how many classes differ in nothing but the lines of their source.
        unloaded: paths of files that differ, or that only one has, and that no service loads; the first few.
        more: how many more there are.
    """

    identical: bool
    lines: int = 0
    unloaded: tuple[str, ...] = ()
    more: int = 0


@dataclass(frozen=True, kw_only=True)
class LibraryChange:
    """A library that the builds have in different versions; None on the side that does without it."""

    name: str
    baseline: str | None
    candidate: str | None


@dataclass(frozen=True, kw_only=True)
class Fingerprint:
    """The machine a run was made on; runs compare across days only between machines alike."""

    cpu_model: str
    cores: int
    memory_bytes: int
    kernel: str
    jvm: str
    os: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """`manifest.json`: what a run is, without its data.

    Attributes:
        run_id: name of its directory; sorts by time.
        kind: paired or recording.
        state: open, interrupted or complete.
        created: ISO 8601, UTC.
        repeat: the command line that makes such a run again.
        builds: per side.
        machine: fingerprint.
        tools: name -> version of everything that took part.
        configuration: the configuration file, without values that may be secrets, see `config.kept`.
        configuration_sha256: its digest together with the options that change a measurement.
        options: what the command line said beside the configuration.
        phases_s: seconds spent per phase (deploy, warm-up, load, harness, ...).
        changed_classes: names of classes whose code differs between the builds; empty for one build, or when unknown.
        changed_libraries: libraries that the builds have in different versions; the first few.
        same: that the builds are the same, which is why there are no pairs; None of every run that was to be measured.
    """

    run_id: str
    kind: RunKind
    state: RunState
    created: str
    repeat: tuple[str, ...]
    builds: dict[Side, BuiltSide]
    machine: Fingerprint
    tools: dict[str, str]
    configuration: str
    configuration_sha256: str
    options: RunOptions = field(default_factory=RunOptions)
    phases_s: dict[str, float] = field(default_factory=dict)
    changed_classes: tuple[str, ...] = ()
    changed_libraries: tuple[LibraryChange, ...] = ()
    same: Sameness | None = None
    schema_version: int = SCHEMA_VERSION

    @property
    def promoted_side(self) -> Side:
        """The side that counts when the run becomes a baseline: the candidate, which was the new build then."""
        return Side.CANDIDATE if Side.CANDIDATE in self.builds else Side.BASELINE
