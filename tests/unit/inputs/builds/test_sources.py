"""Which files of a working tree its copy has, with a real git."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.inputs.builds.sources import copied
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.system.resources import Resources

Git = Callable[..., str]
Copy = Callable[..., set[str]]


@pytest.fixture
def copy(resources: Resources, tmp_path: Path) -> Copy:
    """Names of all files in the copy of a tree, or of a ref of one."""

    def names(root: Path, ref: str | None = None) -> set[str]:
        source = SourceTree(root=root, command=("true",), artifact="app.jar")
        kind, value = (BuildKind.TREE, str(root)) if ref is None else (BuildKind.REF, ref)
        request = BuildRequest(kind=kind, value=value, label="mine")
        with copied(request, source=source, resources=resources, log=tmp_path / "git.log") as found:
            files = [path for path in found.root.rglob("*") if path.is_file() and path.name != ".git"]
            return {str(path.relative_to(found.root)) for path in files}

    return names


def written(top: Path, *names: str) -> Path:
    for name in names:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)
    return top


class TestBuildFolders:
    """What builds leave behind, unless git tracks it."""

    @pytest.fixture(params=["outside git", "in git"])
    def top(self, request: pytest.FixtureRequest, tmp_path: Path, git: Git) -> Path:
        (tmp_path / "shop").mkdir()
        if request.param == "in git":
            git(tmp_path / "shop", "init", "-q")
        return tmp_path / "shop"

    def test_stay_behind_where_something_is_built(self, top: Path, copy: Copy) -> None:
        kept = {"pom.xml", "orders/pom.xml", "web/build.sbt", "web/project/build.properties", "src/A.java"}
        written(top, *kept, "target/a.jar", "orders/target/classes/B.class", "node_modules/d/e.js")
        written(top, "web/target/c", "web/project/target/g")
        written(top, ".pacecar/runs/f")
        assert copy(top) == kept

    def test_a_package_of_the_same_name_does_not(self, top: Path, copy: Copy) -> None:
        kept = {"pom.xml", "src/main/java/shop/target/Rule.java", "src/target/pom.xml", "docs/target/index.md"}
        written(top, *kept)
        assert copy(top) == kept
