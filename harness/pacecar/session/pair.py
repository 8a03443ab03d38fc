"""One pair: deploy the sides fresh, load them in turn, collect what was recorded, take them down."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from pacecar.deploy import ForkDied
from pacecar.deploy.process import Fork, counters_socket, deploy
from pacecar.errors import PacecarError
from pacecar.experiment import Side
from pacecar.observe.process import ProcessGone
from pacecar.receiver.settings import agent_environment
from pacecar.recording import ForkData, ForkRecord, Pair, PairRecord, Window, empty_table
from pacecar.session import tables
from pacecar.session.bench import Bench
from pacecar.session.edges import EdgeReader
from pacecar.session.loading import Loaded, Loading
from pacecar.session.progress import Phase
from pacecar.session.warming import Warming

#: How long the chunk that covers the last window is waited for: upload intervals, and seconds for a slow upload.
_UPLOADS = 3
_SLOW_UPLOAD_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A pair, and the folder of raw files of each of its sides."""

    pair: Pair
    raw: dict[Side, Path]


@dataclass(kw_only=True)
class _Attempt:
    """A pair in the making; what was measured of it survives the death of a fork."""

    number: int
    folder: Path
    order: Sequence[Side]
    forks: dict[Side, Fork] = field(default_factory=dict)
    died: dict[Side, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

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
        if not self.died:
            raise first


def measure(bench: Bench, *, number: int, order: Sequence[Side]) -> Measured:
    """Measure pair `number` with load in `order`.

    Raises:
        deploy.DeployError: when a fork does not come up.
        load.LoadError: when the load generator fails.
    """
    attempt = _Attempt(number=number, folder=bench.custody.folder(f"p{number}"), order=order)
    with _deployed(bench, attempt):
        reader = EdgeReader(forks=attempt.forks, metrics_path=bench.experiment.target.metrics_path, check=attempt.check)
        warming = Warming(bench=bench, reader=reader)
        load = Loading(
            bench=bench,
            warming=warming,
            number=number,
            order=order,
            urls={side: fork.url for side, fork in attempt.forks.items()},
            reader=reader,
            folder=attempt.folder / "gatling",
        )
        try:
            load.drive()
        except (ForkDied, ProcessGone) as death:
            attempt.note_deaths(death)
        with bench.stopwatch.phase(Phase.HARNESS):
            bench.say(Phase.HARNESS, "waiting for the last profile")
            # The JVMs are asked for their flags first: that time passes while the profile is on its way.
            records = {
                side: replace(fork.record(died=attempt.died.get(side, "")), unsettled=warming.unsettled.get(side, ""))
                for side, fork in attempt.forks.items()
            }
            profiles = {side: _profile(bench, attempt, side, load.done.windows) for side in attempt.forks}
    with bench.stopwatch.phase(Phase.HARNESS):
        bench.say(Phase.HARNESS, "reading what was recorded")
        return _assembled(bench, attempt, records=records, profiles=profiles, load=load)


@contextlib.contextmanager
def _deployed(bench: Bench, attempt: _Attempt) -> Iterator[None]:
    """All forks up on entering; all down, however it went, on leaving."""
    try:
        with bench.stopwatch.phase(Phase.DEPLOY):
            for side in sorted(set(attempt.order)):
                attempt.forks[side] = _start(bench, attempt, side)
            bench.say(Phase.DEPLOY, "waiting until " + " and ".join(side.value for side in attempt.forks) + " is ready")
            _await_all(attempt.forks.values())
        yield
    finally:
        with bench.stopwatch.phase(Phase.DEPLOY), contextlib.ExitStack() as stops:
            for fork in attempt.forks.values():
                stops.callback(fork.stop)  # one whose reset fails must not keep the other running


def _await_all(forks: Iterable[Fork]) -> None:
    """Wait for all at once, so that each one's time to readiness is its own."""
    waiters = ThreadPoolExecutor()
    try:
        for waiting in [waiters.submit(fork.await_ready) for fork in forks]:
            waiting.result()
    finally:
        waiters.shutdown(wait=False, cancel_futures=True)


def _start(bench: Bench, attempt: _Attempt, side: Side) -> Fork:
    experiment, request = bench.experiment, bench.experiment.builds[side]
    scratch = bench.custody.folder(f"{attempt.number}{side.value[0]}")
    agents = [f"{bench.toolchain.counter_agent}={counters_socket(scratch)}"]
    environment: dict[str, str] = {}
    if request.profiler:
        agents.append(str(bench.toolchain.profiling_agent))
        environment = agent_environment(
            experiment.profiler,
            server=bench.receiver.fork(attempt.key(side)),
            application=experiment.target.name,
            labels={"side": side.value, "pair": str(attempt.number)},
        )
    return deploy(
        experiment.target,
        artifact=bench.artifacts[side].path,
        request=request,
        side=side,
        folder=attempt.raw(side),
        scratch=scratch,
        custody=bench.custody,
        processors=len(bench.cores.target) or None,
        agents=tuple(agents),
        agent_env=environment,
    )


def _profile(bench: Bench, attempt: _Attempt, side: Side, windows: Sequence[Window]) -> tuple[Path, ...]:
    """The raw chunks of one fork, after waiting for the one that covers its last window."""
    if not bench.experiment.builds[side].profiler:
        return ()
    key = attempt.key(side)
    ends = [window.end_ns for window in windows if window.side is side]
    patience = _UPLOADS * bench.experiment.profiler.upload_interval_s + _SLOW_UPLOAD_S
    if ends and not attempt.died and not bench.receiver.wait_until(key, max(ends), patience):
        attempt.notes.append(
            f"The {side.value}'s last profile did not arrive; its frames miss the end of the last window."
        )
    chunks = bench.receiver.collect(key, attempt.raw(side) / "profile")
    attempt.notes += bench.receiver.notes(key)
    return chunks


def _assembled(
    bench: Bench,
    attempt: _Attempt,
    *,
    records: dict[Side, ForkRecord],
    profiles: dict[Side, tuple[Path, ...]],
    load: Loading,
) -> Measured:
    """Everything that was recorded of the pair, as records and tables."""
    done, reader = load.done, load.reader
    requests, notes = tables.requests(done.logs, done.windows)
    attempt.notes += [*done.notes, *notes, *reader.notes.values()]
    arrivals = tables.arrivals(done.arrivals, done.windows)
    forks = {}
    for side, record in records.items():
        windows = [window for window in done.windows if window.side is side]
        edges = reader.tables(side)
        folded = tables.profile(profiles[side], windows, profiler=bench.experiment.profiler, counters=edges["counters"])
        forks[side] = ForkData(
            record=replace(record, profile=folded.quality),
            tables={
                "requests": requests.get(side, empty_table("requests")),
                "arrivals": arrivals.get(side, empty_table("arrivals")),
                **edges,
                "warmup": load.warming.table(side),
                "pauses": tables.pauses(
                    target=attempt.forks[side].gc_log, generators=[log.gc_log for log in done.logs]
                ),
                "samples": folded.samples,
                "stacks": folded.stacks,
            },
        )
        _keep_generator_files(done, attempt.raw(side))
    pair = PairRecord(
        number=attempt.number,
        first=attempt.order[0],
        windows=tuple(done.windows),
        forks={side: fork.record for side, fork in forks.items()},
        notes=tuple(attempt.notes),
        generator_cpus=bench.cores.generator,
    )
    return Measured(pair=Pair(record=pair, forks=forks), raw={side: attempt.raw(side) for side in forks})


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
