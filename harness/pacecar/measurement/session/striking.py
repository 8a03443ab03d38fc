"""Known secrets struck out of what a pair recorded: a service or a load generator may have said any of them."""

from __future__ import annotations

import os
from dataclasses import replace

import pandas as pd

from pacecar.measurement.deploy.launch import struck as struck_of_fork
from pacecar.measurement.deploy.launch import struck_of_dependency
from pacecar.model.experiment import Experiment
from pacecar.model.recording import ForkData, Pair
from pacecar.model.scenario import Endpoint, Scenario
from pacecar.model.tables import TABLES
from pacecar.text import hidden
from pacecar.text.hidden import NOTHING, Struck

#: Names of classes and methods stand in the artifact; a setting that is called like one must not take them away.
_KEPT = {"stacks", "calls"}
#: Linux cuts names of threads after so many bytes, and what is left of a secret then is a part of it.
_THREAD_NAME_BYTES = 15
#: A cookie says by its name only that it is one.
_COOKIE = "cookie"


def secrets_of(experiment: Experiment, *, deployed: Struck = NOTHING) -> Struck:
    """Whatever is secret in the settings of forks and load, of both sides: either may hear of the other's.

    Args:
        experiment: the settings.
        deployed: what the deployment adds. What the names of target or endpoints hold of it stays: it is in plain sight
            there, and they have to be told apart.

    Raises:
        deploy.DeployError: when the variable of a secret is not set, or too short to be struck out.
    """
    deployment = experiment.target.deployment
    forks = [
        struck_of_fork(experiment.target, build, command=deployment.arguments) for build in experiment.builds.values()
    ]
    forks += map(struck_of_dependency, deployment.dependencies)
    names = (experiment.target.name, *(endpoint.name for endpoint in experiment.scenario.endpoints))
    return Struck.together(
        (*forks, _of_scenario(experiment.scenario), _of_environment(deployment.inherit), deployed.unless_in(names))
    )


def out_of_pair(pair: Pair, struck: Struck) -> Pair:
    """`pair` with a mark in the place of every secret, in its tables as well as in its record."""
    if not struck.secrets:
        return pair
    forks = {side: _out_of_fork(fork, struck) for side, fork in pair.forks.items()}
    record = replace(
        pair.record,
        forks={side: fork.record for side, fork in forks.items()},
        notes=tuple(map(struck.out_of, pair.record.notes)),
    )
    return replace(pair, record=record, forks=forks)


def _of_scenario(scenario: Scenario) -> Struck:
    return Struck.together(
        (
            Struck.of({}, scenario.properties),
            _of_environment(scenario.inherit),
            *(_of_endpoint(endpoint) for endpoint in scenario.endpoints),
        )
    )


def _of_endpoint(endpoint: Endpoint) -> Struck:
    cookies = {name: value for name, value in endpoint.headers.items() if name.lower() == _COOKIE}
    said = (*hidden.within(endpoint.path), *hidden.within(endpoint.body or ""))
    return Struck.of(cookies, endpoint.headers, said)


def _of_environment(inherit: tuple[str, ...]) -> Struck:
    return Struck.of({}, {name: os.environ[name] for name in inherit if name in os.environ})


def _out_of_fork(fork: ForkData, struck: Struck) -> ForkData:
    record = fork.record
    return ForkData(
        record=replace(
            record,
            command=tuple(map(struck.out_of, record.command)),
            dependencies=tuple(
                replace(each, command=tuple(map(struck.out_of, each.command))) for each in record.dependencies
            ),
            jvm_flags=tuple(map(struck.out_of, record.jvm_flags)),
            died=None if record.died is None else struck.out_of(record.died),
            unsettled=None if record.unsettled is None else struck.out_of(record.unsettled),
        ),
        tables={name: _out_of_table(name, table, struck) for name, table in fork.tables.items()},
    )


def _out_of_table(name: str, table: pd.DataFrame, struck: Struck) -> pd.DataFrame:
    texts = [column for column, dtype in TABLES[name].items() if dtype == "str" and name not in _KEPT]
    changed = {}
    for column in texts:
        # A few hundred distinct texts stand in millions of rows.
        cut = _THREAD_NAME_BYTES if column == "thread" else None
        marked = {text: struck.out_of(text, cut_after=cut) for text in table[column].dropna().unique()}
        if any(text != mark for text, mark in marked.items()):
            changed[column] = table[column].map(marked).astype(table[column].dtype)
    return table.assign(**changed) if changed else table
