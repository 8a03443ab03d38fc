"""Questions to git about the repository around the source; nothing here changes the user's checkout."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.build_folders import without_left_out
from pacecar.inputs.builds.git_settings import harmless
from pacecar.system import environment
from pacecar.text import hidden

_TIMEOUT_S = 120.0
#: Names of some million files.
_MOST_BYTES = 128 << 20
_MOST_COMPLAINT = 64 << 10
#: Tracked where there are submodules.
MODULES = ".gitmodules"
#: The mode of a submodule in a listing.
_SUBMODULE = b"160000 "
#: Heads each piece of a difference with the method it lies in: neither a statement nor a keyword, but a name and "(".
_METHOD = r"""!;[ \t]*$
!^[ \t]*(return|throw|new|if|else|for|while|do|switch|case|catch|try|synchronized|assert)[^A-Za-z0-9_]
^[ \t]*[A-Za-z_@].*[A-Za-z0-9_>]+[ \t]*\(.*$"""


class GitTooSlow(BuildError):
    """git was asked for something that takes it minutes."""


@dataclass(frozen=True, kw_only=True)
class Repository:
    """A git working tree."""

    top: Path

    @classmethod
    def around(cls, directory: Path) -> Repository | None:
        """The working tree that `directory` is part of; None where there is none, or it ignores `directory`.

        Raises:
            BuildError: when git refuses to look, as at a repository of another user.
        """
        try:
            answer = _git(directory, "rev-parse", "--show-toplevel")
            if answer.returncode:
                _check_refusal(directory, answer)
                return None
            ignored = _git(directory, "check-ignore", "--quiet", str(directory)).returncode == 0
        except FileNotFoundError:  # no git here: a plain directory is all it can be
            return None
        return None if ignored else cls(top=Path(os.fsdecode(answer.stdout.removesuffix(b"\n"))))

    def commit(self, ref: str) -> str | None:
        """The commit that `ref` stands for, or None.

        A remote-tracking branch such as `origin/main` stands for the commit at which HEAD left it, since what
        others have pushed meanwhile is not what HEAD is to be compared with.

        Raises:
            BuildError: when a remote-tracking branch has no commit in common with HEAD.
        """
        found = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        if found is None or not self._is_remote(ref):
            return found
        base = self.ask("merge-base", "HEAD", found)
        if base is None:
            raise BuildError(
                f"{ref} and HEAD have no commit in common in {self.top}.",
                hint="In a shallow clone, fetch the history first: git fetch --unshallow",
            )
        return base

    def head(self) -> str | None:
        """The commit of HEAD, with `+dirty` when files differ from it; None before the first commit."""
        commit = self.ask("rev-parse", "--verify", "--quiet", "HEAD")
        # Submodules are asked one by one: only so none of them can name a program to be run.
        dirty = commit and (self.ask("status", "--porcelain", "--ignore-submodules=dirty") or self._has_dirty_modules())
        return f"{commit}+dirty" if dirty else commit or None

    def _has_dirty_modules(self) -> bool:
        found = map(self.submodule, self.submodules())
        return any((each.head() or "").endswith("+dirty") for each in found if each is not None)

    def files(self) -> list[Path]:
        """Tracked and untracked files that a build may need, below `top`; some may be deleted."""
        tracked = _lines(_git(self.top, "ls-files", "-z", "--cached"))
        untracked = _lines(_git(self.top, "ls-files", "-z", "--others", "--exclude-standard"))
        return sorted({*tracked, *without_left_out(untracked, top=self.top)})

    def submodules(self, commit: str | None = None) -> dict[Path, str]:
        """Path -> commit of each submodule that is tracked, or that `commit` has; not of those inside of them."""
        if commit is None and not (self.top / MODULES).is_file():
            return {}
        listing = ("ls-files", "-z", "--stage") if commit is None else ("ls-tree", "-z", "-r", commit)
        found = {}
        for line in _git(self.top, *listing).stdout.split(b"\0"):
            about, _, name = line.partition(b"\t")
            if about.startswith(_SUBMODULE):
                hash_ = max(about.split(), key=len)  # the two listings have it in another place
                found[Path(os.fsdecode(name))] = hash_.decode("ascii", "replace")
        return found

    def submodule(self, path: Path) -> Repository | None:
        """The checkout of the submodule at `path`; None where there is none, or a link has taken its place."""
        place = self.top / path
        is_there = place.resolve() == place and (place / ".git").exists()
        return Repository(top=place) if is_there else None

    def names(self) -> list[str]:
        """Branches, remote-tracking branches and tags, the most recent first."""
        kinds = ("refs/heads", "refs/remotes", "refs/tags")
        names = self.ask("for-each-ref", "--sort=-creatordate", "--format=%(refname:short)", "--count=500", *kinds)
        return (names or "").split()

    def changes(self, base: str, files: Sequence[Path]) -> str:
        """`git diff` from the commit `base` to HEAD, without context, each piece headed by the method it lies in.

        Args:
            base: a commit.
            files: ends of paths, such as `shop/orders/Order.*`, under any folder.

        Returns:
            "" where git cannot say.
        """
        plain = ("diff.default.xfuncname=" + _METHOD, "diff.noprefix=false", "diff.mnemonicPrefix=false")
        answer = _git(
            self.top,
            *(part for setting in (*plain, "core.quotePath=false") for part in ("-c", setting)),
            # A submodule may name programs of its own, which a look at its files would run.
            *("diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"),
            "--submodule=short",
            *("--end-of-options", base, "HEAD", "--", *(f":(top,glob)**/{file}" for file in files)),
        )
        return "" if answer.returncode else answer.stdout.decode("utf-8", "replace")

    def _is_remote(self, ref: str) -> bool:
        full = self.ask("rev-parse", "--symbolic-full-name", "--end-of-options", ref)
        return full is not None and any(line.startswith("refs/remotes/") for line in full.splitlines())

    def ask(self, *arguments: str) -> str | None:
        """What git answers to `arguments`, without blanks around it; None when it ends with an error."""
        answer = _git(self.top, *arguments)
        return None if answer.returncode else answer.stdout.decode("utf-8", "replace").strip()

    def unless_shallow(self, hint: str) -> str:
        """`hint`; in a shallow clone, which lacks history and most branches, how to get both."""
        if self.ask("rev-parse", "--is-shallow-repository") != "true":
            return hint
        return (
            "This clone is shallow; fetch the history first: git fetch --unshallow, or in GitHub Actions set "
            "fetch-depth: 0 for actions/checkout"
        )


def apply(patch: Path, directory: Path) -> str | None:
    """Apply `patch` to `directory`, which is no repository. Returns what git complained about first, if anything."""
    answer = _git(directory, "apply", "--whitespace=nowarn", str(patch))
    if answer.returncode == 0:
        return None
    lines = answer.stderr.decode("utf-8", "replace").splitlines()
    return next((line.removeprefix("error: ") for line in lines if line.startswith("error: ")), "not a patch")


def ceiling(folder: Path) -> dict[str, str]:
    """The variable that has git look for a repository only below `folder`.

    Without it, `git apply` in a copy that lies inside some other repository takes itself to be there and skips every
    file without a word.
    """
    return {"GIT_CEILING_DIRECTORIES": str(folder)}


def _git(directory: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    # Short questions, over before this returns, so nobody has to own the process.
    # No optional locks: a look at the status must not rewrite the user's index.
    above = ceiling(directory.parent) if arguments[0] == "apply" else {}
    with tempfile.TemporaryFile() as complaint:
        command = [*harmless(directory), "--no-optional-locks", *arguments]
        process = subprocess.Popen(
            command,
            cwd=directory,
            env=environment.of_git() | above,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaint,
        )
        out = _output(process, directory=directory, what=arguments[0])
        complaint.seek(0)
        return subprocess.CompletedProcess(command, process.returncode, out, complaint.read(_MOST_COMPLAINT))


def _output(process: subprocess.Popen[bytes], *, directory: Path, what: str) -> bytes:
    """All that git prints, as far as it prints what can be held, in time."""
    late = threading.Timer(_TIMEOUT_S, process.kill)
    late.start()
    try:
        with process:
            assert process.stdout is not None
            out = process.stdout.read(_MOST_BYTES + 1)
            if len(out) > _MOST_BYTES:
                process.kill()
    finally:
        in_time = late.is_alive()
        late.cancel()
    see = f"See what it says: git -C {directory} {what}"
    if not in_time and process.returncode < 0:
        raise GitTooSlow(f"git {what} in {directory} took longer than {_TIMEOUT_S:g} s.", hint=see)
    if len(out) > _MOST_BYTES:
        raise BuildError(f"git {what} in {directory} printed more than {_MOST_BYTES >> 20} MiB.", hint=see)
    return out


def _check_refusal(directory: Path, answer: subprocess.CompletedProcess[bytes]) -> None:
    complaint = hidden.text(answer.stderr.decode("utf-8", "replace").strip())
    if "not a git repository" not in complaint:
        first = complaint.splitlines()[0] if complaint else "no reason given"
        raise BuildError(f"git cannot read {directory}: {first}", hint=f"See what it says: git -C {directory} status")


def _lines(answer: subprocess.CompletedProcess[bytes]) -> list[Path]:
    return [Path(os.fsdecode(name)) for name in answer.stdout.split(b"\0") if name]
