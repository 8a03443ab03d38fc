"""A comparison beside a real Prometheus that is asked for a metric, and a real Pyroscope that is sent the profiles."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.archive.runs import RunDirectory
from pacecar.model.experiment import Side
from support.servers import prometheus, pyroscope, pyroscope_program
from support.servers.flames import total, values

SCRAPES = """
  - job_name: forks
    metrics_path: /actuator/prometheus
    file_sd_configs: [{files: [%s]}]
"""
#: Connections taken from the pool for each request; a query each.
PER_REQUEST = (
    'sum(increase(hikaricp_connections_acquire_seconds_count{instance="{instance}"}[{length}])) / '
    'sum(increase(http_server_requests_seconds_count{instance="{instance}",uri!~"/actuator.*"}[{length}]))'
)
SERVERS = """
[prometheus]
url = "{prometheus}"
targets = "forks.json"

[metrics.checkouts]
query = '{per_request}'

[metrics.asleep]
# Over the window: after a scrape that timed out on a busy machine, the series has no value at the instant itself.
query = 'last_over_time(jvm_threads_states_threads{{instance="{{instance}}"}}[{{length}}])'

[[budgets]]
metric = "checkouts"
worse = "10 %"

[gate]
metrics = ["checkouts"]

[pyroscope]
url = "{pyroscope}"
service = "orders-load"
"""
TYPES = {
    "cpu": "process_cpu:cpu:nanoseconds:cpu:nanoseconds",
    "wall": "wall:wall:nanoseconds:wall:nanoseconds",
    "alloc": "memory:alloc_space:bytes:space:bytes",
}


@dataclass(frozen=True, kw_only=True)
class Peers:
    prometheus: str
    pyroscope: str


@pytest.fixture
def peers(tmp_path: Path) -> Iterator[Peers]:
    pyroscope_program()  # may take minutes, in which nothing else need run
    (tmp_path / "forks.json").write_text("[]")
    with (
        prometheus(tmp_path / "prometheus", SCRAPES % (tmp_path / "forks.json")) as asked,
        pyroscope(tmp_path / "pyroscope") as told,
    ):
        yield Peers(prometheus=asked, pyroscope=told)


@pytest.mark.shares_machine
def test_a_metric_of_prometheus_decides_and_the_profiles_are_in_pyroscope(project, peers) -> None:
    config = project.folder / "pacecar.toml"
    text = SERVERS.format(prometheus=peers.prometheus, pyroscope=peers.pyroscope, per_request=PER_REQUEST)
    config.write_text(config.read_text() + text)
    compared = project.pacecar(
        *("compare", "--candidate", "patch:targets/orders/builds/n-plus-one.patch", "--json"),
        # Long enough for several scrapes, though the service and they wait for a core.
        *("--set", "plan.side=16s", "--set", "plan.slice=8s", "--set", "plan.steady=false"),
    )
    document = json.loads(compared.stdout)
    # On a machine that is busy with other things no pair is judged; what was recorded is there all the same.
    assert compared.returncode == (3 if document["verdict"] == "invalid" else 1), compared.stderr
    assert json.loads((project.folder / "forks.json").read_text()) == []
    _check_what_was_asked(project.run)
    if document["verdict"] != "invalid":
        _check_the_verdict(project.run, document)
    _check_the_profiles(project.run, document, peers.pyroscope)

    again = project.pacecar("forward")
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith("0 windows sent")
    assert project.left_behind() == []


def _check_what_was_asked(run: Path) -> None:
    for pair in RunDirectory.open(run).pairs():
        tables = {side: fork.tables["queries"] for side, fork in pair.forks.items()}
        values = {}
        for side, asked in tables.items():
            assert asked.groupby("metric").size().to_dict() == {"asleep": 2, "checkouts": 2}
            answered = asked[asked["metric"] == "checkouts"]
            assert answered["error"].tolist() == [""] * 2
            values[side] = answered["value"]
            # Six states of threads are no number.
            assert asked.loc[asked["metric"] == "asleep", "error"].str.contains("results instead of one").all()
        # A page of 50 orders takes two connections more for each.
        assert values[Side.BASELINE].between(0.5, 5).all()
        assert values[Side.CANDIDATE].between(10, 100).all()
        assert any(note.startswith("asleep of the candidate: no number in 2 of 2") for note in pair.record.notes)


def _check_the_verdict(run: Path, document: dict[str, Any]) -> None:
    rows = {row["name"]: row for row in document["judgements"]}
    checkouts = rows["checkouts"]
    assert (checkouts["verdict"], checkouts["role"]) == ("regressed", "guaranteed")
    assert checkouts["estimate"]["candidate"] > 5 * checkouts["estimate"]["baseline"]
    assert rows["asleep"]["verdict"] == "inconclusive"
    assert "results instead of one" in rows["asleep"]["reason"]
    assert 'metric="checkouts"' in (run / "metrics.prom").read_text()
    assert "checkouts" in (run / "report.html").read_text()


def _check_the_profiles(run: Path, document: dict[str, Any], server: str) -> None:
    pairs = list(RunDirectory.open(run).pairs())
    span = pairs[0].record.windows[0].start_ns, pairs[-1].record.windows[-1].end_ns
    for side in Side:
        forks = [MeasuredFork.of(pair, side) for pair in pairs]
        for event, type_ in TYPES.items():
            ours = sum(fork.stacks_of(event)["weight"].sum() for fork in forks)
            assert ours > 0
            theirs = total(server, type_, f'{{service_name="orders-load",run="{run.name}",side="{side}"}}', span=span)
            assert theirs == pytest.approx(ours, rel=1e-4), (side, event)
    # One window by its labels, and by its time alone.
    pair = pairs[1]
    window = pair.record.windows[2]
    samples = MeasuredFork.of(pair, window.side).stacks_of("wall")
    ours = samples.loc[samples["window"] == window.index, "weight"].sum()
    labels = f'{{run="{run.name}",pair="2",window="2",side="{window.side}"}}'
    assert total(server, TYPES["wall"], labels, span=span) == pytest.approx(ours, rel=1e-4)
    assert total(
        server, TYPES["wall"], '{service_name="orders-load"}', span=(window.start_ns, window.end_ns)
    ) == pytest.approx(ours, rel=1e-4)
    builds = {build["side"]: build["label"] for build in document["provenance"]["builds"]}
    assert set(values(server, "build")) == set(builds.values())
    _check_the_link(run, server, pairs)


def _check_the_link(run: Path, server: str, pairs: list[Any]) -> None:
    page = (run / "report.html").read_text().replace("&amp;", "&")
    (link,) = [each for each in re.findall(r'href="([^"]+)"', page) if "process_cpu" in each]
    with urllib.request.urlopen(link, timeout=20) as answer:  # the server knows that page
        assert answer.status == 200
    # What the page asks the server for is what stands in its own address.
    with urllib.request.urlopen(f"{server}/pyroscope/render-diff?{urlsplit(link).query}", timeout=20) as answer:
        diff = json.load(answer)
    for side, ticks in ((Side.BASELINE, diff.get("leftTicks", 0)), (Side.CANDIDATE, diff.get("rightTicks", 0))):
        ours = sum(MeasuredFork.of(pair, side).stacks_of("cpu")["weight"].sum() for pair in pairs)
        assert ticks == pytest.approx(ours, rel=1e-4)
    asked = parse_qs(urlsplit(link).query)
    first, last = pairs[0].record.windows[0], pairs[-1].record.windows[-1]
    assert int(asked["leftFrom"][0]) == first.start_ns // 10**6
    assert int(asked["rightUntil"][0]) >= last.end_ns // 10**6
