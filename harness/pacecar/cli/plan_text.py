"""What `--dry-run` prints: the plan and its minutes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from pacecar.model.capacity import QUANTILE
from pacecar.model.experiment import BuildRequest, Experiment, Target
from pacecar.text.units import format_duration, format_quantity
from pacecar.workflow.planning import carried_by, seconds_of, seconds_of_blocks, seconds_to_explain, turns_of

_NAMED = 3


def describe(experiment: Experiment) -> str:
    """The plan in a few lines for people."""
    facts = _facts(experiment)
    width = max(len(name) for name in facts)
    return "\n".join(f"{name:{width}}  {value}" for name, value in facts.items())


def describe_json(experiment: Experiment) -> str:
    """The same for scripts."""
    return json.dumps(_facts(experiment) | {"seconds": seconds_of(experiment)}, indent=2)


def _target(target: Target) -> str:
    summary = target.deployment.summary
    return target.name if summary is None else f"{target.name}, {summary}"


def _build(build: BuildRequest) -> str:
    return f"{build.label} ({build.kind.value}{f', on {build.java}' if build.java else ''})"


def _facts(experiment: Experiment) -> dict[str, str]:
    return _of_blocks(experiment) if experiment.plan.quick else _of_windows(experiment)


def _of_blocks(experiment: Experiment) -> dict[str, str]:
    plan, blocks = experiment.plan, experiment.plan.blocks
    return {
        "tier": "quick: counts, endpoint by endpoint; latency is not looked at",
        **_builds(experiment),
        "target": _target(experiment.target),
        "load": f"{experiment.scenario.simulation.rpartition('.')[2]}, one request at a time on each side",
        "endpoints": _endpoints(experiment),
        "per pair": (
            f"{blocks.rounds} rounds of {blocks.requests} requests to each endpoint, after {blocks.unmeasured} rounds "
            "that are not measured"
        ),
        "pairs": str(plan.pairs),
        "seed": str(plan.seed),
        "takes": f"at most about {format_duration(seconds_of(experiment))}, builds and downloads not counted",
        **_explained(experiment, "two or three profiled pairs, if allocation regressed and no call explains it"),
    }


def _builds(experiment: Experiment) -> dict[str, str]:
    return {side.value: _build(build) for side, build in experiment.builds.items()}


def _endpoints(experiment: Experiment) -> str:
    return ", ".join(endpoint.name for endpoint in experiment.scenario.endpoints) or "as the simulation has them"


def _of_windows(experiment: Experiment) -> dict[str, str]:
    plan, scenario = experiment.plan, experiment.scenario
    load = f"{scenario.rate_per_s:g}/s" if scenario.by_the_clock else f"{scenario.users} users per side"
    return {
        **_builds(experiment),
        "target": _target(experiment.target),
        "load": f"{scenario.simulation.rpartition('.')[2]}, {scenario.model.value} model, {load}",
        "endpoints": _endpoints(experiment),
        "per pair": (
            f"{'up to ' if plan.steady else ''}{format_duration(plan.warmup_s)} of warm-up, then "
            f"{plan.slices_per_side} windows of {plan.slice_s:g} s per side"
        ),
        **_counted(experiment),
        **_steps(experiment),
        "pairs": f"at most {plan.pairs}" if plan.stop_early and len(experiment.builds) > 1 else str(plan.pairs),
        **({"requests": said} if (said := requests_of(experiment)) else {}),
        **({"sides": f"take turns: {turns}"} if (turns := turns_of(experiment)) else {}),
        **({"asks": f"Prometheus at {experiment.prometheus.url}"} if experiment.prometheus else {}),
        **({"forwards to": f"Pyroscope at {experiment.pyroscope.url}"} if experiment.pyroscope else {}),
        "seed": str(plan.seed),
        "takes": f"about {format_duration(seconds_of(experiment))}, builds and downloads not counted",
        **_explained(
            experiment, "one pair that looks at single requests, if latency regressed and no cause explains it"
        ),
    }


def _explained(experiment: Experiment, what: str) -> dict[str, str]:
    seconds = seconds_to_explain(experiment)
    return {} if seconds is None else {"may follow": f"{what}: about {format_duration(seconds)}"}


def _steps(experiment: Experiment) -> dict[str, str]:
    scenario = experiment.scenario
    if scenario.within_ms is None:
        return {}
    return {
        "then": (
            f"the rate is raised from {scenario.rate_per_s:g}/s until {100 * QUANTILE:.0f}% of the requests no longer "
            f"stay within {format_quantity(scenario.within_ms, 'ms')}, for at most {format_duration(scenario.steps_s)}"
        )
    }


def _counted(experiment: Experiment) -> dict[str, str]:
    """What follows the windows of a pair; nothing where that is nothing."""
    blocks, names, seconds = experiment.plan.counted, experiment.scenario.endpoints, seconds_of_blocks(experiment)
    if blocks is None or seconds is None:
        return {}
    left = len(names) - blocks.endpoints
    return {
        "then": (
            f"up to {blocks.rounds} times {blocks.requests} requests to each endpoint by itself, about "
            f"{format_duration(seconds)}" + (f"; {left} of {len(names)} endpoints are left out" if left > 0 else "")
        )
    }


def requests_of(experiment: Experiment) -> str:
    """What the endpoints are asked, and which are asked too little for what; "" where nobody knows beforehand."""
    found = carried_by(experiment)
    if not found:
        return ""
    everything, *each = found
    said = [f"{everything.requests:,.0f} per side and pair"]
    said += [
        f"too few for any {quantile}: {factor:.1f} times plan.side or rate would do"
        for quantile, factor in everything.lacks.items()
    ]
    quantiles = dict.fromkeys(name for one in each for name in one.lacks if name not in everything.lacks)
    groups: dict[tuple[str, ...], list[str]] = {}
    for quantile in quantiles:
        groups.setdefault(tuple(one.endpoint for one in each if quantile in one.lacks), []).append(quantile)
    for lacking, named in groups.items():
        whose = "any one endpoint" if len(lacking) == len(each) else _few(lacking)
        said.append(f"too few for the {' and '.join(named)} of {whose}")
    return "; ".join(said)


def _few(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
