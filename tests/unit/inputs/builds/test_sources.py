"""Which files of a working tree its copy has, with a real git."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from pacecar.inputs.builds.sources import SourceCopy, copied
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.system.resources import Resources

Git = Callable[..., str]
Made = Callable[..., AbstractContextManager[SourceCopy]]
Copy = Callable[..., dict[str, str]]


@pytest.fixture
def made(resources: Resources, tmp_path: Path) -> Made:
    """The copy of a tree, or of a ref of one."""

    def of(root: Path, ref: str | None = None) -> AbstractContextManager[SourceCopy]:
        source = SourceTree(root=root, command=("true",), artifact="app.jar")
        kind, value = (BuildKind.TREE, str(root)) if ref is None else (BuildKind.REF, ref)
        request = BuildRequest(kind=kind, value=value, label="mine")
        return copied(request, source=source, resources=resources, log=tmp_path / "git.log")

    return of


@pytest.fixture
def copy(made: Made) -> Copy:
    """Name -> text of all files in it, but those of git itself."""

    def texts(root: Path, ref: str | None = None) -> dict[str, str]:
        with made(root, ref) as found:
            files = [path for path in found.root.rglob("*") if path.is_file() and not path.name.startswith(".git")]
            return {str(path.relative_to(found.root)): path.read_text() for path in files}

    return texts


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
        assert copy(top).keys() == kept

    def test_a_package_of_the_same_name_does_not(self, top: Path, copy: Copy) -> None:
        kept = {"pom.xml", "src/main/java/shop/target/Rule.java", "src/target/pom.xml", "docs/target/index.md"}
        written(top, *kept)
        assert copy(top).keys() == kept


class TestSubmodules:
    """Files of other repositories that a build needs, as the checkout has them."""

    @pytest.fixture
    def shop(self, tmp_path: Path, git: Git) -> Path:
        """A repository with the submodule `libs/common`, which has one, `inner`, too."""
        for name in ("inner", "common", "shop"):
            git(written(tmp_path / name, f"{name}.txt"), "init", "-q")
        local = ("-c", "protocol.file.allow=always")
        git(tmp_path / "inner", "add", "-A")
        git(tmp_path / "inner", "commit", "-q", "-m", "first")
        for top, path, of in (("common", "inner", "inner"), ("shop", "libs/common", "common")):
            git(tmp_path / top, *local, "submodule", "--quiet", "add", str(tmp_path / of), path)
            git(tmp_path / top, "add", "-A")
            git(tmp_path / top, "commit", "-q", "-m", "first")
        git(tmp_path / "shop", *local, "submodule", "--quiet", "update", "--init", "--recursive")
        return tmp_path / "shop"

    @pytest.fixture
    def committed(self) -> dict[str, str]:
        names = ("shop.txt", "libs/common/common.txt", "libs/common/inner/inner.txt")
        return {name: Path(name).name for name in names}

    def test_are_part_of_a_tree_as_they_are(
        self, shop: Path, made: Made, copy: Copy, committed: dict[str, str]
    ) -> None:
        assert copy(shop) == committed
        with made(shop) as clean:
            assert not str(clean.commit).endswith("+dirty")
        written(shop, "libs/common/inner/new.txt")
        assert copy(shop) == committed | {"libs/common/inner/new.txt": "libs/common/inner/new.txt"}
        with made(shop) as changed:
            assert str(changed.commit).endswith("+dirty"), "the commit alone would not build it again"
            assert changed.missing == ()

    def test_are_part_of_a_commit_as_it_has_them(
        self, shop: Path, copy: Copy, git: Git, committed: dict[str, str], resources: Resources
    ) -> None:
        common = shop / "libs" / "common"
        (common / "common.txt").write_text("later")
        git(common, "commit", "-q", "-a", "-m", "later")
        git(shop, "commit", "-q", "-a", "-m", "later")
        (common / "common.txt").write_text("not committed")
        assert copy(shop, "HEAD~1") == committed
        assert copy(shop, "HEAD") == committed | {"libs/common/common.txt": "later"}
        assert (common / "common.txt").read_text() == "not committed"
        resources.close()
        assert len(git(common, "worktree", "list").splitlines()) == 1

    def test_their_hooks_do_not_run(self, shop: Path, copy: Copy, git: Git, tmp_path: Path) -> None:
        hooks = Path(git(shop / "libs" / "common", "rev-parse", "--absolute-git-dir")) / "hooks"
        hooks.mkdir(exist_ok=True)
        (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
        (hooks / "post-checkout").chmod(0o755)
        copy(shop, "HEAD")
        assert not (tmp_path / "hooked").exists()

    @pytest.mark.parametrize("ref", [None, "HEAD"])
    def test_are_not_fetched(self, shop: Path, made: Made, git: Git, tmp_path: Path, ref: str | None) -> None:
        git(tmp_path, "clone", "-q", str(shop), "clone")
        with made(tmp_path / "clone", ref) as found:
            assert found.missing == (Path("libs/common"),)
            assert list((found.top / "libs").rglob("*.txt")) == []
        assert not (tmp_path / "clone" / ".git" / "modules").exists()

    @pytest.mark.parametrize("ref", [None, "HEAD"])
    def test_nobodys_repository_is_copied_by_a_link_in_their_place(
        self, shop: Path, made: Made, tmp_path: Path, ref: str | None
    ) -> None:
        (shop / "libs" / "common").rename(tmp_path / "moved")
        (shop / "libs" / "common").symlink_to(tmp_path / "common")
        with made(shop, ref) as found:
            assert found.missing == (Path("libs/common"),)
            assert list(found.top.rglob("common.txt")) == []


@pytest.mark.hostile
@pytest.mark.parametrize("ref", [None, "HEAD"])
def test_a_build_finds_no_settings_around_its_copy(
    made: Made, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ref: str | None
) -> None:
    temporary = tmp_path / "temporary"
    (temporary / ".mvn").mkdir(parents=True)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))

    with made(repository / "orders", ref) as copy:
        assert not any((folder / ".mvn").exists() for folder in copy.root.parents)
        inside = copy.root

    assert not inside.exists()
