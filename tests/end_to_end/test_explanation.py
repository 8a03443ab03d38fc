"""Where latency regressed and nothing says why, one more pair looks at single requests; no verdict rests on it."""

from __future__ import annotations

import json

import pandas as pd

#: Nothing is as quick as that, so identical builds break it, and no cause can explain what has not changed.
_TOO_STRICT = """
[gate]
metrics = ["latency.p50"]

[[budgets]]
metric = "latency.p50"
max = "0.01 us"
"""


def test_a_regression_that_nobody_understands_is_looked_at_once_more(small) -> None:
    project, service = small
    service.commit_as_it_is("As it was at first")
    # The agent that tells of single requests has to have room beside the service.
    project.edit({"explain = false": "explain = true", '"-Xms64m", "-Xmx64m"': '"-Xms192m", "-Xmx192m"'})
    config = project.folder / "pacecar.toml"
    config.write_text(config.read_text() + _TOO_STRICT)
    told = project.pacecar(
        *("compare", "--baseline", ".", "--candidate", ".", "--set", "builds.measure_equal=true"),
        *("--pairs", "3"),
    )
    assert told.returncode == 1, told.stderr
    assert "No cause found so far explains overall p50. One more pair looks at single requests: about " in told.stderr
    assert "could not be measured" not in told.stderr, told.stderr
    document = project.document
    assert [pair["number"] for pair in document["pairs"]] == [1, 2, 3]
    (folder,) = (project.run / "explanation").iterdir()
    assert json.loads((folder / "pair.json").read_text())["number"] == 4
    for side in ("baseline", "candidate"):
        spans = pd.read_parquet(folder / side / "spans.parquet")
        arrivals = pd.read_parquet(folder / side / "arrivals.parquet")
        assert set(spans["number"]) <= set(arrivals["number"])
        assert (spans["kind"] == "server").any()
    (first, *_) = json.loads((project.run / "profiles.json").read_text())["requests"]
    assert (first["usual"]["side"], first["slowest"]["side"]) == ("baseline", "candidate")
    assert first["slowest"]["pair"] == 4
    assert 'id="requests"' in (project.run / "report.html").read_text()
    assert project.left_behind() == []
