"""Builds that are images: by name, and by the build section of a compose file from a ref, a tree or a patch."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.artifact import Artifact
from pacecar.inputs.builds.image import make_images
from pacecar.inputs.builds.request import parse_build
from pacecar.model.deployment import ComposeDeployment
from pacecar.model.experiment import SourceTree
from support.container_engine.project import APP, Project, docker

DOCKERFILE = "FROM pacecar-test/plain:1\nCOPY said /said\n"
PATCH = """--- a/service/said
+++ b/service/said
@@ -1 +1 @@
-second
+patched
"""


@pytest.fixture
def repository(project: Project) -> Project:
    """`service/` holds a Dockerfile and what it says, in two commits and a change on top."""
    service = project.folder / "service"
    service.mkdir()
    (service / "Dockerfile").write_text(DOCKERFILE)
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    subprocess.run(["git", "init", "-q", project.folder], check=True)
    for said in ("first", "second"):
        (service / "said").write_text(f"{said}\n")
        subprocess.run(["git", "-C", project.folder, "add", "service"], check=True)
        subprocess.run(["git", "-C", project.folder, *identity, "commit", "-qm", said], check=True)
    app = {name: value for name, value in APP.items() if name != "image"}
    project.write({"app": {**app, "build": {"context": "./service"}}})
    return project


def made(project: Project, text: str, *, jar: str | None = None) -> Artifact:
    deployment = project.target().deployment
    assert isinstance(deployment, ComposeDeployment)
    service = replace(deployment, jar=jar)
    source = SourceTree(root=project.folder / "service", command=(), artifact="")
    request = parse_build(text, source=source, cwd=project.folder)
    return make_images(
        request, service=service, source=source, resources=project.resources, log_dir=project.folder / "logs"
    )


def says(artifact: Artifact) -> str:
    return docker("run", "--rm", "--entrypoint", "cat", artifact.images["app"], "/said").strip()


def test_a_ref_a_tree_and_a_patch_are_built_where_they_differ(repository: Project) -> None:
    (repository.folder / "slow.patch").write_text(PATCH)
    first = made(repository, "ref:HEAD~1")
    assert says(first) == "first"
    assert says(made(repository, "tree:service")) == "second"
    assert says(made(repository, "patch:slow.patch")) == "patched"
    again = made(repository, "ref:HEAD~1")
    assert again.cached
    assert again.images == first.images
    assert again.sha256 == first.images["app"].removeprefix("sha256:")
    assert again.built.kind == "ref"
    assert len(again.built.commit or "") == 40
    assert (repository.folder / "service" / "said").read_text() == "second\n", "the checkout is not touched"


def test_a_tag_is_settled_once(project: Project) -> None:
    image = made(project, "image:pacecar-test/plain:1")
    assert image.path is None
    assert image.images["app"] == docker("image", "inspect", "--format", "{{.Id}}", "pacecar-test/plain:1").strip()


def test_what_cannot_be_built(repository: Project, jar: Path) -> None:
    (repository.folder / "service" / "Dockerfile").write_text("FROM pacecar-test/plain:1\nCOPY none /none\n")
    with pytest.raises(BuildError, match=r"The image of service app cannot be built: .*failed"):
        made(repository, "tree:service")
    with pytest.raises(BuildError, match="nothing says where in the image of app a jar belongs"):
        made(repository, f"jar:{jar}")
    repository.write({"app": APP})
    with pytest.raises(BuildError, match="has no build section"):
        made(repository, "tree:service")


@pytest.mark.parametrize("name", ["", "-v", "a b", "x" * 300, "a@sha256:12"])
def test_names_that_no_image_has(project: Project, name: str) -> None:
    with pytest.raises(BuildError, match="is not the name of an image"):
        parse_build(f"image:{name}", source=None, cwd=project.folder)
