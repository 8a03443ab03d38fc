"""Adds what a release contains besides Python packages to its list of parts: `python ci/sbom.py LIST CHECKOUT`.

LIST is a CycloneDX file in JSON, as `cyclonedx_py` writes it, and is changed in place. Added are the jars that Pacecar
loads into JVMs, from `jars.lock`, and the npm packages whose code is in the report, from `package-lock.json`. Pacecar
must be installed.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pacecar.inputs.toolchain import lock

_NPM_LOCK = Path("reports", "web", "package-lock.json")
_MODULES = "node_modules/"
_HASHES = {"sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}


def main(listing: Path, checkout: Path) -> None:
    """Add them to the file `listing`."""
    bom = json.loads(listing.read_text())
    added = sorted((*jars(), *packages(checkout / _NPM_LOCK)), key=lambda component: component["bom-ref"])
    references = [component["bom-ref"] for component in added]
    bom["components"] = [*bom.get("components", []), *added]
    root = bom["metadata"]["component"]["bom-ref"]
    edges = {edge["ref"]: edge for edge in bom.get("dependencies", [])}
    own = edges.setdefault(root, {"ref": root})
    own["dependsOn"] = sorted({*own.get("dependsOn", []), *references})
    edges |= {reference: {"ref": reference} for reference in references}
    bom["dependencies"] = [edges[reference] for reference in sorted(edges)]
    listing.write_text(json.dumps(bom, indent=2, ensure_ascii=False) + "\n")


def jars() -> Iterator[dict[str, Any]]:
    """The components of `jars.lock`. A jar of two products is listed once."""
    found: dict[str, dict[str, Any]] = {}
    for product, locked in lock.read().items():
        for each in locked.values():
            group, artifact, version, *classifier = each.coordinates.split(":")
            qualifier = f"?classifier={quote(classifier[0])}" if classifier else ""
            purl = f"pkg:maven/{quote(group)}/{quote(artifact)}@{quote(version)}{qualifier}"
            component = found.setdefault(
                purl,
                {
                    "bom-ref": purl,
                    "type": "library",
                    "group": group,
                    "name": artifact,
                    "version": version,
                    "purl": purl,
                    "hashes": [{"alg": "SHA-256", "content": each.sha256}],
                    "properties": [],
                },
            )
            component["properties"].append({"name": "pacecar:product", "value": product})
    yield from found.values()


def packages(path: Path) -> Iterator[dict[str, Any]]:
    """The components of `package-lock.json` that are bundled into the report; tools are not."""
    for place, package in json.loads(path.read_text())["packages"].items():
        if not place or package.get("dev"):
            continue
        name, version = place.rpartition(_MODULES)[2], package["version"]
        scope, _, bare = name.rpartition("/")
        purl = f"pkg:npm/{quote(scope)}{'/' if scope else ''}{quote(bare)}@{quote(version)}"
        kind, _, digest = package["integrity"].partition("-")
        yield {
            "bom-ref": purl,
            "type": "library",
            "name": name,
            "version": version,
            "purl": purl,
            "hashes": [{"alg": _HASHES[kind], "content": base64.b64decode(digest).hex()}],
            "licenses": [{"license": {"id": package["license"]}}],
        }


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
