"""Parts of a made-up Maven project."""

from __future__ import annotations

RESOURCES = "src/main/resources/"
JAVA = "src/main/java/org/shop/"


def dependencies(*names: str) -> str:
    listed = "".join(f"<dependency><artifactId>{name}</artifactId></dependency>" for name in names)
    return f"<dependencies>{listed}</dependencies>"


def plugin(name: str) -> str:
    return f"<build><plugins><plugin><artifactId>{name}</artifactId></plugin></plugins></build>"
