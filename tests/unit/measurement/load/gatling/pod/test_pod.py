"""The objects of a load generator in a cluster."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from lightkube import codecs

from pacecar.measurement.load.gatling.pod.pod import InjectorOrder, pod_of, secret_of
from pacecar.measurement.pods.injectors import InjectorPods
from pacecar.system.cluster.place import Owner, Place

PODS = InjectorPods(
    place=Place(), image="registry.example/pacecar:0.1", node_network=False, cpu=2.0, nodes={"pool": "a"}
)
ORDER = InjectorOrder(
    name="pacecar-1f-injector",
    owner="4481",
    port=20_001,
    heap_bytes=512 << 20,
    lives_s=7200,
    beside=False,
    token="a token",
    variables={"SHOP_PASSWORD": "hunter2"},
    owned_by=Owner(kind="Pod", name="conductor", uid="9"),
)
POD = Owner(kind="Pod", name=ORDER.name, uid="uid")


@pytest.mark.hostile
def test_it_has_no_rights_and_its_secrets_stand_in_its_secret_alone() -> None:
    pod = pod_of(PODS, ORDER)
    assert pod["spec"]["automountServiceAccountToken"] is False
    assert not [secret for secret in ("hunter2", "a token") if secret in json.dumps(pod) + repr(ORDER)]
    assert secret_of(ORDER, pod=POD)["stringData"] == {"PACECAR_SERVER_TOKEN": "a token", "SHOP_PASSWORD": "hunter2"}
    (container,) = pod["spec"]["containers"]
    context = container["securityContext"]
    assert (context["runAsNonRoot"], context["readOnlyRootFilesystem"]) == (True, True)


def test_the_cluster_knows_every_key_of_them() -> None:
    for document in (pod_of(PODS, ORDER), secret_of(ORDER, pod=POD)):
        assert codecs.from_dict(document).metadata.labels == ORDER.labels


def test_it_has_what_the_pods_of_the_target_have() -> None:
    pod = pod_of(replace(PODS, labels={"team": "shop"}, pull_secrets=("registry",)), ORDER)
    assert pod["metadata"]["labels"] == {"team": "shop", **ORDER.labels}
    assert pod["spec"]["imagePullSecrets"] == [{"name": "registry"}]


def test_it_goes_with_whoever_conducts() -> None:
    (owner,) = pod_of(PODS, ORDER)["metadata"]["ownerReferences"]
    assert owner["name"] == "conductor"
    assert "ownerReferences" not in pod_of(PODS, replace(ORDER, owned_by=None))["metadata"]


def test_the_heap_fits_into_its_limit_and_cores_are_limited_where_asked_for() -> None:
    (container,) = pod_of(PODS, ORDER)["spec"]["containers"]
    assert int(container["resources"]["limits"]["memory"]) > 512 << 20
    assert container["resources"]["requests"] == container["resources"]["limits"], "so that a node may give whole cores"
    (free,) = pod_of(replace(PODS, cpu=None), ORDER)["spec"]["containers"]
    assert "cpu" not in free["resources"]["limits"]


def test_it_keeps_away_from_forks_unless_it_reaches_them_on_loopback_alone() -> None:
    away = pod_of(PODS, ORDER)["spec"]["affinity"]
    assert list(away) == ["podAntiAffinity"]
    beside = pod_of(PODS, replace(ORDER, beside=True))["spec"]["affinity"]["podAffinity"]
    (term,) = beside["requiredDuringSchedulingIgnoredDuringExecution"]
    owned, mine = (each["key"] for each in term["labelSelector"]["matchExpressions"])
    assert (owned, mine) == ("dev.pacecar/pair", "dev.pacecar/owner")
