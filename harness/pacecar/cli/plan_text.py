"""What `--dry-run` prints: the plan and its minutes."""

from __future__ import annotations

import json

from pacecar.analysis.metrics.carried import carried
from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.schedule import pair_seconds
from pacecar.model.experiment import Experiment, Side, Target
from pacecar.model.scenario import LoadModel
from pacecar.system.resources import Resources
from pacecar.text.units import format_duration

_NAMED = 3


def describe(experiment: Experiment) -> str:
    """The plan in a few lines for people."""
    facts = _facts(experiment)
    width = max(len(name) for name in facts)
    return "\n".join(f"{name:{width}}  {value}" for name, value in facts.items())


def describe_json(experiment: Experiment) -> str:
    """The same for scripts."""
    return json.dumps(_facts(experiment) | {"seconds": seconds_of(experiment)}, indent=2)


def seconds_of_pair(experiment: Experiment) -> float:
    """About how long a pair takes, both sides together or one after the other."""
    return pair_seconds(experiment.plan, sides=len(experiment.builds), together=_turns(experiment) is None)


def seconds_of(experiment: Experiment) -> float:
    """About how long it takes if every pair is measured, builds and downloads not counted."""
    each = seconds_of_pair(experiment)
    most = experiment.plan.pairs * each
    return most if experiment.plan.time_s is None else min(most, max(experiment.plan.time_s, each))


def _turns(experiment: Experiment) -> str | None:
    if len(experiment.builds) < len(Side):
        return None
    with Resources() as resources:
        return deployer_of(experiment.target, resources=resources).why_not_both()


def _target(target: Target) -> str:
    summary = target.deployment.summary
    return target.name if summary is None else f"{target.name}, {summary}"


def _facts(experiment: Experiment) -> dict[str, str]:
    plan, scenario = experiment.plan, experiment.scenario
    load = f"{scenario.rate_per_s:g}/s" if scenario.model is LoadModel.OPEN else f"{scenario.users} users per side"
    return {
        **{side.value: f"{build.label} ({build.kind.value})" for side, build in experiment.builds.items()},
        "target": _target(experiment.target),
        "load": f"{scenario.simulation.rpartition('.')[2]}, {scenario.model.value} model, {load}",
        "endpoints": ", ".join(endpoint.name for endpoint in scenario.endpoints) or "as the simulation has them",
        "per pair": (
            f"{'up to ' if plan.steady else ''}{format_duration(plan.warmup_s)} of warm-up, then "
            f"{plan.slices_per_side} windows of {plan.slice_s:g} s per side"
        ),
        "pairs": f"at most {plan.pairs}" if plan.stop_early and len(experiment.builds) > 1 else str(plan.pairs),
        **_requests(experiment),
        **({"sides": f"take turns: {turns}"} if (turns := _turns(experiment)) else {}),
        **({"asks": f"Prometheus at {experiment.prometheus.url}"} if experiment.prometheus else {}),
        **({"forwards to": f"Pyroscope at {experiment.pyroscope.url}"} if experiment.pyroscope else {}),
        "seed": str(plan.seed),
        "takes": f"about {format_duration(seconds_of(experiment))}, builds and downloads not counted",
    }


def _requests(experiment: Experiment) -> dict[str, str]:
    """What the endpoints are asked, and which are asked too little for what; nothing where nobody knows beforehand."""
    found = carried(experiment.scenario, experiment.plan)
    if not found:
        return {}
    everything, *each = found
    said = [f"{everything.requests:,.0f} per side and pair"]
    for quantile in dict.fromkeys(name for one in (everything, *each) for name in one.lacks):
        lacking = [one.endpoint for one in each if quantile in one.lacks]
        if quantile in everything.lacks:
            said.append(
                f"too few for any {quantile}: {everything.lacks[quantile]:.1f} times plan.side or rate would do"
            )
        elif lacking:
            named = ", ".join(lacking[:_NAMED]) + (
                f" and {len(lacking) - _NAMED} more" if len(lacking) > _NAMED else ""
            )
            said.append(f"too few for the {quantile} of {named}")
    return {"requests": "; ".join(said)}
