"""A whole run: builds, tools, then pair after pair until the plan is done or somebody ends it."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

from pacecar import __version__
from pacecar.analysis.capacity import first_rate
from pacecar.archive.runs import RunDirectory, make_root, new_run_id
from pacecar.errors import Interrupted, PacecarError
from pacecar.inputs.builds.artifact import Artifact
from pacecar.inputs.builds.dependencies import changed_libraries
from pacecar.inputs.builds.difference import changed_classes
from pacecar.inputs.toolchain import Toolchain
from pacecar.integrations.exchange import Server
from pacecar.measurement import schedule
from pacecar.measurement.deploy.cores import split_cores
from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.deploy.fork import Deployer
from pacecar.measurement.load.generators import with_class_data
from pacecar.measurement.probes.host import fingerprint
from pacecar.measurement.receiver.server import Receiver
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.equal_builds import require_same_builds, same_builds
from pacecar.measurement.session.explaining import announcement, explaining, explaining_pairs, may_explain, may_tell
from pacecar.measurement.session.losses import require_unbroken, too_many_deaths
from pacecar.measurement.session.pair import Measured, measure
from pacecar.measurement.session.preparing import Prepared, artifacts_of, for_pairs, tools_of
from pacecar.measurement.session.progress import Phase, Progress, Stopwatch, Tell
from pacecar.measurement.session.request import Request
from pacecar.measurement.session.striking import secrets_of
from pacecar.measurement.warmup import lengthened
from pacecar.model.comparison import Look
from pacecar.model.experiment import Plan, Side
from pacecar.model.recording import Manifest, Pair, RunKind, RunState, Sameness
from pacecar.system import paths
from pacecar.system.disk import room_for
from pacecar.system.resources import Resources
from pacecar.text.units import format_duration


@dataclass(kw_only=True)
class RunController:
    """One run in progress.

    Attributes:
        request: what is measured.
        resources: owner of everything started.
        tell: told about every step.
        look: what the pairs so far show, and whether more are needed.
        stored: called with each pair after it was stored, while nothing is deployed; None for nobody.
        prometheus: the server that is asked for metrics; None when there is none.
        unexplained: what regressed in the pairs of a run and no cause accounts for; None where nothing has.
        note: told in a line what could not be done.
        prepared: builds and tools that were made elsewhere; None where they are made here.
    """

    request: Request
    resources: Resources
    tell: Tell
    look: Callable[[RunDirectory, list[Pair]], Look]
    stored: Callable[[RunDirectory, Pair], None] | None = None
    prometheus: Server | None = None
    unexplained: Callable[[RunDirectory, list[Pair]], str | None] = lambda _, __: None
    note: Callable[[str], None] = lambda _: None
    prepared: Prepared | None = None
    stopwatch: Stopwatch = field(default_factory=Stopwatch)
    _pair: int = 0
    _began: float = 0.0
    _pair_began: float = 0.0
    _longest_s: float = 0.0
    _seen: Look = field(default_factory=Look)
    _plan: Plan = field(init=False)
    _last: int = field(init=False)

    def __post_init__(self) -> None:
        self._plan = self.request.experiment.plan
        self._last = self._plan.pairs

    def run(self, begun: RunDirectory | None = None) -> RunDirectory:
        """Measure every pair that `begun` (or a new run) lacks. What was measured stays, however this ends."""
        secrets_of(self.request.experiment)  # what cannot be hidden is refused before anything is built
        with room_for(self.request.archive):
            make_root(self.request.archive)
        with self.stopwatch.phase(Phase.BUILD):
            artifacts = self._artifacts()
            # Of builds that were made elsewhere that was asked there.
            asked = begun is None and self.prepared is None
            same = same_builds(self.request.experiment, artifacts) if asked else None
            tools = self._tools() if same is None else None
        if tools is None:
            return self._unmeasured(artifacts, same)
        with self._run(begun, artifacts, tools) as run:
            self._measure(run, artifacts, tools)
        return run

    def _unmeasured(self, artifacts: dict[Side, Artifact], same: Sameness | None) -> RunDirectory:
        """A run that is complete without a pair, because there is nothing to measure."""
        manifest = replace(self._manifest(artifacts, {}), same=same)
        with RunDirectory.owned_from_birth(self.request.archive, manifest) as run:
            self._finish(run, RunState.COMPLETE)
        return run

    def _run(
        self, begun: RunDirectory | None, artifacts: dict[Side, Artifact], tools: Toolchain
    ) -> AbstractContextManager[RunDirectory]:
        """The run to be written, owned by us from the first moment on."""
        if begun is None:
            return RunDirectory.owned_from_birth(self.request.archive, self._manifest(artifacts, tools.versions))
        return _owned(begun)

    def _measure(self, run: RunDirectory, artifacts: dict[Side, Artifact], tools: Toolchain) -> None:
        with self.stopwatch.phase(Phase.HARNESS):
            require_same_builds(run.manifest, artifacts)
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

    def _measure_pairs(self, run: RunDirectory, artifacts: dict[Side, Artifact], tools: Toolchain) -> None:
        plan = self.request.experiment.plan
        with Receiver(self.resources.folder("uploads")) as receiver:
            context = RunContext(
                experiment=self.request.experiment,
                artifacts=artifacts,
                deployer=self._deployer,
                toolchain=tools,
                receiver=receiver,
                resources=self.resources,
                cores=split_cores(wanted=plan.pin),
                stopwatch=self.stopwatch,
                say=self._say,
                java=paths.java(),
                machine=run.manifest.machine,
                one_at_a_time=self._one_at_a_time,
                prometheus=self.prometheus,
            )
            pairs = list(run.pairs())
            if pairs:
                with self.stopwatch.phase(Phase.HARNESS):
                    self._seen = self.look(run, pairs)
            self._began = time.monotonic()
            for each in pairs:
                self._adjust(each)
            for number in range(1, plan.pairs + 1):
                if number in run.pair_numbers():
                    continue
                if self._enough(pairs) or not self._time_for_another(len(pairs)):
                    break
                self._pair, self._pair_began = number, time.monotonic()
                measured = measure(self._now(context, pairs), number=number, order=self._slices(number))
                with self.stopwatch.phase(Phase.HARNESS):
                    self._store(run, measured, pairs)
                self._longest_s = max(self._longest_s, time.monotonic() - self._pair_began)
                self._adjust(measured.pair)
            self._explain(run, context, pairs)

    def _now(self, context: RunContext, pairs: list[Pair]) -> RunContext:
        """`context` as the next pair is measured, by what those so far have shown."""
        return replace(
            context,
            experiment=replace(context.experiment, plan=self._plan),
            one_at_a_time=self._one_at_a_time,
            climbs_from_per_s=first_rate(pairs, rate_per_s=context.experiment.scenario.rate_per_s),
        )

    def _explain(self, run: RunDirectory, context: RunContext, pairs: list[Pair]) -> None:
        """More pairs, where they may say why something regressed; a run is complete without them, too."""
        request = self.request
        if not may_explain(request.experiment, request.kind) or not self._time_for_another(len(pairs)):
            return
        title = None if run.has_explanation else self._unexplained(run, pairs)
        if title is None:
            return
        first, count = max(run.pair_numbers()) + 1, explaining_pairs(self._plan)
        self._last = first + count - 1
        self.note(announcement(self._plan, title=title, takes=format_duration(count * self._explaining_seconds())))
        for number in range(first, first + count):
            if may_tell(number - first) and self._unexplained(run, pairs) is None:
                return
            self._pair, self._pair_began = number, time.monotonic()
            try:
                measured = self._explained(self._now(context, pairs))
            except PacecarError as error:
                if isinstance(error, Interrupted):
                    raise
                self.note(f"That could not be measured: {error.message}")
                return
            with self.stopwatch.phase(Phase.HARNESS):
                measured.store(run.write_explanation)

    def _unexplained(self, run: RunDirectory, pairs: list[Pair]) -> str | None:
        with self.stopwatch.phase(Phase.HARNESS):
            return self.unexplained(run, pairs)

    def _explaining_seconds(self) -> float:
        if self._plan.quick:
            return self._pair_seconds()
        bare = replace(self._plan, counted=None)  # nothing follows its windows
        return schedule.pair_seconds(bare, together=self._one_at_a_time is None)

    def _explained(self, context: RunContext) -> Measured:
        experiment, tools = explaining(context.experiment), context.toolchain
        if experiment.profiler.spans and tools.span_agent is None:
            tools = self._tools(spans=True)
        context = replace(context, experiment=experiment, toolchain=for_pairs(tools, experiment))
        return measure(context, number=self._pair, order=self._slices(self._pair))

    def _store(self, run: RunDirectory, measured: Measured, pairs: list[Pair]) -> None:
        """Keep a pair beside `pairs` and look at all. Raises Interrupted when that is how it came to its end."""
        measured.store(run.write_pair)
        pairs.append(measured.pair)
        if measured.interrupted is not None:
            raise measured.interrupted
        require_unbroken(pairs)
        self._seen = self.look(run, pairs)
        if self.stored is not None:
            self.stored(run, measured.pair)

    def _adjust(self, pair: Pair) -> None:
        """Warm the pairs to come for longer where this one was not steady, and one side at a time where it slowed the
        other.
        """
        before_s = self._plan.warmup_s
        self._plan = lengthened(self._plan, pair.record)
        if self._longest_s:
            self._longest_s += self._plan.warmup_s - before_s
        if self._one_at_a_time is None and self._seen.in_turns is not None:
            self._one_at_a_time = self._seen.in_turns
            self._longest_s = 0.0  # no pair so far was as long as one of two turns

    def _enough(self, pairs: list[Pair]) -> bool:
        return too_many_deaths(pairs) or (self.request.experiment.plan.stop_early and self._seen.decided)

    def _time_for_another(self, measured: int) -> bool:
        # Without a single pair there would be nothing to judge.
        return measured == 0 or self._pair_seconds() <= self._time_left_s

    @property
    def _time_left_s(self) -> float:
        """What the plan's time leaves for pairs."""
        limit = self.request.experiment.plan.time_s
        return math.inf if limit is None else limit - (time.monotonic() - self._began if self._began else 0.0)

    def _pair_seconds(self) -> float:
        """Of a pair to come: as long as the longest so far, before the first as long as the plan allows."""
        if self._longest_s:
            return self._longest_s
        experiment = self.request.experiment
        return schedule.pair_seconds(
            self._plan,
            sides=len(experiment.builds),
            together=self._one_at_a_time is None,
            endpoints=len(experiment.scenario.endpoints),
            steps_s=experiment.scenario.steps_s,
        )

    @cached_property
    def _one_at_a_time(self) -> str | None:
        return self._deployer.why_not_both() if self.request.kind is RunKind.PAIRED else None

    @cached_property
    def _deployer(self) -> Deployer:
        return deployer_of(self.request.experiment.target, resources=self.resources)

    def _slices(self, number: int) -> tuple[Side, ...]:
        experiment = self.request.experiment
        if self.request.kind is RunKind.PAIRED:
            return schedule.slice_order(experiment.plan, number)
        return schedule.recording_order(experiment.plan, next(iter(experiment.builds)))

    def _artifacts(self) -> dict[Side, Artifact]:
        if self.prepared is not None:
            return self.prepared.artifacts
        return artifacts_of(self.request, deployer=self._deployer, say=lambda what: self._say(Phase.BUILD, what))

    def _tools(self, *, spans: bool = False) -> Toolchain:
        experiment = self.request.experiment
        if self.prepared is not None:
            return self.prepared.tools if spans else for_pairs(self.prepared.tools, experiment)
        tools = tools_of(self.request, resources=self.resources, spans=spans or experiment.profiler.spans)
        return with_class_data(tools, experiment.scenario, java=paths.java(), resources=self.resources)

    def _manifest(self, artifacts: dict[Side, Artifact], versions: Mapping[str, str]) -> Manifest:
        request = self.request
        jars = [artifact.path for artifact in artifacts.values() if artifact.path is not None]
        measured_by = f"{request.configuration}\n{json.dumps(asdict(request.options), sort_keys=True)}"
        return Manifest(
            run_id=request.run_id or new_run_id(),
            kind=request.kind,
            state=RunState.OPEN,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            repeat=request.repeat,
            builds={side: artifact.built for side, artifact in artifacts.items()},
            machine=fingerprint(paths.java()),
            tools={"pacecar": __version__, **versions},
            configuration=request.configuration,
            configuration_sha256=hashlib.sha256(measured_by.encode()).hexdigest(),
            options=request.options,
            changed_classes=changed_classes(*jars) if len(jars) == len(Side) else (),
            changed_libraries=changed_libraries(*jars) if len(jars) == len(Side) else (),
        )

    def _finish(self, run: RunDirectory, state: RunState) -> None:
        before = run.manifest.phases_s
        phases = {name: before.get(name, 0.0) + seconds for name, seconds in self.stopwatch.seconds.items()}
        run.write_manifest(replace(run.manifest, phases_s=before | phases))
        run.set_state(state)

    def _say(self, phase: Phase, detail: str) -> None:
        each = self._pair_seconds()
        left = (self._last - max(self._pair - 1, 0)) * each
        if self._pair:
            left -= min(time.monotonic() - self._pair_began, each)
        left = min(left, max(self._time_left_s, 0.0))
        self.tell(
            Progress(phase=phase, detail=detail, pair=self._pair, pairs=self._last, look=self._seen, remaining_s=left)
        )


@contextmanager
def _owned(run: RunDirectory) -> Iterator[RunDirectory]:
    with run.owned():
        yield run


def _way_on(run: RunDirectory) -> str:
    """What can be done with the pairs of a run that was interrupted."""
    kept = len(run.pair_numbers())
    if not kept:
        return "No pair was complete yet, so nothing was kept."
    run_id = run.manifest.run_id
    pairs = "1 pair is" if kept == 1 else f"{kept} pairs are"
    return f"{pairs} kept. To continue: pacecar resume {run_id}; to judge what is there: pacecar judge {run_id}"
