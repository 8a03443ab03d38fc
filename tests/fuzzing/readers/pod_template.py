"""A Kubernetes manifest, as far as a fork uses it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from fuzzing import scratch
from pacecar.measurement.deploy.kubernetes import ManifestError
from pacecar.measurement.deploy.kubernetes.pod import PodOrder, pod_of
from pacecar.measurement.deploy.kubernetes.template import template_of
from pacecar.model.deployment import KubernetesDeployment

ORDER = PodOrder(
    name="pacecar-1",
    owner="owner",
    pair="pair",
    image=None,
    port=8080,
    sidecar_port=7000,
    environment={"JAVA_TOOL_OPTIONS": "-Xmx64m"},
    token="token",
    jar="jar",
)


def parse(data: bytes) -> None:
    path = scratch.path("kubernetes.yaml")
    path.write_bytes(data)
    deployment = KubernetesDeployment(manifest=path, sidecar="pacecar:1", jar="/app.jar", cpu=1.0)
    with contextlib.suppress(ManifestError):
        template = template_of(deployment)
        _ = template.variables, template.tmp, template.node_network
        pod = pod_of(template, deployment, ORDER)
        assert pod["spec"]["restartPolicy"] == "Never"
        _ = template.jvm_options


def seeds() -> Iterator[bytes]:
    yield (
        b"kind: Deployment\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      securityContext: {runAsUser: 7}\n"
        b"      containers:\n      - name: a\n        image: b\n        env: [{name: JAVA_TOOL_OPTIONS, value: a}]\n"
        b"        volumeMounts: [{name: t, mountPath: /tmp}]\n      volumes: [{name: t, emptyDir: {}}]\n"
    )
    yield b"kind: List\nitems: [{kind: Pod, metadata: {name: a}, spec: {containers: [{name: a}]}}]\n---\n"
