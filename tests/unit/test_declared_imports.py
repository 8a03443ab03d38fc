"""What the harness imports is what it declares: a library that only the tests bring would be missing for users."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from support.checkout import CHECKOUT


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]


def test_every_import_is_declared() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    declared = {_normal(re.split(r"[<>=~!\[ ]", each)[0]) for each in [*project["dependencies"], *extras]}
    modules = {name for path in (CHECKOUT / "harness" / "pacecar").rglob("*.py") for name in _imported(path)}
    foreign = modules - set(sys.stdlib_module_names) - {"pacecar"}
    assert len(foreign) > 5
    brought_by = packages_distributions()
    undeclared = {name for name in foreign if not declared & {_normal(each) for each in brought_by.get(name, [])}}
    assert undeclared == set()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
