"""Which packages hold the project's own code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pacecar.onboarding.initialise import files

_SEGMENT = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_MOST = 3
#: First parts of package names that a whole organisation, or half the world, shares.
_SHARED = {"com", "org", "net", "io", "dev", "de", "fr", "uk", "eu", "ch", "at", "nl", "se", "app", "co"}


def own_packages(*modules: Path) -> tuple[str, ...]:
    """Prefixes that all classes of `modules` share, one where possible, three at most; () when there is no source.

    `shop.orders.pricing` and `shop.orders.reporting` give `shop.orders`; of unrelated packages, those with most classes
    stand side by side.
    """
    counted = Counter(path.parent.parts for _, path in files.sources(*modules))
    packages = {parts: n for parts, n in counted.items() if parts and all(map(_SEGMENT.fullmatch, parts))}
    if not packages:
        return ()
    common = _common_beginning(packages)
    if len(common) > 1 or (common and common[0] not in _SHARED):
        return (".".join(common),)
    classes: Counter[str] = Counter()
    for parts, n in packages.items():
        classes[".".join(parts[:2])] += n
    return tuple(sorted(sorted(classes, key=lambda name: (-classes[name], name))[:_MOST]))


def _common_beginning(packages: Iterable[tuple[str, ...]]) -> list[str]:
    common = []
    for names in zip(*packages, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    return common
