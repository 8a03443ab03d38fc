"""From a build's name to the jar, with real processes, a real git and a build command of a few lines."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.artifact import Artifact, make
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.system import paths
from pacecar.system.resources import Resources

Git = Callable[..., str]
Make = Callable[..., Artifact]

PATCH = """\
--- a/{prefix}src/a.txt
+++ b/{prefix}src/a.txt
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
"""


def texts(artifact: Artifact) -> dict[str, str]:
    assert artifact.path is not None
    with zipfile.ZipFile(artifact.path) as jar:
        return {name: jar.read(name).decode() for name in jar.namelist()}


def snapshot(top: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a checkout, git's own included, with its time of change."""
    return {
        str(path.relative_to(top)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in top.rglob("*")
        if path.is_file() and ".git/worktrees" not in str(path)
    }


class TestTree:
    """The working tree."""

    def test_outside_git(self, build: Make, source: SourceTree) -> None:
        artifact = build(BuildKind.TREE, source.root)
        assert texts(artifact) == {"src/a.txt": "one\ntwo\nthree\n"}
        assert artifact.path.name == "orders-1.0.jar"
        assert artifact.sha256 == hashlib.sha256(artifact.path.read_bytes()).hexdigest()
        assert artifact.built.commit is None
        assert not artifact.cached

    def test_holds_changed_and_new_files_but_no_ignored_or_deleted_ones(
        self, build: Make, repository: Path, git: Git
    ) -> None:
        root = repository / "orders"
        (root / "gone.txt").write_text("gone")
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "second")
        (root / "gone.txt").unlink()
        (root / "new.txt").write_text("new")
        (root / "src" / "a.txt").write_text("changed")
        (root / "target" / "ignored.txt").write_text("ignored")
        (root / ".pacecar").mkdir()
        (root / ".pacecar" / "run.txt").write_text("a run")
        artifact = build(BuildKind.TREE, root)
        assert texts(artifact) == {"new.txt": "new", "src/a.txt": "changed"}
        assert artifact.built.commit == git(repository, "rev-parse", "HEAD") + "+dirty"

    def test_of_a_clean_checkout_is_its_commit(self, build: Make, repository: Path, git: Git) -> None:
        assert build(BuildKind.TREE, repository / "orders").built.commit == git(repository, "rev-parse", "v1")

    def test_reaches_its_parents_files(self, build: Make, repository: Path, source: SourceTree) -> None:
        (repository / "parent.txt").write_text("from the parent")
        script = "import shutil; shutil.copy('../parent.txt', 'p.txt'); exec(open('build.py').read())"
        of = replace(source, command=(sys.executable, "-c", script))
        assert texts(build(BuildKind.TREE, source.root, of=of))["p.txt"] == "from the parent"

    def test_links_that_lead_out_are_not_followed(
        self, build: Make, project: Path, repository: Path, git: Git, tmp_path: Path
    ) -> None:
        (tmp_path / "secret.txt").write_text("secret")
        (project / "out.txt").symlink_to(tmp_path / "secret.txt")
        (project / "up.txt").symlink_to("../../secret.txt")
        (project / "back.txt").symlink_to(project / "src" / "a.txt")
        (project / "round.txt").symlink_to("round.txt")
        (project / "in.txt").symlink_to("src/a.txt")
        (project / "outside").symlink_to(tmp_path)
        assert set(texts(build(BuildKind.TREE, project))) == {"in.txt", "src/a.txt"}
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "links")
        assert set(texts(build(BuildKind.REF, "HEAD"))) == {"in.txt", "src/a.txt"}

    def test_files_behind_a_link_that_took_their_folders_place_are_gone(
        self, build: Make, repository: Path, tmp_path: Path
    ) -> None:
        (repository / "orders" / "src").rename(tmp_path / "elsewhere")
        (repository / "orders" / "src").symlink_to(tmp_path / "elsewhere")
        (repository / "orders" / "here.txt").write_text("here")
        assert set(texts(build(BuildKind.TREE, repository / "orders"))) == {"here.txt"}


class TestRef:
    """A commit, checked out beside the user's own checkout."""

    def test_is_built_as_committed(self, build: Make, repository: Path, git: Git) -> None:
        (repository / "orders" / "src" / "a.txt").write_text("changed since")
        artifact = build(BuildKind.REF, "v1")
        assert texts(artifact) == {"src/a.txt": "one\ntwo\nthree\n"}
        assert artifact.built.commit == git(repository, "rev-parse", "v1")
        assert artifact.built.value == "v1"

    def test_a_remote_branch_means_where_head_left_it(
        self, build: Make, repository: Path, git: Git, tmp_path: Path, source: SourceTree
    ) -> None:
        git(repository, "clone", "-q", str(repository), str(tmp_path / "clone"))
        (repository / "orders" / "later.txt").write_text("pushed by somebody else")
        git(repository, "add", "-A")
        git(repository, "commit", "-q", "-m", "later")
        git(tmp_path / "clone", "fetch", "-q")
        of = replace(source, root=tmp_path / "clone" / "orders")
        artifact = build(BuildKind.REF, "origin/main", of=of)
        assert artifact.built.commit == git(repository, "rev-parse", "v1")
        assert "later.txt" not in texts(artifact)

    def test_unrelated_histories(
        self, build: Make, repository: Path, git: Git, tmp_path: Path, source: SourceTree
    ) -> None:
        git(repository, "clone", "-q", str(repository), str(tmp_path / "clone"))
        git(tmp_path / "clone", "checkout", "-q", "--orphan", "alone")
        git(tmp_path / "clone", "commit", "-q", "-m", "alone")
        with pytest.raises(BuildError, match="origin/main and HEAD have no commit in common") as caught:
            build(BuildKind.REF, "origin/main", of=replace(source, root=tmp_path / "clone" / "orders"))
        assert "--unshallow" in str(caught.value.hint)

    def test_a_ref_from_before_the_source(self, build: Make, repository: Path, git: Git) -> None:
        git(repository, "checkout", "-q", "--orphan", "old")
        git(repository, "rm", "-r", "-q", "--cached", "orders")
        git(repository, "commit", "-q", "-m", "before")
        git(repository, "checkout", "-q", "-f", "main")
        with pytest.raises(BuildError, match="old has no folder orders"):
            build(BuildKind.REF, "old")

    def test_the_users_hooks_do_not_run(self, build: Make, repository: Path, tmp_path: Path) -> None:
        hook = repository / ".git" / "hooks" / "post-checkout"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
        hook.chmod(0o755)
        build(BuildKind.REF, "v1")
        assert not (tmp_path / "hooked").exists()

    def test_leaves_no_worktree(self, build: Make, repository: Path, git: Git, resources: Resources) -> None:
        build(BuildKind.REF, "v1")
        assert list((paths.cache() / "worktrees").iterdir()) == []
        resources.close()
        assert len(git(repository, "worktree", "list").splitlines()) == 1


class TestPatch:
    """The working tree with a patch."""

    @pytest.fixture(params=["outside git", "in git"])
    def root(self, request: pytest.FixtureRequest, project: Path) -> Path:
        if request.param == "in git":
            request.getfixturevalue("repository")
        return project

    @pytest.fixture
    def patch(self, tmp_path: Path) -> Path:
        path = tmp_path / "slow.patch"
        path.write_text(PATCH.format(prefix=""))
        return path

    def test_is_applied_to_the_source(self, build: Make, root: Path, patch: Path) -> None:
        artifact = build(BuildKind.PATCH, patch)
        assert texts(artifact) == {"src/a.txt": "one\nTWO\nthree\n"}
        assert artifact.built.patch == patch.read_text()
        assert (root / "src" / "a.txt").read_text() == "one\ntwo\nthree\n"

    def test_is_applied_where_temporary_files_lie_in_some_other_repository(
        self, build: Make, root: Path, patch: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        git(temporary, "init", "-q")
        monkeypatch.setattr("tempfile.tempdir", str(temporary))
        assert texts(build(BuildKind.PATCH, patch)) == {"src/a.txt": "one\nTWO\nthree\n"}

    def test_may_count_from_the_top_of_the_repository(self, build: Make, repository: Path, patch: Path) -> None:
        patch.write_text(PATCH.format(prefix="orders/"))
        assert texts(build(BuildKind.PATCH, patch)) == {"src/a.txt": "one\nTWO\nthree\n"}

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            (PATCH.format(prefix="").replace("two", "zwei"), r"patch failed: src/a\.txt:1"),
            (PATCH.format(prefix="").replace("src/a", "src/b"), r"src/b\.txt: No such file or directory"),
            ("", "not a patch|No valid patches in input|unrecognized input"),
            ("hello", "not a patch|No valid patches in input|unrecognized input"),
            (PATCH.format(prefix="").replace("src/a", "../a"), r"\.\./a\.txt: No such file"),
            ("--- /dev/null\n+++ b/../../../evil.txt\n@@ -0,0 +1 @@\n+evil\n", r"invalid path '../../../evil\.txt'"),
        ],
    )
    def test_that_does_not_apply(self, build: Make, root: Path, patch: Path, text: str, complaint: str) -> None:
        patch.write_text(text)
        with pytest.raises(BuildError, match=rf"slow\.patch does not apply to {root}: ({complaint})"):
            build(BuildKind.PATCH, patch)

    def test_that_plants_a_link_leading_out(self, build: Make, root: Path, patch: Path, tmp_path: Path) -> None:
        (tmp_path / "secret.txt").write_text("secret")
        head = "diff --git a/x.txt b/x.txt\nnew file mode 120000\n--- /dev/null\n+++ b/x.txt\n@@ -0,0 +1 @@\n"
        patch.write_text(f"{head}+{tmp_path}/secret.txt\n\\ No newline at end of file\n")
        assert set(texts(build(BuildKind.PATCH, patch))) == {"src/a.txt"}

    def test_long_patches_are_recorded_in_part(self, build: Make, root: Path, patch: Path) -> None:
        patch.write_text(PATCH.format(prefix="") + "".join(f"comment ü {i}\n" for i in range(30_000)))
        recorded = build(BuildKind.PATCH, patch).built.patch
        assert 256 * 1024 - 4 < len(recorded.encode()) <= 256 * 1024


class TestCache:
    """The same source is built once."""

    def test_the_same_source_again(self, build: Make, source: SourceTree) -> None:
        first, second = build(BuildKind.TREE, source.root), build(BuildKind.TREE, source.root)
        assert (first.cached, second.cached) == (False, True)
        assert second.path == first.path
        assert second.sha256 == first.sha256

    def test_a_ref_and_a_clean_tree_are_the_same_source(self, build: Make, repository: Path) -> None:
        assert not build(BuildKind.REF, "v1").cached
        assert build(BuildKind.TREE, repository / "orders").cached

    @pytest.mark.parametrize("change", ["content", "name", "mode", "command", "artifact", "java"])
    def test_anything_else_is_another_build(
        self, build: Make, source: SourceTree, change: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        build(BuildKind.TREE, source.root)
        text = source.root / "src" / "a.txt"
        if change == "content":
            text.write_text("one\ntwo\nthree!\n")
        elif change == "name":
            text.rename(text.with_name("b.txt"))
        elif change == "mode":
            text.chmod(0o755)
        elif change == "command":
            source = replace(source, command=(*source.command, "-x"))
        elif change == "artifact":
            source = replace(source, artifact="target/orders-1*.jar")
        else:
            monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        assert not build(BuildKind.TREE, source.root, of=source).cached

    @pytest.mark.parametrize("name", ["MAVEN_ARGS", "GRADLE_OPTS", "JAVA_TOOL_OPTIONS", "JAVA_HOME_17_X64", "FLAVOR"])
    def test_other_variables_of_the_build_are_another_build(
        self, build: Make, source: SourceTree, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        of = replace(source, inherit=("FLAVOR",))
        build(BuildKind.TREE, source.root, of=of)
        monkeypatch.setenv(name, "-Pfast")
        assert not build(BuildKind.TREE, source.root, of=of).cached
        assert build(BuildKind.TREE, source.root, of=of).cached
        monkeypatch.setenv(name, "-Pslow")
        assert not build(BuildKind.TREE, source.root, of=of).cached

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("LANG", "C.{}"),
            ("USER", "{}"),
            ("FLAVOR", "{}"),
            ("NEXUS_PASSWORD", "hunter-{}"),
            ("MAVEN_ARGS", "-Pfast -Drepo.password=hunter-{}"),
        ],
    )
    def test_credentials_and_variables_of_any_program_are_not(
        self, build: Make, source: SourceTree, name: str, value: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        of = replace(source, inherit=("NEXUS_PASSWORD",))
        monkeypatch.setenv(name, value.format("one"))
        build(BuildKind.TREE, source.root, of=of)
        monkeypatch.setenv(name, value.format("two"))
        assert build(BuildKind.TREE, source.root, of=of).cached

    def test_a_kept_jar_that_has_become_unreadable_is_built_again(self, build: Make, source: SourceTree) -> None:
        first = build(BuildKind.TREE, source.root)
        first.path.write_bytes(b"")
        second = build(BuildKind.TREE, source.root)
        assert not second.cached
        assert second.sha256 == first.sha256

    def test_two_at_once_end_up_with_one_jar(self, source: SourceTree, tmp_path: Path) -> None:
        request = BuildRequest(kind=BuildKind.TREE, value=str(source.root), label="mine")
        # Every build is another one, so that a jar written twice would show.
        script = "import os; open('n.txt', 'w').write(str(os.getpid())); exec(open('build.py').read())"
        of = replace(source, command=(sys.executable, "-c", script))
        together = threading.Barrier(4)
        made: list[Artifact] = []

        def work(resources: Resources) -> None:
            together.wait()
            made.append(make(request, source=of, resources=resources, log_dir=tmp_path / "logs"))

        with Resources() as resources:
            threads = [threading.Thread(target=work, args=(resources,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert len({artifact.sha256 for artifact in made}) == 1
        assert [path.name for path in made[0].path.parent.iterdir()] == ["orders-1.0.jar"]


@pytest.mark.parametrize("kind", ["tree", "ref", "patch"])
def test_the_users_checkout_is_not_touched(
    build: Make, repository: Path, tmp_path: Path, kind: str, resources: Resources
) -> None:
    patch = tmp_path / "slow.patch"
    patch.write_text(PATCH.format(prefix=""))
    os.utime(repository / "orders" / "src" / "a.txt", (0, 0))  # git would like to note this in its index
    before = snapshot(repository)
    build(BuildKind(kind), {"tree": repository / "orders", "ref": "HEAD", "patch": patch}[kind])
    resources.close()
    assert snapshot(repository) == before


def test_a_hooks_idea_of_the_repository_does_not_mislead(
    build: Make, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, git: Git
) -> None:
    (tmp_path / "other").mkdir()
    git(tmp_path / "other", "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    assert "src/a.txt" in texts(build(BuildKind.REF, "v1"))
    assert "src/a.txt" in texts(build(BuildKind.TREE, repository / "orders"))


def test_another_plan_is_no_other_source(build: Make, project: Path) -> None:
    (project / "pacecar.toml").write_text("[plan]\npairs = 3\n")
    assert not build(BuildKind.TREE, project).cached
    (project / "pacecar.toml").write_text("[plan]\npairs = 6\n")
    assert build(BuildKind.TREE, project).cached
