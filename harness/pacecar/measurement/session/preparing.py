"""What a run needs before its first pair: its builds and its tools, made on the machine that measures or on another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from pacecar.inputs.builds.artifact import Artifact
from pacecar.inputs.toolchain import Toolchain, resolve
from pacecar.measurement.deploy.fork import Deployer
from pacecar.measurement.session.explaining import may_explain
from pacecar.measurement.session.request import Request
from pacecar.model.experiment import Experiment, Side
from pacecar.system.resources import Resources

_LOGS = "build-logs"

#: Told what is made: the side and its build.
Announce = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """Builds and tools of a run.

    Attributes:
        artifacts: per side.
        tools: with the agent that tells endpoints apart, where any pair of the run may need it.
    """

    artifacts: dict[Side, Artifact]
    tools: Toolchain


def prepare(request: Request, *, deployer: Deployer, resources: Resources, say: Announce) -> Prepared:
    """Everything that measuring `request` takes, so that no later step of the run builds or resolves anything.

    Raises:
        BuildError: when there is no such build, or it fails.
        ToolchainError: when the scenario or an agent cannot be resolved.
    """
    experiment = request.experiment
    return Prepared(
        artifacts=artifacts_of(request, deployer=deployer, say=say),
        tools=tools_of(
            request,
            resources=resources,
            spans=experiment.profiler.spans or (not experiment.plan.quick and may_explain(experiment, request.kind)),
        ),
    )


def artifacts_of(request: Request, *, deployer: Deployer, say: Announce) -> dict[Side, Artifact]:
    """The builds of both sides. Raises BuildError."""
    artifacts = {}
    for side, build in request.experiment.builds.items():
        say(f"{side.value}: {build.label}")
        artifacts[side] = deployer.make(build, source=request.experiment.source, log_dir=logs_of(request))
    return artifacts


def tools_of(request: Request, *, resources: Resources, spans: bool) -> Toolchain:
    """The load generator and the agents. Raises ToolchainError."""
    return resolve(request.experiment.scenario, resources=resources, log_dir=logs_of(request), spans=spans)


def for_pairs(tools: Toolchain, experiment: Experiment) -> Toolchain:
    """`tools` as the pairs of `experiment` use them: without the agent of spans, unless it is asked for."""
    return tools if experiment.profiler.spans else replace(tools, span_agent=None)


def logs_of(request: Request) -> Path:
    """Where builds and Maven leave their logs."""
    return request.archive / _LOGS
