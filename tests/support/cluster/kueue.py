"""Kueue in a cluster of the tests: its controller, and everything that an admin applies for it, from its own module.

The controller is a process on the node instead of a pod. It listens at its service's address on the loopback interface,
so that the API finds its webhooks as in any cluster.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import urllib3
import yaml

from pacecar.measurement.deploy.ports import free_port
from support import go_programs
from support.cluster.api import Refused

if TYPE_CHECKING:
    from support.cluster import Cluster

PROGRAM = "kueue"
GROUP = "/apis/kueue.x-k8s.io/v1beta2"

_NAMESPACE, _PREFIX, _SERVICE = "kueue-system", "kueue-", "kueue-webhook-service"
#: Written by the controller, which makes its own certificates.
_SECRET = "kueue-webhook-server-cert"
_CORE = f"/api/v1/namespaces/{_NAMESPACE}"
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_HOOKS = "/apis/admissionregistration.k8s.io/v1"
#: Whose webhooks the controller answers here; those of other kinds of jobs would refuse everything.
_GROUPS = {"batch", "kueue.x-k8s.io"}
_NINTH, _PORT = 9, 443
_START_S, _POLL_S = 90, 0.2


def start(cluster: Cluster) -> None:
    """Start it; returns when the API finds it."""
    files = go_programs.beside(PROGRAM)
    address = str(ipaddress.ip_network(cluster.services)[_NINTH])
    cluster.api.create("/api/v1/namespaces", {"metadata": {"name": _NAMESPACE}})
    cluster.api.create(f"{_CORE}/secrets", {"metadata": {"name": _SECRET}})
    ports = [{"port": _PORT, "protocol": "TCP"}]
    service = {"metadata": {"name": _SERVICE}, "spec": {"clusterIP": address, "ports": ports}}
    cluster.api.create(f"{_CORE}/services", service)
    for definition in _definitions(files / "crd"):
        cluster.api.create(_DEFINITIONS, definition)
    for hooks in _hooks(files / "webhook" / "manifests.yaml"):
        cluster.api.create(f"{_HOOKS}/{hooks['kind'].lower()}s", hooks)
    certificates = cluster.folder / "kueue"
    certificates.mkdir()
    config = cluster.folder / "kueue.json"
    config.write_text(json.dumps(_config(certificates, address)))
    gates = "--feature-gates=VisibilityOnDemand=false"
    kubeconfig = {"KUBECONFIG": str(cluster.kubeconfig)}
    cluster.start(PROGRAM, go_programs.program(PROGRAM), f"--config={config}", gates, env=kubeconfig)
    made = cluster.api.wait(f"{_CORE}/secrets/{_SECRET}", lambda secret: "tls.crt" in secret.get("data", {}))
    for name, content in made["data"].items():  # which the kubelet would mount
        (certificates / name).write_bytes(base64.b64decode(content))


def apply(cluster: Cluster, document: dict[str, Any]) -> None:
    """Make what an admin applies for Kueue, once it answers."""
    metadata, kind = document["metadata"], f"{document['kind'].lower()}s"
    where = f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else ""
    deadline = time.monotonic() + _START_S
    while True:
        try:
            cluster.api.create(f"{GROUP}{where}/{kind}", document)
            return
        except (Refused, urllib3.exceptions.HTTPError):
            if time.monotonic() > deadline:
                raise
        cluster.require()
        time.sleep(_POLL_S)


def _definitions(folder: Path) -> Iterator[dict[str, Any]]:
    converted = {}
    for file in (folder / "patches").glob("webhook_in_*.yaml"):
        patch = _read(file)[0]
        converted[patch["metadata"]["name"]] = patch["spec"]["conversion"]
    for file in sorted((folder / "bases").glob("*.yaml")):
        for definition in _read(file):
            if (conversion := converted.get(definition["metadata"]["name"])) is not None:
                _point(conversion["webhook"])
                definition["spec"]["conversion"] = conversion
            yield definition


def _hooks(file: Path) -> Iterator[dict[str, Any]]:
    for document in _read(file):
        hooks = [each for each in document["webhooks"] if _GROUPS.issuperset(each["rules"][0]["apiGroups"])]
        for each in hooks:
            _point(each)
        yield {**document, "metadata": {"name": _PREFIX + document["metadata"]["name"]}, "webhooks": hooks}


def _point(hook: dict[str, Any]) -> None:
    """The names that an overlay of theirs gives to what their manifests call otherwise."""
    hook["clientConfig"]["service"] |= {"name": _SERVICE, "namespace": _NAMESPACE}


def _config(folder: Path, address: str) -> dict[str, Any]:
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "namespace": _NAMESPACE,
        "health": {"healthProbeBindAddress": f"{address}:{free_port()}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": address, "port": _PORT, "certDir": str(folder)},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": True, "webhookServiceName": _SERVICE, "webhookSecretName": _SECRET},
        "integrations": {"frameworks": ["batch/job"]},
    }


def _read(file: Path) -> list[dict[str, Any]]:
    documents = yaml.load_all(file.read_bytes(), Loader=yaml.CSafeLoader)  # the fast one: they are large
    return [each for each in documents if each]
