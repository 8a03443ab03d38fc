"""From a build as the user named it to what every fork of a run starts: a jar, or a folder."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from pacecar.builds import BuildError, store
from pacecar.builds.compilation import built_artifact
from pacecar.builds.digest import source_key
from pacecar.builds.sources import SourceCopy, copied
from pacecar.custody import Custody
from pacecar.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.recording import BuiltSide

_RECORDED_PATCH_BYTES = 256 * 1024


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """A jar or a folder, ready to be deployed.

    Attributes:
        path: in Pacecar's cache; does not change any more. Libraries that a jar's manifest names lie beside it.
        sha256: of its content, in hex; see `store.sha256_of`.
        built: where it came from, for the manifest.
        seconds: what it took to get it.
        cached: the same source had been built before.
    """

    path: Path
    sha256: str
    built: BuiltSide
    seconds: float
    cached: bool


def make(request: BuildRequest, *, source: SourceTree | None, custody: Custody, log_dir: Path) -> Artifact:
    """What runs of `request`, from the cache where the same source was built before.

    Args:
        request: a jar, or something to be built.
        source: where the source lies and how it is built; not needed for a jar.
        custody: of the build's processes and of the copy it runs in.
        log_dir: where the build's log is put.

    Raises:
        BuildError: when there is no such build, it fails, or what it leaves is neither jar nor folder.
    """
    started = time.monotonic()
    if request.kind is BuildKind.JAR:
        return _artifact(request, store.adopt(Path(request.value)), started=started, cached=False)
    if source is None:
        raise BuildError(f"Build {request.label!r} needs a source to be built from.", hint="Name a jar instead.")
    log = log_dir / f"build-{time.monotonic_ns()}.log"
    with copied(request, source=source, custody=custody, log=log) as copy:
        key = source_key(copy, source)
        kept = store.find(key)
        if kept is None:
            built = built_artifact(copy, source=source, label=request.label, custody=custody, log=log)
        path = kept or store.keep(built, key)
        return _artifact(request, path, copy=copy, started=started, cached=kept is not None)


def _artifact(
    request: BuildRequest, path: Path, *, started: float, cached: bool, copy: SourceCopy | None = None
) -> Artifact:
    sha256 = store.sha256_of(path)
    built = BuiltSide(
        label=request.label,
        kind=request.kind.value,
        value=request.value,
        commit=copy.commit if copy else "",
        artifact_sha256=sha256,
        patch=_shortened(copy.patch) if copy else "",
    )
    return Artifact(path=path, sha256=sha256, built=built, seconds=time.monotonic() - started, cached=cached)


def _shortened(patch: str) -> str:
    # Counted in bytes, as a reader of the manifest would.
    encoded = patch.encode()
    if len(encoded) <= _RECORDED_PATCH_BYTES:
        return patch
    return encoded[:_RECORDED_PATCH_BYTES].decode("utf-8", "ignore")
