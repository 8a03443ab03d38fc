"""Logs that Gatling itself wrote, one in each format, against what the server under load counted.

How they were made: tests/unit/measurement/load/gatling/simulation_log/data/README.md. A live run is in
the tests of `load`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pacecar.measurement.load.gatling.simulation_log import SimulationLog, read

DATA = Path(__file__).parents[1] / "unit" / "measurement" / "load" / "gatling" / "simulation_log" / "data"
VERSIONS = ["3.11.5", "3.15.1"]

#: Counted by the server, by method and path.
SERVED = {"GET /items": 123, "POST /cart": 40, "GET /missing": 40}
#: The simulation's names for requests to each path.
NAMES = {
    "GET /items": ["GET /items", "Größe", "注文 ✓"],
    "POST /cart": ["POST /cart"],
    "GET /missing": ["GET /missing"],
}


@pytest.fixture(scope="module", params=VERSIONS)
def log(request: pytest.FixtureRequest) -> SimulationLog:
    return read(DATA / f"gatling-{request.param}.log")


def test_whole(log: SimulationLog) -> None:
    assert log.version in VERSIONS
    assert log.simulation == "small.SmallSimulation"
    assert (log.truncated, log.unreadable, log.unmatched) == (False, None, 0)


def test_counts_are_the_servers(log: SimulationLog) -> None:
    by_name = log.requests.groupby("name", observed=True).size()
    assert {path: int(by_name[names].sum()) for path, names in NAMES.items()} == SERVED


def test_groups_and_failures(log: SimulationLog) -> None:
    by_group = log.requests.groupby(["groups", "ok"], observed=True).size()
    assert by_group.to_dict() == {
        ("shop", True): 40,
        ("shop/cart", True): 40,
        ("shop/cart", False): 40,
        ("", True): 80,
        ("", False): 3,
    }
    failures = log.requests[~log.requests["ok"]].groupby("name", observed=True)["message"].unique()
    assert "found 404" in failures["GET /missing"][0]
    assert failures["GET /items"].tolist() == ["jsonPath($.price).find.exists, found nothing"]
    assert set(log.requests.loc[log.requests["ok"], "message"]) == {""}


def test_users_begin_and_end(log: SimulationLog) -> None:
    users = log.users.groupby(["scenario", "is_start"], observed=True).size()
    assert users.to_dict() == {("browse", True): 40, ("browse", False): 40, ("bröken", True): 3, ("bröken", False): 3}


def test_request_that_could_not_be_built_is_an_error(log: SimulationLog) -> None:
    assert [message.strip() for message in log.errors["message"]] == [
        "never sent: No attribute named 'absent' is defined"
    ] * 3


def test_times_fall_into_the_run(log: SimulationLog) -> None:
    requests = log.requests
    assert (requests["start_ms"] >= log.start_ms).all()
    assert (requests["end_ms"] >= requests["start_ms"]).all()
    assert requests["end_ms"].max() - log.start_ms < 10_000
