"""What git says of the history between two commits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.commits import History
from pacecar.model.experiment import SourceTree

Git = Callable[..., str]


@pytest.fixture
def history(repository: Path, source: SourceTree) -> History:
    return History.of(source)


def _commit(git: Git, repository: Path, subject: str) -> str:
    git(repository, "commit", "-q", "--allow-empty", "-m", subject)
    return git(repository, "rev-parse", "HEAD")


def test_the_middle_comes_first(history: History, repository: Path, git: Git) -> None:
    commits = [_commit(git, repository, f"change {number}") for number in range(7)]
    git(repository, "branch", "dist=99,x(dist=98)", commits[-1])
    found = history.candidates([history.commit("v1")], commits[-1])
    assert next((each.commit, each.distance) for each in found) in [(commits[2], 3), (commits[3], 3)]
    assert {each.commit for each in found} == set(commits)
    assert found[-1].commit == commits[-1]
    assert found[-1].distance == 0


def test_a_merged_branch_counts_commit_by_commit_or_as_one(history: History, repository: Path, git: Git) -> None:
    git(repository, "checkout", "-q", "-b", "side")
    side = [_commit(git, repository, f"side {number}") for number in range(3)]
    git(repository, "checkout", "-q", "main")
    first = _commit(git, repository, "main 1")
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "side")
    merge = git(repository, "rev-parse", "HEAD")
    good = history.commit("v1")
    assert {each.commit for each in history.candidates([good], merge)} == {*side, first, merge}
    assert {each.commit for each in history.candidates([good], merge, first_parent=True)} == {first, merge}
    assert {each.commit for each in history.candidates([good, side[1]], merge)} == {side[2], first, merge}


def test_a_remote_branch_means_its_tip(history: History, repository: Path, git: Git) -> None:
    ahead = _commit(git, repository, "pushed by others")
    git(repository, "update-ref", "refs/remotes/origin/main", ahead)
    git(repository, "reset", "-q", "--hard", "v1")
    assert history.commit("origin/main") == ahead


def test_hostile_words_come_whole(history: History, repository: Path, git: Git) -> None:
    subject = "::error::\x1b[2J `rm -rf /` <b>\u202e%00"
    git(repository, "-c", "user.name=\x07 A\u2066 %H", "commit", "-q", "--allow-empty", "-m", subject)
    commit = history.describe(history.commit("HEAD"))
    assert commit.subject == subject
    assert "%H" in commit.author
    assert len(commit.short) == 12
    assert commit.commit.startswith(commit.short)


@pytest.mark.parametrize("ref", ["--all", "-h", "nowhere", "HEAD~99", "", "v1^{tree}", "v1\n"])
def test_what_is_no_commit_is_said(history: History, ref: str) -> None:
    with pytest.raises(BuildError, match="There is no commit"):
        history.commit(ref)


def test_a_mistyped_ref(history: History) -> None:
    with pytest.raises(BuildError) as error:
        history.commit("mian")
    assert error.value.hint == "Did you mean 'main'?"


def test_histories_that_cannot_be_searched(history: History, repository: Path, git: Git) -> None:
    _commit(git, repository, "later")
    git(repository, "branch", "other", "v1")
    git(repository, "checkout", "-q", "other")
    _commit(git, repository, "elsewhere")
    git(repository, "checkout", "-q", "--orphan", "fresh")
    _commit(git, repository, "a beginning")
    history.require_ancestor("v1", "main")
    for good, bad, said, hint in (
        ("main", "main", "are the same commit", "--good REF"),
        ("main", "v1", "v1 came before main", "pacecar bisect --good v1 --bad main"),
        ("other", "main", "does not descend from other", f"--good {history.short(history.commit('v1'))} --bad main"),
        ("fresh", "main", "have no commit in common", "Name another"),
    ):
        with pytest.raises(BuildError, match=said) as error:
            history.require_ancestor(good, bad)
        assert hint in str(error.value.hint)


def test_a_shallow_clone_is_said(tmp_path: Path, repository: Path, git: Git) -> None:
    _commit(git, repository, "later")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", str(clone))
    source = SourceTree(root=clone / "orders", command=("true",), artifact="a.jar")
    with pytest.raises(BuildError) as error:
        History.of(source).commit("HEAD~1")
    assert error.value.hint.startswith("This clone is shallow; fetch the history first: git fetch --unshallow")


def test_a_source_outside_git(tmp_path: Path, source: SourceTree) -> None:
    with pytest.raises(BuildError, match="is not in a git repository"):
        History.of(source)
    with pytest.raises(BuildError, match="no source is configured"):
        History.of(None)
