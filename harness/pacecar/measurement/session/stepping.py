"""One build deployed once and put under one load after the other: what finds a load that fits.

Each step is a window of its own load on the same fork. What it records has the shape of a pair, so that the judge's own
readers tell how busy the service was; it is kept nowhere.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pacecar.archive.runs import make_root
from pacecar.inputs.toolchain import resolve
from pacecar.measurement.deploy.cores import split_cores
from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.probes.process import ProcessGone
from pacecar.measurement.receiver.server import Receiver
from pacecar.measurement.session import tables
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.fork_group import ForkGroup, deployed
from pacecar.measurement.session.loading import Loading
from pacecar.measurement.session.progress import Phase, Progress, Stopwatch, Tell
from pacecar.measurement.session.request import Request
from pacecar.measurement.session.striking import out_of_pair, secrets_of
from pacecar.measurement.session.warming import Warming
from pacecar.measurement.session.window_counters import EdgeReader
from pacecar.model.comparison import Look
from pacecar.model.experiment import Plan, Side
from pacecar.model.recording import ForkData, ForkRecord, Pair, PairRecord
from pacecar.model.scenario import LoadModel, Scenario
from pacecar.model.tables import empty_table
from pacecar.system import paths
from pacecar.system.disk import room_for
from pacecar.system.resources import Resources
from pacecar.text.hidden import Struck

SIDE = Side.BASELINE
#: Windows of a step, and their length: at 10 requests a second some 60 requests.
WINDOWS = 2
WINDOW_S = 3.0
_GAP_S = 0.5
#: Load before the windows: first as fast as the service answers, so that its JIT compiles, then at the step's own rate.
_FIRST_WARMUP_S = 15.0
_SETTLING_S = 2.0
#: How long after a step answers are waited for: whoever needs longer does not keep up.
_PATIENCE_S = 3.0
#: How long a step takes beside the load, until one was made.
_OVERHEAD_S = 8.0


def step_seconds(*, first: bool) -> float:
    """How long load is sent in a step."""
    return (_FIRST_WARMUP_S if first else 0.0) + _SETTLING_S + WINDOWS * (WINDOW_S + _GAP_S)


@dataclass(kw_only=True)
class Stepping:
    """A fork that is up, to be put under one load after the other.

    Attributes:
        context: of its deployment.
        group: holds it.
        struck: what is struck out of whatever is recorded.
        deadline: by the monotonic clock, when the last step is to be over.
    """

    context: RunContext
    group: ForkGroup
    struck: Struck
    deadline: float
    _steps: int = 0
    _longest_s: float = step_seconds(first=False) + _OVERHEAD_S

    @property
    def time_for_another(self) -> bool:
        """Whether one more step would end in time; there is always time for the first."""
        return self._steps == 0 or time.monotonic() + self._longest_s + _PATIENCE_S <= self.deadline

    def step(self, scenario: Scenario) -> Pair:
        """The fork under the load of `scenario`, as the baseline of a pair.

        Raises:
            ForkDied: when it dies.
            LoadError: when the load generator fails.
        """
        began, first = time.monotonic(), self._steps == 0
        self._steps += 1
        experiment = self.context.experiment
        plan = _plan(experiment.plan, first=first)
        context = replace(self.context, experiment=replace(experiment, scenario=scenario, plan=plan))
        load = self._loading(context)
        try:
            load.drive()
        except ProcessGone:
            self.group.check()  # says how the fork ended
            raise
        pair = out_of_pair(self._pair(load), self.struck)
        if not first:
            self._longest_s = max(self._longest_s, time.monotonic() - began)
        return pair

    def _loading(self, context: RunContext) -> Loading:
        reader = EdgeReader(forks=self.group.forks, metrics_path=None, check=self.group.check, buckets=False)
        return Loading(
            context=context,
            number=self._steps,
            order=(SIDE,) * WINDOWS,
            urls={side: fork.url for side, fork in self.group.forks.items()},
            reader=reader,
            folder=self.group.folder / f"gatling-{self._steps}",
            warming=Warming(context=context, reader=reader, collected=True),  # a heap as it is will do
            patience_s=_PATIENCE_S,
        )

    def _pair(self, load: Loading) -> Pair:
        done, fork = load.done, self.group.forks[SIDE]
        sliced = [(done.sliced.record(), done.first_window)] if done.sliced is not None else []
        arrivals = tables.arrivals(sliced, done.windows)
        requests = tables.refined(tables.requests(done.kept, done.windows).tables, arrivals)
        record = ForkRecord(side=SIDE, command=fork.command, ready_s=fork.ready_s, cpus=fork.cpus)
        data = ForkData(
            record=record,
            tables={
                "requests": requests.get(SIDE, empty_table("requests")),
                "arrivals": arrivals.get(SIDE, empty_table("arrivals")),
                **load.reader.tables(SIDE),
                "pauses": tables.pauses(target=fork.gc_log, generators=[kept.record.gc_log for kept in done.kept]),
                "stalls": tables.stalls(fork.gc_log),
            },
        )
        about = PairRecord(
            number=self._steps,
            first=SIDE,
            windows=tuple(done.windows),
            forks={SIDE: record},
            generator_cpus=self.context.cores.generator,
        )
        return Pair(record=about, forks={SIDE: data})


@contextmanager
def one_up(request: Request, *, resources: Resources, tell: Tell, most_s: float) -> Iterator[Stepping]:
    """The build of `request`, a recording's, built and up; gone on leaving.

    Args:
        request: what is deployed, and how.
        resources: owner of everything started.
        tell: told about every step.
        most_s: how long all steps may take together, once the fork is up.

    Raises:
        PacecarError: when a build, a tool or the fork fails.
    """
    experiment = request.experiment
    secrets_of(experiment)  # what cannot be hidden is refused before anything is built
    with room_for(request.archive):
        make_root(request.archive)
    deployer, logs = deployer_of(experiment.target, resources=resources), request.archive / "build-logs"
    say = _Said(tell, most_s)
    say(Phase.BUILD, experiment.builds[SIDE].label)
    artifact = deployer.make(experiment.builds[SIDE], source=experiment.source, log_dir=logs)
    tools = resolve(experiment.scenario, resources=resources, log_dir=logs, spans=experiment.profiler.spans)
    struck = secrets_of(experiment, deployed=deployer.struck())
    with Receiver(resources.folder("uploads")) as receiver, struck.out_of_errors():
        context = RunContext(
            experiment=experiment,
            artifacts={SIDE: artifact},
            deployer=deployer,
            toolchain=tools,
            receiver=receiver,
            resources=resources,
            cores=split_cores(wanted=experiment.plan.pin),
            stopwatch=Stopwatch(),
            say=say,
            java=paths.java(),
        )
        group = ForkGroup(number=1, folder=resources.folder("size"), order=(SIDE,), first_window=0)
        with deployed(context, group):
            say.deadline = time.monotonic() + most_s
            yield Stepping(context=context, group=group, struck=struck, deadline=say.deadline)


def with_load(scenario: Scenario, amount: float) -> Scenario:
    """`scenario` with `amount` requests per second, or users."""
    if scenario.model is LoadModel.OPEN:
        return replace(scenario, rate_per_s=amount)
    return replace(scenario, users=int(amount))


def _plan(plan: Plan, *, first: bool) -> Plan:
    warming_s = _FIRST_WARMUP_S if first else 0.0
    return replace(
        plan,
        pairs=1,
        side_s=WINDOWS * WINDOW_S,
        slice_s=WINDOW_S,
        gap_s=_GAP_S,
        warmup_s=warming_s + _SETTLING_S,
        burst_s=warming_s if plan.burst_s else 0.0,  # where none is wanted, the first load warms by itself
        steady=False,
    )


@dataclass
class _Said:
    """Tells what goes on, and how long it may still take."""

    tell: Tell
    most_s: float
    deadline: float | None = None

    def __call__(self, phase: Phase, detail: str) -> None:
        left = self.most_s if self.deadline is None else max(0.0, self.deadline - time.monotonic())
        self.tell(Progress(phase=phase, detail=detail, pair=0, pairs=0, look=Look(), remaining_s=left))
