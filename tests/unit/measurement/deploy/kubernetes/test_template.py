"""The pod of a manifest, and what a fork is not made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pacecar.measurement.deploy.kubernetes import ManifestError
from pacecar.measurement.deploy.kubernetes.template import template_of
from pacecar.model.deployment import KubernetesDeployment

CONTAINER = {"name": "orders", "image": "orders:1", "env": [{"name": "A", "value": "1"}]}
SPEC = {"securityContext": {"runAsUser": 1000}, "containers": [CONTAINER]}


def deployment(file: Path, **changes: Any) -> KubernetesDeployment:
    return KubernetesDeployment(manifest=file, sidecar="pacecar:1", **changes)


def of_kind(kind: str, *, name: str = "orders", spec: dict[str, Any] | None = None) -> dict[str, Any]:
    pod = {"metadata": {"annotations": {"a": "b"}}, "spec": SPEC if spec is None else spec}
    inside: dict[str, Any] = {"spec": {"template": pod}}
    if kind == "Pod":
        inside = pod
    if kind == "CronJob":
        inside = {"spec": {"jobTemplate": {"spec": {"template": pod}}}}
    if kind == "PodTemplate":
        inside = {"template": pod}
    return {"apiVersion": "v1", "kind": kind, **inside, "metadata": {**inside.get("metadata", {}), "name": name}}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kubernetes.yaml"


def write(file: Path, *documents: Any) -> None:
    file.write_text(yaml.safe_dump_all(documents))


@pytest.mark.parametrize(
    "kind",
    [
        *("Pod", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "PodTemplate"),
        *("Rollout", "DeploymentConfig"),  # of Argo Rollouts, of OpenShift
    ],
)
def test_every_workload_has_a_pod(file: Path, kind: str) -> None:
    write(file, {"kind": "Service", "metadata": {"name": "orders"}, "spec": {"ports": []}}, None, of_kind(kind))
    template = template_of(deployment(file))
    assert (template.name, template.container, template.user, template.group) == ("orders", "orders", 1000, None)
    assert template.service == CONTAINER
    assert template.annotations == {"a": "b"}
    assert template.variables == {"A": "1"}


def test_one_of_several_is_named(file: Path) -> None:
    others = {**SPEC, "containers": [{"name": "proxy", "image": "proxy:1"}, CONTAINER]}
    write(file, {"kind": "List", "items": [of_kind("Job", name="migrate"), of_kind("Deployment", spec=others)]})
    assert template_of(deployment(file, workload="orders", container="orders")).service == CONTAINER


def test_the_container_says_as_whom_it_runs_before_the_pod_does(file: Path) -> None:
    spec = {**SPEC, "containers": [{**CONTAINER, "securityContext": {"runAsUser": 7, "runAsGroup": 8}}]}
    write(file, of_kind("Pod", spec=spec))
    template = template_of(deployment(file))
    assert (template.user, template.group) == (7, 8)


def test_two_of_one_name_are_told_apart_by_their_kinds(file: Path) -> None:
    other = {**SPEC, "containers": [{"name": "clean", "image": "orders:1"}]}
    write(file, of_kind("Deployment"), of_kind("CronJob", spec=other))
    for workload, container in (("Deployment/orders", "orders"), ("CronJob/orders", "clean")):
        assert template_of(deployment(file, workload=workload)).container == container
    for named, said in ((None, "holds 2 workloads."), ("orders", "holds 2 workloads called 'orders'.")):
        with pytest.raises(ManifestError) as caught:
            template_of(deployment(file, workload=named))
        assert caught.value.message.endswith(said)
        assert "one of: Deployment/orders, CronJob/orders" in (caught.value.hint or "")


def test_what_a_workload_claims_for_each_pod_is_made_for_each_fork(file: Path) -> None:
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    document = of_kind("StatefulSet", spec={**SPEC, "volumes": [{"name": "config", "configMap": {"name": "orders"}}]})
    document["spec"]["volumeClaimTemplates"] = [{"metadata": {"name": "data"}, "spec": claim}]
    write(file, document)
    assert template_of(deployment(file)).spec["volumes"] == [
        {"name": "config", "configMap": {"name": "orders"}},
        {"name": "data", "ephemeral": {"volumeClaimTemplate": {"spec": claim}}},
    ]


@pytest.mark.hostile
@pytest.mark.parametrize("claims", ["data", [3, None, {"metadata": {"name": ["a"]}}], {"a": 1}])
def test_claims_that_are_none(file: Path, claims: Any) -> None:
    document = of_kind("StatefulSet")
    document["spec"]["volumeClaimTemplates"] = claims
    write(file, document)
    assert template_of(deployment(file)).service == CONTAINER


def with_spec(**changes: Any) -> dict[str, Any]:
    return of_kind("Deployment", spec={**SPEC, **changes})


@pytest.mark.parametrize(
    ("documents", "changes", "said", "hint"),
    [
        ([], {}, "holds no pod", "target.kubernetes.manifest"),
        ([["a"], "text", 3], {}, "holds no pod", "target.kubernetes.manifest"),
        ([{"kind": "Deployment", "spec": []}], {}, "holds no pod", "target.kubernetes.manifest"),
        ([of_kind("Job", name="a"), of_kind("Job", name="b")], {}, "holds 2 workloads", "one of: a, b"),
        ([of_kind("Job", name="a")], {"workload": "b"}, "no workload 'b'", "There are: a"),
        ([with_spec(containers=[CONTAINER, {"name": "proxy"}])], {}, "has 2 containers", "one of: orders, proxy"),
        ([with_spec(containers=[])], {}, "has 0 containers", "target.kubernetes.container"),
        ([with_spec()], {"container": "proxy"}, "no container 'proxy'", "There are: orders"),
        ([with_spec(securityContext={})], {}, "does not say which user orders runs as", "runAsUser"),
        ([with_spec(securityContext={"runAsUser": 0})], {}, "or it is root", "runAsUser"),
        ([with_spec(containers="orders")], {}, "spec.containers is not a list", "kubectl"),
        ([with_spec(containers=["orders"])], {}, "spec.containers[0] is not a table", "kubectl"),
        ([with_spec(containers=[None])], {}, "spec.containers[0] is not a table", "kubectl"),
        ([with_spec(volumes=[None])], {}, "spec.volumes[0] is not a table", "kubectl"),
        ([with_spec(volumes=["data"])], {}, "spec.volumes[0] is not a table", "kubectl"),
        ([with_spec(securityContext=1000)], {}, "spec.securityContext is not a table", "kubectl"),
        ([with_spec(containers=[{**CONTAINER, "env": {"A": "1"}}])], {}, "orders: env is not a list", "kubectl"),
        ([with_spec(containers=[{**CONTAINER, "resources": {"limits": 3}}])], {}, "resources.limits is no", "kubectl"),
        ([with_spec(containers=[{"image": "orders:1"}])], {}, "has a container without a name", "kubectl"),
        ([with_spec(containers=[{"name": 7}])], {}, "has a container without a name", "kubectl"),
        ([with_spec(securityContext={"runAsUser": True})], {}, "does not say which user", "runAsUser"),
        ([with_spec(hostPID=True)], {}, "sets hostPID", "Leave out hostPID"),
        ([with_spec(volumes=[{"hostPath": {"path": "/srv"}}])], {}, "the node's folder '/srv'", "emptyDir"),
        ([with_spec(volumes=[{"persistentVolumeClaim": {"claimName": "db"}}])], {}, "the claim 'db'", "emptyDir"),
        (
            [with_spec(initContainers=[{"name": "init", "securityContext": {"privileged": True}}])],
            {},
            "runs init privileged",
            "Leave out privileged",
        ),
    ],
)
def test_what_is_no_pod_of_a_fork(
    file: Path, documents: list[Any], changes: dict[str, Any], said: str, hint: str
) -> None:
    write(file, *documents)
    with pytest.raises(ManifestError) as caught:
        template_of(deployment(file, **changes))
    assert said in caught.value.message
    assert hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a: [1", "line 1 is not YAML"),
        (b"\xff\xfe", "is not YAML"),
        (b"a: &a [*a]\n", "holds no pod"),
        (b"!!python/object/apply:os.system ['true']", "is not YAML"),
        (b"[" * 5_000, "is not YAML"),
        (b"a: b\n" * 300_000, "cannot be read"),
        *((b"a: " + value, "is not YAML") for value in (b"0x_", b"!!int ''", b"!!bool x", b'"\\UFFFFFFFF"')),
        pytest.param(b"a: " + b"1" * 5_000, "is not YAML", id="a number of 5,000 digits"),
        (b"a: !!timestamp 2025-01-01", "is not YAML"),
    ],
)
@pytest.mark.hostile
def test_a_file_that_is_no_manifest(file: Path, content: bytes, said: str) -> None:
    file.write_bytes(content)
    with pytest.raises(ManifestError) as caught:
        template_of(deployment(file))
    assert said in caught.value.message


@pytest.mark.hostile
def test_a_pod_that_is_larger_than_its_file(file: Path) -> None:
    layers = "\n".join(f"  l{at}: &l{at} [{', '.join([f'*l{at - 1}'] * 9)}]" for at in range(1, 12))
    file.write_text(f"kind: Pod\nmetadata: {{name: a}}\nspec:\n  l0: &l0 [x]\n{layers}\n")
    with pytest.raises(ManifestError, match="holds more than 20,000 values"):
        template_of(deployment(file))
    file.write_text("kind: Pod\nmetadata: {name: a}\nspec: &s {containers: [*s]}\n")
    with pytest.raises(ManifestError, match="or itself"):
        template_of(deployment(file))


@pytest.mark.hostile
def test_what_stands_around_a_pod_is_no_larger_than_its_file(file: Path) -> None:
    layers = "\n".join(f"l{at}: &l{at} [{', '.join([f'*l{at - 1}'] * 9)}]" for at in range(1, 12))
    around = "metadata: {name: *l11, annotations: {a: *l11, b: 2025-02-30, c: 1}}"
    spec = "spec: {securityContext: {runAsUser: 7}, containers: [{name: a}]}"
    file.write_text(f"l0: &l0 [x]\n{layers}\nkind: Pod\n{around}\n{spec}\n")
    template = template_of(deployment(file))
    assert (template.name, template.annotations) == ("without a name", {"a": "", "b": "2025-02-30", "c": "1"})


@pytest.mark.hostile
def test_tables_that_are_merged_without_end(file: Path) -> None:
    layers = "\n".join(f"l{at}: &l{at} {{<<: [{', '.join([f'*l{at - 1}'] * 9)}]}}" for at in range(1, 12))
    file.write_text(f"l0: &l0 {{a: 1}}\n{layers}\n")
    with pytest.raises(ManifestError, match="merges more than any manifest does"):
        template_of(deployment(file))


@pytest.mark.hostile
def test_a_long_text_that_stands_in_many_places(file: Path) -> None:
    container = f"{{name: a, args: [&t {'x' * 1_000_000}, {', '.join(['*t'] * 9_000)}]}}"
    file.write_text(f"kind: Pod\nmetadata: {{name: a}}\nspec: {{containers: [{container}]}}\n")
    with pytest.raises(ManifestError, match="holds more than"):
        template_of(deployment(file))


def test_options_of_the_jvm_that_come_from_elsewhere(file: Path) -> None:
    env = [{"name": "JAVA_TOOL_OPTIONS", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}]
    write(file, with_spec(containers=[{**CONTAINER, "env": env}]))
    with pytest.raises(ManifestError, match="JAVA_TOOL_OPTIONS of container orders comes from elsewhere"):
        _ = template_of(deployment(file)).jvm_options
