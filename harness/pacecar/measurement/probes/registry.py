"""Every probe that lies in this folder. Adding one is adding its file, and its columns to `model.tables`."""

from __future__ import annotations

import importlib
import pkgutil

from pacecar.measurement import probes
from pacecar.measurement.probes.probe import Probe


def all_probes() -> tuple[Probe, ...]:
    """The probes in the order in which they are read, whatever the order of their files."""
    names = {each.name for each in pkgutil.iter_modules(probes.__path__, f"{probes.__name__}.")} - {__name__}
    found = (getattr(importlib.import_module(name), "PROBE", None) for name in names)
    return tuple(sorted((each for each in found if each is not None), key=lambda probe: probe.order))


PROBES = all_probes()
