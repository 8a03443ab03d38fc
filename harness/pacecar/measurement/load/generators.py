"""The load generator of a scenario."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pacecar.measurement.load.gatling.generator import Gatling
from pacecar.measurement.load.gatling.run import Generator
from pacecar.measurement.load.load_run import LoadGenerator
from pacecar.model.scenario import Scenario
from pacecar.system.resources import Resources


def generator_of(
    scenario: Scenario, *, resources: Resources, classpath: Sequence[Path], java: Path, cpus: Iterable[int]
) -> LoadGenerator:
    """What puts the load of `scenario` on forks.

    Args:
        scenario: a simulation with its load profile.
        resources: of its processes.
        classpath: what it runs from, the simulation included.
        java: program that runs it.
        cpus: cores it may use; empty means any.
    """
    process = Generator(resources=resources, classpath=classpath, java=java, cpus=cpus, inherit=scenario.inherit)
    return Gatling(scenario, process=process)
