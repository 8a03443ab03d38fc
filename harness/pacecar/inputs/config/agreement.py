"""What several keys say together, and what they say about files on disk."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from pacecar.inputs.config.config_text import ConfigText, absolute
from pacecar.inputs.config.dependencies import check_references, check_unused
from pacecar.inputs.config.deployment import check_deployment, check_deployment_paths
from pacecar.inputs.config.lines import Location
from pacecar.inputs.config.model import BUILT_IN, FileTable
from pacecar.inputs.config.named_metrics import entry, problem_with_endpoint, problem_with_metric, with_queries
from pacecar.inputs.config.suggestion import quoted
from pacecar.model.capacity import LEAST_RATE
from pacecar.model.catalogue import RESERVED
from pacecar.text.units import format_duration

_MOST_SLICES = 1000
# What one Gatling process, which serves one pair, can be asked to plan.
_LONGEST_PAIR_S = 4 * 3600.0
_MOST_ARRIVALS = 2_000_000
#: Key of the scenario -> models of load that it belongs to.
_MODELS_OF = {
    "users": ("closed",),
    "think_time": ("closed",),
    "rate": ("open", "staircase"),
    "within": ("staircase",),
}


def check(file: FileTable, written: ConfigText) -> None:
    """Raise ConfigError at the first key that contradicts another one."""
    rules = (
        _deployment,
        _references,
        _runtimes,
        _secrets,
        _load_model,
        _simulation,
        _endpoints,
        _portions,
        _escalation,
        _queries,
        _gate,
        _budgets,
        _accepted,
    )
    for rule in rules:
        rule(file, written)


def check_paths(file: FileTable, written: ConfigText) -> None:
    """Raise ConfigError at the first path that does not lead to what it should."""
    folders: list[tuple[Location, str | None]] = [
        (("target", "directory"), file.target.directory),
        (("source", "root"), file.source.root if file.source else None),
        (("scenario", "module"), file.scenario.module),
    ]
    if file.prometheus is not None and file.prometheus.targets is not None:
        folders.append((("prometheus", "targets"), os.path.dirname(file.prometheus.targets) or "."))  # noqa: PTH120
    for location, value in folders:
        if value is not None and not os.path.isdir(absolute(written, value)):  # noqa: PTH112  never raises
            raise written.error(location, f"there is no directory {quoted(absolute(written, value))}")
    jar = file.scenario.jar
    if jar is not None and not os.path.isfile(absolute(written, jar)):  # noqa: PTH113  never raises
        raise written.error(("scenario", "jar"), f"there is no file {quoted(absolute(written, jar))}")
    check_deployment_paths(file.target, written)


def _deployment(file: FileTable, written: ConfigText) -> None:
    check_deployment(file.target, written, variables=file.target.env, port=file.target.port)


def _references(file: FileTable, written: ConfigText) -> None:
    target = file.target
    if target.deploy == "process":
        texts = [(("target", "command", place), text) for place, text in enumerate(target.command or ())]
        check_references([*texts, *_of_a_fork(file)], target.dependencies, written)
    else:
        check_unused(_of_a_fork(file), written)


def _of_a_fork(file: FileTable) -> Iterator[tuple[Location, str]]:
    """Where something is filled in for a fork however it is deployed, and what stands there."""
    for variable, text in file.target.env.items():
        yield ("target", "env", variable), text
    for name, build in file.builds.named.items():
        for variable, text in build.env.items():
            yield ("builds", "named", name, "env", variable), text
    hooks = file.target.hooks
    for key, commands in (("setup", hooks.setup), ("ready", hooks.ready), ("reset", hooks.reset)):
        for index, command in enumerate(commands):
            for place, text in enumerate(command):
                yield ("target", "hooks", key, index, place), text


def _runtimes(file: FileTable, written: ConfigText) -> None:
    for name, build in file.builds.named.items():
        if build.java is not None and file.target.deploy != "process":
            problem = "applies only to a process; a container brings its own Java, so name another image"
            raise written.error(("builds", "named", name, "java"), problem)


def _secrets(file: FileTable, written: ConfigText) -> None:
    target = file.target
    for variable in target.secrets:
        if variable in target.env:
            raise written.error(("target", "secrets", variable), "is also in target.env; keep one of the two")


def _load_model(file: FileTable, written: ConfigText) -> None:
    scenario = file.scenario
    for key, models in _MODELS_OF.items():
        if key in scenario.model_fields_set and scenario.model not in models:
            known = " or ".join(f'"{each}"' for each in models)
            raise written.error(("scenario", key), f'belongs to model = {known}, but the model is "{scenario.model}"')
    if scenario.model == "staircase":
        _staircase(file, written)


def _staircase(file: FileTable, written: ConfigText) -> None:
    scenario = file.scenario
    if not scenario.sliced:
        problem = "raises the rate step by step, which needs Pacecar's kit, but scenario.sliced is false"
        raise written.error(("scenario", "model"), problem)
    if scenario.within is None:
        problem = (
            "also needs scenario.within, the latency that 95% of the requests must stay within; pacecar capacity shows "
            "how latency grows with the rate"
        )
        raise written.error(("scenario", "model"), problem)
    if scenario.rate < LEAST_RATE:
        problem = f"a staircase begins with {LEAST_RATE:g}/s or more, because fewer requests say too little"
        raise written.error(("scenario", "rate"), problem)


def _simulation(file: FileTable, written: ConfigText) -> None:
    scenario = file.scenario
    if scenario.module is not None and scenario.jar is not None:
        raise written.error(("scenario", "jar"), "give module or jar, not both")
    held = scenario.module is not None or scenario.jar is not None
    own = scenario.simulation != BUILT_IN
    if own and not held:
        raise written.error(("scenario", "simulation"), "also needs scenario.module or scenario.jar, which holds it")
    if held and not own:
        key = "module" if scenario.module is not None else "jar"
        raise written.error(("scenario", key), "also needs scenario.simulation, the class to run")
    if not scenario.sliced and scenario.endpoints:
        problem = "only a simulation with the kit knows the endpoints; remove them or set sliced = true"
        raise written.error(("scenario", "endpoints"), problem)
    if not scenario.sliced and not own:
        raise written.error(("scenario", "sliced"), "false is for a simulation of your own; name it in simulation")
    if scenario.injectors > 1 and not scenario.sliced:
        problem = "more than one needs Pacecar's kit, which gives each its share, but scenario.sliced is false"
        raise written.error(("scenario", "injectors"), problem)
    if file.target.kubernetes.injectors is not None and not scenario.sliced:
        problem = "needs a simulation with Pacecar's kit, but scenario.sliced is false"
        raise written.error(("target", "kubernetes", "injectors"), problem)
    if file.profiler.traces and not scenario.sliced:
        problem = "needs requests that begin a trace, which Pacecar's kit sends, but scenario.sliced is false"
        raise written.error(("profiler", "traces"), problem)
    if scenario.sliced and scenario.properties:
        raise written.error(("scenario", "properties"), "only a simulation with sliced = false gets properties")


def _endpoints(file: FileTable, written: ConfigText) -> None:
    seen: set[str] = set()
    for index, endpoint in enumerate(file.scenario.endpoints):
        if endpoint.name in seen:
            raise written.error(("scenario", "endpoints", index, "name"), f"{quoted(endpoint.name)} occurs twice")
        seen.add(endpoint.name)


def _escalation(file: FileTable, written: ConfigText) -> None:
    escalate = file.plan.escalate
    for word in ("always", "never"):
        if word in escalate.on and len(escalate.on) > 1:
            problem = f"{quoted(word)} excludes all other entries; remove it or the others"
            raise written.error(("plan", "escalate", "on", escalate.on.index(word)), problem)
        if word in escalate.on and escalate.classes:
            problem = f'does not count beside on = ["{word}"]; remove one of the two, or write on = []'
            raise written.error(("plan", "escalate", "classes"), problem)


def _portions(file: FileTable, written: ConfigText) -> None:
    plan = file.plan
    if plan.tier == "quick" and not file.scenario.sliced:
        problem = "counts requests one by one, which needs Pacecar's kit, but scenario.sliced is false"
        raise written.error(("plan", "tier"), problem)
    if "counted" in plan.model_fields_set and plan.counted is not None and not file.scenario.sliced:
        problem = "sends requests to one endpoint at a time, which needs Pacecar's kit, but scenario.sliced is false"
        raise written.error(("plan", "counted"), problem)
    if "slice" in plan.model_fields_set and plan.slice > plan.side:
        raise written.error(("plan", "slice"), "is longer than plan.side, the time measured per side and pair")
    if plan.burst is not None and plan.burst > plan.warmup:
        raise written.error(("plan", "burst"), "is longer than plan.warmup, which includes it")
    longest = plan.warmup if plan.warmup_at_most is None else plan.warmup_at_most
    if longest < plan.warmup:
        raise written.error(("plan", "warmup_at_most"), "is shorter than plan.warmup, which it limits")
    if plan.side / plan.slice > _MOST_SLICES:
        raise written.error(("plan", "slice"), f"plan.side would be cut into more than {_MOST_SLICES} slices")
    seconds = longest + plan.gap + 2 * (plan.side / plan.slice) * (plan.slice + plan.gap)
    if seconds > _LONGEST_PAIR_S:
        raise written.error(("plan",), f"one pair would take more than {format_duration(_LONGEST_PAIR_S)}")
    if file.scenario.model != "closed":
        arrivals = file.scenario.rate * 2 * (plan.side + plan.warmup)
        if arrivals > _MOST_ARRIVALS:
            problem = (
                f"makes {arrivals:,.0f} requests per pair; more than {_MOST_ARRIVALS:,} are too many for one process"
            )
            raise written.error(("scenario", "rate"), problem)


def _queries(file: FileTable, written: ConfigText) -> None:
    for name in file.metrics:
        if name in RESERVED:
            raise written.error(("metrics", name), "is the name of a metric that Pacecar measures itself")
        if file.prometheus is None:
            problem = "comes from a Prometheus server; set its url in [prometheus]"
            raise written.error(("metrics", name), problem)


def _gate(file: FileTable, written: ConfigText) -> None:
    for key, entries in (("metrics", file.gate.metrics), ("ignore", file.gate.ignore)):
        for index, text in enumerate(entries):
            metric, endpoint = entry(text)
            _metric(file, written, ("gate", key, index), metric)
            _endpoint(file, written, ("gate", key, index), metric, endpoint)
    guaranteed = {entry(text) for text in file.gate.metrics}
    for index, text in enumerate(file.gate.ignore):
        metric, endpoint = entry(text)
        if guaranteed & {(metric, endpoint), (metric, None)}:
            raise written.error(
                ("gate", "ignore", index), f"{quoted(text)} is also in gate.metrics; keep one of the two"
            )


def _budgets(file: FileTable, written: ConfigText) -> None:
    seen: set[tuple[str, str | None]] = set()
    for index, budget in enumerate(file.budgets):
        here: Location = ("budgets", index)
        _metric(file, written, (*here, "metric"), budget.metric)
        _endpoint(file, written, (*here, "endpoint"), budget.metric, budget.endpoint)
        if budget.rule_out is not None and budget.worse is None:
            raise written.error(
                (*here, "rule_out"), 'also needs worse, the smallest change that counts: worse = "10 %"'
            )
        if budget.worse is None and budget.max is None:
            raise written.error(here, 'sets no limit; give worse = "10 %" or max = "200 ms"')
        if budget.max is not None and not with_queries(file.metrics)[budget.metric].lower_is_better:
            raise written.error((*here, "max"), f"more {budget.metric} is better; give worse instead")
        if (budget.metric, budget.endpoint) in seen:
            raise written.error((*here, "metric"), "has a budget already; put worse and max into one table")
        seen.add((budget.metric, budget.endpoint))


def _accepted(file: FileTable, written: ConfigText) -> None:
    for index, accepted in enumerate(file.accepted):
        here: Location = ("accepted", index)
        _metric(file, written, (*here, "metric"), accepted.metric)
        _endpoint(file, written, (*here, "endpoint"), accepted.metric, accepted.endpoint)
        if (accepted.metric, accepted.endpoint) in {(each.metric, each.endpoint) for each in file.accepted[:index]}:
            raise written.error((*here, "metric"), "is accepted already; write one table for each metric")


def _metric(file: FileTable, written: ConfigText, location: Location, metric: str) -> None:
    problem = problem_with_metric(
        metric,
        with_queries(file.metrics),
        scraped=file.target.metrics is not None,
        called=file.target.calls,
        climbs=file.scenario.model == "staircase",
    )
    if problem is not None:
        raise written.error(location, problem)


def _endpoint(file: FileTable, written: ConfigText, location: Location, metric: str, endpoint: str | None) -> None:
    if endpoint is None:
        return
    problem = problem_with_endpoint(endpoint, with_queries(file.metrics)[metric], _endpoint_names(file))
    if problem is not None:
        raise written.error(location, problem)


def _endpoint_names(file: FileTable) -> Collection[str]:
    # A simulation of one's own names its requests itself: any name may be right.
    return {endpoint.name for endpoint in file.scenario.endpoints} if file.scenario.simulation == BUILT_IN else set()
