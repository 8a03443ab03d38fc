"""The full tier, endpoint by endpoint, on real parts: what blocks after the windows say, and what is left without."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from end_to_end.conftest import command_of
from pacecar.analysis.metrics.endpoints import in_one_mix
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.readers import READERS
from pacecar.analysis.metrics.reading import Value
from pacecar.archive.runs import RunDirectory
from pacecar.model.experiment import Side

#: A second endpoint, which no change touches.
PRICE = """
        server.createContext("/price", exchange -> {
            var body = new byte[2_000];
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();"""
ASKED = """
[[scenario.endpoints]]
name = "GET /price"
path = "/price"
weight = 3
"""
ENDPOINTS = ("GET /report", "GET /price")
PAIR = Path("pairs") / "01"


@pytest.fixture
def priced(small) -> Any:
    """The small service with two endpoints; its reports cost twenty copies on the branch `dearer`, else two."""
    project, service = small
    # Time enough on any machine: what is left out for want of it has tests of its own.
    project.edit({'path = "/report"\n': f'path = "/report"\n{ASKED}', "counted = false": 'counted = "2 min"'})
    service.commit("Add reports")
    source = project.folder / "Service.java"
    source.write_text(source.read_text().replace("        server.start();", PRICE))
    service.commit_as_it_is("Add prices")
    service.tag("before")
    report = project.folder / "Report.java"
    report.write_text(report.read_text().replace("copy < 2;", "copy < 20;"))
    service.commit_as_it_is("Write reports once more")
    service.tag("dearer")
    return project


def _judged(document: dict[str, Any], name: str) -> dict[str, Any]:
    return {row["endpoint"]: row for row in document["judgements"] if row["name"] == name}


def _record(project) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((project.run / PAIR / "pair.json").read_text())
    return record


def _counting(project) -> bool:
    """Whether the first block may be sent by now."""
    folders = [
        Path(arguments[arguments.index("-rf") + 1]).parent
        for process in project.processes()
        if "-rf" in (arguments := command_of(process))
    ]
    return any("blocks-" in folder.name and (folder / "blocks-go").exists() for folder in folders)


def _amounts(project, name: str, *, number: int = 1) -> dict[str, tuple[float, float]]:
    """Endpoint -> what a metric says of both sides of a pair, whether or not the machine was quiet enough for it."""
    pair = RunDirectory.open(project.run).read_pair(number)
    (before,), (after,) = in_one_mix(*([MeasuredFork.of(pair, side)] for side in Side))
    found = {}
    for endpoint in ("", *ENDPOINTS):
        one, other = (READERS[name](fork, endpoint) for fork in (before, after))
        assert isinstance(one, Value), one
        assert isinstance(other, Value), other
        found[endpoint] = one.amount, other.amount
    return found


@pytest.mark.shares_machine
def test_the_endpoint_that_allocates_more_is_told_from_the_other(priced) -> None:
    compared = priced.pacecar(
        "compare", "--baseline", "before", "--candidate", "dearer", "--pairs", "1", "--json", "--fail-on", "nothing"
    )
    document = json.loads(compared.stdout)
    assert compared.returncode in (0, 3), compared.stderr
    allocation = {endpoint: after / before for endpoint, (before, after) in _amounts(priced, "allocation").items()}
    assert allocation["GET /report"] > 1.3
    # In one pair compilers of either fork may have taken some away; what is dearer is far beyond that.
    assert abs(allocation["GET /price"] - 1) < (allocation["GET /report"] - 1) / 2
    # A quarter of the requests: of the whole mix it is less.
    assert 1.02 < allocation[""] < allocation["GET /report"]
    assert all(before > 0 and after > 0 for before, after in _amounts(priced, "cpu").values())
    _check_what_was_recorded(priced, document)
    assert priced.left_behind() == []


def _check_what_was_recorded(project, document: dict[str, Any]) -> None:
    record = _record(project)
    windows = {window["index"] for window in record["windows"]}
    blocks = record["blocks"]
    assert len(blocks) == 2 * 2 * 4
    assert not windows & {block["index"] for block in blocks}
    assert min(block["start_ns"] for block in blocks) > max(window["end_ns"] for window in record["windows"])
    for side in ("baseline", "candidate"):
        table = {path.stem: pd.read_parquet(path) for path in (project.run / PAIR / side).glob("*.parquet")}
        own = {block["index"]: block["endpoint"] for block in blocks if block["side"] == side}
        counted = table["requests"][table["requests"]["window"].isin(own)]
        assert (counted.groupby("window").size() == 20).all()
        assert (counted["endpoint"] == counted["window"].map(own)).all()
        # What is diffed and drawn is of windows alone.
        assert set(table["samples"]["window"]) <= windows
        assert set(table["arrivals"]["window"]) <= windows
        assert list((project.run / PAIR / side / "raw" / "gatling").glob("simulation-blocks.log"))
    if not document["pairs"][0]["voided"]:
        judged = _judged(document, "allocation")
        assert {endpoint: row["role"] for endpoint, row in judged.items()} == {
            "": "guaranteed",
            **dict.fromkeys(ENDPOINTS, "tripwire"),
        }
        profiles = json.loads((project.run / "profiles.json").read_text())
        drawn = sum(side["requests"] for curve in profiles["curves"] for side in curve["sides"])
        tables = [pd.read_parquet(path) for path in project.run.glob("pairs/01/*/requests.parquet")]
        assert drawn == sum(table["window"].isin(windows).sum() for table in tables)


@pytest.mark.shares_machine
def test_a_fork_that_dies_in_the_blocks_leaves_the_pair_as_it_was(priced) -> None:
    compare = priced.start(
        "compare", "--baseline", "before", "--candidate", "before", "--set", "builds.measure_equal=true",
        "--pairs", "1", "--json", "--fail-on", "nothing",
    )  # fmt: skip
    priced.wait(lambda: _counting(priced), compare)
    for service in priced.services():
        if "/candidate/" in " ".join(service.environ().values()):
            service.kill()
    output, errors = compare.communicate(timeout=300)
    assert "Traceback" not in errors
    record = _record(priced)
    assert [record["forks"][side]["died"] for side in ("baseline", "candidate")] == [None, None]
    assert record["blocks"] == []
    (note,) = [note for note in record["notes"] if "is missing from this pair" in note]
    assert "killed" in note or "SIGKILL" in note
    document = json.loads(output)
    (pair,) = document["pairs"]
    assert pair["notes"] == record["notes"]
    assert "died" not in (pair["voided"] or "")
    if not pair["voided"]:
        assert _judged(document, "allocation").keys() == {""}
        assert {"cpu", "latency.p50"} < {row["name"] for row in document["judgements"] if row["estimate"]}
    assert priced.left_behind() == []


@pytest.mark.shares_machine
def test_an_interrupt_in_the_blocks_keeps_the_pair(priced) -> None:
    compare = priced.start(
        "compare", "--baseline", "before", "--candidate", "before", "--set", "builds.measure_equal=true",
        "--pairs", "2", "--fail-on", "nothing",
    )  # fmt: skip
    priced.wait(lambda: _counting(priced), compare)
    compare.send_signal(signal.SIGINT)
    _, errors = compare.communicate(timeout=120)
    assert compare.returncode == 130, errors
    assert "1 pair is kept. To continue: pacecar resume 2" in errors
    assert "Traceback" not in errors
    assert _record(priced)["blocks"] == []
    assert priced.left_behind() == []
    resumed = priced.pacecar("resume", "--fail-on", "nothing")
    assert [pair["number"] for pair in priced.document["pairs"]] == [1, 2], resumed.stderr
    assert priced.left_behind() == []
