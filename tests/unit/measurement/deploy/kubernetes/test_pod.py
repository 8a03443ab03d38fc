"""The pod of a fork: the user's own, and what is different about it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lightkube import codecs
from lightkube.resources.core_v1 import Pod, Secret

from pacecar.measurement.deploy.kubernetes.pod import SIDECAR, PodOrder, pod_of, secret_of
from pacecar.measurement.deploy.kubernetes.template import Template
from pacecar.model.deployment import KubernetesDeployment
from pacecar.system.cluster import FORK, INJECTOR, OWNER, PAIR, RUN
from pacecar.system.cluster.place import Owner

SERVICE = {
    "name": "orders",
    "image": "orders:1",
    "env": [{"name": "PORT", "value": "80"}, {"name": "KEPT", "value": "yes"}],
    "ports": [{"containerPort": 80, "hostPort": 80}],
    "livenessProbe": {"httpGet": {"path": "/", "port": 80}},
    "readinessProbe": {"httpGet": {"path": "/", "port": 80}},
    "volumeMounts": [{"name": "config", "mountPath": "/etc/orders"}],
    "resources": {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}},
}
SPEC = {
    "nodeName": "worker-1",
    "serviceAccountName": "orders",
    "restartPolicy": "Always",
    "initContainers": [{"name": "migrate", "image": "migrate:1"}],
    "containers": [SERVICE, {"name": "db", "image": "db:1", "livenessProbe": {}}],
    "volumes": [{"name": "config", "configMap": {"name": "orders"}}],
    "nodeSelector": {"disk": "ssd"},
}
SECRET = "to be kept"
POD = Owner(kind="Pod", name="pacecar-1-b", uid="1-2")


def made(template: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    found = Template(
        name="orders", annotations={"a": "b"}, spec=template or SPEC, container="orders", user=1000, group=None
    )
    deployment = KubernetesDeployment(
        manifest=Path("kubernetes.yaml"), sidecar="pacecar:1", jar="/app/orders.jar", **changes
    )
    return pod_of(found, deployment, order())


def order() -> PodOrder:
    return PodOrder(
        name="pacecar-1-b",
        owner="owner",
        pair="pair",
        image=None,
        port=8080,
        sidecar_port=7000,
        environment={"PORT": "8080", "ASKED": "$(HOME)"},
        secrets={"DB_PASSWORD": SECRET},
        token="a token",
        jar="jar",
        lives_s=600,
    )


def service_of(pod: dict[str, Any]) -> dict[str, Any]:
    return next(each for each in pod["spec"]["containers"] if each["name"] == "orders")


def test_what_the_cluster_takes() -> None:
    """Every field has a place in the API's own types: what has none would be dropped without a word."""
    pod = made(cpu=2.0, memory_bytes=1 << 30, nodes={"pool": "quiet"})
    assert codecs.from_dict(pod).to_dict() == pod
    assert isinstance(codecs.from_dict(pod), Pod)
    assert isinstance(codecs.from_dict(secret_of(order(), pod=POD)), Secret)


def test_what_stays_and_what_goes() -> None:
    pod = made(nodes={"pool": "quiet"})
    spec = pod["spec"]
    assert not {"nodeName", "serviceAccountName"} & spec.keys()
    assert spec["restartPolicy"] == "Never"
    assert spec["automountServiceAccountToken"] is False
    assert spec["activeDeadlineSeconds"] == 600
    assert spec["nodeSelector"] == {"disk": "ssd", "pool": "quiet"}
    assert [each["name"] for each in spec["initContainers"]] == [SIDECAR, "migrate"]
    service = service_of(pod)
    assert not {"ports", "livenessProbe", "readinessProbe"} & service.keys()
    assert "livenessProbe" not in spec["containers"][1]
    assert {"name": "config", "mountPath": "/etc/orders"} in service["volumeMounts"]
    assert pod["metadata"]["annotations"] == {"a": "b"}
    assert {OWNER: "owner", FORK: "pacecar-1-b"}.items() <= pod["metadata"]["labels"].items()
    assert SPEC["restartPolicy"] == "Always", "the template is for the next fork, too"


def test_what_starts_before_the_service_and_runs_on_is_left_alone() -> None:
    """A native sidecar: its start is waited for, and nobody asks it anything afterwards."""
    probe = {"tcpSocket": {"port": "proxy"}}
    proxy = {
        "name": "proxy",
        "restartPolicy": "Always",
        "ports": [{"name": "proxy", "containerPort": 9000, "hostPort": 9000}],
        **dict.fromkeys(("startupProbe", "livenessProbe", "readinessProbe"), probe),
    }
    _, found = made({**SPEC, "initContainers": [proxy]})["spec"]["initContainers"]
    assert found == {
        "name": "proxy",
        "restartPolicy": "Always",
        "ports": [{"name": "proxy", "containerPort": 9000}],
        "startupProbe": probe,
    }


def test_what_is_meant_for_many_pods_of_a_workload_goes() -> None:
    gone = {
        "topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
        "schedulingGates": [{"name": "example.com/wait"}],
        "ephemeralContainers": [{"name": "debug", "image": "debug:1"}],
    }
    assert not gone.keys() & made({**SPEC, **gone})["spec"].keys()


def test_what_the_manifest_has_the_kubelet_fill_in_stays_so() -> None:
    options = "-javaagent:a.jar -Xmx$(HEAP) -Dliteral=$$(HEAP)"
    spec = {**SPEC, "containers": [{**SERVICE, "env": [{"name": "JAVA_TOOL_OPTIONS", "value": options}]}]}
    template = Template(name="orders", annotations={}, spec=spec, container="orders", user=1000, group=None)
    stated = template.jvm_options["JAVA_TOOL_OPTIONS"]
    ours = replace(order(), environment={"JAVA_TOOL_OPTIONS": f"-Dours=$(HOME) {stated}"})
    deployment = KubernetesDeployment(manifest=Path("kubernetes.yaml"), sidecar="pacecar:1")
    (found,) = (
        each for each in service_of(pod_of(template, deployment, ours))["env"] if each["name"].startswith("JAVA")
    )
    assert found["value"] == f"-Dours=$$(HOME) {options}"


def test_what_goes_with_what() -> None:
    """The secret with its pod, and the pod with whoever measures, where that is a pod as well."""
    owned = secret_of(order(), pod=POD)["metadata"]["ownerReferences"]
    assert owned == [{"apiVersion": "v1", "kind": "Pod", "name": "pacecar-1-b", "uid": "1-2"}]
    assert "ownerReferences" not in made()["metadata"]


def test_where_it_goes_is_what_the_manifest_says_and_ours_behind_it() -> None:
    preferred, required = (f"{kind}DuringSchedulingIgnoredDuringExecution" for kind in ("preferred", "required"))
    theirs = {"weight": 1, "podAffinityTerm": {"topologyKey": "zone"}}
    stated = {"nodeAffinity": {required: {"nodeSelectorTerms": []}}, "podAntiAffinity": {preferred: [theirs]}}
    affinity = made({**SPEC, "affinity": stated})["spec"]["affinity"]
    assert affinity["nodeAffinity"] == stated["nodeAffinity"]
    (together,) = affinity["podAffinity"][required]
    assert together["labelSelector"] == {"matchLabels": {OWNER: "owner", PAIR: "pair"}}
    first, *ours = affinity["podAntiAffinity"][preferred]
    assert first == theirs
    selected = [each["podAffinityTerm"]["labelSelector"]["matchExpressions"] for each in ours]
    assert selected[:2] == [[{"key": label, "operator": "Exists"}] for label in (RUN, INJECTOR)]
    assert {"key": OWNER, "operator": "NotIn", "values": ["owner"]} in selected[2]


def test_variables_are_ours_where_both_have_them() -> None:
    env = {each["name"]: each.get("value") for each in service_of(made())["env"]}
    assert env == {"KEPT": "yes", "PORT": "8080", "ASKED": "$$(HOME)", "DB_PASSWORD": None}


@pytest.mark.hostile
def test_no_secret_stands_in_a_pod() -> None:
    pod = json.dumps(made())
    assert SECRET not in pod
    assert "a token" not in pod
    assert secret_of(order(), pod=POD)["stringData"] == {"PACECAR_SERVER_TOKEN": "a token", "DB_PASSWORD": SECRET}


def test_the_jar_lies_where_the_image_looks_for_it() -> None:
    mount = next(each for each in service_of(made())["volumeMounts"] if each.get("subPath"))
    assert mount == {"name": "pacecar", "mountPath": "/app/orders.jar", "subPath": "files/jar", "readOnly": True}


def test_both_have_one_tmp() -> None:
    def tmp(container: dict[str, Any]) -> str:
        return next(str(each["name"]) for each in container["volumeMounts"] if each["mountPath"] == "/tmp")

    own = made()
    assert tmp(service_of(own)) == tmp(own["spec"]["initContainers"][0]) == "pacecar-tmp"
    mounts = [{"name": "scratch", "mountPath": "/tmp"}]
    users = made({**SPEC, "containers": [{**SERVICE, "volumeMounts": mounts}]})
    assert tmp(service_of(users)) == tmp(users["spec"]["initContainers"][0]) == "scratch"


def test_a_service_with_cores_of_its_own_is_in_a_pod_that_is_limited_throughout() -> None:
    pod = made({**SPEC, "containers": [SERVICE]}, cpu=2.0, memory_bytes=1 << 30)
    for container in (service_of(pod), pod["spec"]["initContainers"][0]):
        resources = container["resources"]
        assert resources["requests"] == resources["limits"], container["name"]
    assert service_of(pod)["resources"]["limits"] == {"cpu": "2000m", "memory": str(1 << 30)}


def test_labels_that_the_cluster_wants_stand_beside_ours() -> None:
    labels = made(labels={"team": "shop", OWNER: "somebody else"})["metadata"]["labels"]
    assert labels["team"] == "shop"
    assert labels[OWNER] == "owner"


def test_the_sidecar_may_do_nothing() -> None:
    sidecar = made()["spec"]["initContainers"][0]
    context = sidecar["securityContext"]
    assert context["runAsUser"] == 1000
    assert context["runAsNonRoot"] is context["readOnlyRootFilesystem"] is True
    assert context["allowPrivilegeEscalation"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}
