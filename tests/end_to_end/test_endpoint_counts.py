"""The full tier, endpoint by endpoint, on real parts: what blocks after the windows say, and what is left without."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

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
PAIR = Path("pairs") / "01"


@pytest.fixture
def priced(small) -> Any:
    """The small service with two endpoints; its reports cost three copies on the branch `dearer`, else two."""
    project, service = small
    project.edit({'path = "/report"\n': f'path = "/report"\n{ASKED}'})
    service.commit("Add reports")
    source = project.folder / "Service.java"
    source.write_text(source.read_text().replace("        server.start();", PRICE))
    service.commit_as_it_is("Add prices")
    service.tag("before")
    report = project.folder / "Report.java"
    report.write_text(report.read_text().replace("copy < 2;", "copy < 3;"))
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
        for process in project._marked()
        if "-rf" in (arguments := process.cmdline())
    ]
    return any("blocks-" in folder.name and (folder / "blocks-go").exists() for folder in folders)


def test_the_endpoint_that_allocates_more_is_named_and_no_other(priced) -> None:
    compared = priced.pacecar(
        "compare", "--baseline", "before", "--candidate", "dearer", "--pairs", "3", "--json", "--fail-on", "nothing"
    )
    document = json.loads(compared.stdout)
    assert not any(pair["voided"] for pair in document["pairs"]), compared.stderr
    allocation = _judged(document, "allocation")
    assert allocation["GET /report"]["role"] == "tripwire"
    assert allocation["GET /report"]["estimate"]["change"] > 0.2
    assert abs(allocation["GET /price"]["estimate"]["change"]) < 0.05
    # A quarter of the requests: of the whole mix it is less.
    assert 0.02 < allocation[""]["estimate"]["change"] < allocation["GET /report"]["estimate"]["change"]
    assert set(_judged(document, "cpu")) == {"", "GET /report", "GET /price"}
    assert {row["role"] for endpoint, row in _judged(document, "cpu").items() if endpoint} == {"observed"}
    assert "allocation per request" in compared.stdout
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
    drawn = sum(side["requests"] for curve in document["curves"] for side in curve["sides"])
    kept = sum(
        pd.read_parquet(path)["window"].isin(windows_of(path)).sum()
        for path in project.run.glob("pairs/*/*/requests.parquet")
    )
    assert drawn == kept


def windows_of(requests: Path) -> set[int]:
    record = json.loads((requests.parent.parent / "pair.json").read_text())
    return {window["index"] for window in record["windows"]}


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
    assert document["pairs"][0]["voided"] == ""
    assert document["pairs"][0]["notes"] == record["notes"]
    assert _judged(document, "allocation").keys() == {""}
    assert {"cpu", "latency.p50"} < {row["name"] for row in document["judgements"] if row["estimate"]}
    assert priced.left_behind() == []


def test_an_interrupt_in_the_blocks_keeps_the_pair(priced) -> None:
    compare = priced.start(
        "compare", "--baseline", "before", "--candidate", "before", "--set", "builds.measure_equal=true",
        "--pairs", "2", "--fail-on", "nothing",
    )  # fmt: skip
    priced.wait(lambda: _counting(priced), compare)
    compare.send_signal(signal.SIGINT)
    _, errors = compare.communicate(timeout=120)
    assert compare.returncode == 130, errors
    assert "1 pair is kept. To go on: pacecar resume 2" in errors
    assert "Traceback" not in errors
    assert _record(priced)["blocks"] == []
    assert priced.left_behind() == []
    resumed = priced.pacecar("resume", "--fail-on", "nothing")
    assert [pair["number"] for pair in priced.document["pairs"]] == [1, 2], resumed.stderr
    assert priced.left_behind() == []


def test_switched_off_nothing_follows_the_windows(priced) -> None:
    compared = priced.pacecar(
        "compare", "--baseline", "before", "--candidate", "dearer", "--pairs", "1", "--json", "--fail-on", "nothing",
        "--set", "plan.counted=false",
    )  # fmt: skip
    document = json.loads(compared.stdout)
    assert _record(priced)["blocks"] == [], compared.stderr
    assert _judged(document, "allocation").keys() == {""}
    assert "statements" not in {row["name"] for row in document["judgements"]}
