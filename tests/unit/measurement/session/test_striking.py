"""Secrets that a service or a load generator repeats: gone from tables, record and errors of a pair."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pacecar.measurement.deploy import DeployError
from pacecar.measurement.load.errors import LoadError
from pacecar.measurement.session.striking import out_of_pair, secrets_of
from pacecar.model.deployment import ComposeDeployment, Dependency, DependencyRecord, ProcessDeployment
from pacecar.model.experiment import BuildKind, BuildRequest, Experiment, Plan, Profiler, Readiness, Side, Target
from pacecar.model.recording import ForkData, ForkRecord, Pair, PairRecord
from pacecar.model.scenario import Endpoint, LoadModel, Scenario
from pacecar.model.tables import TABLES, empty_table
from pacecar.text.hidden import MARK, Struck

SECRET = "hunter2-s3cr3t"
_TEXTS = [
    (table, column)
    for table, columns in TABLES.items()
    for column, dtype in columns.items()
    if dtype == "str" and table not in ("stacks", "calls")
]


def _experiment(*, target=None, request=None, scenario=None, endpoint=None) -> Experiment:
    endpoints = (Endpoint(name="GET /", method="GET", path="/", weight=1.0),)
    shape: dict[str, Any] = {
        "simulation": "S",
        "module": None,
        "jar": None,
        "sliced": True,
        "model": LoadModel.OPEN,
        "rate_per_s": 1.0,
    }
    plan: dict[str, Any] = {"pairs": 1, "side_s": 1.0, "slice_s": 1.0, "gap_s": 0.0, "warmup_s": 0.0, "burst_s": 0.0}
    build = BuildRequest(kind=BuildKind.JAR, value="a.jar", label="a")
    service = Target(
        name="t",
        deployment=ProcessDeployment(command=("java",)),
        directory=Path(),
        env={},
        secrets={},
        port=None,
        ready=Readiness(path="/"),
        metrics_path=None,
        application=(),
    )
    load = Scenario(**shape, users=1, think_time_s=0.0, endpoints=endpoints)
    if endpoint:
        load = replace(load, endpoints=(replace(endpoints[0], **endpoint),))
    return Experiment(
        target=replace(service, **(target or {})),
        source=None,
        builds={Side.BASELINE: build, Side.CANDIDATE: replace(build, **(request or {}))},
        scenario=replace(load, **(scenario or {})),
        plan=Plan(**plan, burst_users=1, seed=1),
        budgets=(),
        gate=(),
        profiler=Profiler(),
        config_path=Path("pacecar.toml"),
    )


def _pair(tables: dict[str, pd.DataFrame] | None = None, *, notes: tuple[str, ...] = (), **record: Any) -> Pair:
    all_tables = {name: empty_table(name) for name in TABLES} | (tables or {})
    fork = ForkData(record=ForkRecord(**(dict[str, Any](side=Side.BASELINE, command=()) | record)), tables=all_tables)
    kept = PairRecord(number=1, first=Side.BASELINE, windows=(), forks={Side.BASELINE: fork.record}, notes=notes)
    return Pair(record=kept, forks={Side.BASELINE: fork})


def _table(name: str, /, **texts: str) -> pd.DataFrame:
    columns = TABLES[name].items()
    values = {column: [texts.get(column, "plain" if dtype == "str" else 1)] * 2 for column, dtype in columns}
    return pd.DataFrame(values).astype(TABLES[name])


@pytest.mark.hostile
@pytest.mark.parametrize(("name", "column"), _TEXTS, ids=lambda part: part)
def test_no_text_of_a_table_keeps_a_secret(name: str, column: str) -> None:
    table = _table(name, **{column: f"said {SECRET}, twice: {SECRET}"})
    struck = out_of_pair(_pair({name: table}), Struck.of({"A": SECRET}, {}))
    left = struck.forks[Side.BASELINE].tables[name]
    assert left[column].tolist() == [f"said {MARK}, twice: {MARK}"] * 2
    assert left.drop(columns=column).equals(table.drop(columns=column))
    assert left.dtypes.equals(table.dtypes)


@pytest.mark.hostile
@pytest.mark.parametrize(
    ("thread", "left"),
    [
        ("hunter2-s3cr3t-", f"{MARK}-"),
        ("worker hunter2-", f"worker {MARK}"),
        ("worker-1 hunter", f"worker-1 {MARK}"),
        ("pool-2-thread-3", "pool-2-thread-3"),
        ("hunter", "hunter"),  # too short to have been cut
        ("the ümlaut hunt", "the ümlaut hunt"),  # too little of it to be told from chance
    ],
)
def test_a_name_of_a_thread_that_was_cut_keeps_no_beginning_of_a_secret(thread: str, left: str) -> None:
    table = _table("samples", thread=thread)
    struck = out_of_pair(_pair({"samples": table}), Struck.of({"A": SECRET}, {}))
    assert struck.forks[Side.BASELINE].tables["samples"]["thread"].tolist() == [left] * 2


def test_frames_and_tables_without_a_secret_stay_as_they_are() -> None:
    stacks, requests = _table("stacks", frames=f"Main.run\n{SECRET}.go"), _table("requests")
    calls = _table("calls", caller=f"{SECRET}.go")
    pair = _pair({"stacks": stacks, "requests": requests, "calls": calls})
    struck = out_of_pair(pair, Struck.of({"A": SECRET}, {})).forks[Side.BASELINE].tables
    assert struck["stacks"] is stacks
    assert struck["calls"] is calls
    assert struck["requests"] is requests
    assert out_of_pair(pair, Struck()) is pair


@pytest.mark.hostile
@pytest.mark.parametrize(
    "record",
    [
        {"command": ("java", f"-Da={SECRET}")},
        {"jvm_flags": (f"-XX:OnError={SECRET}",)},
        {"died": f"It said {SECRET}."},
        {"unsettled": f"{SECRET} grew"},
    ],
    ids=lambda record: next(iter(record)),
)
def test_no_text_of_the_record_keeps_a_secret(record: dict[str, Any]) -> None:
    struck = out_of_pair(_pair(notes=(f"A note on {SECRET}.",), **record), Struck.of({"A": SECRET}, {}))
    assert SECRET not in repr(struck.record)
    assert struck.record.notes == (f"A note on {MARK}.",)
    assert struck.record.forks[Side.BASELINE] == struck.forks[Side.BASELINE].record
    assert MARK in str(getattr(struck.record.forks[Side.BASELINE], next(iter(record))))


def _beside(**given: Any) -> ProcessDeployment:
    """A service with a dependency that knows a secret."""
    store: dict[str, Any] = {"name": "store", "command": ("store",), "directory": Path()} | given
    return ProcessDeployment(command=("java",), dependencies=(Dependency(**store),))


@pytest.mark.hostile
def test_what_a_dependency_was_started_with_is_struck() -> None:
    given = DependencyRecord(name="store", command=("store", f"--url=x:{SECRET}@y"), ready_s=1.0)
    pair = out_of_pair(_pair(dependencies=(given,)), Struck.of({"A": SECRET}, {}))
    assert pair.forks[Side.BASELINE].record.dependencies[0].command == ("store", f"--url=x:{MARK}@y")


@pytest.mark.hostile
@pytest.mark.parametrize(
    "given",
    [
        {"target": {"secrets": {"ANY": "OF_THE_USER"}}},
        {"target": {"env": {"DB_PASSWORD": SECRET}}},
        {"target": {"env": {"DB_PASSWORD": SECRET}}, "request": {"env": {"DB_PASSWORD": "another-one"}}},
        {"target": {"env": {"DB_URL": f"postgres://ada:{SECRET}@db/orders"}}},
        {"target": {"env": {"CLONE_FROM": f"https://{SECRET}-{SECRET}@git.invalid"}}},
        {"target": {"env": {"JAVA_OPTS": f"-Xmx1g -Ddb.password={SECRET}"}}},
        {"target": {"deployment": ProcessDeployment(command=("java", f"-Ddb.password={SECRET}"))}},
        {"target": {"deployment": ProcessDeployment(command=("java", "--db-password", SECRET))}},
        {"target": {"deployment": ProcessDeployment(command=("java", f"-Ddb=jdbc:x://y/z?password={SECRET}"))}},
        {"target": {"deployment": _beside(command=("store", f"--password={SECRET}"))}},
        {"target": {"deployment": _beside(env={"DB_PASSWORD": SECRET})}},
        {"target": {"deployment": _beside(secrets={"ANY": "OF_THE_USER"})}},
        {"target": {"deployment": ComposeDeployment(file=Path("c"), service="s", inherit=("USERS_TOKEN",))}},
        {"request": {"env": {"API_TOKEN": SECRET}}},
        {"request": {"jvm_args": (f"-Dapi.token={SECRET}",)}},
        {"request": {"jvm_args": (f"-Ddb=jdbc:x://y/z?user=a&password={SECRET}&ssl=true",)}},
        {"scenario": {"properties": {"login.password": SECRET}}},
        {"scenario": {"inherit": ("USERS_TOKEN",)}},
        {"endpoint": {"headers": {"Authorization": f"Bearer {SECRET}"}}},
        {"endpoint": {"headers": {"X-Api-Key": SECRET}}},
        {"endpoint": {"headers": {"Cookie": SECRET}}},
        {"endpoint": {"path": f"/orders?api_key={SECRET}&page=1"}},
        {"endpoint": {"body": f'{{"user": "ada", "password": "{SECRET}"}}'}},
    ],
)
@pytest.mark.parametrize("said", ["{}", "a{}b", "k={};", '"{}"'])
def test_a_secret_is_known_wherever_a_user_puts_it(given, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_USER", SECRET)
    monkeypatch.setenv("USERS_TOKEN", SECRET)
    given = dict(given)
    told = f"{SECRET}-{SECRET}" if "CLONE_FROM" in str(given) else SECRET
    assert secrets_of(_experiment(**given)).out_of(said.format(told)) == said.format(MARK)


def test_plain_settings_are_no_secrets() -> None:
    plain = {"SPRING_PROFILES_ACTIVE": "production", "DB_URL": "postgres://postgres@db/orders", "PORT": "808080"}
    headers = {"Accept": "application/json"}
    experiment = _experiment(
        target={"env": plain, "deployment": ProcessDeployment(command=("{java}", "-Xmx256m", "-jar", "{artifact}"))},
        endpoint={"headers": headers, "body": '{"author": "ada-lovelace"}', "path": "/orders?page=100000"},
    )
    assert secrets_of(experiment) == Struck()


@pytest.mark.hostile
@pytest.mark.parametrize("kind", [DeployError, LoadError])
def test_an_error_is_raised_without_the_secret(kind: type[DeployError]) -> None:
    with pytest.raises(kind) as raised, Struck.of({"A": SECRET}, {}).out_of_errors():
        raise kind(f"It says {SECRET}.", hint=f"It printed last:\n{SECRET}")
    assert (raised.value.message, raised.value.hint) == (f"It says {MARK}.", f"It printed last:\n{MARK}")
    assert str(raised.value) == raised.value.message


@pytest.mark.hostile
def test_the_user_and_password_of_a_header_are_struck_as_the_service_may_log_them() -> None:
    basic = base64.b64encode(f"ada:{SECRET}".encode()).decode()
    struck = secrets_of(_experiment(endpoint={"headers": {"Authorization": f"Basic {basic}"}}))
    assert struck.out_of(f"user ada, password {SECRET}, header {basic}") == f"user ada, password {MARK}, header {MARK}"


@pytest.mark.hostile
def test_a_secret_that_is_too_short_to_be_struck_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = _experiment(target={"secrets": {"PASSWORD": "OF_THE_USER"}})
    monkeypatch.setenv("OF_THE_USER", "12345")
    with pytest.raises(DeployError, match="OF_THE_USER of target t is shorter than 6 characters") as refused:
        secrets_of(experiment)
    assert "12345" not in f"{refused.value.message}{refused.value.hint}"
    monkeypatch.setenv("OF_THE_USER", "123456")
    assert secrets_of(experiment).out_of("123456") == MARK
    monkeypatch.setenv("OF_THE_USER", "")
    assert secrets_of(experiment) == Struck(), "what is empty holds nothing to be hidden"


@pytest.mark.hostile
def test_secrets_of_a_deployment_are_struck_unless_they_are_names() -> None:
    deployed = Struck.of({"A": SECRET, "B": "orders"}, {})
    endpoint = {"name": "GET /orders"}
    struck = secrets_of(_experiment(endpoint=endpoint), deployed=deployed)
    assert struck.out_of(f"GET /orders {SECRET}") == f"GET /orders {MARK}"
