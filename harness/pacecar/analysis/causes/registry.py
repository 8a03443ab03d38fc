"""Every kind of cause that lies in `kinds`. Adding one is adding its file."""

from __future__ import annotations

import importlib
import pkgutil

from pacecar.analysis.causes import kinds
from pacecar.analysis.causes.kind import CauseKind


def all_kinds() -> tuple[CauseKind, ...]:
    """The kinds by name, whatever the order of their files."""
    modules = (
        importlib.import_module(each.name) for each in pkgutil.iter_modules(kinds.__path__, f"{kinds.__name__}.")
    )
    return tuple(sorted((module.KIND for module in modules), key=lambda kind: kind.name))
