"""Names of objects in a store: they sort by time and carry what a listing shows, so that nothing has to be opened.

    runs/20250301-101500-9f3a.paired.complete.4.20476250.<sha256>.0.main+slow-serializer.tar.zst
    baselines/feature!2Forders/20250301-101500-123456.20250301-101500-9f3a.4.812.<16 hex>.main.json
    builds/<sha256>.48211034.0.build
    noise/9f3a5c0d1e2f3a4b/20250301-101500-9f3a.18230.<16 hex>.json

Letters, digits and `! - _ . +` are all that stands in them, which every object store and file system bears. The size
tells a whole object from one in the making where a store has no atomic put; the digest is checked on reading.
A name that is not of this form belongs to somebody else and is passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from pacecar.model.recording import RunKind, RunState

_RUN_ID = r"\d{8}-\d{6}-[0-9a-f]{4}"
_RUN = re.compile(
    rf"({_RUN_ID})\.(paired|recording)\.(interrupted|complete)\.(\d{{1,4}})\.(\d{{1,13}})\.([0-9a-f]{{64}})"
    r"\.(0|[0-9a-f]{8})\.([\w!+-]{0,100})\.tar\.zst",
    re.ASCII,
)
_PROMOTION = re.compile(
    rf"(\d{{8}}-\d{{6}}-\d{{6}})\.({_RUN_ID})\.(\d{{1,4}})\.(\d{{1,7}})\.([0-9a-f]{{16}})\.([\w!+-]{{0,100}})\.json",
    re.ASCII,
)
_BUILD = re.compile(r"([0-9a-f]{64})\.(\d{1,13})\.(0|[0-9a-f]{8})\.build", re.ASCII)
_NOISE = re.compile(rf"({_RUN_ID})\.(\d{{1,7}})\.([0-9a-f]{{16}})\.json", re.ASCII)
_STAMP = "%Y%m%d-%H%M%S-%f"
_ESCAPED = re.compile(r"!([0-9A-F]{2})")
_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST_LABEL = 100
#: A clock that is so far ahead is broken, and nothing could be promoted later.
_LAST_YEAR = 2999
#: What tells one copy of the same content from another: "0" for the first.
FIRST_COPY = "0"


@dataclass(frozen=True, kw_only=True)
class RunName:
    """A packed run.

    Attributes:
        run_id: of the run.
        kind: paired or recording.
        state: complete or interrupted.
        pairs: how many are in it.
        size: bytes of the object.
        sha256: digest of the object.
        copy: tells it from other copies of the same content.
        builds: labels of its builds, cut when they are long.
    """

    run_id: str
    kind: RunKind
    state: RunState
    pairs: int
    size: int
    sha256: str
    copy: str = FIRST_COPY
    builds: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The object's name, without its folder."""
        share = (_LONGEST_LABEL - 1) // max(1, len(self.builds))
        labels = "+".join(escaped(label, most=share) for label in self.builds)
        facts = (self.run_id, self.kind, self.state, self.pairs, self.size, self.sha256, self.copy, labels)
        return ".".join(map(str, facts)) + ".tar.zst"

    @classmethod
    def read(cls, name: str) -> RunName | None:
        """What `name` says, or None when it is not the name of a packed run."""
        match = _RUN.fullmatch(name)
        if match is None:
            return None
        run_id, kind, state, pairs, size, sha256, copy, labels = match.groups()
        return cls(
            run_id=run_id,
            kind=RunKind(kind),
            state=RunState(state),
            pairs=int(pairs),
            size=int(size),
            sha256=sha256,
            copy=copy,
            builds=tuple(unescaped(label) for label in labels.split("+")),
        )


@dataclass(frozen=True, kw_only=True)
class PromotionName:
    """A promotion: that a run became the baseline of a branch.

    Attributes:
        promoted: when: ISO 8601 with microseconds, UTC.
        run_id: of the run.
        forks: how many pairs or forks it has.
        size: bytes of the object.
        digest: the first 16 digits of the object's SHA-256.
        build: what was recorded: its label, and the commit where it has one; cut when it is long.
    """

    promoted: str
    run_id: str
    forks: int
    size: int
    digest: str
    build: str

    def __str__(self) -> str:
        """The object's name, without its folder."""
        stamp = datetime.fromisoformat(self.promoted).strftime(_STAMP)
        build = escaped(self.build, most=_LONGEST_LABEL)
        return f"{stamp}.{self.run_id}.{self.forks}.{self.size}.{self.digest}.{build}.json"

    @classmethod
    def read(cls, name: str) -> PromotionName | None:
        """What `name` says, or None when it is not the name of a promotion."""
        match = _PROMOTION.fullmatch(name)
        if match is None:
            return None
        stamp, run_id, forks, size, digest, build = match.groups()
        try:
            promoted = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
        except ValueError:  # the 31st of February
            return None
        if promoted.year > _LAST_YEAR:
            return None
        return cls(
            promoted=promoted.isoformat(timespec="microseconds"),
            run_id=run_id,
            forks=int(forks),
            size=int(size),
            digest=digest,
            build=unescaped(build),
        )


@dataclass(frozen=True, kw_only=True)
class BuildName:
    """A patch or artifact that makes a baseline's build again: digest, bytes, and which copy it is."""

    sha256: str
    size: int
    copy: str = FIRST_COPY

    def __str__(self) -> str:
        """The object's name, without its folder."""
        return f"{self.sha256}.{self.size}.{self.copy}.build"

    @classmethod
    def read(cls, name: str) -> BuildName | None:
        """What `name` says, or None when it is not the name of a build."""
        match = _BUILD.fullmatch(name)
        return cls(sha256=match[1], size=int(match[2]), copy=match[3]) if match else None


@dataclass(frozen=True, kw_only=True)
class NoiseName:
    """How much the pairs of a run scattered.

    Attributes:
        run_id: of the run.
        size: bytes of the object.
        digest: the first 16 digits of the object's SHA-256.
    """

    run_id: str
    size: int
    digest: str

    def __str__(self) -> str:
        """The object's name, without its folders."""
        return f"{self.run_id}.{self.size}.{self.digest}.json"

    @classmethod
    def read(cls, name: str) -> NoiseName | None:
        """What `name` says, or None when it is not the name of a run's noise."""
        match = _NOISE.fullmatch(name)
        return cls(run_id=match[1], size=int(match[2]), digest=match[3]) if match else None


def made_at(run_id: str) -> str:
    """When the run with this id was begun: ISO 8601, UTC; "" when the id does not say."""
    try:
        return datetime.strptime(run_id[:15], "%Y%m%d-%H%M%S").replace(tzinfo=UTC).isoformat()
    except ValueError:
        return ""


def escaped(text: str, *, most: int) -> str:
    """`text` in safe characters, cut between two of its own so that at most `most` are left."""
    pieces: list[str] = []
    length = 0
    for letter in text:
        piece = letter if letter in _SAFE else "".join(f"!{byte:02X}" for byte in letter.encode("utf-8", "replace"))
        length += len(piece)
        if length > most:
            break
        pieces.append(piece)
    return "".join(pieces)


def unescaped(text: str) -> str:
    """The text that `escaped` made `text` of; what is not UTF-8 is replaced."""
    if "!" not in text:
        return text
    return (
        _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text).encode("latin-1", "replace").decode("utf-8", "replace")
    )
