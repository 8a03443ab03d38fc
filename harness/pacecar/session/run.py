"""A whole run: builds, tools, then pair after pair until the plan is done or somebody ends it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from pacecar import __version__, places, schedule
from pacecar.archive import RunError
from pacecar.archive.runs import RunDirectory, new_run_id
from pacecar.builds.artifact import Artifact, make
from pacecar.builds.difference import changed_classes
from pacecar.builds.image import make_images
from pacecar.comparison import Look
from pacecar.custody import Custody
from pacecar.deploy.cores import split_cores
from pacecar.deploy.fork import Way
from pacecar.deploy.ways import way_of
from pacecar.errors import Interrupted
from pacecar.experiment import BuildRequest, Experiment, Side
from pacecar.observe.host import fingerprint
from pacecar.peers.exchange import Server
from pacecar.receiver.server import Receiver
from pacecar.recording import Manifest, Pair, RunKind, RunState
from pacecar.session.bench import Bench
from pacecar.session.pair import measure
from pacecar.session.progress import Phase, Progress, Stopwatch, Tell
from pacecar.toolchain import Toolchain, resolve

#: A candidate that dies in this many pairs is judged by its dying; more pairs would say nothing new.
_DEATHS = 2


@dataclass(frozen=True, kw_only=True)
class Order:
    """What is to be measured, and what its manifest will say.

    Attributes:
        experiment: target, builds, scenario and plan.
        kind: both sides side by side, or one by itself.
        archive: the folder the run goes to.
        configuration: text of the configuration file.
        options: command-line options that change the measurement.
        repeat: the command that makes such a run again.
    """

    experiment: Experiment
    kind: RunKind
    archive: Path
    configuration: str
    options: dict[str, str]
    repeat: tuple[str, ...]


@dataclass(kw_only=True)
class Conduct:
    """One run in progress.

    Attributes:
        order: what is measured.
        custody: owner of everything started.
        tell: told about every step.
        look: what the pairs so far show, and whether more are needed.
        stored: called with each pair after it was stored, while nothing is deployed; None for nobody.
        prometheus: the server that is asked for metrics; None when there is none.
    """

    order: Order
    custody: Custody
    tell: Tell
    look: Callable[[RunDirectory, list[Pair]], Look]
    stored: Callable[[RunDirectory, Pair], None] | None = None
    prometheus: Server | None = None
    stopwatch: Stopwatch = field(default_factory=Stopwatch)
    _pair: int = 0
    _pair_began: float = 0.0
    _longest_s: float = 0.0
    _seen: Look = field(default_factory=Look)

    def carry_out(self, begun: RunDirectory | None = None) -> RunDirectory:
        """Measure every pair that `begun` (or a new run) lacks. What was measured stays, however this ends."""
        with self.stopwatch.phase(Phase.BUILD):
            artifacts = self._artifacts()
            experiment = self.order.experiment
            tools = resolve(
                experiment.scenario, custody=self.custody, log_dir=self._logs(), spans=experiment.profiler.spans
            )
        with self.stopwatch.phase(Phase.HARNESS):
            run = begun or RunDirectory.create(self.order.archive, self._manifest(artifacts, tools))
            _require_same_builds(run.manifest, artifacts)
            run.set_state(RunState.OPEN)
        try:
            self._measure_pairs(run, artifacts, tools)
        except Interrupted as interrupted:
            self._finish(run, RunState.INTERRUPTED)
            raise Interrupted(interrupted.message, hint=_way_on(run)) from interrupted
        except BaseException:
            self._finish(run, RunState.INTERRUPTED)
            raise
        self._finish(run, RunState.COMPLETE)
        return run

    def _measure_pairs(self, run: RunDirectory, artifacts: dict[Side, Artifact], tools: Toolchain) -> None:
        plan = self.order.experiment.plan
        with Receiver(self.custody.folder("uploads")) as receiver:
            bench = Bench(
                experiment=self.order.experiment,
                artifacts=artifacts,
                way=self._way,
                toolchain=tools,
                receiver=receiver,
                custody=self.custody,
                cores=split_cores(wanted=plan.pin),
                stopwatch=self.stopwatch,
                say=self._say,
                java=places.java(),
                turns=self._turns,
                prometheus=self.prometheus,
            )
            pairs = list(run.pairs())
            if pairs:
                with self.stopwatch.phase(Phase.HARNESS):
                    self._seen = self.look(run, pairs)
            began = time.monotonic()
            for number in range(1, plan.pairs + 1):
                if number in run.pair_numbers():
                    continue
                if self._enough(pairs) or not self._time_for_another(time.monotonic() - began, len(pairs)):
                    break
                self._pair, self._pair_began = number, time.monotonic()
                measured = measure(bench, number=number, order=self._slices(number))
                with self.stopwatch.phase(Phase.HARNESS):
                    run.write_pair(measured.pair, measured.raw)
                    pairs.append(measured.pair)
                    self._seen = self.look(run, pairs)
                    if self.stored is not None:
                        self.stored(run, measured.pair)
                self._longest_s = max(self._longest_s, time.monotonic() - self._pair_began)

    def _enough(self, pairs: list[Pair]) -> bool:
        return _deaths(pairs) >= _DEATHS or (self.order.experiment.plan.stop_early and self._seen.decided)

    def _time_for_another(self, elapsed_s: float, measured: int) -> bool:
        limit = self.order.experiment.plan.time_s
        if limit is None or measured == 0:  # without a single pair there would be nothing to judge
            return True
        return elapsed_s + self._pair_seconds() <= limit

    def _pair_seconds(self) -> float:
        """Of a pair to come: as long as the longest so far, before the first as long as the plan allows."""
        if self._longest_s:
            return self._longest_s
        experiment = self.order.experiment
        return schedule.pair_seconds(experiment.plan, sides=len(experiment.builds), together=not self._turns)

    @cached_property
    def _turns(self) -> str:
        return self._way.why_not_both() if self.order.kind is RunKind.PAIRED else ""

    @cached_property
    def _way(self) -> Way:
        return way_of(self.order.experiment.target, custody=self.custody)

    def _slices(self, number: int) -> tuple[Side, ...]:
        experiment = self.order.experiment
        if self.order.kind is RunKind.PAIRED:
            return schedule.slice_order(experiment.plan, number)
        return schedule.recording_order(experiment.plan, next(iter(experiment.builds)))

    def _artifacts(self) -> dict[Side, Artifact]:
        artifacts = {}
        for side, request in self.order.experiment.builds.items():
            self._say(Phase.BUILD, f"{side.value}: {request.label}")
            artifacts[side] = self._made(request)
        return artifacts

    def _made(self, request: BuildRequest) -> Artifact:
        source, service = self.order.experiment.source, self.order.experiment.target.compose
        if service is None:
            return make(request, source=source, custody=self.custody, log_dir=self._logs())
        return make_images(request, service=service, source=source, custody=self.custody, log_dir=self._logs())

    def _logs(self) -> Path:
        return self.order.archive / "build-logs"

    def _manifest(self, artifacts: dict[Side, Artifact], tools: Toolchain) -> Manifest:
        order = self.order
        jars = [artifact.path for artifact in artifacts.values() if artifact.path is not None]
        measured_by = order.configuration + "".join(
            f"\n{name}={value}" for name, value in sorted(order.options.items())
        )
        return Manifest(
            run_id=new_run_id(),
            kind=order.kind,
            state=RunState.OPEN,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            repeat=order.repeat,
            builds={side: artifact.built for side, artifact in artifacts.items()},
            machine=fingerprint(places.java()),
            tools={"pacecar": __version__, **tools.versions},
            configuration=order.configuration,
            configuration_sha256=hashlib.sha256(measured_by.encode()).hexdigest(),
            options=order.options,
            changed_classes=changed_classes(*jars) if len(jars) == len(Side) else (),
        )

    def _finish(self, run: RunDirectory, state: RunState) -> None:
        before = run.manifest.phases_s
        phases = {name: before.get(name, 0.0) + seconds for name, seconds in self.stopwatch.seconds.items()}
        run.write_manifest(replace(run.manifest, phases_s=before | phases))
        run.set_state(state)

    def _say(self, phase: Phase, detail: str) -> None:
        plan, each = self.order.experiment.plan, self._pair_seconds()
        left = (plan.pairs - max(self._pair - 1, 0)) * each
        if self._pair:
            left -= min(time.monotonic() - self._pair_began, each)
        self.tell(
            Progress(phase=phase, detail=detail, pair=self._pair, pairs=plan.pairs, look=self._seen, remaining_s=left)
        )


def _way_on(run: RunDirectory) -> str:
    """What can be done with the pairs of a run that was interrupted."""
    kept = len(run.pair_numbers())
    if not kept:
        return "No pair was whole yet, so nothing was kept."
    run_id = run.manifest.run_id
    pairs = "1 pair is" if kept == 1 else f"{kept} pairs are"
    return f"{pairs} kept. To go on: pacecar resume {run_id}; to judge what is there: pacecar judge {run_id}"


def _require_same_builds(manifest: Manifest, artifacts: dict[Side, Artifact]) -> None:
    for side, artifact in artifacts.items():
        if manifest.builds[side].artifact_sha256 != artifact.sha256:
            raise RunError(
                f"The {side.value} is no longer the build that run {manifest.run_id} has measured.",
                hint="Start a new run: " + " ".join(manifest.repeat),
            )


def _deaths(pairs: list[Pair]) -> int:
    """Deaths on the side that died more often: one on either side decides nothing."""
    died = [side for pair in pairs for side, record in pair.record.forks.items() if record.died]
    return max((died.count(side) for side in Side), default=0)
