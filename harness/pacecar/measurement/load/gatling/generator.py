"""Starting Gatling, on Pacecar's kit or without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pacecar.measurement.load.gatling.plan import write_plan
from pacecar.measurement.load.gatling.run import GatlingRun, Generator
from pacecar.model.experiment import Plan, Side
from pacecar.model.scenario import Scenario


class Gatling:
    """Runs of one simulation.

    Args:
        scenario: the simulation with its load profile.
        process: what all its processes have in common.
    """

    def __init__(self, scenario: Scenario, *, process: Generator) -> None:
        self._scenario = scenario
        self._process = process

    def start_sliced(
        self, folder: Path, *, plan: Plan, order: Sequence[Side], urls: Mapping[Side, str], seed: int
    ) -> GatlingRun:
        """See `LoadGenerator`."""
        plan_file = write_plan(
            folder / "plan.json", scenario=self._scenario, plan=plan, order=order, urls=urls, seed=seed
        )
        return GatlingRun.start_sliced(plan_file, scenario=self._scenario, generator=self._process)

    def start_plain(self, folder: Path, *, url: str, seconds: float) -> GatlingRun:
        """See `LoadGenerator`."""
        return GatlingRun.start_plain(
            folder, scenario=self._scenario, url=url, seconds=seconds, generator=self._process
        )
