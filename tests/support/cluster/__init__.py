"""A real one-node Kubernetes cluster for the tests, built only from programs in package registries.

etcd, containerd, runc and the network plugins are Debian's. Kubernetes itself, and the image that holds a pod, are
built once from the Go module proxy (`support.go_programs`). No image registry is used: images are imported from
archives (`support.cluster.archives`).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import go_programs
from support.cluster import node as nodes
from support.cluster import parts
from support.cluster.api import Api, Refused
from support.cluster.archives import Image, layer
from support.cluster.node import NoCluster, Node

__all__ = ["BUILT", "Cluster", "NoCluster", "lacking", "running"]

#: Programs that are built from the Go module proxy, the largest first.
BUILT = ("kubernetes-node", "pause")

_START_S = 120
_POLL_S = 0.1
#: program -> the Debian package that brings it
_PROGRAMS = {"etcd": "etcd-server", "containerd": "containerd", "ctr": "containerd", "runc": "runc"}


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A cluster that answers; its node is ready."""

    kubeconfig: Path
    node: str
    api: Api
    folder: Path
    services: str
    _socket: Path
    _node: Node

    def load(self, archive: Path | Image) -> None:
        """Import an image, of an archive or yet to be one."""
        with tempfile.TemporaryFile() as said:
            importing = subprocess.Popen(
                self._ctr("images", "import", "-"), stdin=subprocess.PIPE, stdout=said, stderr=said
            )
            assert importing.stdin is not None
            with contextlib.suppress(BrokenPipeError), importing.stdin as stream:
                if isinstance(archive, Image):
                    archive.write(stream)
                else:
                    with archive.open("rb") as file:
                        shutil.copyfileobj(file, stream)
            failed = importing.wait(300)
            said.seek(0)
            assert not failed, said.read().decode()

    def start(self, name: str, *command: str | Path, env: Mapping[str, str]) -> None:
        """Start a program of the node beside Kubernetes; it ends with the cluster."""
        self._node.start(name, *command, env=env)

    def require(self) -> None:
        """See that every part still runs.

        Raises:
            NoCluster: when one does not.
        """
        self._node.require()

    def ctr(self, *arguments: str) -> str:
        """What `ctr` says, asked about what Kubernetes has in containerd."""
        done = subprocess.run(self._ctr(*arguments), capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _ctr(self, *arguments: str) -> list[str]:
        return ["ctr", "--address", str(self._socket), "--namespace", "k8s.io", *arguments]


def lacking() -> str:
    """What keeps a cluster from running here, with the remedy; "" when nothing does."""
    if os.geteuid() != 0:
        return "only root can start a cluster"
    for program, package in _PROGRAMS.items():
        if shutil.which(program) is None:
            return f"no {program}; apt-get install {package}"
    if parts.plugins() is None:
        return "no plugins for the networks of pods; apt-get install containernetworking-plugins"
    return next(filter(None, map(go_programs.lacking, BUILT)), "")


@contextlib.contextmanager
def running() -> Iterator[Cluster]:
    """A cluster; nothing is left of it afterwards, or of one that did not start.

    Raises:
        NoCluster: when it does not start.
    """
    program, pause = map(go_programs.program, BUILT)
    with nodes.place() as place, nodes.started(place) as node:
        access = parts.access(place)
        store = parts.etcd(node)
        socket = parts.containerd(node)
        parts.apiserver(node, program, access, store)
        api = Api(access.for_admin)
        cluster = Cluster(
            kubeconfig=access.for_admin,
            node=nodes.NAME,
            api=api,
            folder=place.folder,
            services=place.services,
            _socket=socket,
            _node=node,
        )
        _await(node, "containerd", lambda: _answers(cluster))
        held = layer(place.folder / "pause.tar", {"pause": pause})
        cluster.load(Image(name=parts.PAUSE, layers=[held], config={"Entrypoint": ["/pause"]}))
        _await(node, "apiserver", api.answers)
        parts.controllers(node, program, access)
        parts.scheduler(node, program, access)
        parts.kubelet(node, program, access, socket)
        _await(node, "kubelet", lambda: _ready(api))
        yield cluster


def _await(node: Node, part: str, happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _START_S
    while not happened():
        node.require()
        if time.monotonic() > deadline:
            raise NoCluster(f"{part} does not come up: {nodes.last_words(node.said(part))}")
        time.sleep(_POLL_S)


def _answers(cluster: Cluster) -> bool:
    with contextlib.suppress(AssertionError):
        return bool(cluster.ctr("version"))
    return False


def _ready(api: Api) -> bool:
    """Whether the node takes pods, and pods have whom to act as."""
    try:
        found: dict[str, Any] = api.get(f"/api/v1/nodes/{nodes.NAME}")
        api.get("/api/v1/namespaces/default/serviceaccounts/default")
    except Refused:
        return False
    states = {each["type"]: each["status"] for each in found["status"].get("conditions", ())}
    return states.get("Ready") == "True" and not found["spec"].get("taints")
