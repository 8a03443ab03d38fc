"""Questions to git about the history between two commits. Nothing is checked out, and no `git bisect` is begun."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.git import GitTooSlow, Repository
from pacecar.model.bisection import Candidate
from pacecar.model.experiment import SourceTree

#: Digits of a shortened hash; git adds more where so many are not unique.
_DIGITS = 12
#: A history longer than this is not searched by one command: listing it takes git minutes.
_MOST = 20_000
#: `<hash> (HEAD -> main, dist=4)`; names of branches may hold nearly anything, so the last `dist` counts.
_LISTED = re.compile(r"([0-9a-f]{40,64}) \(.*\bdist=(\d+)\)")


@dataclass(frozen=True, kw_only=True)
class Commit:
    """A commit as people know it; author and subject are the words of whoever wrote it. `date` is a day, ISO 8601."""

    commit: str
    short: str
    author: str
    date: str
    subject: str


@dataclass(frozen=True, kw_only=True)
class History:
    """The commits of the repository around a source."""

    repository: Repository

    @classmethod
    def of(cls, source: SourceTree | None) -> History:
        """Of the repository that `source` is part of.

        Raises:
            BuildError: when there is no source, or no repository around it.
        """
        if source is None:
            raise BuildError(
                "Commits must be built, but no source is configured.",
                hint="Describe the source and its build in a [source] table of pacecar.toml.",
            )
        repository = Repository.around(source.root)
        if repository is None:
            raise BuildError(f"{source.root} is not in a git repository.", hint="See what git says: git status")
        return cls(repository=repository)

    def commit(self, ref: str) -> str:
        """The full hash of the commit `ref`; of a remote-tracking branch its tip, not the merge base.

        Raises:
            BuildError: when there is no such commit; says which ref may have been meant.
        """
        found = self.repository.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        if found is None:
            meant = get_close_matches(ref, self.repository.names(), n=1)
            hint = f"Did you mean {meant[0]!r}?" if meant else "See what there is: git log --oneline --all"
            raise BuildError(
                f"There is no commit {ref!r} in {self.repository.top}.", hint=self.repository.unless_shallow(hint)
            )
        return found

    def require_ancestor(self, good: str, bad: str) -> None:
        """Raise BuildError unless the commit `bad` was made from the commit `good`, and is another."""
        before, after = self.commit(good), self.commit(bad)
        if before == after:
            raise BuildError(f"{good} and {bad} are the same commit.", hint="Name an earlier one: --good REF")
        base = self.repository.ask("merge-base", before, after)
        if base == before:
            return
        if base == after:
            hint = f"If it is the other way round: pacecar bisect --good {bad} --bad {good}"
            raise BuildError(f"{bad} came before {good}, so it cannot have become slower since.", hint=hint)
        if base is None:
            raise BuildError(
                f"{good} and {bad} have no commit in common in {self.repository.top}.",
                hint=self.repository.unless_shallow("Name another: --good REF"),
            )
        parted = self.short(base)
        raise BuildError(
            f"{bad} does not descend from {good}: their histories diverged at {parted}.",
            hint=f"Start where they diverged: pacecar bisect --good {parted} --bad {bad}",
        )

    def candidates(self, goods: Sequence[str], bad: str, *, first_parent: bool = False) -> list[Candidate]:
        """The commits that `bad` was made from (itself too) and none of `goods` was, in the order of git's bisection.

        That order begins with the commit that halves them best. With `first_parent` only the first parent of a merge
        counts, so that a merged branch is one commit.

        Raises:
            BuildError: when there are too many.
        """
        range_ = [bad, *(f"^{good}" for good in goods), *(["--first-parent"] if first_parent else []), "--"]
        count = self.repository.ask("rev-list", "--count", *range_)
        if count is None:
            raise BuildError(f"git cannot list the commits up to {bad}.", hint="See what it says: git fsck")
        if int(count) > _MOST:
            raise BuildError(
                f"There are {int(count):,} commits between the good one and {bad}, more than {_MOST:,}.",
                hint="Name a later one: --good REF; or count each merged branch as one commit: --first-parent",
            )
        try:
            listed = self.repository.ask("rev-list", "--bisect-all", *range_)
        except GitTooSlow as error:
            raise BuildError(
                f"git takes too long to list the commits up to {bad}.",
                hint="Count each merged branch as one commit: --first-parent",
            ) from error
        found = [_LISTED.match(line) for line in (listed or "").splitlines()]
        return [Candidate(commit=match[1], distance=int(match[2])) for match in found if match]

    def describe(self, commit: str) -> Commit:
        """Author, day and subject of a commit. Raises BuildError when there is none."""
        answer = self.repository.ask("show", "--no-patch", "--no-show-signature", "--format=%an%x00%as%x00%s", commit)
        if answer is None:
            raise BuildError(f"There is no commit {commit!r} in {self.repository.top}.")
        author, date, subject = [*answer.split("\0"), "", ""][:3]
        return Commit(commit=commit, short=self.short(commit), author=author, date=date, subject=subject)

    def short(self, commit: str) -> str:
        """Enough digits of a full hash to be unique."""
        return self.repository.ask("rev-parse", f"--short={_DIGITS}", commit) or commit
