"""The noise of earlier runs in GitHub's caches: a fresh runner knows none of it.

    pacecar-noise/1/<folder>/branch/<branch>/<run>-<attempt>-<comparison>
    pacecar-noise/1/<folder>/pull/<number>/<run>-<attempt>-<comparison>

A cache is never changed, so each run keeps a new one, and takes up the newest by the beginning of its key. All
comparisons by the configuration in one folder share them: what differs in design lies apart in there.

GitHub looks among the caches of a pull request first, and then among those of its base branch. So the two have keys
that begin differently: otherwise what a pull request once kept would hide all that its base branch learns later.
A run cannot read what a pull request has kept unless it belongs to that pull request.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pacecar.archive import archive_of
from pacecar.archive.history import FOLDER
from pacecar.github.job import Job

_PULL = re.compile(r"refs/pull/([1-9][0-9]{0,19})/merge")
_BRANCH = "refs/heads/"
_OTHER = re.compile(r"[^A-Za-z0-9_-]+")
#: With all of its parts a key stays below the 512 characters that GitHub allows.
_LONGEST = 60
_DIGITS = 8


@dataclass(frozen=True, kw_only=True)
class NoiseCache:
    """Where a job's history is kept.

    Attributes:
        path: the folder, from the workspace, as every job of the configuration names it: it is part of what a cache
            is found by.
        key: what this job keeps it under.
        shared: beginnings of the keys of its branch, or of a pull request's base branch; the first that there is.
        own: the beginning of the keys of its pull request, "" without one.
    """

    path: str
    key: str
    shared: tuple[str, ...]
    own: str

    def outputs(self) -> dict[str, str]:
        """For the steps that restore and save."""
        return {
            "history-path": self.path,
            "history-key": self.key,
            "history-shared": "\n".join(self.shared),
            "history-own": self.own,
        }


def noise_cache(environ: Mapping[str, str], job: Job, *, name: str, config: Path) -> NoiseCache:
    """The caches of a job.

    Args:
        environ: its variables.
        job: the same, checked.
        name: of its comparison.
        config: the configuration file.
    """
    folder = archive_of(config) / FOLDER
    path = Path(os.path.relpath(folder, job.workspace.resolve()))
    path = folder if ".." in path.parts else path
    everything = f"pacecar-noise/1/{_part(path.as_posix())}"
    reference = environ.get("GITHUB_REF", "")
    pull = _PULL.fullmatch(reference)
    branch = environ.get("GITHUB_BASE_REF", "") if pull else reference.removeprefix(_BRANCH)
    shared = f"{everything}/branch/{_part(branch)}/"
    own = f"{everything}/pull/{pull[1]}/" if pull else ""
    attempt = re.sub(r"[^0-9]", "", environ.get("GITHUB_RUN_ATTEMPT", ""))[:_DIGITS] or "1"
    return NoiseCache(
        path=path.as_posix(),
        key=f"{own or shared}{job.run_id}-{attempt}-{name}",
        # Of a branch that has kept nothing yet GitHub finds those of the default branch, whatever that is called.
        shared=(shared, f"{everything}/branch/"),
        own=own,
    )


def _part(text: str) -> str:
    """`text` as a part of a key: as it is where a key can hold it, else in short and with a digest."""
    plain = _OTHER.sub("-", text).strip("-")[:_LONGEST]
    if plain == text:
        return text
    return f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}".lstrip("-")
