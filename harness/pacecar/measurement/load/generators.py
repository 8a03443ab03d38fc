"""The load generator of a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import assert_never

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
    classpath: Sequence[Path],
    java: Path,
    cpus: Iterable[int],
    pods: InjectorPods | None = None,
) -> LoadGenerator:
    """What puts the load of `scenario` on forks. The type checker names a generator that has no case here.

    Args:
        scenario: a simulation with its load profile.
        resources: of its processes.
        classpath: what Gatling runs from, the simulation included.
        java: program that runs it here, where it needs one.
        cpus: cores of this machine that it may use; empty means any.
        pods: where it is to run in pods; None for this machine.
    """
    match scenario.generator:
        case GeneratorKind.GATLING if pods is not None:
            return PodGatling(scenario, pods=pods, resources=resources, classpath=classpath)
        case GeneratorKind.GATLING:
            process = Generator(
                resources=resources,
                classpath=classpath,
                java=java,
                cpus=cpus,
                inherit=scenario.inherit,
                heap_bytes=scenario.heap_bytes,
            )
            return Gatling(scenario, process=process)
    assert_never(scenario.generator)
