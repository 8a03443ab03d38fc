"""Whole comparisons of the services in `targets/`, measured once and judged as often as needed."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, kw_only=True)
class Target:
    """A service that is measured.

    Attributes:
        name: of its folder in `targets/`.
        config: path of its configuration in the checkout.
        investigates: stands for a published investigation, which is also measured in the other direction.
    """

    name: str
    config: str
    investigates: bool = False

    @property
    def tree(self) -> str:
        """Its source as it is, as the command line takes a build."""
        return f"tree:targets/{self.name}"

    @property
    def builds(self) -> Path:
        """Where its patches and expectations are."""
        return ROOT / "targets" / self.name / "builds"

    @property
    def runs(self) -> Path:
        """Where its runs are kept on this machine."""
        return (ROOT / self.config).parent / ".pacecar" / "runs"

    def patched(self, patch: str) -> str:
        """Its source with a patch, as the command line takes a build."""
        return f"patch:targets/{self.name}/builds/{patch}.patch"

    def compare(self, baseline: str, candidate: str, *, seed: int, more: Sequence[str] = ()) -> dict[str, Any]:
        """The document of a comparison that is measured now.

        Args:
            baseline: a build as the command line takes it, such as `tree`.
            candidate: another one.
            seed: what the plan draws from.
            more: further options of `pacecar compare`.
        """
        builds = ["--baseline", baseline, "--candidate", candidate]
        return _document(["compare", "--config", self.config, "--measure-equal", "--seed", str(seed), *builds, *more])

    def judge(self, run_id: str) -> dict[str, Any]:
        """The document of a recorded comparison, judged again by today's judge."""
        return _document(["judge", "--config", self.config, run_id])


SAMPLE = Target(name="orders", config="pacecar.toml")
BASKET = Target(name="basket", config="targets/basket/pacecar.toml", investigates=True)
REPORTER = Target(name="reporter", config="targets/reporter/pacecar.toml", investigates=True)
PACKER = Target(name="packer", config="targets/packer/pacecar.toml", investigates=True)
AFTERBURNER = Target(name="afterburner", config="targets/afterburner/pacecar.toml", investigates=True)
LEDGERDB = Target(name="ledgerdb", config="targets/ledgerdb/pacecar.toml", investigates=True)
TARGETS = {target.name: target for target in (SAMPLE, BASKET, REPORTER, PACKER, AFTERBURNER, LEDGERDB)}


def title(name: str, endpoint: str) -> str:
    """A metric as results name it."""
    return f"{endpoint} {name}".strip()


def _document(arguments: Sequence[str]) -> dict[str, Any]:
    with tempfile.TemporaryFile("w+") as output:
        ended = subprocess.run(
            [sys.executable, "-m", "pacecar", *arguments, "--json", "--fail-on", "nothing"],
            cwd=ROOT,
            stdout=output,
            check=False,
        )
        if ended.returncode not in (0, 3):  # 3: no verdict, for a reason that the document tells
            sys.exit(f"pacecar ended with {ended.returncode}")
        output.seek(0)
        document: dict[str, Any] = json.load(output)
    return document
