"""What deploys the build of a recording again: the shape that baselines keep beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Origin(StrEnum):
    """What a build is made of again."""

    COMMIT = "commit"
    PATCH = "patch"
    ARTIFACT = "artifact"


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """A patch or artifact kept beside a recording.

    Attributes:
        name: of the file, without a folder.
        sha256: its digest.
        size: its bytes.
    """

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, kw_only=True)
class StoredBuild:
    """What deploys the build of a recording again, on any machine.

    Attributes:
        origin: a commit, a commit with a patch on it, or the artifact itself.
        label: what it was called when it was recorded.
        commit: in full; may be "" for an artifact.
        file_name: of the patch or artifact; None for a commit.
        sha256: digest of the patch or artifact; None for a commit.
        size: its bytes.
        jvm_args: as in `BuiltSide`.
        env: as in `BuiltSide`.
        profiler: as in `BuiltSide`.
        spans: as in `BuiltSide`.
        java: as in `BuiltSide`.
    """

    origin: Origin
    label: str
    commit: str
    file_name: str | None = None
    sha256: str | None = None
    size: int = 0
    jvm_args: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    profiler: bool = True
    spans: bool = True
    java: str | None = None

    @property
    def file(self) -> StoredFile | None:
        """The patch or artifact; None for a commit, or where the record does not name one."""
        if self.file_name is None or self.sha256 is None:
            return None
        return StoredFile(name=self.file_name, sha256=self.sha256, size=self.size)
