"""Which packages hold the project's own code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pacecar.onboarding.initialise import files

_SEGMENT = re.compile(r"[A-Za-z_]\w*", re.ASCII)
#: What a file in Kotlin says: its folder may leave out what all packages begin with.
_PACKAGE = re.compile(r"^[ \t]{0,9}+package[ \t]{1,9}+([\w.`]{1,200}+)[ \t;]{0,9}+(?:$|//|/\*)", re.MULTILINE)
_MOST = 3
#: First parts of package names that a whole organisation, or half the world, shares.
_SHARED = {"com", "org", "net", "io", "dev", "de", "fr", "uk", "eu", "ch", "at", "nl", "se", "app", "co"}
#: Organisations that much of what others use comes from, too, or that stand for everybody on a forge.
_WIDE = {
    ("com", "github"),
    ("com", "gitlab"),
    ("com", "google"),
    ("com", "microsoft"),
    ("com", "netflix"),
    ("com", "sun"),
    ("io", "github"),
    ("io", "micronaut"),
    ("io", "quarkus"),
    ("io", "vertx"),
    ("org", "apache"),
    ("org", "eclipse"),
    ("org", "glassfish"),
    ("org", "hibernate"),
    ("org", "jboss"),
    ("org", "springframework"),
}


def own_packages(*modules: Path) -> tuple[str, ...]:
    """Prefixes that all classes of `modules` share, one where possible, three at most; () when there is no source.

    `shop.orders.pricing` and `shop.orders.reporting` give `shop.orders`; of unrelated packages, those with most classes
    stand side by side.
    """
    counted = Counter(package_of(folder, path) for folder, path in files.sources(*modules))
    packages = {parts: n for parts, n in counted.items() if parts and all(map(_SEGMENT.fullmatch, parts))}
    if not packages:
        return ()
    common = _common_beginning(packages)
    wide = tuple(common) in _WIDE
    own = len(common) > 1 or (common and (common[0] not in _SHARED or tuple(common) in packages))
    if own and not wide:
        return (".".join(common),)
    classes: Counter[str] = Counter()
    for parts, n in packages.items():
        # A package with classes of its own stands for those within it, too.
        classes[".".join(parts[: 1 if parts[:1] in packages else 2 + wide])] += n
    return tuple(sorted(sorted(classes, key=lambda name: (-classes[name], name))[:_MOST]))


def package_of(folder: Path, path: Path) -> tuple[str, ...]:
    """The parts of the package of a file: in Kotlin as it says itself, else as its folder does."""
    said = _PACKAGE.search(files.text(folder / path)) if path.suffix == ".kt" else None
    return tuple(said[1].replace("`", "").split(".")) if said else path.parent.parts


def _common_beginning(packages: Iterable[tuple[str, ...]]) -> list[str]:
    common = []
    for names in zip(*packages, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    return common
