"""Which way a target is deployed."""

from __future__ import annotations

from pacecar.custody import Custody
from pacecar.deploy.compose.way import ComposeWay
from pacecar.deploy.fork import Way
from pacecar.deploy.process import ProcessWay
from pacecar.experiment import Target


def way_of(target: Target, *, custody: Custody) -> Way:
    """As a service of a compose file where the target is one, else as a process."""
    if target.compose is not None:
        return ComposeWay(target, compose=target.compose, custody=custody)
    return ProcessWay(target, custody=custody)
