"""A build that fails is one sentence, and nothing of it is kept."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.artifact import Artifact
from pacecar.model.experiment import BuildKind, SourceTree

Git = Callable[..., str]
Make = Callable[..., Artifact]


class TestFailure:
    """One sentence with the build, the command, how it ended and what it complained of."""

    def test_a_build_that_does_not_compile(self, build: Make, source: SourceTree, tmp_path: Path) -> None:
        (source.root / "broken.txt").touch()
        with pytest.raises(BuildError) as caught:
            build(BuildKind.TREE, source.root)
        command = f"`{sys.executable} build.py`"
        assert caught.value.message == (
            f"Build 'mine' failed: {command} ended with status 1: [ERROR] broken.txt:[1,1] ';' expected"
        )
        assert str(tmp_path / "logs") in str(caught.value.hint)
        assert "[INFO] compiling" in str(caught.value.hint)

    def test_a_build_that_takes_too_long(self, build: Make, source: SourceTree) -> None:
        of = replace(source, command=("sleep", "60"), timeout_s=0.2)
        with pytest.raises(BuildError, match=r"Build 'mine' failed: `sleep 60` took longer than 200 ms\."):
            build(BuildKind.TREE, source.root, of=of)

    def test_a_build_that_is_killed(self, build: Make, source: SourceTree) -> None:
        of = replace(source, command=("sh", "-c", "kill -9 $$"))
        with pytest.raises(BuildError, match="was killed by signal 9"):
            build(BuildKind.TREE, source.root, of=of)

    def test_a_build_that_leaves_nothing(
        self, build: Make, project: Path, repository: Path, source: SourceTree, git: Git
    ) -> None:
        git(repository, "add", "-f", "orders/target/orders-0.9.jar")
        with pytest.raises(BuildError, match=r"Build 'mine' left no 'target/orders-\*\.jar'\.") as caught:
            build(BuildKind.TREE, project, of=replace(source, command=("true",)))
        assert caught.value.hint.startswith("It left no jar at all: ")

    def test_a_build_that_leaves_another_jar(self, build: Make, source: SourceTree) -> None:
        with pytest.raises(BuildError) as caught:
            build(BuildKind.TREE, source.root, of=replace(source, artifact="target/app*.jar"))
        assert caught.value.hint.startswith("It left these jars: target/orders-1.0.jar.")

    def test_a_build_that_leaves_several(self, build: Make, source: SourceTree) -> None:
        script = "exec(open('build.py').read()); import shutil\n"
        script += "for name in ('sources', 'javadoc', *sys.argv[1:]):\n"
        script += "    shutil.copy('target/orders-1.0.jar', f'target/orders-1.0-{name}.jar')"
        one = replace(source, command=(sys.executable, "-c", script))
        assert build(BuildKind.TREE, source.root, of=one).path.name == "orders-1.0.jar"
        two = replace(source, command=(sys.executable, "-c", script, "all"))
        with pytest.raises(BuildError, match=r"left 2 files that match \S+: orders-1.0-all.jar, orders-1.0.jar"):
            build(BuildKind.TREE, source.root, of=two)

    def test_a_build_that_leaves_a_link_out_of_its_copy(self, build: Make, source: SourceTree, jar: Path) -> None:
        script = f"import os; os.mkdir('target'); os.symlink({str(jar)!r}, 'target/orders-1.0.jar')"
        with pytest.raises(BuildError, match="left no"):
            build(BuildKind.TREE, source.root, of=replace(source, command=(sys.executable, "-c", script)))

    @pytest.mark.parametrize("pattern", ["", "/etc/x.jar", "../x.jar"])
    def test_an_artifact_outside_the_source(self, build: Make, source: SourceTree, pattern: str) -> None:
        with pytest.raises(BuildError, match="is not a path below the source's root"):
            build(BuildKind.TREE, source.root, of=replace(source, artifact=pattern))


class TestWhatTheCopyLacks:
    """Something that a checkout has, and its copy does not."""

    @pytest.mark.parametrize(
        "complaint",
        [
            "[ERROR] .git directory is not found! Please specify a valid [dotGitDirectory] in your pom.xml",
            "fatal: not a git repository (or any of the parent directories): .git",
            "org.eclipse.jgit.errors.RepositoryNotFoundException: repository not found: /tmp/x",
        ],
    )
    def test_a_git_folder(self, build: Make, repository: Path, source: SourceTree, complaint: str) -> None:
        of = replace(source, command=("sh", "-c", f"echo '{complaint}'; exit 1"))
        with pytest.raises(BuildError) as tree:
            build(BuildKind.TREE, source.root, of=of)
        assert "-Dmaven.gitcommitid.skip=true in source.command" in str(tree.value.hint)
        assert "The log is " in str(tree.value.hint)
        with pytest.raises(BuildError) as commit:
            build(BuildKind.REF, "v1", of=of)
        assert "gitcommitid" not in str(commit.value.hint), "a worktree is a repository"

    def test_a_submodule(self, build: Make, repository: Path, source: SourceTree, git: Git) -> None:
        (repository / ".gitmodules").write_text('[submodule "common"]\n\tpath = libs/common\n\turl = ../common\n')
        git(repository, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},libs/common")
        git(repository, "add", ".gitmodules")
        git(repository, "commit", "-q", "-m", "a submodule that nobody has")
        for kind, value in ((BuildKind.TREE, source.root), (BuildKind.REF, "HEAD")):
            assert build(kind, value).path is not None, "a build may do without"
            with pytest.raises(BuildError) as caught:
                build(kind, value, of=replace(source, command=("false",)))
            assert "does not have the submodule libs/common at that commit" in str(caught.value.hint)
            assert "git submodule update --init --recursive" in str(caught.value.hint)
