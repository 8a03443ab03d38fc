"""A one-class service to compare in a cluster, and what an admin sets up there first."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from pacecar.onboarding.cluster_manifest import cluster_manifest
from support.cluster import Cluster
from support.cluster.images import PACECAR
from support.cluster.pods import container
from support.object_store import gateway
from support.small_service import SmallService

_RBAC = "/apis/rbac.authorization.k8s.io/v1"


def admit(cluster: Cluster) -> None:
    """The accounts that an admin creates, without quota, network policy and namespace."""
    apis = {"ServiceAccount": "/api/v1", "Role": _RBAC, "RoleBinding": _RBAC}
    for document in yaml.safe_load_all(cluster_manifest("default")):
        if (kind := document["kind"]) in apis:
            cluster.api.create(f"{apis[kind]}/namespaces/default/{kind.lower()}s", document)


def project(folder: Path, server: gateway.Gateway, *, queue: str | None = None) -> Path:
    """A project whose service is a pod, with a store that the cluster can reach, and a `queue` if there is one."""
    folder.mkdir()
    SmallService(folder).commit("As it was at first")
    run = container("small", "java", "-Xms64m", "-Xmx64m", "-jar", "/app/service.jar", "$(PORT)")
    pod = {"hostNetwork": True, "containers": [run]}
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "small"}, "spec": pod}
    (folder / "kubernetes.yaml").write_text(yaml.safe_dump(manifest))
    config = folder / "pacecar.toml"
    text = re.sub(
        r"(?m)^command = \[\"\{java\}.*$", 'deploy = "kubernetes"\nenv = { PORT = "{port}" }', config.read_text()
    )
    # Two jobs that sent load themselves would ask for both cores of a small node, and leave none for their forks.
    waits = "" if queue is None else f'queue = "{queue}"\n\n[target.kubernetes.injectors]\n'
    table = f'[target.kubernetes]\njar = "/app/service.jar"\nsidecar = "{PACECAR}"\n{waits}\n[source]'
    store = f'[archive]\nurl = "{server.url}"\noptions = {{ endpoint = "{server.endpoint}" }}\n'
    config.write_text(f"{text.replace('[source]', table, 1)}\n{store}")
    return folder


def names(cluster: Cluster, path: str) -> list[str]:
    """The names that the API lists there."""
    return [each["metadata"]["name"] for each in cluster.api.get(path)["items"]]
