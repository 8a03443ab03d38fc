"""What `--dry-run` prints: the plan and its minutes."""

from __future__ import annotations

import json

from pacecar.experiment import Experiment, LoadModel
from pacecar.schedule import pair_seconds
from pacecar.units import format_duration


def describe(experiment: Experiment) -> str:
    """The plan in a few lines for people."""
    facts = _facts(experiment)
    width = max(len(name) for name in facts)
    return "\n".join(f"{name:{width}}  {value}" for name, value in facts.items())


def describe_json(experiment: Experiment) -> str:
    """The same for scripts."""
    return json.dumps(_facts(experiment) | {"seconds": _seconds(experiment)}, indent=2)


def _seconds(experiment: Experiment) -> float:
    return experiment.plan.pairs * pair_seconds(experiment.plan, sides=len(experiment.builds))


def _facts(experiment: Experiment) -> dict[str, str]:
    plan, scenario = experiment.plan, experiment.scenario
    load = f"{scenario.rate_per_s:g}/s" if scenario.model is LoadModel.OPEN else f"{scenario.users} users per side"
    return {
        **{side.value: f"{build.label} ({build.kind.value})" for side, build in experiment.builds.items()},
        "target": experiment.target.name,
        "load": f"{scenario.simulation.rpartition('.')[2]}, {scenario.model.value} model, {load}",
        "endpoints": ", ".join(endpoint.name for endpoint in scenario.endpoints) or "as the simulation has them",
        "per pair": (
            f"{format_duration(plan.warmup_s)} of warm-up, then {plan.slices_per_side} windows of "
            f"{format_duration(plan.slice_s)} per side"
        ),
        "pairs": str(plan.pairs),
        "seed": str(plan.seed),
        "takes": f"about {format_duration(_seconds(experiment))}, builds and downloads not counted",
    }
