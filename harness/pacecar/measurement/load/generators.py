"""The load generator of a scenario."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from pacecar.inputs.toolchain import Toolchain
from pacecar.measurement.load.gatling import jvm
from pacecar.measurement.load.gatling.class_data import class_data
from pacecar.measurement.load.gatling.generator import Gatling
from pacecar.measurement.load.gatling.pod.generator import PodGatling
from pacecar.measurement.load.gatling.run import Generator
from pacecar.measurement.load.injector import LoadGenerator
from pacecar.measurement.pods.injectors import InjectorPods
from pacecar.model.scenario import GeneratorKind, Scenario
from pacecar.system.resources import Resources


def generator_of(
    scenario: Scenario,
    *,
    resources: Resources,
    tools: Toolchain,
    java: Path,
    cpus: Iterable[int],
    pods: InjectorPods | None = None,
) -> LoadGenerator:
    """What puts the load of `scenario` on forks. The type checker names a generator that has no case here.

    Args:
        scenario: a simulation with its load profile.
        resources: of its processes.
        tools: with what it runs from, the simulation included.
        java: program that runs it here, where it needs one.
        cpus: cores of this machine that it may use; empty means any.
        pods: where it is to run in pods; None for this machine.
    """
    match scenario.generator:
        case GeneratorKind.GATLING if pods is not None:
            return PodGatling(scenario, pods=pods, resources=resources, classpath=tools.classpath)
        case GeneratorKind.GATLING:
            process = Generator(
                resources=resources,
                classpath=tools.classpath,
                java=java,
                cpus=cpus,
                inherit=scenario.inherit,
                heap_bytes=scenario.heap_bytes,
                sharing=() if tools.class_data is None else jvm.from_archive(tools.class_data),
            )
            return Gatling(scenario, process=process)
    assert_never(scenario.generator)


def with_class_data(tools: Toolchain, scenario: Scenario, *, java: Path, resources: Resources) -> Toolchain:
    """`tools` with the classes of the load generator as this machine's JVM can map them.

    Made for the simulation that Pacecar brings: what a user builds anew is another class path each time.

    Raises:
        ToolchainError: when they are not what they were when they were made.
    """
    if scenario.generator is not GeneratorKind.GATLING or scenario.module is not None or scenario.jar is not None:
        return tools
    return replace(tools, class_data=class_data(tools.classpath, java=java, resources=resources))
