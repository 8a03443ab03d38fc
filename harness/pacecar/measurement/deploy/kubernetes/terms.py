"""What a job needs that measures forks which are pods."""

from __future__ import annotations

from pacecar.measurement.deploy.job import JobTerms
from pacecar.measurement.deploy.kubernetes.template import template_of
from pacecar.model.deployment import KubernetesDeployment
from pacecar.system.cluster.place import Place


def job_terms(deployment: KubernetesDeployment) -> JobTerms:
    """What `deployment` says of it. Raises ManifestError when its manifest holds no pod that can be measured."""
    template = template_of(deployment)
    return JobTerms(
        place=Place(context=deployment.context, namespace=deployment.namespace),
        manifest=deployment.manifest,
        image=deployment.sidecar,
        account=deployment.account,
        queue=deployment.queue,
        sends_load=deployment.injectors is None,
        node_network=template.node_network,
        labels=deployment.labels,
        pull_secrets=template.pull_secrets,
    )
