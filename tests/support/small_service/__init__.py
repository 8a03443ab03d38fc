"""A one-class service with a history: built in two seconds, up in one, and with exactly known costs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

#: The service as it is at first: its build, its configuration, two classes.
SOURCE = Path(__file__).parent / "source"


class SmallService:
    """The source of the service in a git repository of its own, commit by commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(SOURCE, folder, dirs_exist_ok=True)
        self._git("init", "--quiet", "--initial-branch=main")

    def commit(self, subject: str, *, copies: int = 2, broken: bool = False, exits: bool = False) -> str:
        """Commit a report written `copies` times over; returns the full hash.

        Args:
            subject: of the commit; also stands in the source.
            copies: what a report costs.
            broken: it does not compile.
            exits: the service ends before it is up.
        """
        remark = subject.encode("ascii", "replace").decode()
        self._write("Service.java", {"var address": "System.exit(3);\n        var address"} if exits else {})
        changes = {"As it was at first": remark, "copy < 2;": f"copy < {copies};"}
        self._write("Report.java", changes | ({"return last;": "return"} if broken else {}))
        return self.commit_as_it_is(subject)

    def commit_as_it_is(self, subject: str) -> str:
        """Commit whatever the folder holds now; returns the full hash."""
        self._git("add", "--all")
        self._git("commit", "--quiet", "--message", subject)
        return self._git("rev-parse", "HEAD")

    def revert_to(self, ref: str) -> str:
        """Commit the source as it was at `ref`; returns the full hash."""
        self._git("checkout", "--quiet", ref, "--", ".")
        self._git("commit", "--quiet", "--allow-empty", "--message", f"As {ref}")
        return self._git("rev-parse", "HEAD")

    def tag(self, name: str) -> None:
        """Name the last commit."""
        self._git("tag", name)

    def head(self) -> str:
        """What is checked out, and which files differ from it."""
        return self._git("rev-parse", "--abbrev-ref", "HEAD") + self._git("status", "--porcelain")

    def _write(self, name: str, changes: dict[str, str]) -> None:
        text = (SOURCE / name).read_text()
        for old, new in changes.items():
            assert old in text, old
            text = text.replace(old, new)
        (self.folder / name).write_text(text)

    def _git(self, *arguments: str) -> str:
        identity = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
        command = ["git", "-C", str(self.folder), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
