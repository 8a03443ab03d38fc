"""`pacecar noise` on real parts: what it prints, and what later comparisons remember of it."""

from __future__ import annotations

import json


def test_a_build_against_itself_leaves_its_noise_behind(small) -> None:
    project, _ = small
    studied = project.pacecar("noise", "--build", ".", "--pairs", "3", "--json")
    assert studied.returncode == 0, studied.stderr
    rows = {(row["metric"], row["endpoint"]): row for row in json.loads(studied.stdout)}
    exact, timed = rows["allocation", ""], rows["latency.p50", ""]
    # Bytes are counted, time is not: that much holds however short and disturbed the pairs are.
    assert exact["noise"] < timed["noise"]
    assert exact["smallest_visible"]["8"] <= exact["smallest_visible"]["3"]

    (remembered,) = (project.folder / ".pacecar" / "history").glob("*/*.json")
    assert remembered.stem == project.run.name
    assert project.document["mode"] == "paired"
    assert len({build["artifact_sha256"] for build in project.document["provenance"]["builds"]}) == 1

    judged = project.pacecar("judge", "--json", "--fail-on", "nothing")
    assert json.loads(judged.stdout)["earlier_runs"] == 0
    assert project.left_behind() == []
