"""What a build's name means."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.request import parse_build
from pacecar.model.experiment import BuildKind, SourceTree

Git = Callable[..., str]


@pytest.mark.parametrize("text", ["orders.jar", "jar:orders.jar", "./orders.jar", " orders.jar "])
def test_a_jar(text: str, jar: Path, tmp_path: Path) -> None:
    request = parse_build(text, source=None, cwd=tmp_path)
    assert (request.kind, request.value, request.label) == (BuildKind.JAR, str(jar), "orders.jar")


def test_a_war(jar: Path, tmp_path: Path) -> None:
    jar.rename(tmp_path / "orders.war")
    request = parse_build("orders.war", source=None, cwd=tmp_path)
    assert (request.kind, request.value, request.label) == (BuildKind.JAR, str(tmp_path / "orders.war"), "orders.war")


@pytest.mark.parametrize("text", ["slow.patch", "patch:slow.patch", "fast.diff", "patch:{cwd}/slow.patch"])
def test_a_patch(text: str, source: SourceTree, tmp_path: Path) -> None:
    for name in ("slow.patch", "fast.diff"):
        (tmp_path / name).touch()
    request = parse_build(text.format(cwd=tmp_path), source=source, cwd=tmp_path)
    assert request.kind is BuildKind.PATCH
    assert Path(request.value).parent == tmp_path
    assert request.label in {"slow", "fast"}


@pytest.mark.parametrize("text", [".", "worktree", "tree:.", "tree:worktree", "tree:shop/orders"])
def test_the_working_tree_is_the_source_wherever_one_stands(text: str, source: SourceTree, tmp_path: Path) -> None:
    request = parse_build(text, source=source, cwd=tmp_path)
    assert (request.kind, request.value, request.label) == (BuildKind.TREE, str(source.root), "working tree")


def test_another_checkout_is_built_at_the_same_place(
    source: SourceTree, repository: Path, git: Git, tmp_path: Path
) -> None:
    git(repository, "clone", "-q", str(repository), str(tmp_path / "other"))
    for text in ("other", "tree:other", "other/orders"):
        request = parse_build(text, source=source, cwd=tmp_path)
        assert (request.kind, request.value) == (BuildKind.TREE, str(tmp_path / "other" / "orders"))


@pytest.mark.parametrize("text", ["v1", "main", "HEAD", "ref:v1", "HEAD^{commit}", "{commit}"])
def test_a_ref(text: str, source: SourceTree, repository: Path, git: Git) -> None:
    if text == "{commit}":
        text = git(repository, "rev-parse", "HEAD")
    request = parse_build(text, source=source, cwd=repository)
    assert (request.kind, request.value) == (BuildKind.REF, text.removeprefix("ref:"))


def test_a_prefix_settles_what_could_be_two_things(
    source: SourceTree, repository: Path, git: Git, tmp_path: Path
) -> None:
    git(repository, "branch", "docs")
    (tmp_path / "docs").mkdir()
    assert parse_build("docs", source=source, cwd=tmp_path).kind is BuildKind.TREE
    assert parse_build("ref:docs", source=source, cwd=tmp_path).kind is BuildKind.REF


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("mian", "Did you mean 'main'?"),
        ("order.jar", "Did you mean 'orders.jar'?"),
        ("jar:order.jar", "Did you mean 'orders.jar'?"),
        ("patch:no.patch", "Name a jar, a patch"),
        ("xyzzy", "There are: main, v1, orders.jar."),
        ("tree:nowhere", 'Name the working tree: "."'),
        ("--output=x", "There are: main, v1, orders.jar."),
        ("HEAD:orders/src", "There are: main, v1, orders.jar."),
        ("", "There are: main, v1, orders.jar."),
        ("ref:", "There are: main, v1, orders.jar."),
    ],
)
def test_what_there_is_not(
    text: str, hint: str, source: SourceTree, repository: Path, jar: Path, tmp_path: Path
) -> None:
    with pytest.raises(BuildError, match="There is no") as caught:
        parse_build(text, source=source, cwd=tmp_path)
    assert caught.value.hint.startswith(hint)


def test_a_ref_outside_git(source: SourceTree, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"no build 'main': .* is not in a git repository"):
        parse_build("main", source=source, cwd=tmp_path)


@pytest.mark.parametrize("text", [".", "v1", "patch:slow.patch"])
def test_without_a_source_only_jars_can_be_named(text: str, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="no source is configured") as caught:
        parse_build(text, source=None, cwd=tmp_path)
    assert "[source]" in str(caught.value.hint)


def test_a_folder_that_its_repository_ignores_is_not_taken_for_part_of_it(
    repository: Path, source: SourceTree, tmp_path: Path
) -> None:
    (repository / ".gitignore").write_text("orders/\n")
    git_free = repository / "orders" / "fresh"
    git_free.mkdir()
    ignored = SourceTree(root=git_free, command=source.command, artifact=source.artifact)
    with pytest.raises(BuildError, match="is not in a git repository"):
        parse_build("main", source=ignored, cwd=tmp_path)


def test_what_a_shallow_clone_lacks_can_be_fetched(repository: Path, git: Git, tmp_path: Path) -> None:
    """The checkout of a pull request, by the action's default: one commit, and no branch."""
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "checkout")
    git(tmp_path / "checkout", "remote", "remove", "origin")
    source = SourceTree(root=tmp_path / "checkout" / "orders", command=("true",), artifact="*.jar")
    with pytest.raises(BuildError, match="no such git ref") as caught:
        parse_build("origin/main", source=source, cwd=source.root)
    assert "fetch-depth: 0" in str(caught.value.hint)
