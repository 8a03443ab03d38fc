"""A folder with a manifest, and forks of its service, each of them a pod."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from pacecar.measurement.deploy.deployers import deployer_of
from pacecar.measurement.deploy.fork import Attach, Attachment, ForkOrder
from pacecar.measurement.deploy.kubernetes.fork import KubernetesFork
from pacecar.model.deployment import KubernetesDeployment
from pacecar.model.experiment import BuildKind, BuildRequest, Readiness, Side, Target
from pacecar.system.resources import Resources
from support.cluster.images import PACECAR
from support.cluster.pods import container

JAR = "/app/service.jar"


def workload(*others: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A Deployment of the service of the tests, as a user would have one; its pods have the network of the node."""
    service = {**container("app", "java", "-jar", JAR), **changes.pop("service", {})}
    spec = {"hostNetwork": True, "containers": [service, *others], **changes}
    labels = {"app": "app"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "app"},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


@dataclass(frozen=True, kw_only=True)
class Project:
    """A folder with a manifest, and forks of its workload `app`."""

    folder: Path
    resources: Resources
    jar: Path

    def write(self, *documents: dict[str, Any]) -> Path:
        manifest = self.folder / "kubernetes.yaml"
        manifest.write_text(yaml.safe_dump_all(documents))
        return manifest

    def target(self, **changes: Any) -> Target:
        deployment = KubernetesDeployment(manifest=self.folder / "kubernetes.yaml", sidecar=PACECAR, jar=JAR)
        target = Target(
            name="app",
            deployment=replace(deployment, **changes.pop("deployment", {})),
            directory=self.folder,
            env={"PORT": "{port}", **changes.pop("env", {})},
            secrets=changes.pop("secrets", {}),
            port=None,
            ready=Readiness(path="/health", timeout_s=changes.pop("timeout_s", 90)),
            metrics_path=None,
            application=(),
        )
        return replace(target, **changes)

    def deploy(
        self, *, attach: Attach | None = None, side: Side = Side.CANDIDATE, build: str | None = None, **changes: Any
    ) -> KubernetesFork:
        """A fork of the service, not waited for; `build` is an image, the jar where it is None."""
        target = self.target(**changes)
        kind = BuildKind.JAR if build is None else BuildKind.IMAGE
        request = BuildRequest(kind=kind, value=str(self.jar) if build is None else build, label="service")
        deployer = deployer_of(target, resources=self.resources)
        made = deployer.make(request, source=None, log_dir=self.folder / "logs")
        folder = self.folder / side.value
        folder.mkdir(exist_ok=True)
        order = ForkOrder(
            request=request,
            side=side,
            jar=made.path,
            images=made.images,
            folder=folder,
            scratch=self.resources.folder("fork"),
        )
        fork = deployer.deploy(order, attach or (lambda view: Attachment()))
        assert isinstance(fork, KubernetesFork)
        return fork
