"""Forks that are pods, on a real cluster: what is read of one, how one ends, and what is left."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lightkube
import pytest
import yaml
from typer.testing import CliRunner

from pacecar.cli import app
from pacecar.inputs.toolchain import agent_jar
from pacecar.measurement.deploy import DeployError, ForkDied, ForkLost
from pacecar.measurement.deploy.deployers import checks_of
from pacecar.measurement.deploy.fork import Attach, Attachment, JvmView
from pacecar.measurement.watch.watch import Watched
from pacecar.model.experiment import Side
from pacecar.onboarding.cluster_manifest import cluster_manifest
from pacecar.system.cluster import ClusterError, waiting
from pacecar.system.resources import Resources, sweep
from support.checkout import CHECKOUT
from support.cluster import Cluster, images
from support.cluster.archives import Image, layer
from support.cluster.pods import container, path, pod
from support.cluster.project import Project, workload
from support.container_engine.project import ask, wait_until

Left = Callable[[], list[str]]


@pytest.fixture(scope="package")
def attach(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attach]:
    """The counter agent, as every fork has it."""
    with Resources() as resources:
        agent = agent_jar(resources=resources, log_dir=tmp_path_factory.mktemp("logs"))

        def attached(view: JvmView) -> Attachment:
            return Attachment(agents=(f"{view.seen(agent)}={view.counters}",))

        yield attached


def test_a_fork_is_read_through_its_sidecar(project: Project, attach: Attach, left: Left) -> None:
    project.write(workload())
    fork = project.deploy(attach=attach, deployment={"cpu": 0.5, "memory_bytes": 256 << 20})
    fork.await_ready()
    assert fork.ready_s > 0
    assert fork.url.startswith("http://127.0.0.1:")
    assert (fork.node, fork.made_address) == (None, None)
    watch = fork.watch(Watched(metrics_path="/health"))
    before = watch.at_edge("start", page_within_s=2.0)
    ask(f"{fork.url}/burn")
    ask(f"{fork.url}/work")
    after = watch.at_edge("end", page_within_s=2.0)
    grown = {
        name: after.rows["counters"][name] - before.rows["counters"][name] for name in ("cpu_ns", "allocated_bytes")
    }
    assert grown["cpu_ns"] > 0.2e9
    assert grown["allocated_bytes"] > 0
    account = after.rows["containers"]
    assert account["cpu_limit"] == 0.5
    assert account["memory_limit_bytes"] == 256 << 20
    assert account["used_cpu_ns"] - before.rows["containers"]["used_cpu_ns"] > 0.2e9
    assert after.rows["host"]["user_s"] > 0
    assert any(each.name == "VM Thread" for each in after.threads.values())
    assert after.page is not None
    assert (after.page.body, after.page.error) == (b"ok", "")
    assert after.notes == ()
    heap = fork.live_heap(20)
    assert heap is not None
    assert 0 < heap.used_bytes < 64 << 20
    assert "-XX:-UseDynamicNumberOfCompilerThreads" in fork.record().jvm_flags
    fork.stop()
    assert "Pause Full (Diagnostic Command)" in fork.gc_log.read_text()
    assert "listening" in (project.folder / "candidate" / "service.log").read_text()
    assert left() == []


def test_a_secret_reaches_the_service_and_nothing_else(
    project: Project, kubernetes: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PACECAR_TEST_PASSWORD", "correct horse battery")
    project.write(workload())
    fork = project.deploy(
        secrets={"DB_PASSWORD": "PACECAR_TEST_PASSWORD"}, env={"PORT": "{port}", "GREETING": "$(PORT) and so on"}
    )
    fork.await_ready()
    environment = ask(f"{fork.url}/env")
    assert "DB_PASSWORD=correct horse battery" in environment
    assert "GREETING=$(PORT) and so on" in environment
    assert "PACECAR_SERVER_TOKEN" not in environment
    (pod,) = [each for each in kubernetes.api.get(path())["items"] if _ours(each)]
    assert "correct horse" not in json.dumps(pod)
    assert "correct horse" not in repr(fork.record().command)
    fork.stop()


def test_a_build_may_be_an_image_that_is_named_by_its_digest(
    project: Project, kubernetes: Cluster, jar: Path, attach: Attach
) -> None:
    app = layer(project.folder / "app.tar", {"app/service.jar": jar})
    kubernetes.load(Image(name="pacecar-test/service:1", layers=[*images.prepare(), app], config={}))
    listed = next(line for line in kubernetes.ctr("images", "ls").splitlines() if "pacecar-test/service:1" in line)
    tag, _, digest = listed.split()[:3]
    pinned = f"{tag.removesuffix(':1')}@{digest}"
    kubernetes.ctr("images", "tag", tag, pinned)
    project.write(workload(service={"image": "pacecar-test/nowhere:1"}))
    fork = project.deploy(attach=attach, build=pinned, deployment={"jar": None})
    fork.await_ready()
    assert f"image={pinned}" in fork.record().command
    assert fork.watch(Watched()).counters().rows["counters"]["allocated_bytes"] > 0
    fork.stop()


def test_containers_of_the_pod_work_for_the_service(project: Project, attach: Attach) -> None:
    busy = "i=0; while [ $i -lt 3000000 ]; do i=$((i+1)); done; exec sleep 600"
    project.write(workload(container("db", "sh", "-c", busy)))
    fork = project.deploy(attach=attach, deployment={"container": "app"})
    fork.await_ready()
    wait_until(lambda: fork.watch(Watched()).counters().rows["containers"]["beside_cpu_ns"] > 0.2e9)
    fork.stop()


def test_both_forks_of_a_pair_are_on_one_node_and_told_apart(project: Project, attach: Attach) -> None:
    project.write(workload())
    forks = {side: project.deploy(attach=attach, side=side) for side in Side}
    for fork in forks.values():
        fork.await_ready()
    cpu = {side: fork.watch(Watched()).counters().rows["counters"]["cpu_ns"] for side, fork in forks.items()}
    ask(f"{forks[Side.BASELINE].url}/burn")
    grown = {
        side: fork.watch(Watched()).counters().rows["counters"]["cpu_ns"] - cpu[side] for side, fork in forks.items()
    }
    assert grown[Side.BASELINE] > 0.3e9 > grown[Side.CANDIDATE]
    for fork in forks.values():
        fork.stop()


def test_a_service_that_is_swallowed_at_its_limit(project: Project, attach: Attach) -> None:
    project.write(workload(service={"command": ["java", "-XX:MaxDirectMemorySize=2g", "-jar", "/app/service.jar"]}))
    fork = project.deploy(attach=attach, deployment={"memory_bytes": 160 << 20})
    fork.await_ready()
    with pytest.raises(OSError):  # noqa: PT011  the connection breaks, in one way or another
        ask(f"{fork.url}/fill")
    with pytest.raises(ForkDied, match="was killed for lack of memory at its limit") as caught:
        fork.check_again()
    assert caught.value.at_limit
    fork.stop()
    assert "gc,init" in fork.gc_log.read_text(), "what it has logged outlives it"


def test_a_pod_that_somebody_takes_away_is_no_death(project: Project, attach: Attach, kubernetes: Cluster) -> None:
    project.write(workload())
    fork = project.deploy(attach=attach)
    fork.await_ready()
    (name,) = [each["metadata"]["name"] for each in kubernetes.api.get(path())["items"] if _ours(each)]
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    kubernetes.api.create(f"{path(name)}/eviction", eviction)
    with pytest.raises(ForkLost, match=r"The candidate of app (was taken away|was deleted|is gone)"):
        fork.check_again()
    fork.stop()


def _ours(pod: dict[str, Any]) -> bool:
    return "dev.pacecar/owner" in pod["metadata"].get("labels", {})


#: What may yet become well, so that nothing but time ends it.
ENDLESS = ("no node has taken it", "was not ready after")


@pytest.mark.parametrize(
    ("service", "deployment", "said", "hint"),
    [
        ({"image": "pacecar-test/nowhere:1", "imagePullPolicy": "Never"}, {}, "cannot be made", "imagePullPolicy"),
        ({"image": "localhost:1/nowhere:1"}, {}, "the image of app cannot be pulled", "imagePullSecrets"),
        ({}, {"sidecar": "localhost:1/nowhere:1"}, "the sidecar's image cannot be pulled", "imagePullSecrets"),
        ({"env": [{"name": "BROKEN", "value": "1"}]}, {}, "ended with status 1", "cannot read the configuration"),
        ({"command": ["sleep", "600"]}, {}, "was not ready after", "(nothing)"),
        ({}, {"nodes": {"pool": "quiet"}}, "no node has taken it within 0.1 minutes", "have one added"),
        ({}, {"cpu": 512.0}, "no node has taken it within 0.1 minutes", "have one added"),
    ],
)
def test_a_pod_that_will_never_serve(
    project: Project,
    left: Left,
    monkeypatch: pytest.MonkeyPatch,
    service: dict[str, Any],
    deployment: dict[str, Any],
    said: str,
    hint: str,
) -> None:
    monkeypatch.setattr(waiting, "PLACING_S", 6.0)  # nobody adds a node to this cluster
    project.write(workload(service=service))
    fork = project.deploy(deployment=deployment, timeout_s=6 if said.startswith(ENDLESS) else 60)
    with pytest.raises(DeployError) as caught:
        fork.await_ready()
    assert said in caught.value.message, caught.value.hint
    assert hint in (caught.value.hint or "")
    fork.stop()
    assert left() == []


def _deploy_as(project: Project, folder: Path, kubeconfig: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> str:
    """What is said where a fork is asked for by another configuration."""
    (folder / "kubeconfig").write_text(json.dumps(kubeconfig))
    monkeypatch.setenv("KUBECONFIG", str(folder / "kubeconfig"))
    with pytest.raises(ClusterError) as caught:
        project.deploy()
    return caught.value.message


def test_a_cluster_that_refuses_says_why(
    project: Project, kubernetes: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(workload())
    known = json.loads(kubernetes.kubeconfig.read_text())
    api = kubernetes.api
    api.create("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "nobody"}})
    token = api.create("/api/v1/namespaces/default/serviceaccounts/nobody/token", {})["status"]["token"]
    for text, said in ((token, "has no right to create pod"), ("expired", "refuses this login")):
        with_token = {**known, "users": [{"name": known["users"][0]["name"], "user": {"token": text}}]}
        assert said in _deploy_as(project, tmp_path, with_token, monkeypatch)
    nowhere = json.loads(json.dumps(known).replace(known["clusters"][0]["cluster"]["server"], "https://127.0.0.1:9"))
    assert "does not answer" in _deploy_as(project, tmp_path, nowhere, monkeypatch)
    assert "cannot be used" in _deploy_as(project, tmp_path, {**known, "current-context": "none"}, monkeypatch)


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"pod-security.kubernetes.io/enforce": "restricted"}, "pod security (restricted:latest)"),
        ({}, "The quota few of"),
    ],
    ids=["pod security", "quota"],
)
def test_a_namespace_that_lets_nothing_in(
    project: Project, kubernetes: Cluster, labels: dict[str, str], said: str
) -> None:
    api, name = kubernetes.api, "strict-forks" if labels else "few-forks"
    api.create("/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
    if not labels:
        quota = {"metadata": {"name": "few"}, "spec": {"hard": {"pods": "0"}}}
        api.create(f"/api/v1/namespaces/{name}/resourcequotas", quota)
        api.wait(f"/api/v1/namespaces/{name}/resourcequotas/few", lambda found: found.get("status", {}).get("hard"))
    api.wait(f"/api/v1/namespaces/{name}/serviceaccounts", lambda found: found["items"])
    project.write(workload())
    with pytest.raises(ClusterError) as caught:
        project.deploy(deployment={"namespace": name})
    assert said in caught.value.message
    assert api.get(f"/api/v1/namespaces/{name}/secrets")["items"] == []


def test_what_is_printed_for_an_admin_is_all_that_a_fork_needs(
    project: Project, kubernetes: Cluster, attach: Attach, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the network of pods, to which nothing goes but the question whether the service is ready."""
    api, name = kubernetes.api, "performance"
    for each in yaml.safe_load_all(cluster_manifest(name)):
        group = "api/v1" if each["apiVersion"] == "v1" else f"apis/{each['apiVersion']}"
        plural = f"{each['kind'].lower()}s".replace("policys", "policies")
        within = "" if each["kind"] == "Namespace" else f"/namespaces/{name}"
        api.create(f"/{group}{within}/{plural}", each)
    api.wait(f"/api/v1/namespaces/{name}/serviceaccounts", lambda found: len(found["items"]) == 3)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    project.write(workload(hostNetwork=False))
    wanted = {"namespace": name, "port": 8080}
    for account, measures in (("pacecar-submitter", False), ("pacecar", True)):
        token = api.create(f"/api/v1/namespaces/{name}/serviceaccounts/{account}/token", {})["status"]["token"]
        known = json.loads(kubernetes.kubeconfig.read_text())
        known["users"][0]["user"] = {"token": token}
        (tmp_path / "kubeconfig").write_text(json.dumps(known))
        manifest, cluster = (check for check in checks_of(project.target(deployment=wanted)) if check.required)
        assert (manifest.ok, cluster.ok) == (True, True)
        assert ("by pacecar submit alone" in cluster.found) is not measures
    fork = project.deploy(attach=attach, deployment=wanted)
    fork.await_ready()
    assert fork.made_address is not None
    assert fork.url == f"http://{fork.made_address}:8080"
    assert fork.watch(Watched()).counters().rows["counters"]["cpu_ns"] > 0
    fork.stop()
    elsewhere = checks_of(project.target(deployment={"namespace": "default"}))
    assert "this account may not create pods" in next(
        check.found for check in elsewhere if not check.ok and check.required
    )


#: In a pod: a fork is asked for and not waited for.
CONDUCTS = """
import base64, os, pathlib, time
from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.deploy.fork import Attachment, ForkOrder
from pacecar.model.deployment import KubernetesDeployment
from pacecar.model.experiment import BuildKind, BuildRequest, Readiness, Side, Target
from pacecar.system.resources import Resources
folder = pathlib.Path("/tmp/project")
folder.mkdir()
(folder / "kubernetes.yaml").write_bytes(base64.b64decode(os.environ["MANIFEST"]))
deployment = KubernetesDeployment(manifest=folder / "kubernetes.yaml", sidecar="pacecar-test/pacecar:1")
target = Target(name="app", deployment=deployment, directory=folder, env={"PORT": "{port}"}, secrets={}, port=None,
                ready=Readiness(path="/", timeout_s=60), metrics_path=None, application=())
request = BuildRequest(kind=BuildKind.IMAGE, value="pacecar-test/pacecar:1", label="x")
order = ForkOrder(request=request, side=Side.BASELINE, jar=None, folder=folder, scratch=folder)
deployer_of(target, resources=Resources()).deploy(order, lambda view: Attachment())
print("asked", flush=True)
time.sleep(600)
"""


def test_forks_go_with_the_pod_that_measures_them(project: Project, kubernetes: Cluster, left: Left) -> None:
    """As on a runner in the cluster that is killed: nobody is left who could sweep."""
    api = kubernetes.api
    subject = {"kind": "ServiceAccount", "name": "default", "namespace": "default"}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"}
    binding = {"metadata": {"name": "measures"}, "roleRef": role, "subjects": [subject]}
    api.create("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", binding)
    manifest = base64.b64encode(project.write(workload()).read_bytes()).decode()
    variables = {"MANIFEST": manifest, "PACECAR_STATE": "/tmp/state", "PYTHONPATH": "/opt/pacecar:/opt/packages:/more"}
    env: list[dict[str, Any]] = [{"name": name, "value": value} for name, value in variables.items()]
    # Its host name is the node's, as of any pod with the node's network.
    env.append({"name": "PACECAR_POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}})
    more = {"name": "more", "mountPath": "/more", "readOnly": True}
    tmp = {"name": "tmp", "mountPath": "/tmp"}
    packages = Path(lightkube.__file__).parents[1]  # the image of a sidecar has no need of it
    volumes = [{"name": "more", "hostPath": {"path": str(packages)}}, {"name": "tmp", "emptyDir": {}}]
    conductor = container("conductor", "python3", "-c", CONDUCTS, env=env, volumeMounts=[more, tmp])
    api.create(path(), pod("conductor", conductor, volumes=volumes))
    wait_until(lambda: len(left()) == 2)
    api.delete(path("conductor"))
    wait_until(lambda: left() == [])


def test_what_is_old_is_removed_whoever_left_it(project: Project, left: Left) -> None:
    project.write(workload())
    fork = project.deploy()
    clean = ["cluster", "clean", "--namespace", "default"]
    assert CliRunner().invoke(app, clean).output == "nothing older than 2h is left in default\n"
    assert len(left()) == 2
    first, second = CliRunner().invoke(app, [*clean, "--older-than", "0s"]).output.splitlines()
    assert (first.split()[:2], second.split()[:2]) == (["removed", "pod"], ["removed", "secret"])
    wait_until(lambda: left() == [])
    fork.stop()


@pytest.mark.hostile
def test_after_a_kill_whoever_sweeps_finds_the_pods(project: Project, kubernetes: Cluster, left: Left) -> None:
    project.write(workload())
    script = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom pacecar.system.resources import Resources\n"
        "from support.cluster.project import Project\n"
        "Project(folder=Path(sys.argv[1]), resources=Resources(), jar=Path(sys.argv[2])).deploy()\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    asked = subprocess.run(
        [sys.executable, "-c", script, project.folder, project.jar], cwd=CHECKOUT / "tests", capture_output=True
    )
    assert asked.returncode == -9, asked.stderr
    assert len(left()) == 2
    said = sweep()
    assert [line.split()[:2] for line in said if "pacecar-" in line][:2] == [["removed", "pod"], ["removed", "secret"]]
    assert left() == []
