"""Which lines of a class a pull request changed, and in which method each of them lies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pacecar.inputs.builds.git import Repository

_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@ ?(.*)")
_FILE = re.compile(r"\+\+\+ b/(.+?)\t?")


@dataclass(frozen=True, kw_only=True)
class ChangedLines:
    """Lines that stand together in the new version of a file.

    Attributes:
        path: from the top of the repository.
        first, last: numbers of the lines.
        text: the lines, and the heading of the method before them as git finds it.
    """

    path: str
    first: int
    last: int
    text: str

    def mention(self, method: str) -> bool:
        """Whether `method` is declared, or begun before, these lines (or called in them)."""
        return re.search(rf"\b{re.escape(method)}\s*[(<]", self.text) is not None


def changed_lines(repository: Repository, *, base: str, class_name: str) -> list[ChangedLines]:
    """What changed between the commit `base` and HEAD in the file of a class; nothing where git cannot say.

    Args:
        repository: the checkout.
        base: a commit.
        class_name: such as `shop.orders.Order$Line`; its file is looked for under any folder, in any language.
    """
    outer = class_name.partition("$")[0].replace(".", "/")
    if not re.fullmatch(r"[\w/-]+", outer):
        return []
    # What Kotlin compiles from functions outside of classes.
    names = {outer, outer.removesuffix("Kt")}
    return _parsed(repository.changes(base, [Path(f"{name}.*") for name in sorted(names)]))


def _parsed(text: str) -> list[ChangedLines]:
    found: list[ChangedLines] = []
    path, first, count, heading, lines = "", 0, 0, "", list[str]()

    def end() -> None:
        if path and count:
            text = "\n".join([heading, *lines])
            found.append(ChangedLines(path=path, first=first, last=first + count - 1, text=text))

    for line in text.splitlines():
        if hunk := _HUNK.match(line):
            end()
            first, count, heading, lines = int(hunk[1]), int(hunk[2] or 1), hunk[3], []
        elif line.startswith("diff --git "):
            end()
            path, count = "", 0
        elif not count and (file := _FILE.fullmatch(line)):
            path = file[1]
        elif line.startswith("+"):
            lines.append(line[1:])
    end()
    return found
