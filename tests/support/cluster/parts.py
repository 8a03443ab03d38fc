"""The parts of a one-node cluster, each configured to be small, quick to answer, and idle while nothing happens.

Tests measure at the same time, on two cores. So parts that would poll every few seconds poll every few minutes or
never.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pacecar.measurement.deploy.ports import free_port
from support.cluster import certificates
from support.cluster.certificates import Authority, Pair
from support.cluster.node import NAME, Node, Place

#: The image of what holds a pod's namespaces.
PAUSE = "pacecar-test/pause:1"
#: Where Debian puts the plugins for pods' networks, and where everybody else does.
PLUGINS = (Path("/usr/lib/cni"), Path("/opt/cni/bin"))

#: The port that the service `kubernetes` has, whatever the API is told. As the API listens there, on the address of
#: that service, programs in pods with the node's network find it as in any cluster, though nobody routes services here.
_API_PORT = 443
#: Those that something depends on here: nodes, pods, what makes pods, rights, and what removes all that again.
_CONTROLLERS = (
    *("node-lifecycle-controller", "taint-eviction-controller", "pod-garbage-collector-controller"),
    *("deployment-controller", "replicaset-controller", "statefulset-controller"),
    *("job-controller", "ttl-after-finished-controller"),
    *("endpoints-controller", "endpointslice-controller", "resourcequota-controller"),
    *("serviceaccount-controller", "serviceaccount-token-controller", "root-ca-certificate-publisher-controller"),
    *("clusterrole-aggregation-controller", "garbage-collector-controller", "namespace-controller"),
)
_WORKERS = (
    *("deployment", "endpoint", "gc", "job", "namespace", "replicaset", "resource-quota"),
    *("service-endpoint", "serviceaccount-token", "statefulset", "ttl-after-finished"),
)


@dataclass(frozen=True, kw_only=True)
class Access:
    """Keys and kubeconfigs of a cluster: of an administrator, of the node, of the API, of the node's server."""

    authority: Authority
    admin: Pair
    api: Pair
    kubelet: Pair
    tokens: tuple[Path, Path]
    for_admin: Path
    for_node: Path


def access(place: Place) -> Access:
    """Made anew for the cluster at `place`."""
    folder = place.folder / "keys"
    folder.mkdir()
    authority = Authority(folder)
    url = f"https://{place.address}:{_API_PORT}"
    admin = authority.client("admin", group="system:masters")
    node = authority.client(f"system:node:{NAME}", group="system:nodes")
    named = ("kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost", place.address)
    return Access(
        authority=authority,
        admin=admin,
        api=authority.server("api", named),
        kubelet=authority.server("kubelet", (NAME, place.address)),
        tokens=certificates.signing_key(folder),
        for_admin=certificates.kubeconfig(place.folder / "kubeconfig", url, authority, admin),
        for_node=certificates.kubeconfig(folder / "node.kubeconfig", url, authority, node),
    )


def etcd(node: Node) -> str:
    """Start the store; its address."""
    clients, peers = (f"http://{node.place.address}:{free_port()}" for _ in range(2))
    told = {
        "data-dir": node.place.folder / "etcd",
        "listen-client-urls": clients,
        "advertise-client-urls": clients,
        "listen-peer-urls": peers,
        "initial-advertise-peer-urls": peers,
        "initial-cluster": f"default={peers}",
        "heartbeat-interval": "500",
        "election-timeout": "2500",
        "log-level": "warn",
        "logger": "zap",
    }
    node.start("etcd", "etcd", *_flags(told))
    return clients


def containerd(node: Node) -> Path:
    """Start what runs containers; its socket."""
    folder = node.place.folder
    socket = folder / "containerd.sock"
    (folder / "network").mkdir()
    (folder / "network" / "pods.conflist").write_text(json.dumps(_network(node.place)))
    file = folder / "containerd.toml"
    file.write_text(_CONTAINERD.format(folder=folder, socket=socket, plugins=plugins(), pause=PAUSE))
    node.start("containerd", "containerd", "--config", file)
    return socket


def plugins() -> Path | None:
    """The folder with the plugins for pods' networks."""
    return next((folder for folder in PLUGINS if (folder / "ptp").exists()), None)


def apiserver(node: Node, program: Path, access: Access, store: str) -> None:
    """Start the API."""
    private, public = access.tokens
    told = {
        "etcd-servers": store,
        "etcd-count-metric-poll-period": "0",
        "bind-address": node.place.address,
        "secure-port": str(_API_PORT),
        "service-cluster-ip-range": node.place.services,
        "endpoint-reconciler-type": "none",
        "authorization-mode": "Node,RBAC",
        "enable-admission-plugins": "NodeRestriction",
        "allow-privileged": "true",
        "client-ca-file": access.authority.certificate,
        "tls-cert-file": access.api.certificate,
        "tls-private-key-file": access.api.key,
        "service-account-issuer": "https://kubernetes.default.svc",
        "service-account-key-file": public,
        "service-account-signing-key-file": private,
        "kubelet-certificate-authority": access.authority.certificate,
        "kubelet-client-certificate": access.admin.certificate,
        "kubelet-client-key": access.admin.key,
        "kubelet-preferred-address-types": "Hostname",
        "enable-priority-and-fairness": "false",
        "feature-gates": "APIServerIdentity=false",
        "profiling": "false",
        "event-ttl": "30m",
    }
    node.start("apiserver", program, "apiserver", *_flags(told))


def controllers(node: Node, program: Path, access: Access) -> None:
    """Start the controllers, with an administrator's rights: RBAC gives them too few under one name.

    They take the node for lost after a day, since it hardly says that it lives.
    """
    told = {
        "kubeconfig": access.for_admin,
        "controllers": ",".join(_CONTROLLERS),
        "root-ca-file": access.authority.certificate,
        "service-account-private-key-file": access.tokens[0],
        "leader-elect": "false",
        "secure-port": "0",
        "node-monitor-period": "10s",
        "node-monitor-grace-period": "24h",
        "profiling": "false",
        **{f"concurrent-{what}-syncs": "2" for what in _WORKERS},
    }
    node.start("controllers", program, "controllers", *_flags(told))


def scheduler(node: Node, program: Path, access: Access) -> None:
    """Start what gives pods to the node."""
    told = {"kubeconfig": access.for_admin, "leader-elect": "false", "secure-port": "0", "profiling": "false"}
    node.start("scheduler", program, "scheduler", *_flags(told))


def kubelet(node: Node, program: Path, access: Access, socket: Path) -> None:
    """Start what keeps the node's pods."""
    folder = node.place.folder
    config = folder / "kubelet.json"
    config.write_text(json.dumps(_kubelet(node.place, access, socket), indent=1))
    told = {
        "config": config,
        "kubeconfig": access.for_node,
        "root-dir": folder / "kubelet",
        "hostname-override": NAME,
        "housekeeping-interval": "5m",
    }
    node.start("kubelet", program, "kubelet", *_flags(told))


def _kubelet(place: Place, access: Access, socket: Path) -> dict[str, object]:
    """Kubelet's settings. It evicts nothing and removes no image, however full the disk is, and changes no firewall."""
    never = dict.fromkeys(("memory.available", "nodefs.available", "nodefs.inodesFree", "imagefs.available"), "0%")
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "address": place.address,
        "port": free_port(),
        "healthzPort": 0,
        "tlsCertFile": str(access.kubelet.certificate),
        "tlsPrivateKeyFile": str(access.kubelet.key),
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": False},
            "x509": {"clientCAFile": str(access.authority.certificate)},
        },
        "authorization": {"mode": "AlwaysAllow"},
        "containerRuntimeEndpoint": f"unix://{socket}",
        "cgroupDriver": "cgroupfs",
        "cgroupRoot": f"/{place.control_group}",
        "podLogsDir": str(place.folder / "logs"),
        "resolvConf": "",
        "failSwapOn": False,
        "makeIPTablesUtilChains": False,
        "oomScoreAdj": 0,
        "evictionHard": never,
        "imageGCHighThresholdPercent": 100,
        "volumeStatsAggPeriod": "-1s",
        "nodeStatusUpdateFrequency": "5m",
        "nodeLeaseDurationSeconds": 3600,
    }


def _network(place: Place) -> dict[str, object]:
    """Each pod that does not share the node's network gets an address that the machine reaches, and no way further."""
    addresses = {"type": "host-local", "ranges": [[{"subnet": place.pods}]], "dataDir": str(place.folder / "addresses")}
    return {"cniVersion": "0.4.0", "name": "pods", "plugins": [{"type": "ptp", "ipMasq": False, "ipam": addresses}]}


def _flags(told: Mapping[str, object]) -> list[str]:
    return [f"--{name}={value}" for name, value in told.items()]


#: Some machines let not even root lower a score by which the kernel picks what to kill.
_CONTAINERD = """
version = 2
root = "{folder}/containerd"
state = "{folder}/state"
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.opt",
]
[grpc]
address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "{pause}"
restrict_oom_score_adj = true
stats_collect_period = 3600
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{plugins}"
conf_dir = "{folder}/network"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
"""
