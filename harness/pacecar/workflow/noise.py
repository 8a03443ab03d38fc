"""What a build measured against itself says about the machine it was measured on."""

from __future__ import annotations

from pacecar.analysis.power import visible
from pacecar.analysis.validity.pairs import sift
from pacecar.analysis.validity.room import busy
from pacecar.archive.history import design_of, recall_run
from pacecar.archive.runs import RunDirectory
from pacecar.measurement.session.request import Request
from pacecar.model.comparison import Visible


def visible_on_this_machine(run: RunDirectory, request: Request) -> list[Visible]:
    """The noise of each metric, and what plans of several lengths can see; empty when nothing was remembered of it.

    Args:
        run: evaluated, so that the noise of its pairs is remembered.
        request: what it was measured for.
    """
    experiment = request.experiment
    known = recall_run(request.archive, design_of(experiment, run.manifest.machine), run.manifest.run_id)
    return visible(known, budgets=experiment.budgets, queries=experiment.queries)


def busy_in(run: RunDirectory) -> float:
    """The share of its cores that the build used in the windows of `run`, median over pairs; NaN where not known."""
    return busy(sift(list(run.pairs())).taking_part)
