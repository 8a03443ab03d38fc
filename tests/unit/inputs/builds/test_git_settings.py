"""Repositories whose settings name programs: looking at one, and checking it out, runs none of them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pacecar.inputs.builds import BuildError, git_settings
from pacecar.inputs.builds.git import Repository
from pacecar.inputs.builds.sources import copied
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.system import environment
from pacecar.system.resources import Resources

SETTINGS = {
    "core.fsmonitor": "{trap}",
    "core.hooksPath": "{folder}/hooks",
    "core.pager": "{trap}",
    "core.sshCommand": "{trap}",
    "diff.external": "{trap}",
    "diff.trap.command": "{trap}",
    "diff.trap.textconv": "{trap}",
    "filter.trap.clean": "{trap}",
    "filter.trap.smudge": "{trap}",
    "filter.trap.process": "{trap}",
    "filter.Trap.With.Dots.clean": "{trap}",
    "gpg.program": "{trap}",
    "log.showSignature": "true",
    "core.alternateRefsCommand": "{trap}",
    "credential.helper": "!{trap}",
}


@pytest.mark.hostile
@pytest.mark.parametrize("scope", ["--local", "--worktree", "include"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_looking_at_a_repository_runs_nothing_of_its_choosing(
    setting: str, scope: str, tmp_path: Path, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "Trap.With.Dots" if "Trap" in setting else "trap"
    top = repository(tmp_path / "shop", attributes=f"*.txt filter={name} diff=trap\n")
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    (tmp_path / "hooks").mkdir()
    for hook_name in ("post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
        (tmp_path / "hooks" / hook_name).symlink_to(trap)
        (top / ".git" / "hooks" / hook_name).symlink_to(trap)
    value = SETTINGS[setting].format(trap=trap, folder=tmp_path)
    configure(top, scope, setting, value)
    (top / "a.txt").write_text("owt")  # as long as before: git has to read it
    source = SourceTree(root=top, command=("cp", "a.txt", "app.jar"), artifact="app.jar")

    found = Repository.around(top)
    assert found is not None
    assert found.head().endswith("+dirty")
    assert found.files()
    assert found.names()
    found.changes("HEAD~1", [Path("a.txt")])
    found.ask("show", "--no-patch", "HEAD")
    with git_copy(source, resources, tmp_path) as copy:
        assert (copy.root / "a.txt").read_text() == "two"

    assert not (tmp_path / "sprung").exists()


@pytest.mark.hostile
def test_a_program_that_no_option_can_take_back_is_refused(tmp_path: Path) -> None:
    top = repository(tmp_path / "shop", attributes="*.txt filter=a=b\n")
    configure(top, "--local", "filter.a=b.clean", f"touch {tmp_path}/sprung")
    (top / "a.txt").write_text("owt")

    with pytest.raises(BuildError, match=r"'filter\.a=b\.clean', which names a program"):
        Repository(top=top).head()

    assert not (tmp_path / "sprung").exists()


@pytest.mark.hostile
def test_a_setting_that_counts_in_a_new_worktree_alone_runs_nothing(tmp_path: Path, resources: Resources) -> None:
    top = repository(tmp_path / "shop", attributes="*.txt filter=trap\n")
    plain(top, "config", "--file", str(tmp_path / "included"), "filter.trap.smudge", f"touch {tmp_path}/sprung; cat")
    configure(top, "--local", "includeIf.gitdir:**/worktrees/**.path", str(tmp_path / "included"))
    source = SourceTree(root=top, command=("cp", "a.txt", "app.jar"), artifact="app.jar")

    with git_copy(source, resources, tmp_path) as copy:
        assert (copy.root / "a.txt").read_text() == "two"

    assert not (tmp_path / "sprung").exists()


@pytest.mark.hostile
def test_what_has_changed_is_not_asked_of_a_submodule(tmp_path: Path) -> None:
    repository(tmp_path / "module", attributes="*.txt diff=trap\n")
    top = repository(tmp_path / "shop")
    module = top / "shop" / "Order.java"
    plain(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(tmp_path / "module"), str(module))
    plain(module, "checkout", "--quiet", "HEAD~1")
    plain(top, "commit", "-q", "-a", "-m", "third")
    plain(module, "checkout", "--quiet", "main")
    plain(top, "commit", "-q", "-a", "-m", "fourth")
    configure(module, "--local", "diff.trap.command", f"touch {tmp_path}/sprung;:")
    configure(top, "--local", "diff.submodule", "diff")

    assert "Subproject commit" in Repository(top=top).changes("HEAD~1", [Path("shop/Order.*")])

    assert not (tmp_path / "sprung").exists()


@pytest.mark.hostile
def test_hooks_by_settings_are_replaced_by_one_that_does_nothing(tmp_path: Path) -> None:
    top = repository(tmp_path / "shop")
    configure(top, "--local", "hook.Lint.More.command", "touch trap")
    assert "hook.Lint.More.command=true" in git_settings.harmless(top)


@pytest.mark.hostile
def test_settings_that_never_end_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = repository(tmp_path / "shop")
    configure(top, "--local", "include.path", str(tmp_path / "pipe"))
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr(git_settings, "_TIMEOUT_S", 0.2)
    with pytest.raises(BuildError, match=r"took longer than 0\.2 s to list its settings"):
        Repository.around(top)


@pytest.mark.hostile
def test_a_git_that_cannot_tell_whose_a_setting_is_does_not_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "git"
    old.write_text('#!/bin/sh\ncase "$*" in *--show-scope*) echo unknown option >&2; exit 129;; esac\ntouch sprung\n')
    old.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(BuildError, match=r"older than 2\.26"):
        Repository.around(tmp_path)
    assert not (tmp_path / "sprung").exists()


def test_the_filters_of_git_lfs_stay(tmp_path: Path, resources: Resources) -> None:
    top = repository(tmp_path / "shop")
    configure(top, "--local", "filter.lfs.smudge", "git-lfs smudge -- %f")
    configure(top, "--local", "filter.lfs.clean", "git-lfs clean -- %f; touch trap")

    options = git_settings.harmless(top)

    assert "filter.lfs.smudge=" not in options
    assert "filter.lfs.clean=" in options


def repository(top: Path, *, attributes: str = "") -> Path:
    top.mkdir()
    (top / ".gitattributes").write_text(attributes)
    (top / "a.txt").write_text("one")
    plain(top, "init", "-q", "-b", "main")
    plain(top, "add", "-A")
    plain(top, "commit", "-q", "-m", "first")
    (top / "a.txt").write_text("two")
    plain(top, "commit", "-q", "-a", "-m", "second")
    return top


def plain(top: Path, *arguments: str) -> None:

    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    surroundings = environment.of_git() | {"GIT_CONFIG_GLOBAL": "/dev/null"}
    subprocess.run(["git", "-C", str(top), *identity, *arguments], check=True, env=surroundings)


def configure(top: Path, scope: str, name: str, value: str) -> None:
    if scope == "include":
        plain(top, "config", "--file", str(top.parent / "included"), name, value)
        plain(top, "config", "--local", "include.path", str(top.parent / "included"))
        return
    if scope == "--worktree":
        plain(top, "config", "extensions.worktreeConfig", "true")
    plain(top, "config", scope, name, value)


def git_copy(source: SourceTree, resources: Resources, folder: Path):

    request = BuildRequest(kind=BuildKind.REF, value="HEAD", label="mine")
    return copied(request, source=source, resources=resources, log=folder / "git.log")
