"""Whatever is installed to work on Pacecar is held by hashes, what builds it included."""

from __future__ import annotations

import re
import tomllib
from itertools import combinations

import pytest

from support.checkout import CHECKOUT

#: Locks whose packages meet in `.venv`.
TOGETHER = ("runtime", "extras", "dev", "build", "fuzz")
_PINNED = re.compile(r"^([a-z0-9.-]+)==(\S+)(?: ; [^\\]+)? \\$", re.MULTILINE)


def pinned(name: str) -> dict[str, str]:
    return dict(_PINNED.findall((CHECKOUT / "requirements" / f"{name}.lock").read_text()))


@pytest.mark.hostile
def test_nothing_is_installed_unlocked() -> None:
    commands = [line for line in (CHECKOUT / "Makefile").read_text().splitlines() if "pip install" in line]
    assert len(commands) >= 4
    for command in commands:
        assert "--require-hashes" in command or {"--no-deps", "--no-build-isolation"} <= set(command.split()), command


@pytest.mark.hostile
def test_what_builds_the_package_is_what_it_asks_for() -> None:
    (asked,) = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["build-system"]["requires"]
    for name in ("build", "release"):
        assert f"hatchling=={pinned(name)['hatchling']}" == asked
    assert "editables" in pinned("build")


@pytest.mark.parametrize(("first", "second"), list(combinations(TOGETHER, 2)))
def test_locks_that_meet_agree(first: str, second: str) -> None:
    one, other = pinned(first), pinned(second)
    assert one
    assert {name: one[name] for name in one.keys() & other} == {name: other[name] for name in one.keys() & other}
