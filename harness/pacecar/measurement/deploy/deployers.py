"""The deployer of each deployment."""

from __future__ import annotations

from typing import assert_never

from pacecar.measurement.deploy.compose.deployer import ComposeDeployer
from pacecar.measurement.deploy.fork import Deployer
from pacecar.measurement.deploy.process.deployer import ProcessDeployer
from pacecar.model.deployment import ComposeDeployment, ProcessDeployment
from pacecar.model.experiment import Target
from pacecar.system.resources import Resources


def deployer_of(target: Target, *, resources: Resources) -> Deployer:
    """What deploys forks of `target`. Every deployment has its line here: the type checker names one that has not."""
    match target.deployment:
        case ProcessDeployment() as deployment:
            return ProcessDeployer(target, deployment, resources=resources)
        case ComposeDeployment() as deployment:
            return ComposeDeployer(target, deployment, resources=resources)
    assert_never(target.deployment)
