"""The deployer of each deployment, and what each needs of the machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from pacecar.errors import UsageError
from pacecar.measurement.deploy.compose.checks import checks as compose_checks
from pacecar.measurement.deploy.compose.deployer import ComposeDeployer
from pacecar.measurement.deploy.fork import Deployer
from pacecar.measurement.deploy.job import JobTerms
from pacecar.measurement.deploy.kubernetes.checks import checks as kubernetes_checks
from pacecar.measurement.deploy.kubernetes.deployer import KubernetesDeployer
from pacecar.measurement.deploy.kubernetes.terms import job_terms
from pacecar.measurement.deploy.process.checks import checks as process_checks
from pacecar.measurement.deploy.process.deployer import ProcessDeployer
from pacecar.model.check import Check
from pacecar.model.deployment import ComposeDeployment, Deployment, KubernetesDeployment, ProcessDeployment
from pacecar.model.experiment import Target
from pacecar.system.resources import Resources

#: What `pacecar doctor` looks for, by deployment: given the target that is deployed so, or None when there is none.
CHECKS: dict[type[Deployment], Callable[[Target | None], tuple[Check, ...]]] = {
    ProcessDeployment: process_checks,
    ComposeDeployment: compose_checks,
    KubernetesDeployment: kubernetes_checks,
}


def checks_of(target: Target | None) -> tuple[Check, ...]:
    """What each deployment needs of this machine; required is what that of `target` needs, None where none is known."""
    chosen = None if target is None else type(target.deployment)
    return tuple(check for each, checks in CHECKS.items() for check in checks(target if each is chosen else None))


def job_terms_of(target: Target) -> JobTerms:
    """What a job needs that measures `target`. Raises UsageError where its forks are no pods."""
    if isinstance(target.deployment, KubernetesDeployment):
        return job_terms(target.deployment)
    raise UsageError(
        "A cluster can measure only forks that are pods.",
        hint='Set target.deploy = "kubernetes"; or measure here: pacecar compare',
    )


def deployer_of(target: Target, *, resources: Resources) -> Deployer:
    """What deploys forks of `target`. Every deployment has its line here: the type checker names one that has not."""
    match target.deployment:
        case ProcessDeployment() as deployment:
            return ProcessDeployer(target, deployment, resources=resources)
        case ComposeDeployment() as deployment:
            return ComposeDeployer(target, deployment, resources=resources)
        case KubernetesDeployment() as deployment:
            return KubernetesDeployer(target, deployment, resources=resources)
    assert_never(target.deployment)
