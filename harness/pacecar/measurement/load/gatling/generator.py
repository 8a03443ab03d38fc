"""Starting Gatling, on Pacecar's kit or without."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pacecar.measurement.load.gatling.plan import write_plan
from pacecar.measurement.load.gatling.run import GatlingRun, Generator
from pacecar.measurement.load.injector import WHOLE, LoadShare, SlicedLoad
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

    def start_sliced(self, folder: Path, load: SlicedLoad, *, share: LoadShare = WHOLE) -> GatlingRun:
        """See `LoadGenerator`."""
        plan_file = write_plan(folder / "plan.json", load, scenario=self._scenario, share=share)
        return GatlingRun.start_sliced(
            plan_file, simulation=self._scenario.simulation, generator=self._process, share=share
        )

    def start_plain(self, folder: Path, *, url: str, seconds: float, made: Collection[str] = ()) -> GatlingRun:
        """See `LoadGenerator`."""
        return GatlingRun.start_plain(
            folder, scenario=self._scenario, url=url, seconds=seconds, generator=self._process, made=made
        )
