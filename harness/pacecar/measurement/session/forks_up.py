"""Builds that are deployed once, side by side, to be put under one load after the other. Nothing of it is kept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pacecar.archive.runs import make_root
from pacecar.inputs.toolchain import resolve
from pacecar.measurement.deploy.cores import split_cores
from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.load.generators import with_class_data
from pacecar.measurement.receiver.server import Receiver
from pacecar.measurement.session.context import RunContext
from pacecar.measurement.session.fork_group import ForkGroup, deployed
from pacecar.measurement.session.progress import Phase, Progress, Stopwatch, Tell
from pacecar.measurement.session.request import Request
from pacecar.measurement.session.stepping import Stepping
from pacecar.measurement.session.striking import secrets_of
from pacecar.model.comparison import Look
from pacecar.system import paths
from pacecar.system.disk import room_for
from pacecar.system.resources import Resources


@contextmanager
def forks_up(
    request: Request, *, resources: Resources, tell: Tell, most_s: float, settled_by_users: bool = False
) -> Iterator[Stepping]:
    """The builds of `request`, built and up; gone on leaving.

    Args:
        request: what is deployed, side by side, and how.
        resources: owner of everything started.
        tell: told about every step.
        most_s: how long all steps may take together, once the forks are up.
        settled_by_users: see `Stepping`.

    Raises:
        PacecarError: when a build, a tool or a fork fails.
    """
    experiment = request.experiment
    secrets_of(experiment)  # what cannot be hidden is refused before anything is built
    with room_for(request.archive):
        make_root(request.archive)
    deployer, logs = deployer_of(experiment.target, resources=resources), request.archive / "build-logs"
    say = _Said(tell, most_s)
    artifacts = {}
    for side, build in experiment.builds.items():
        say(Phase.BUILD, build.label)
        artifacts[side] = deployer.make(build, source=experiment.source, log_dir=logs)
    tools = resolve(experiment.scenario, resources=resources, log_dir=logs, spans=experiment.profiler.spans)
    tools = with_class_data(tools, experiment.scenario, java=paths.java(), resources=resources)
    struck = secrets_of(experiment, deployed=deployer.struck())
    with Receiver(resources.folder("uploads")) as receiver, struck.out_of_errors():
        context = RunContext(
            experiment=experiment,
            artifacts=artifacts,
            deployer=deployer,
            toolchain=tools,
            receiver=receiver,
            resources=resources,
            cores=split_cores(wanted=experiment.plan.pin),
            stopwatch=Stopwatch(),
            say=say,
            java=paths.java(),
        )
        group = ForkGroup(number=1, folder=resources.folder("steps"), order=tuple(artifacts), first_window=0)
        with deployed(context, group):
            say.deadline = time.monotonic() + most_s
            yield Stepping(
                context=context,
                forks=group.forks,
                folder=group.folder,
                struck=struck,
                deadline=say.deadline,
                settled_by_users=settled_by_users,
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
