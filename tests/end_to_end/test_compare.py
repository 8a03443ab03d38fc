"""`pacecar compare` on real parts: what it leaves, and what is left when it is interrupted or killed."""

from __future__ import annotations

import json
import signal
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from end_to_end.conftest import command_of
from pacecar.measurement.deploy.ports import free_port
from pacecar.model.thread_pools import kernel_pool_of
from pacecar.reporting.document import load_document

#: What is checked out, measured against itself.
SAME = ("compare", "--baseline", ".", "--candidate", ".", "--set", "builds.measure_equal=true")


def test_an_interrupted_comparison_is_judged_resumed_and_shown(project) -> None:
    project.edit({', "-XX:TieredStopAtLevel=1"': ""})  # compilers are at work for longer than it warms up
    # A burst, and after it some seconds at the measured rate.
    project.edit({'warmup = "5 s"': 'warmup = "8 s"\nwarmup_at_most = "12 s"', "counted = false": 'counted = "10 s"'})
    compare = project.start("compare")
    project.wait((project.folder / ".pacecar" / "runs").exists, compare)
    project.wait(lambda: (project.run / "pairs" / "01").exists() and len(project.services()) == 2, compare)
    compare.send_signal(signal.SIGINT)
    _, errors = compare.communicate(timeout=120)
    assert compare.returncode == 130, errors
    assert "1 pair is kept. To continue: pacecar resume 2" in errors
    assert "Interrupted by SIGINT" in errors
    assert "Traceback" not in errors
    assert project.left_behind() == []
    assert json.loads((project.run / "manifest.json").read_text())["state"] == "interrupted"

    judged = project.pacecar("judge", "--fail-on", "nothing")
    assert judged.returncode in (0, 3), judged.stderr
    assert len(project.document["pairs"]) == 1

    resumed = project.pacecar("resume", "--fail-on", "nothing")
    document = project.document
    assert resumed.returncode == (3 if document["verdict"] == "invalid" else 0), resumed.stderr
    assert json.loads((project.run / "manifest.json").read_text())["state"] == "complete"
    assert [pair["number"] for pair in document["pairs"]] == [1, 2]
    assert document["headline"] in resumed.stdout
    assert load_document(project.run).profiles is not None
    assert "<html" in (project.run / "report.html").read_text()
    assert "pacecar_change" in (project.run / "metrics.prom").read_text()
    # Eight seconds of warm-up never do.
    assert any("steady yet when it was measured" in warning for warning in document["warnings"])
    _check_what_was_recorded(project)


def _check_what_was_recorded(project) -> None:
    warmed_s = []
    for pair in ("01", "02"):
        allocated = {}
        for side in ("baseline", "candidate"):
            folder = project.run / "pairs" / pair / side
            table = {path.stem: pd.read_parquet(path) for path in folder.glob("*.parquet")}
            assert set(table["requests"]["endpoint"]) > {"GET /orders", "POST /orders", "GET /price"}
            assert set(table["samples"]["event"]) >= {"cpu", "wall", "alloc"}
            assert table["samples"].merge(table["stacks"], on="stack")["frames"].str.contains("shop.orders").any()
            assert (table["scrapes"]["page_bytes"] > 0).any()
            assert set(table["pauses"]["process"]) == {"target", "generator"}
            # At idle priority, a loop may not get its turn in every window of a core that is busy.
            assert table["pace"]["loops"].sum() > 0
            assert (table["pace"]["loop_ns"].dropna() > 1_000).all()
            warmup = table["warmup"]
            warmed_s.append(warmup["time_ns"].agg(np.ptp) / 1e9)
            assert warmup["requests"].is_monotonic_increasing
            assert warmup["requests"].iloc[-1] > 10
            assert warmup["cpu_ns"].iloc[-1] > warmup["cpu_ns"].iloc[0]
            # The page is rehearsed during the warm-up; the first of the first window does not count itself.
            pages = table["series"].query("window == window.min() and edge == 'start'")
            served = pages[pages["name"] == "http_server_requests_seconds_count"]
            assert served[served["labels"].str.contains("/actuator/prometheus")]["value"].sum() >= 1
            assert "(Diagnostic Command)" in next(folder.glob("raw/gc-*.log")).read_text()
            edges = table["counters"].pivot(index="window", columns="edge", values="allocated_bytes")
            allocated[side] = (edges["end"] - edges["start"]).sum() / len(table["requests"])
            assert list(folder.glob("raw/profile/*.jfr"))
            # What threads ran is nearly all that the process used, but for those that began or ended in a window.
            ran, used = table["pool_cpu"], table["counters"].pivot(index="window", columns="edge", values="cpu_ns")
            serving = {name for name in table["samples"].query("event == 'cpu'")["thread"] if "-exec-" in name}
            assert serving
            assert set(map(kernel_pool_of, serving)) <= set(ran["pool"])
            grown = (used["end"] - used["start"])[ran["window"].unique()].sum()
            assert 0.5 * grown < ran["cpu_ns"].sum() < 1.1 * grown
            # What it costs before it is warm, and what it keeps.
            record = json.loads((folder.parent / "pair.json").read_text())
            fork = record["forks"][side]
            assert fork["ready_s"] > fork["first_answer_s"] > 0
            assert warmup["requests"].iloc[0] <= 10
            assert warmup["cpu_ns"].iloc[0] > 1e9
            windows = {window["index"] for window in record["windows"]}
            assert fork["heap"]["requests"] > 0.9 * table["requests"]["window"].isin(windows).sum()
            assert min(fork["heap"]["before_bytes"], fork["heap"]["after_bytes"]) > 10_000_000
            assert (table["counters"]["descriptors"] > 10).all()
            assert (table["counters"]["connections"] >= 0).all()
        arrivals = [
            pd.read_parquet(project.run / "pairs" / pair / side / "arrivals.parquet")["endpoint"].tolist()
            for side in ("baseline", "candidate")
        ]
        assert arrivals[0] == arrivals[1]
        # The slow serializer allocates; bytes per request do not depend on how fast the machine is.
        assert allocated["candidate"] > 1.1 * allocated["baseline"]
    # The second pair was warmed four seconds longer, since the first was not steady; what is recorded of a warm-up
    # begins and ends up to a second off.
    assert min(warmed_s[2:]) > max(warmed_s[:2]) + 2
    for format_, name in (("markdown", "comment.md"), ("junit", "junit.xml")):
        rendered = project.pacecar("report", "--format", format_, "--output", name)
        assert rendered.returncode == 0, rendered.stderr
    assert "slow-serializer" in (project.folder / "comment.md").read_text()
    cases = ElementTree.parse(project.folder / "junit.xml").findall("testsuite/testcase")
    told = [
        row
        for row in project.document["judgements"]
        if row["role"] == "guaranteed" or (row["role"] == "tripwire" and row["verdict"] == "regressed")
    ]
    assert len(cases) == len(told)
    exported = project.pacecar("export", "--profile", "alloc", "--format", "folded", "--output", "alloc.txt")
    assert exported.returncode == 0, exported.stderr
    assert "shop.orders.reporting.ReportWriter" in (project.folder / "alloc.txt").read_text()


@pytest.mark.shares_machine
def test_after_a_kill_the_next_command_cleans_up(small) -> None:
    project, _ = small
    compare = project.start(*SAME, "--pairs", "1")
    project.wait(lambda: len(project.services()) == 2, compare)
    compare.kill()
    compare.communicate(timeout=60)
    assert len(project.services()) == 2
    cleaned = project.pacecar("clean")
    assert cleaned.returncode == 0
    assert cleaned.stdout.count("ended process") >= 2
    assert project.left_behind() == []
    assert project.pacecar("clean").stdout.strip() == "nothing was left behind"


def test_sides_that_cannot_be_up_at_once_take_turns(small) -> None:
    project, _ = small
    port = free_port()
    project.edit(
        {
            "{port}": str(port),
            'name = "small"\n': f'name = "small"\nport = {port}\n',
            "counted = false": 'counted = "10 s"',
        }
    )
    compared = project.pacecar(*SAME, "--pairs", "1", "--json", "--fail-on", "nothing")
    document = json.loads(compared.stdout)
    (pair,) = document["pairs"]
    assert pair["voided"] is None, compared.stderr
    assert pair["notes"][0] == f"The sides took turns: the port {port} is fixed, and only one fork can have it."
    assert {fork["side"]: fork["windows"] for fork in pair["forks"]} == {"baseline": 2, "candidate": 2}
    assert {row["name"] for row in document["judgements"] if row["estimate"]} > {"cpu", "allocation", "latency.p50"}
    record = json.loads((project.run / "pairs" / "01" / "pair.json").read_text())
    first = record["first"]
    assert [window["side"] for window in record["windows"]][:2] == [first, first]
    # What follows the windows of a side follows before the other side is up, under numbers of its own.
    blocks = len(record["blocks"]) // 2
    assert blocks == 4
    assert [window["index"] for window in record["windows"]] == [0, 1, 2 + blocks, 3 + blocks]
    arrivals = [
        pd.read_parquet(project.run / "pairs" / "01" / side / "arrivals.parquet") for side in ("baseline", "candidate")
    ]
    assert arrivals[0]["endpoint"].tolist() == arrivals[1]["endpoint"].tolist()
    assert project.left_behind() == []


#: It never ends, and takes more than half of a core.
_BESIDE = """        var index = new Thread(() -> {
            while (true) {
                long until = System.nanoTime() + 6_000_000;
                while (System.nanoTime() < until) Thread.onSpinWait();
                java.util.concurrent.locks.LockSupport.parkNanos(4_000_000);
            }
        }, "index");
        index.setDaemon(true);
        index.start();
"""


@pytest.mark.shares_machine
def test_sides_take_turns_once_one_works_beside_the_other(small) -> None:
    project, service = small
    service.commit_as_it_is("As it was at first")
    service.tag("before")
    source = project.folder / "Service.java"
    source.write_text(source.read_text().replace("        var address", f"{_BESIDE}        var address", 1))
    service.commit_as_it_is("It counts anew all the time")
    service.tag("beside")
    builds = ("--baseline", "before", "--candidate", "beside")
    compared = project.pacecar(
        *("compare", *builds, "--pairs", "2", "--set", "plan.side=8s", "--json", "--fail-on", "nothing")
    )
    assert compared.returncode in (0, 3), compared.stderr
    first, second = json.loads(compared.stdout)["pairs"]
    assert first["voided"], "its baseline was slowed"
    assert second["notes"][0].startswith("The sides took turns: the candidate was busy for ")
    assert project.left_behind() == []


@pytest.mark.shares_machine
def test_a_fork_that_dies_in_a_window_is_part_of_the_record(small) -> None:
    project, _ = small
    compare = project.start(*SAME, "--pairs", "1", "--fail-on", "nothing")
    project.wait(lambda: len(project.services()) == 2, compare)
    project.wait(lambda: any((project.folder / "state").glob("ledgers/*")) and _load_runs(project), compare)
    for service in project.services():
        if "/candidate/" in " ".join(service.environ().values()):
            service.kill()
    _output, errors = compare.communicate(timeout=300)
    assert "Traceback" not in errors
    record = json.loads((project.run / "pairs" / "01" / "pair.json").read_text())
    assert "killed" in record["forks"]["candidate"]["died"] or "SIGKILL" in record["forks"]["candidate"]["died"]
    assert record["forks"]["baseline"]["died"] is None
    assert compare.returncode in (0, 3), errors
    assert project.left_behind() == []


def _load_runs(project) -> bool:
    return any("io.gatling.app.Gatling" in command_of(process) for process in project.processes())


@pytest.mark.shares_machine
def test_no_pair_is_begun_that_would_not_end_in_time(small) -> None:
    project, _ = small
    compared = project.pacecar(*SAME, "--pairs", "3", "--set", "plan.time=1s", "--json", "--fail-on", "nothing")
    document = json.loads(compared.stdout)
    assert [pair["number"] for pair in document["pairs"]] == [1], compared.stderr
    assert ("--set", "plan.time=1s") in zip(
        document["provenance"]["repeat"], document["provenance"]["repeat"][1:], strict=False
    )
    assert project.left_behind() == []


def test_no_third_pair_is_measured_of_a_scenario_that_asks_for_what_is_not_there(small) -> None:
    project, _ = small
    project.edit({'path = "/report"': 'path = "/nowhere"'})
    compared = project.pacecar(*SAME, "--pairs", "6", "--json")
    document = json.loads(compared.stdout)
    # One that something else disturbed shows nothing.
    assert sum(not pair["voided"] for pair in document["pairs"]) == 2, compared.stderr
    assert document["verdict"] == "invalid"
    assert "100% of all requests failed on both sides" in document["reason"]
    assert compared.returncode == 3
    assert project.left_behind() == []
