"""Forks that are up at the same time: deployed fresh, loaded in turn, taken down.

Usually both sides of a pair; one side where they cannot be up together.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from pacecar.deploy import ForkDied
from pacecar.deploy.fork import Attachment, Fork, ForkOrder, Ground
from pacecar.errors import PacecarError
from pacecar.experiment import Side
from pacecar.observe.process import ProcessGone
from pacecar.peers.discovery import announced
from pacecar.receiver.settings import agent_environment, span_environment, token_environment
from pacecar.recording import ForkRecord
from pacecar.session.asking import scrape_intervals
from pacecar.session.bench import Bench
from pacecar.session.edges import EdgeReader
from pacecar.session.loading import Loaded, Loading
from pacecar.session.progress import Phase
from pacecar.session.warming import Warming

#: How long the chunk that covers the last window is waited for: upload intervals, and seconds for a slow upload.
_UPLOADS = 3
_SLOW_UPLOAD_S = 10.0


@dataclass(kw_only=True)
class Turn:
    """The forks of one turn; what was measured of them survives the death of one.

    Attributes:
        number: of the pair.
        folder: of the pair's files.
        order: the sides under load, window by window.
        first_window: index of its first window within the pair.
        forks: by side.
        load: what was done to them; None before.
        records: how each fork was started and how it went.
        profiles: chunks of each fork's profile.
        died: side -> how it ended before its time.
        notes: what a reader should know.
        scrape_intervals_s: of each fork that Prometheus says it scrapes.
    """

    number: int
    folder: Path
    order: Sequence[Side]
    first_window: int
    forks: dict[Side, Fork] = field(default_factory=dict)
    load: Loading | None = None
    records: dict[Side, ForkRecord] = field(default_factory=dict)
    profiles: dict[Side, tuple[Path, ...]] = field(default_factory=dict)
    died: dict[Side, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    scrape_intervals_s: dict[Side, float] = field(default_factory=dict)

    @property
    def instances(self) -> dict[Side, str]:
        """`host:port` of each fork, as Prometheus calls it."""
        return {side: urlsplit(fork.url).netloc for side, fork in self.forks.items()}

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


def carry_out(bench: Bench, turn: Turn) -> None:
    """Deploy the forks of `turn`, warm and measure them, collect their profiles, take them down.

    Raises:
        deploy.DeployError: when a fork does not come up.
        load.LoadError: when the load generator fails.
    """
    with _deployed(bench, turn):
        reader = EdgeReader(forks=turn.forks, metrics_path=bench.experiment.target.metrics_path, check=turn.check)
        turn.load = Loading(
            bench=bench,
            number=turn.number,
            order=turn.order,
            urls={side: fork.url for side, fork in turn.forks.items()},
            reader=reader,
            folder=turn.folder / f"gatling-{turn.first_window}",
            warming=Warming(bench=bench, reader=reader),
            done=Loaded(first_window=turn.first_window),
        )
        try:
            turn.load.drive()
        except (ForkDied, ProcessGone) as death:
            turn.note_deaths(death)
        with bench.stopwatch.phase(Phase.HARNESS):
            bench.say(Phase.HARNESS, "waiting for the last profile")
            # The JVMs are asked for their flags first: that time passes while the profile is on its way.
            for side, fork in turn.forks.items():
                record = fork.record(died=turn.died.get(side, ""))
                turn.records[side] = replace(record, unsettled=turn.load.warming.unsettled.get(side, ""))
            for side in turn.forks:
                turn.profiles[side] = _profile(bench, turn, side)
            turn.scrape_intervals_s = scrape_intervals(bench.prometheus, turn.instances)


@contextlib.contextmanager
def _deployed(bench: Bench, turn: Turn) -> Iterator[None]:
    """All forks up on entering; all down, however it went, on leaving."""
    try:
        with bench.stopwatch.phase(Phase.DEPLOY):
            for side in dict.fromkeys(turn.order):
                turn.forks[side] = _start(bench, turn, side)
            bench.say(Phase.DEPLOY, "waiting until " + " and ".join(side.value for side in turn.forks) + " is ready")
            _await_all(turn.forks.values())
        with announced(_targets(bench), _labelled(turn)):
            yield
    finally:
        with bench.stopwatch.phase(Phase.DEPLOY), contextlib.ExitStack() as stops:
            for fork in turn.forks.values():
                stops.callback(fork.stop)  # one whose reset fails must not keep the other running


def _targets(bench: Bench) -> Path | None:
    return bench.experiment.prometheus.targets if bench.experiment.prometheus else None


def _labelled(turn: Turn) -> dict[str, dict[str, str]]:
    return {instance: {"side": side.value, "pair": str(turn.number)} for side, instance in turn.instances.items()}


def _await_all(forks: Iterable[Fork]) -> None:
    """Wait for all at once, so that each one's time to readiness is its own."""
    waiters = ThreadPoolExecutor()
    try:
        for waiting in [waiters.submit(fork.await_ready) for fork in forks]:
            waiting.result()
    finally:
        waiters.shutdown(wait=False, cancel_futures=True)


def _start(bench: Bench, turn: Turn, side: Side) -> Fork:
    artifact = bench.artifacts[side]
    order = ForkOrder(
        request=bench.experiment.builds[side],
        side=side,
        jar=artifact.path,
        images=artifact.images,
        folder=turn.raw(side),
        scratch=bench.custody.folder(f"{turn.number}{side.value[0]}"),
        cpus=bench.cores.target,
        aside=bench.cores.generator,
    )
    return bench.way.deploy(order, lambda ground: _attachment(bench, turn, side, ground))


def _attachment(bench: Bench, turn: Turn, side: Side, ground: Ground) -> Attachment:
    """The agents of one fork, as its JVM sees them."""
    experiment, request, tools = bench.experiment, bench.experiment.builds[side], bench.toolchain
    agents = [f"{ground.seen(tools.counter_agent)}={ground.counters}"]
    if not request.profiler:
        return Attachment(agents=tuple(agents))
    agents.append(ground.seen(tools.profiling_agent))
    spans = tools.span_agent if request.spans else None
    if spans is not None:  # it finds the profiler that was loaded before it
        agents.append(ground.seen(spans.agent))
    inlet = bench.receiver.admit(turn.key(side), host=ground.host)
    environment = agent_environment(
        experiment.profiler,
        server=inlet.url,
        application=experiment.target.name,
        labels={"side": side.value, "pair": str(turn.number)},
        scratch=ground.scratch,
    )
    return Attachment(
        agents=tuple(agents),
        env=environment | (span_environment(ground.seen(spans.extension)) if spans else {}),
        secrets=token_environment(inlet.token),
    )


def _profile(bench: Bench, turn: Turn, side: Side) -> tuple[Path, ...]:
    """The raw chunks of one fork, after waiting for the one that covers its last window."""
    if not bench.experiment.builds[side].profiler:
        return ()
    key = turn.key(side)
    windows = turn.load.done.windows if turn.load else ()
    ends = [window.end_ns for window in windows if window.side is side]
    patience = _UPLOADS * bench.experiment.profiler.upload_interval_s + _SLOW_UPLOAD_S
    if ends and not turn.died and not bench.receiver.wait_until(key, max(ends), patience):
        turn.notes.append(
            f"The {side.value}'s last profile did not arrive; its frames miss the end of the last window."
        )
    chunks = bench.receiver.collect(key, turn.raw(side) / "profile")
    turn.notes += bench.receiver.notes(key)
    return chunks
