"""Which packages hold the project's own code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from pacecar.onboarding.initialise import files

_SEGMENT = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_MOST = 3
#: First parts of package names that a whole organisation, or half the world, shares.
_SHARED = {"com", "org", "net", "io", "dev", "de", "fr", "uk", "eu", "ch", "at", "nl", "se", "app", "co"}


def own_packages(module: Path) -> tuple[str, ...]:
    """Prefixes that all classes below `module` share, one where possible, three at most; () when there is no source.

    `shop.orders.pricing` and `shop.orders.reporting` give `shop.orders`; unrelated packages stand side by side.
    """
    packages = {path.parent.parts for _, path in files.sources(module)}
    packages = {parts for parts in packages if parts and all(_SEGMENT.fullmatch(part) for part in parts)}
    if not packages:
        return ()
    common = _common_beginning(packages)
    if len(common) > 1 or (common and common[0] not in _SHARED):
        return (".".join(common),)
    return tuple(sorted({".".join(parts[:2]) for parts in packages}))[:_MOST]


def _common_beginning(packages: Iterable[tuple[str, ...]]) -> list[str]:
    common = []
    for names in zip(*packages, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    return common
