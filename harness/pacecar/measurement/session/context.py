"""What outlives a pair: everything needed to measure one more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pacecar.inputs.builds.artifact import Artifact
from pacecar.inputs.toolchain import Toolchain
from pacecar.integrations.exchange import Server
from pacecar.measurement.deploy.cores import Cores
from pacecar.measurement.deploy.fork import Deployer
from pacecar.measurement.load.generators import generator_of
from pacecar.measurement.load.injector import LoadGenerator
from pacecar.measurement.receiver.server import Receiver
from pacecar.measurement.session.progress import Phase, Stopwatch
from pacecar.model.experiment import Experiment, Side
from pacecar.model.recording import Fingerprint
from pacecar.model.scenario import Scenario
from pacecar.system.resources import Resources

Say = Callable[[Phase, str], None]


@dataclass(frozen=True, kw_only=True)
class RunContext:
    """The experiment, its built sides, the way they are deployed, the tools, and who is told what goes on.

    `one_at_a_time` says why the sides cannot be up at the same time; None when they can. `prometheus` is the server
    that is asked for metrics; None when there is none. `machine` is the one that sends the load; None where nothing is
    kept of it. `climbs_from_per_s` is the rate that a staircase begins with; None for that of the scenario.
    """

    experiment: Experiment
    artifacts: dict[Side, Artifact]
    deployer: Deployer
    toolchain: Toolchain
    receiver: Receiver
    resources: Resources
    cores: Cores
    stopwatch: Stopwatch
    java: Path
    say: Say
    machine: Fingerprint | None = None
    one_at_a_time: str | None = None
    prometheus: Server | None = None
    climbs_from_per_s: float | None = None

    def generator(self, scenario: Scenario) -> LoadGenerator:
        """What puts the load of `scenario` on forks."""
        return generator_of(
            scenario,
            resources=self.resources,
            tools=self.toolchain,
            java=self.java,
            cpus=self.cores.generator,
            pods=self.deployer.injectors(),
        )
