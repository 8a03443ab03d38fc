"""Comparisons in pods of a real cluster: measured from here, and by a job of the cluster."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
import psutil
import pytest
import yaml

from end_to_end.conftest import command_of
from pacecar.onboarding.cluster_manifest import cluster_manifest
from pacecar.reporting.comment import MARKER
from support import go_programs
from support.cluster import Cluster, kueue
from support.cluster.images import PACECAR
from support.cluster.pods import container, path
from support.cluster.reached import reached
from support.object_store import gateway
from support.two_injectors import check_fork

#: A job of GitHub Actions, as far as what measures can tell.
JOB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_REPOSITORY": "shop/small",
    "GITHUB_EVENT_NAME": "workflow_dispatch",
    "GITHUB_EVENT_PATH": "{folder}/event.json",
    "GITHUB_RUN_ID": "1",
    "GITHUB_SERVER_URL": "https://github.example",
    "GITHUB_API_URL": "http://127.0.0.1:9/api/v3",
    "GITHUB_WORKSPACE": "{folder}",
    "GITHUB_OUTPUT": "{folder}/outputs",
    "GITHUB_STEP_SUMMARY": "{folder}/summary",
    "RUNNER_TEMP": "{folder}",
}

_RBAC = "/apis/rbac.authorization.k8s.io/v1"
TABLE = f"""
[target.kubernetes]
jar = "/app/service.jar"
sidecar = "{PACECAR}"

[source]"""
AS_A_POD = {
    'ready = "/report"\n': 'ready = "/report"\ndeploy = "kubernetes"\nenv = { PORT = "{port}" }\n',
    "\n[source]": TABLE,
    'command = ["{java}", "-Xms64m", "-Xmx64m", "-jar", "{artifact}", "{port}"]\n': "",
}


@pytest.fixture(scope="module")
def kubernetes() -> Iterator[Cluster]:
    with reached() as found, pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", str(found.kubeconfig))
        yield found


@pytest.fixture
def small(kubernetes: Cluster, small: Any) -> Any:
    """The small service as a Deployment, whose pods have the network of the node."""
    project, service = small
    run = container("small", "java", "-Xms64m", "-Xmx64m", "-jar", "/app/service.jar", "$(PORT)")
    pod = {"metadata": {"labels": {"app": "small"}}, "spec": {"hostNetwork": True, "containers": [run]}}
    manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "small"}, "spec": {"template": pod}}
    (project.folder / "kubernetes.yaml").write_text(yaml.safe_dump(manifest))
    project.edit(AS_A_POD)
    return project, service


def ours(cluster: Cluster) -> list[str]:
    return [
        each["metadata"]["name"] for each in cluster.api.get(f"{path()}?labelSelector=dev.pacecar%2Fowner")["items"]
    ]


@pytest.mark.shares_machine
def test_a_pair_whose_pod_is_taken_away_is_left_out_and_the_run_goes_on(small: Any, kubernetes: Cluster) -> None:
    project, service = small
    service.commit("First report")
    same = ("--baseline", ".", "--candidate", ".", "--set", "builds.measure_equal=true", "--pairs", "2")
    compare = project.start("compare", *same, "--set", "plan.warmup=8 s", "--fail-on", "nothing")
    project.wait(lambda: _loaded(project), compare)
    first, _ = ours(kubernetes)
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": first}}
    kubernetes.api.create(f"{path(first)}/eviction", eviction)
    _, errors = compare.communicate(timeout=300)
    assert compare.returncode in (0, 3), errors
    lost, kept = (json.loads((project.run / "pairs" / number / "pair.json").read_text()) for number in ("01", "02"))
    assert [fork["lost"] is not None for fork in lost["forks"].values()].count(True) == 1
    assert all(fork["died"] is None for fork in (*lost["forks"].values(), *kept["forks"].values()))
    assert all(fork["lost"] is None for fork in kept["forks"].values())
    assert ours(kubernetes) == []
    assert project.left_behind() == []


def _loaded(project: Any) -> bool:
    """Whether the load generator runs, and so both forks are ready."""
    return any("gatling" in " ".join(command_of(process)).lower() for process in project.processes())


@pytest.fixture(scope="module")
def accounts(kubernetes: Cluster) -> None:
    """What an admin makes; of its objects quota, network policy and namespace are left out."""
    apis = {"ServiceAccount": "/api/v1", "Role": _RBAC, "RoleBinding": _RBAC}
    for document in yaml.safe_load_all(cluster_manifest("default")):
        if (kind := document["kind"]) in apis:
            kubernetes.api.create(f"{apis[kind]}/namespaces/default/{kind.lower()}s", document)


@pytest.fixture
def submitted(small: Any, accounts: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The small service, a store that the cluster reaches, and the accounts that an admin has made."""
    if lacking := go_programs.lacking("versitygw"):
        pytest.skip(lacking)
    project, _ = small
    with gateway.running(tmp_path_factory.mktemp("gateway")) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            if name.startswith("AWS_"):
                patch.setenv(name, value)
        config = project.folder / "pacecar.toml"
        store = f'[archive]\nurl = "{server.url}"\noptions = {{ endpoint = "{server.endpoint}" }}\n'
        config.write_text(f"{config.read_text()}\n{store}")
        yield type(project)(project.folder)  # with the store's credentials


def active(cluster: Cluster) -> list[str]:
    """The runs that jobs of the cluster measure now."""
    jobs = cluster.api.get("/apis/batch/v1/namespaces/default/jobs")["items"]
    return [each["metadata"]["labels"]["dev.pacecar/run"] for each in jobs if each["status"].get("active")]


def conductors(cluster: Cluster, run: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cluster.api.get(f"{path()}?labelSelector={quote(f'dev.pacecar/run={run}')}")["items"]
    return found


def test_a_cluster_measures_what_a_job_of_ci_sends(
    small: Any, submitted: Any, kubernetes: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, service = small
    service.commit("First report")
    service.tag("before")
    service.commit("Write reports twenty times", copies=20)
    for name, value in JOB.items():
        monkeypatch.setenv(name, value.format(folder=tmp_path))
    (tmp_path / "event.json").write_text("{}")
    job = type(submitted)(submitted.folder)
    builds = ("--baseline", "before", "--candidate", "main", "--settings", "plan.pairs=3")
    told = job.pacecar("github", "compare", "--in-cluster", *builds)
    assert told.returncode == 1, f"{told.stdout}{told.stderr}"
    outputs = dict(re.findall(r"(?m)^(\S+)<<(?:\S+)\n(.*)$", (tmp_path / "outputs").read_text()))
    assert outputs["verdict"] == "regressed"
    assert MARKER in (tmp_path / "summary").read_text()
    document = json.loads(Path(outputs["document-path"]).read_text())
    assert document["verdict"] == "regressed"
    assert [build["label"] for build in document["provenance"]["builds"]] == ["before", "main"]
    assert all(build["commit"] for build in document["provenance"]["builds"])
    assert "Report.write" in told.stdout
    (allocation,) = [row for row in document["judgements"] if row["name"] == "allocation" and not row["endpoint"]]
    assert allocation["estimate"]["low"] > 1
    said = told.stdout + told.stderr
    (run,) = re.findall(r"run (\S+) is measured by job", said)
    assert "pair 1 of at most 3" in said
    assert ours(kubernetes) == []
    assert submitted.left_behind() == []
    listed = submitted.pacecar("runs", "list", "--json")
    (row,) = json.loads(listed.stdout)
    assert (row["run"], row["state"]) == (run, "complete")
    (fetched,) = (submitted.folder / ".pacecar" / "fetched" / "runs").iterdir()
    for side in ("baseline", "candidate"):
        folder = fetched / "pairs" / "01" / side
        assert (pd.read_parquet(folder / "containers.parquet")["used_cpu_ns"] > 0).all()
        assert not pd.read_parquet(folder / "samples.parquet").empty
        assert not pd.read_parquet(folder / "pauses.parquet").query("process == 'target'").empty
        assert (folder / "raw" / "service.log").exists()
    # Whoever comes later sees the same.
    again = submitted.pacecar("follow", run, "--fail-on", "nothing")
    assert (again.returncode, "REGRESSED" in again.stdout) == (0, True), again.stderr


@pytest.mark.shares_machine
def test_a_job_that_is_moved_goes_on_with_what_is_stored(small: Any, submitted: Any, kubernetes: Cluster) -> None:
    _, service = small
    service.commit("First report")
    same = ("--baseline", ".", "--candidate", ".", "--measure-equal", "--pairs", "2")
    told = submitted.pacecar("submit", *same)
    assert told.returncode == 0, told.stderr
    (run,) = re.findall(r"run (\S+) is measured by job", told.stdout)
    follow = submitted.start("follow", run, "--fail-on", "nothing")
    submitted.wait(lambda: _stored(submitted, run) == 1, follow)
    (first,) = conductors(kubernetes, run)
    name = first["metadata"]["name"]
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    kubernetes.api.create(f"{path(name)}/eviction", eviction)
    told, errors = follow.communicate(timeout=300)
    assert follow.returncode in (0, 3), errors
    document = json.loads(submitted.pacecar("judge", run, "--json", "--fail-on", "nothing").stdout)
    assert [pair["number"] for pair in document["pairs"]] == [1, 2]
    assert [each["metadata"]["name"] == name for each in conductors(kubernetes, run)] == [False]
    assert ours(kubernetes) == []


def _stored(project: Any, run: str) -> int:
    """How many pairs of a run are in the store."""
    rows = json.loads(project.pacecar("runs", "list", "--json").stdout)
    return next((row["pairs"] for row in rows if row["run"] == run), 0)


@pytest.mark.shares_machine
def test_what_is_ended_stays_as_far_as_it_got_and_goes_on_when_asked(
    small: Any, submitted: Any, kubernetes: Cluster
) -> None:
    _, service = small
    service.commit("First report")
    same = ("--baseline", ".", "--candidate", ".", "--measure-equal", "--pairs", "2")
    begun = submitted.start("submit", *same, "--follow")
    submitted.wait(lambda: active(kubernetes), begun)
    (run,) = active(kubernetes)
    submitted.wait(lambda: _stored(submitted, run) == 1, begun)
    begun.terminate()
    _, errors = begun.communicate(timeout=120)
    assert begun.returncode == 130, errors
    assert f"pacecar submit --resume {run}" in errors
    assert active(kubernetes) == []
    assert ours(kubernetes) == []
    left = submitted.pacecar("follow", run)
    assert left.returncode == 2
    assert "1 pair is in the store" in left.stderr
    resumed = submitted.pacecar("submit", "--resume", run, "--follow", "--json", "--fail-on", "nothing")
    assert resumed.returncode in (0, 3), resumed.stderr
    assert [pair["number"] for pair in json.loads(resumed.stdout)["pairs"]] == [1, 2]
    assert "pair 1 of at most 2" not in resumed.stderr
    unknown = submitted.pacecar("submit", "--resume", "20250101-000000-0000")
    assert (unknown.returncode, "No store holds a run" in unknown.stderr) == (2, True)


@pytest.mark.shares_machine
def test_what_fails_there_is_told_here(small: Any, submitted: Any, kubernetes: Cluster) -> None:
    _, service = small
    service.commit("First report")
    service.tag("before")
    service.commit("Gone at once", exits=True)
    told = submitted.pacecar("submit", "--baseline", "before", "--candidate", "main", "--follow")
    assert told.returncode == 3, told.stderr
    assert "candidate" in told.stderr.splitlines()[-2] + told.stderr.splitlines()[-1]
    assert "before it was ready" in told.stderr
    assert "Traceback" not in told.stderr
    assert ours(kubernetes) == []


@pytest.mark.shares_machine
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"[archive]": "[archived]"}, "archived"),
        (
            {"\n[source]": '\n[target.hooks]\nsetup = [["true"]]\n\n[source]'},
            "target.hooks is for the machine that measures",
        ),
        ({PACECAR: "pacecar-test/none:1"}, "the image of pacecar cannot be pulled"),
        ({"jar = ": 'account = "nobody"\njar = '}, "nobody"),
        ({"jar = ": 'queue = "nowhere"\njar = '}, "has no queue nowhere"),
    ],
    ids=["no store", "a hook", "no image", "no account", "no queue"],
)
def test_what_cannot_be_submitted_is_one_sentence(
    small: Any, submitted: Any, kubernetes: Cluster, changes: dict[str, str], said: str
) -> None:
    _, service = small
    service.commit("First report")
    submitted.edit(changes)
    told = submitted.pacecar("submit", "--baseline", ".", "--candidate", ".", "--measure-equal", "--follow")
    assert told.returncode == 2, told.stderr
    assert said in told.stderr
    assert "Traceback" not in told.stderr
    assert active(kubernetes) == []


@pytest.mark.shares_machine
def test_load_comes_from_pods_and_one_that_is_deleted_takes_its_pair_along(small: Any, kubernetes: Cluster) -> None:
    project, service = small
    service.commit("First report")
    pods = {"\n[source]": "\n[target.kubernetes.injectors]\n\n[source]", "[scenario]\n": "[scenario]\ninjectors = 2\n"}
    project.edit(pods)
    same = ("--baseline", ".", "--candidate", ".", "--measure-equal", "--pairs", "2")
    compare = project.start("compare", *same, "--set", "plan.warmup=8 s", "--fail-on", "nothing")
    project.wait(lambda: len(_in_a_window()) == 2, compare)
    kubernetes.api.delete(f"{path(_injecting(kubernetes)[0])}?gracePeriodSeconds=0")
    _, errors = compare.communicate(timeout=300)
    assert compare.returncode in (0, 3), errors
    first, _ = project.document["pairs"]
    assert re.fullmatch(r"Injector [12] of 2 (is gone|is lost|was killed|ended).*", first["voided"]), first
    pair = project.run / "pairs" / "02"
    for side in ("baseline", "candidate"):
        check_fork(pair / side)
        pauses = pd.read_parquet(pair / side / "pauses.parquet").query("process == 'generator'")
        assert set(pauses["injector"]) == {0, 1}
    assert ours(kubernetes) == []
    assert project.left_behind() == []


def _in_a_window() -> list[int]:
    """Gatlings of pods that know their first window, as this machine sees them."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if "io.gatling.app.Gatling" in command_of(process):
                clock = Path(f"/proc/{process.pid}/root/pacecar/run/clock.json")
                if json.loads(clock.read_text())["final"]:
                    found.append(process.pid)
    return found


def _injecting(cluster: Cluster) -> list[str]:
    """The pods that send load."""
    pods = cluster.api.get(f"{path()}?labelSelector=dev.pacecar%2Finjector")["items"]
    return [each["metadata"]["name"] for each in pods if each["status"]["phase"] == "Running"]


@pytest.fixture
def queue(kubernetes: Cluster) -> None:
    """Kueue, and a queue of it that lets one run begin at a time."""
    if lacking := go_programs.lacking(kueue.PROGRAM):
        pytest.skip(lacking)
    kueue.start(kubernetes)
    for document in yaml.safe_load_all(cluster_manifest("default", at_once=1)):
        if document["apiVersion"].startswith("kueue"):
            kueue.apply(kubernetes, document)


@pytest.mark.shares_machine
def test_a_run_waits_until_its_queue_lets_it_begin(
    small: Any, submitted: Any, kubernetes: Cluster, queue: None
) -> None:
    _, service = small
    service.commit("First report")
    submitted.edit({"jar = ": 'queue = "pacecar"\njar = '})
    same = ("--baseline", ".", "--candidate", ".", "--measure-equal", "--pairs", "1")
    told = [submitted.pacecar("submit", *same) for _ in range(2)]
    first, second = (re.findall(r"run (\S+) is measured by job", each.stdout)[0] for each in told)
    follow = submitted.start("follow", second, "--fail-on", "nothing")
    # Read before the queue has reason to let it begin; what the queue says comes a moment after that it holds it.
    waits = next(line for line in follow.stderr if "insufficient unused quota for pods" in line)
    assert "waiting: its queue does not let it begin yet: " in waits
    submitted.wait(lambda: _conducting(kubernetes, first), follow)
    assert conductors(kubernetes, second) == []
    gone = submitted.pacecar("cluster", "cancel", first)
    assert gone.returncode == 0, gone.stderr
    submitted.wait(lambda: _conducting(kubernetes, second), follow)
    submitted.pacecar("cluster", "cancel", second)
    follow.communicate(timeout=120)
    assert active(kubernetes) == []


def _conducting(cluster: Cluster, run: str) -> bool:
    return any(each["status"]["phase"] == "Running" for each in conductors(cluster, run))
