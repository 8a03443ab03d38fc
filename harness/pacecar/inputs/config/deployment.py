"""The keys of `[target]` that say how a fork is started: what they may be, what they say together, what they mean."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from pacecar.inputs.config.config_text import ConfigText, absolute
from pacecar.inputs.config.dependencies import DependencyTables, check_dependencies, check_folders, dependencies
from pacecar.inputs.config.fields import (
    AS_WRITTEN,
    CommandLine,
    FilePath,
    ImageName,
    Inherited,
    JarInImage,
    KubeContext,
    Name,
    NodeLabels,
    WorkloadName,
    size_between,
)
from pacecar.inputs.config.suggestion import did_you_mean, quoted
from pacecar.model.deployment import (
    ComposeDeployment,
    Deployment,
    InjectorNeeds,
    KubernetesDeployment,
    ProcessDeployment,
)

_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")
_FILLED_IN = ("artifact", "port", "java", "fork")
_EVERY_KEY = "Every key with its meaning: docs/reference/configuration.md"


class ComposeTable(BaseModel):
    """`[target.compose]`."""

    model_config = AS_WRITTEN

    file: FilePath = "docker-compose.yml"
    service: Name | None = None
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    jar: JarInImage | None = None
    cpus: Annotated[float, Field(ge=0.01, le=1024, allow_inf_nan=False)] | None = None
    memory: Annotated[float, size_between("16 MiB", "4096 GiB")] | None = None
    inherit: list[Inherited] = []


class InjectorsTable(BaseModel):
    """`[target.kubernetes.injectors]`."""

    model_config = AS_WRITTEN

    cpu: Annotated[float, Field(ge=0.01, le=1024, allow_inf_nan=False)] | None = None
    nodes: NodeLabels = {}


class KubernetesTable(BaseModel):
    """`[target.kubernetes]`."""

    model_config = AS_WRITTEN

    manifest: FilePath = "kubernetes.yaml"
    workload: WorkloadName | None = None
    container: Name | None = None
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    jar: JarInImage | None = None
    cpu: Annotated[float, Field(ge=0.01, le=1024, allow_inf_nan=False)] | None = None
    memory: Annotated[float, size_between("16 MiB", "4096 GiB")] | None = None
    nodes: NodeLabels = {}
    labels: NodeLabels = {}
    sidecar: ImageName | None = None
    injectors: InjectorsTable | None = None
    account: Name = "pacecar"
    queue: Name | None = None
    namespace: Name | None = None
    context: KubeContext | None = None


class DeploymentKeys(BaseModel):
    """The part of `[target]` that says how a fork is started. A file may hold the keys of several ways."""

    model_config = AS_WRITTEN

    deploy: Literal["process", "compose", "kubernetes"] = "process"
    command: Annotated[CommandLine, Field(min_length=1)] | None = None
    dependencies: DependencyTables = []
    compose: ComposeTable = ComposeTable()
    kubernetes: KubernetesTable = KubernetesTable()


def deployment(keys: DeploymentKeys, written: ConfigText, *, target: str) -> Deployment:
    """What `keys`, checked already, say of the target called `target`."""
    match keys.deploy:
        case "process":
            return ProcessDeployment(
                command=tuple(keys.command or ()), dependencies=dependencies(keys.dependencies, written)
            )
        case "compose":
            return _compose(keys.compose, written, target=target)
        case "kubernetes":
            return _kubernetes(keys.kubernetes, written)


def check_deployment(
    keys: DeploymentKeys, written: ConfigText, *, variables: Mapping[str, str], port: int | None
) -> None:
    """Raise ConfigError at the first key that contradicts another one.

    Args:
        keys: of the target.
        written: where they stand.
        variables: the target's own environment.
        port: its fixed port; None for a free one.
    """
    if keys.deploy == "process" and keys.command is None:
        for other in ("compose", "kubernetes"):
            if other in keys.model_fields_set:
                raise written.error(("target", other), f'is for target.deploy = "{other}"; add that line')
        problem = 'missing, and it has no default; or set target.deploy = "compose" or "kubernetes"'
        raise written.error(("target", "command"), problem, hint=_EVERY_KEY)
    if keys.deploy == "kubernetes":
        _check_kubernetes(keys.kubernetes, written, variables=variables)
    if keys.command is not None:
        _check_command(keys.command, written, variables=variables, port=port)
    elif keys.dependencies:
        problem = (
            'is for target.deploy = "process"; in a compose file, depends_on names what a service needs, '
            "in Kubernetes it is a container of the pod"
        )
        raise written.error(("target", "dependencies"), problem)
    check_dependencies(keys.dependencies, written)


def check_deployment_paths(keys: DeploymentKeys, written: ConfigText) -> None:
    """Raise ConfigError when there is no such compose file or manifest, or no such folder of a dependency."""
    if keys.deploy == "process":
        check_folders(keys.dependencies, written)
    file = keys.compose.file
    if keys.deploy == "compose" and not os.path.isfile(absolute(written, file)):  # noqa: PTH113  never raises
        raise written.error(("target", "compose", "file"), f"there is no file {quoted(absolute(written, file))}")
    manifest = keys.kubernetes.manifest
    if keys.deploy == "kubernetes" and not os.path.isfile(absolute(written, manifest)):  # noqa: PTH113  likewise
        problem = f"there is no file {quoted(absolute(written, manifest))}"
        raise written.error(("target", "kubernetes", "manifest"), problem)


def _check_command(
    command: CommandLine, written: ConfigText, *, variables: Mapping[str, str], port: int | None
) -> None:
    for index, argument in enumerate(command):
        for word in _PLACEHOLDER.findall(argument):
            if word not in _FILLED_IN:
                problem = f"{{{word}}} is not filled in{did_you_mean(word, _FILLED_IN)}"
                raise written.error(("target", "command", index), problem)
    # A wrapper script may take both from its environment.
    named = {word for text in (*command, *variables.values()) for word in _PLACEHOLDER.findall(text)}
    if "artifact" not in named:
        problem = "does not hold {artifact}, so both sides would run the same program"
        raise written.error(("target", "command"), problem)
    if "port" not in named and port is None:
        problem = "does not hold {port}, so the service cannot know its port; add it or give target.port a number"
        raise written.error(("target", "command"), problem)


def _compose(compose: ComposeTable, written: ConfigText, *, target: str) -> ComposeDeployment:
    return ComposeDeployment(
        file=absolute(written, compose.file),
        service=compose.service or target,
        port=compose.port,
        jar=compose.jar,
        cpus=compose.cpus,
        memory_bytes=None if compose.memory is None else round(compose.memory),
        inherit=tuple(compose.inherit),
    )


def _check_kubernetes(table: KubernetesTable, written: ConfigText, *, variables: Mapping[str, str]) -> None:
    if table.sidecar is None:
        problem = "missing: the image with Pacecar that runs beside the service"
        hint = "How to build one: docs/how-to/kubernetes.md"
        raise written.error(("target", "kubernetes", "sidecar"), problem, hint=hint)
    if table.port is None and not any("{port}" in text for text in variables.values()):
        problem = "missing, and no variable of target.env holds {port}, so the service cannot know its port"
        raise written.error(("target", "kubernetes", "port"), problem)


def _kubernetes(table: KubernetesTable, written: ConfigText) -> KubernetesDeployment:
    assert table.sidecar is not None  # checked
    return KubernetesDeployment(
        manifest=absolute(written, table.manifest),
        sidecar=table.sidecar,
        workload=table.workload,
        container=table.container,
        port=table.port,
        jar=table.jar,
        cpu=table.cpu,
        memory_bytes=None if table.memory is None else round(table.memory),
        nodes=table.nodes,
        labels=table.labels,
        injectors=None
        if table.injectors is None
        else InjectorNeeds(cpu=table.injectors.cpu, nodes=table.injectors.nodes),
        account=table.account,
        queue=table.queue,
        namespace=table.namespace,
        context=table.context,
    )
