"""The list of a release's parts: Python packages, jars, and what the report carries."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pacecar.inputs.toolchain import lock
from support.checkout import CHECKOUT

PYTHON = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "metadata": {"component": {"bom-ref": "root-component", "name": "pacecar", "type": "application"}},
    "components": [{"bom-ref": "numpy==2.4.1", "name": "numpy", "type": "library"}],
    "dependencies": [{"ref": "numpy==2.4.1"}, {"ref": "root-component", "dependsOn": ["numpy==2.4.1"]}],
}


@pytest.fixture(scope="module")
def bom(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    listing = tmp_path_factory.mktemp("sbom") / "pacecar.cdx.json"
    listing.write_text(json.dumps(PYTHON))
    command = [sys.executable, str(CHECKOUT / "ci" / "sbom.py"), str(listing), str(CHECKOUT)]
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "harness")}
    subprocess.run(command, check=True, env=environment)
    return dict(json.loads(listing.read_text()))


def test_every_locked_jar_is_listed_with_its_digest(bom: dict[str, Any]) -> None:
    listed = {
        component["hashes"][0]["content"]: component
        for component in bom["components"]
        if component.get("purl", "").startswith("pkg:maven/")
    }
    locked = {each.sha256: each for jars in lock.read().values() for each in jars.values()}
    assert listed.keys() == locked.keys()
    for sha256, component in listed.items():
        parts = locked[sha256].coordinates.split(":")
        assert [component["group"], component["name"], component["version"]] == parts[:3]
        assert component["purl"].endswith(f"?classifier={parts[3]}" if parts[3:] else f"@{parts[2]}")
        assert {each["value"] for each in component["properties"]} <= set(lock.PRODUCTS)


def test_what_the_report_carries_is_listed(bom: dict[str, Any]) -> None:
    package = json.loads((CHECKOUT / "reports" / "web" / "package-lock.json").read_text())
    carried = package["packages"][""]["dependencies"]
    listed = {each["name"]: each for each in bom["components"] if each.get("purl", "").startswith("pkg:npm/")}
    assert {name: each["version"] for name, each in listed.items()} == carried
    for name, each in listed.items():
        integrity = package["packages"][f"node_modules/{name}"]["integrity"]
        assert integrity == "sha512-" + base64.b64encode(bytes.fromhex(each["hashes"][0]["content"])).decode()


def test_python_packages_stay_and_everything_hangs_on_pacecar(bom: dict[str, Any]) -> None:
    assert PYTHON["components"][0] in bom["components"]  # type: ignore[index]
    references = [each["bom-ref"] for each in bom["components"]]
    assert len(set(references)) == len(references)
    edges = {each["ref"]: each.get("dependsOn", []) for each in bom["dependencies"]}
    assert sorted(edges["root-component"]) == sorted(references)
    assert edges.keys() == {"root-component", *references}


def test_the_bundle_is_made_of_nothing_else() -> None:
    """Whatever the report's sources import from npm is a dependency, not a tool: only those are listed."""
    package = json.loads((CHECKOUT / "reports" / "web" / "package.json").read_text())
    imported = {
        line.rpartition("from ")[2].strip("\"'; ")
        for source in Path(CHECKOUT / "reports" / "web" / "src").rglob("*.ts")
        for line in source.read_text().splitlines()
        if line.startswith(("import ", "} from ", "export ")) and "from " in line
    }
    foreign = {name.split("/")[0] for name in imported if not name.startswith(".")}
    assert foreign == set(package["dependencies"])
