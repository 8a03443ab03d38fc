"""Settings of a repository's own that name a program: taken back, so that looking at it runs nothing of its choosing.

A clone brings no settings, but a folder that was unpacked, restored from a cache or shared does, and `git status` alone
would run its `core.fsmonitor` and its filters. The user's and the machine's settings stay: they name who may be trusted
with which folder, and the filters of git-lfs. Attributes only choose among filters, so those need no care of their own.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from pacecar.inputs.builds import BuildError
from pacecar.system import environment

_TIMEOUT_S = 120.0
#: Whatever the repository says.
_ALWAYS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.pager": "cat",
    "core.gitProxy": "",
    "core.alternateRefsCommand": "",
    "diff.external": "",
    "log.showSignature": "false",
    "protocol.ext.allow": "never",
    "submodule.recurse": "false",
}
#: What git-lfs writes into a repository (`git lfs install --local`, as CI does): its own program, found on the PATH.
_LFS = re.compile(r"git-lfs (clean|smudge|filter-process)( --skip)?( --)?( %f)?")
_PROGRAMS = re.compile(
    r"filter\..+\.(?:clean|smudge|process)|diff\..+\.(?:command|textconv)|merge\..+\.driver|trailer\..+\.(?:command|cmd)"
    r"|gpg\.(?:.+\.)?program|lfs\.(?:customtransfer|extension)\..+|credential\.(?:.+\.)?helper"
    r"|hook\..+\.command|core\.(?:sshcommand|askpass|editor)|remote\..+\.(?:uploadpack|receivepack|vcs)|uploadpack\.packobjectshook",
    re.IGNORECASE | re.DOTALL,
)
#: Hooks by settings, which `core.hooksPath` says nothing about.
_HOOKS = re.compile(r"hook\..+\.command", re.IGNORECASE | re.DOTALL)
_OWN_SCOPES = ("local", "worktree")
_LONGEST = 100
#: Exit status of a git that does not know an option.
_USAGE = 129


def harmless(directory: Path) -> list[str]:
    """The beginning of every git command in `directory`: options that take such settings back.

    Raises:
        BuildError: when a setting names a program and cannot be taken back.
        FileNotFoundError: when there is no git.
    """
    taken = dict(_ALWAYS)
    for name, value in _own_settings(directory):
        if _PROGRAMS.fullmatch(name) and not _LFS.fullmatch(value):
            if "=" in name:  # an option would end the name there, and take back another one
                raise BuildError(
                    f"{directory} has the setting {name[:_LONGEST]!r}, which names a program that git would run.",
                    hint=f"See where it comes from: git -C {directory} config --list --show-origin",
                )
            taken[name] = "true" if _HOOKS.fullmatch(name) else ""
            if name.startswith("filter."):
                taken[f"{name.rpartition('.')[0]}.required"] = "false"
    return ["git", *(part for name, value in taken.items() for part in ("-c", f"{name}={value}"))]


def _own_settings(directory: Path) -> list[tuple[str, str]]:
    """Names and values of the repository's own settings; none where there is no repository. Listing runs nothing."""
    answer = _listed(directory)
    if answer.returncode == _USAGE:
        raise BuildError(
            "The git here is older than 2.26 and cannot say which settings are a repository's own.",
            hint="Install a newer one, or name a jar in place of what is to be built.",
        )
    parts = answer.stdout.decode("utf-8", "surrogateescape").split("\0")
    pairs = (
        setting.partition("\n") for scope, setting in zip(parts[::2], parts[1::2], strict=False) if scope in _OWN_SCOPES
    )
    return [(name, value) for name, _, value in pairs]


def _listed(directory: Path) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", "-c", "core.pager=cat", "config", "--list", "--show-scope", "--null", "--includes"],
            cwd=directory,
            env=environment.of_git(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BuildError(
            f"git in {directory} took longer than {_TIMEOUT_S:g} s to list its settings.",
            hint=f"See what it waits for: git -C {directory} config --list --show-origin",
        ) from error
