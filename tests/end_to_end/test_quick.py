"""`pacecar compare --quick` on real parts: a change that shows in counts, one that does not, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest

#: Who else uses the machine changes no count.
pytestmark = pytest.mark.shares_machine


def test_what_a_request_costs_more_is_found_where_it_is(project) -> None:
    """The slow serializer writes reports and lists of orders; the other endpoints never meet it."""
    project.edit({', "-XX:TieredStopAtLevel=1"': "", "explain = false": "explain = true"})  # the tier says so itself
    compared = project.pacecar("compare", "--quick", "--pairs", "2", "--set", "plan.quick.rounds=3", "--json")
    assert compared.returncode == 1, compared.stderr
    document = json.loads(compared.stdout)
    assert document["verdict"] == "regressed"
    assert document["reason"].endswith("Latency was not looked at.")
    assert "Latency was not looked at." in document["warnings"]
    judged = {(row["name"], row["endpoint"]): row for row in document["judgements"]}
    allocated = {endpoint: row["verdict"] for (name, endpoint), row in judged.items() if name == "allocation"}
    assert allocated["GET /report"] == "regressed"
    assert allocated["GET /price"] == "passed"
    assert not {name for name, _ in judged} & {"latency.p50", "latency.typical", "cpu"}
    # The same statements on both sides, counted in the JVM: two for a list, whatever its serializer costs.
    stated = judged["statements", "GET /orders"]["estimate"]
    assert (stated["baseline"], stated["candidate"]) == (2, 2)
    # Every statement takes a connection of its own, and this change makes none.
    assert judged["connections.taken", "GET /report"]["estimate"]["change"] == 0
    assert judged["connections.taken", "GET /report"]["estimate"]["baseline"] >= 1
    allocation = {endpoint: row["estimate"] for (name, endpoint), row in judged.items() if name == "allocation"}
    _check_what_was_recorded(project, allocation)
    _check_what_was_profiled(project, document, told=compared.stderr)
    assert project.left_behind() == []


def _check_what_was_profiled(project, document: dict[str, Any], *, told: str) -> None:
    """Two or three pairs more, which say which method it is, and count for nothing else."""
    assert "Two or three more pairs are profiled, and count for nothing else: about " in told
    assert "could not be measured" not in told
    explaining = sorted((project.run / "explanation").iterdir())
    assert [folder.name for folder in explaining] in (["03", "04"], ["03", "04", "05"])
    for samples in (project.run / "explanation").glob("*/*/samples.parquet"):
        assert (pd.read_parquet(samples)["event"] == "alloc").any()
    for samples in (project.run / "pairs").glob("*/*/samples.parquet"):
        assert pd.read_parquet(samples).empty
    assert [pair["number"] for pair in document["pairs"]] == [1, 2]
    found = {(each["metric"]["name"], each["metric"]["endpoint"]): each for each in document["findings"]}
    whole = found["allocation", ""]
    assert whole["causes"][0]["name"] == "hot-frame"
    assert whole["causes"][0]["statement"].startswith("shop.orders.reporting.ReportWriter.")


def _check_what_was_recorded(project, allocation: dict[str, dict[str, float]]) -> None:
    record = json.loads((project.run / "pairs" / "01" / "pair.json").read_text())
    windows = record["windows"]
    assert {window["endpoint"] for window in windows} == {
        *("GET /orders", "GET /orders/{id}", "POST /orders", "GET /price", "GET /report")
    }
    asked = []
    for side in ("baseline", "candidate"):
        table = {path.stem: pd.read_parquet(path) for path in (project.run / "pairs" / "01" / side).glob("*.parquet")}
        assert (table["requests"].groupby("window").size() == 20).all()
        endpoints = table["requests"].groupby("window")["endpoint"].unique().str[0]
        assert endpoints.tolist() == [window["endpoint"] for window in windows if window["side"] == side]
        counters, calls = table["counters"], table["calls"]
        listed = [window["index"] for window in windows if window["endpoint"] == "GET /orders"]
        callers = calls[calls["window"].isin(listed) & (calls["count"] > 0)].groupby("caller")["count"].unique()
        assert {caller: counts.tolist() for caller, counts in callers.items()} == {
            "shop.orders.reporting.OrderOverviews.page": [20],
            "shop.orders.reporting.OrderOverviews.totals": [20],
        }
        assert (counters["reads"] > 0).all()
        assert (counters["classes"] > 5_000).all()
        blocks = _allocated_per_request(project, side)
        for endpoint in set(endpoints):
            assert min(blocks[endpoint]) <= allocation[endpoint][side] <= max(blocks[endpoint])
        assert "-XX:TieredStopAtLevel=1" in record["forks"][side]["jvm_flags"]
        asked.append(table["arrivals"]["endpoint"].tolist())
    assert asked[0] == asked[1]


def _allocated_per_request(project, side: str) -> dict[str, list[float]]:
    """Bytes per request in each block of each pair, by endpoint, with the seven digits that a document keeps."""
    blocks: dict[str, list[float]] = {}
    for fork in sorted((project.run / "pairs").glob(f"*/{side}")):
        counters = pd.read_parquet(fork / "counters.parquet")
        edges = counters.pivot(index="window", columns="edge", values="allocated_bytes")
        asked = pd.read_parquet(fork / "requests.parquet").groupby("window")["endpoint"].first()
        for window, bytes_each in ((edges["end"] - edges["start"]) / 20).items():
            blocks.setdefault(asked.to_dict()[window], []).append(float(f"{bytes_each:.7g}"))
    return blocks


def test_builds_alike_pass_and_a_recording_is_refused(project) -> None:
    project.edit({"seed = 1 ": 'tier = "quick"\nseed = 1 '})
    compared = project.pacecar("compare", "--candidate", ".", "--pairs", "2", "--set", "plan.quick.rounds=3")
    assert compared.returncode == 0, compared.stderr
    assert compared.stdout.startswith("PASSED  No regression")
    assert "Latency was not looked at." in compared.stdout
    refused = project.pacecar("record")
    assert refused.returncode == 2
    assert "cannot use recordings" in refused.stderr
