"""A simulation that knows nothing of Pacecar runs in long windows, one process each."""

from __future__ import annotations

import json

import pytest

from support.checkout import CHECKOUT


@pytest.mark.shares_machine
def test_a_simulation_without_the_kit(project) -> None:
    text = (project.folder / "pacecar.toml").read_text()
    head, _, tail = text.partition("[[scenario.endpoints]]")
    plan = tail[tail.index("# --- How much is measured") :]
    (project.folder / "pacecar.toml").write_text(
        head.replace(
            'model = "open"',
            'model = "open"\nsimulation = "dev.pacecar.scenarios.PlainOrders"\nsliced = false\n'
            f'module = "{CHECKOUT}/scenarios"\n'
            'properties = { baseUrl = "{url}", rate = "{rate}", seconds = "{seconds}" }',
        )
        + plan.replace('endpoint = "GET /orders"\n', "").replace(
            'metric = "latency.p99"\nworse = "10 %"\nmax', 'metric = "latency.p90"\nworse = "10 %"\nmax'
        )
    )
    ended = project.pacecar(
        *("compare", "--candidate", ".", "--pairs", "1", "--json", "--fail-on", "nothing", "--set", "plan.warmup=2s")
    )
    assert ended.returncode == 0, ended.stderr
    document = json.loads(ended.stdout)
    forks = document["pairs"][0]["forks"]
    assert [fork["windows"] for fork in forks] == [2, 2]
    measured = {row["name"] for row in document["judgements"] if row["estimate"]}
    assert {"cpu", "allocation", "latency.p50"} <= measured
    assert project.left_behind() == []
