"""Public services and changes to them, as the files in `services/` describe them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVICES = Path(__file__).parent / "services"
#: The branch that every change starts from.
BEFORE = "before"
_AUTHOR = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost")


@dataclass(frozen=True, kw_only=True)
class Edit:
    """A text of a file, and its replacement, wherever it occurs."""

    file: str
    find: str
    put: str

    def make(self, tree: Path) -> None:
        """Change the file below `tree`; ends the program if the text is not there."""
        file = tree / self.file
        text = file.read_text(encoding="utf-8")
        if self.find not in text:
            sys.exit(f"{file} has no {self.find!r}: the edit was made for another commit")
        file.write_text(text.replace(self.find, self.put), encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change to a service, and what a comparison must conclude.

    Attributes:
        does: what it does, in a few words.
        verdict: of the full tier.
        quick: of the quick tier, which does not see changes that only cost time.
        root: the method that the first cause must name; None if nothing may be blamed.
        edits: the change itself.
    """

    does: str
    verdict: str
    quick: str
    root: str | None
    edits: tuple[Edit, ...]


@dataclass(frozen=True, kw_only=True)
class Service:
    """A public service.

    Attributes:
        name: of its file below `services/`.
        made_of: framework and store.
        repository: where it is.
        commit: of the repository.
        folder: where the service is in the repository; None for the top.
        edits: changes on both sides, without which the service would not build or would do too little.
        changes: by name.
    """

    name: str
    made_of: str
    repository: str
    commit: str
    folder: str | None
    edits: tuple[Edit, ...]
    changes: dict[str, Change]

    @classmethod
    def read(cls, name: str) -> Service:
        """The service that `services/NAME.toml` describes."""
        said: dict[str, Any] = tomllib.loads((SERVICES / f"{name}.toml").read_text(encoding="utf-8"))
        changes = {
            change: Change(root=row.pop("root", None), edits=_edits(row.pop("edits")), **row)
            for change, row in said.pop("changes").items()
        }
        edits = _edits(said.pop("edits", []))
        return cls(name=name, folder=said.pop("folder", None), edits=edits, changes=changes, **said)

    def repository_at(self, tree: Path, *, source: str | None = None) -> None:
        """Make `tree` a repository with a branch for each change, and the configuration beside it.

        Args:
            tree: an empty folder.
            source: a clone on this machine; `repository` unless given.
        """
        whole = tree / ".whole"
        _git(tree, "clone", "--quiet", "--no-checkout", source or self.repository, str(whole))
        _git(whole, "checkout", "--quiet", self.commit)
        for entry in (whole / (self.folder or ".")).iterdir():
            if entry.name != ".git":
                entry.rename(tree / entry.name)
        shutil.rmtree(whole)
        config = (SERVICES / f"{self.name}.pacecar.toml").read_text(encoding="utf-8")
        (tree / "pacecar.toml").write_text(config, encoding="utf-8")
        with (tree / ".gitignore").open("a", encoding="utf-8") as ignored:
            ignored.write("\n.pacecar/\ntarget/\npacecar.toml\n")
        _git(tree, "init", "--quiet", "--initial-branch", BEFORE)
        self._commit(tree, self.edits, "What both sides have")
        for name, change in self.changes.items():
            _git(tree, "checkout", "--quiet", "-b", name, BEFORE)
            self._commit(tree, change.edits, change.does)
        _git(tree, "checkout", "--quiet", BEFORE)

    def _commit(self, tree: Path, edits: tuple[Edit, ...], subject: str) -> None:
        for edit in edits:
            edit.make(tree)
        _git(tree, "add", "--all")
        _git(tree, *_AUTHOR, "commit", "--quiet", "--message", subject)


def names() -> list[str]:
    """Of all services."""
    return sorted(file.stem for file in SERVICES.glob("*.toml") if not file.stem.endswith(".pacecar"))


def _edits(rows: list[dict[str, str]]) -> tuple[Edit, ...]:
    return tuple(Edit(**row) for row in rows)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True)
