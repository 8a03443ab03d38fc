"""What the ways to deploy need of this machine: the configured one, where there is a configuration, and the others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pacecar.inputs import config
from pacecar.inputs.config import ConfigError
from pacecar.measurement.deploy.deployers import checks_of
from pacecar.model.check import Check


def checks(configuration: Path, overrides: Mapping[str, str] = MappingProxyType({})) -> tuple[Check, ...]:
    """Those of each way to deploy, required where `configuration` chooses it; that file need not exist yet.

    Args:
        configuration: the file.
        overrides: as in `config.load`.
    """
    try:
        target = config.load(configuration, overrides=overrides).target
    except ConfigError as error:
        remedy = error.hint or "docs/reference/configuration.md lists every key"
        return (
            Check(name="configuration", ok=False, found=error.message, remedy=remedy, required=False),
            *checks_of(None),
        )
    return checks_of(target)
