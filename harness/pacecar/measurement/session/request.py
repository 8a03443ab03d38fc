"""What a run is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pacecar.model.experiment import Experiment
from pacecar.model.options import RunOptions
from pacecar.model.recording import RunKind
from pacecar.model.shared_archive import SharedArchive


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be measured, and what its manifest will say.

    Attributes:
        experiment: target, builds, scenario and plan.
        kind: both sides side by side, or one by itself.
        archive: the folder the run goes to.
        shared: the store that finished runs are put into, too; None when there is none.
        configuration: text of the configuration file.
        options: what the command line said beside the configuration.
        repeat: the command that makes such a run again.
        run_id: of the run, where somebody has been told it already; None for one that is yet to be found.
    """

    experiment: Experiment
    kind: RunKind
    archive: Path
    shared: SharedArchive | None
    configuration: str
    options: RunOptions
    repeat: tuple[str, ...]
    run_id: str | None = None
