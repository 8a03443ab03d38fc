"""Forks that are processes, with what a test wants to vary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.deploy.fork import Attachment, ForkOrder
from pacecar.measurement.deploy.process.fork import ProcessFork
from pacecar.model.deployment import Dependency, ProcessDeployment
from pacecar.model.experiment import BuildKind, BuildRequest, Readiness, Side, Target
from pacecar.system.resources import Resources


def target_of(*command: str, directory: Path, timeout_s: float = 20) -> Target:
    """The target `orders`, started by `command`."""
    return Target(
        name="orders",
        deployment=ProcessDeployment(command=command),
        directory=directory,
        env={},
        secrets={},
        port=None,
        ready=Readiness(path="/health", timeout_s=timeout_s),
        metrics_path=None,
        application=(),
    )


def command_of(target: Target) -> tuple[str, ...]:
    assert isinstance(target.deployment, ProcessDeployment)
    return target.deployment.command


def commanded(target: Target, *command: str) -> Target:
    """`target`, started by another command."""
    return replace(target, deployment=ProcessDeployment(command=command))


def needing(target: Target, *dependencies: Dependency) -> Target:
    """`target`, with processes beside each of its forks."""
    assert isinstance(target.deployment, ProcessDeployment)
    return replace(target, deployment=replace(target.deployment, dependencies=dependencies))


def order_of(jar: Path, *, folder: Path, scratch: Path, **changes: Any) -> ForkOrder:
    """A fork of `jar`."""
    request = BuildRequest(kind=BuildKind.JAR, value=jar.name, label="orders")
    order = ForkOrder(request=request, side=Side.CANDIDATE, jar=jar, folder=folder, scratch=scratch)
    return replace(order, **changes)


def deployed(
    target: Target,
    order: ForkOrder,
    *,
    resources: Resources,
    agents: tuple[str, ...] = (),
    agent_env: Mapping[str, str] | None = None,
) -> ProcessFork:
    """A fork of `target`, not waited for."""
    attachment = Attachment(agents=agents, env=agent_env or {})
    fork = deployer_of(target, resources=resources).deploy(order, lambda view: attachment)
    assert isinstance(fork, ProcessFork)
    return fork
