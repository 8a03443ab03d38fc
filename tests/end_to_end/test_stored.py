"""A recording, kept as a baseline, and a candidate compared with it."""

from __future__ import annotations

import json


def test_record_promote_and_compare(small) -> None:
    project, service = small
    project.edit({"counted = false": 'counted = "10 s"'})
    service.commit("First report")
    recorded = project.pacecar("record", "--build", ".", "--pairs", "2")
    assert recorded.returncode == 0, recorded.stderr
    promoted = project.pacecar("baseline", "promote", "--branch", "release/1")
    assert promoted.returncode == 0, promoted.stderr
    (listed,) = json.loads(project.pacecar("baseline", "list", "--json").stdout)
    assert (listed["branch"], listed["forks"]) == ("release/1", "2")
    assert "working tree" in project.pacecar("baseline", "show", "release/1").stdout

    unknown = project.pacecar("compare", "--stored", "relaese/1")
    assert unknown.returncode == 2
    assert "release/1" in unknown.stderr

    service.commit("Write reports twenty times", copies=20)
    compared = project.pacecar(
        *("compare", "--stored", "release/1", "--candidate", ".", "--pairs", "2", "--json", "--fail-on", "nothing")
    )
    assert compared.returncode == 0, compared.stderr
    document = json.loads(compared.stdout)
    assert document["mode"] == "stored"
    assert any("for a fixed piece of work than when the baseline was recorded" in text for text in document["warnings"])
    of_service = {row["name"]: row for row in document["judgements"] if row["endpoint"] == ""}
    # Bytes per request are the same on any day. Time is not, so it may never be called regressed.
    assert of_service["allocation"]["estimate"]["low"] > 0.1
    # Counts of one endpoint are kept with a baseline, too.
    (of_report,) = (row for row in document["judgements"] if row["name"] == "allocation" and row["endpoint"])
    assert of_report["endpoint"] == "GET /report"
    assert of_report["estimate"]["low"] > 0.1
    assert {row["verdict"] for row in document["judgements"] if row["name"].startswith(("latency", "cpu"))} <= {
        "inconclusive",
        "passed",
    }
    assert project.left_behind() == []
