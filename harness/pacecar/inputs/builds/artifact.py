"""From a build as the user named it to what every fork of a run starts: a jar, a folder, or images."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pacecar.inputs.builds import BuildError, store
from pacecar.inputs.builds.compilation import built_artifact
from pacecar.inputs.builds.digest import source_key
from pacecar.inputs.builds.sources import SourceCopy, copied
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.model.recording import BuiltSide
from pacecar.system.resources import Resources
from pacecar.text import hidden

#: A longer patch is cut in the manifest.
RECORDED_PATCH_BYTES = 256 * 1024


@dataclass(frozen=True, kw_only=True)
class Artifact:
    """A jar, a folder or images, ready to be deployed.

    Attributes:
        path: in Pacecar's cache; does not change any more. Libraries that a jar's manifest names lie beside it. None
            where the build is an image.
        images: of a target that is a compose service: of it and of what it depends on, service -> id.
        sha256: of its content, in hex, see `store.sha256_of`; or of the image.
        built: where it came from, for the manifest.
        seconds: what it took to get it.
        cached: the same source had been built before.
    """

    path: Path | None
    sha256: str
    built: BuiltSide
    seconds: float
    cached: bool
    images: Mapping[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int | None:
        """Its bytes; None of an image."""
        if self.path is None:
            return None
        files = [self.path] if self.path.is_file() else [each for each in self.path.rglob("*") if each.is_file()]
        return sum(each.stat().st_size for each in files)


def make(request: BuildRequest, *, source: SourceTree | None, resources: Resources, log_dir: Path) -> Artifact:
    """What runs of `request`, from the cache where the same source was built before.

    Args:
        request: a jar, or something to be built.
        source: where the source lies and how it is built; not needed for a jar.
        resources: of the build's processes and of the copy it runs in.
        log_dir: where the build's log is put.

    Raises:
        BuildError: when there is no such build, it fails, or what it leaves is neither jar nor folder.
    """
    started = time.monotonic()
    if request.kind is BuildKind.IMAGE:
        raise BuildError(
            f"The build {request.label!r} is an image, and the target is a process.",
            hint='Deploy it by Compose: target.deploy = "compose"',
        )
    if request.kind is BuildKind.JAR:
        jar = store.adopt(Path(request.value), resources=resources)
        return _artifact(request, jar, started=started, cached=False)
    if source is None:
        raise BuildError(f"Build {request.label!r} needs a source to be built from.", hint="Name a jar instead.")
    log = log_dir / f"build-{time.monotonic_ns()}.log"
    with copied(request, source=source, resources=resources, log=log) as copy:
        key = source_key(copy, source)
        path = store.find(key, resources=resources)
        cached = path is not None
        if path is None:
            built = built_artifact(copy, source=source, label=request.label, resources=resources, log=log)
            path = store.keep(built, key, resources=resources)
        return _artifact(request, path, copy=copy, started=started, cached=cached)


def _artifact(
    request: BuildRequest, path: Path, *, started: float, cached: bool, copy: SourceCopy | None = None
) -> Artifact:
    sha256 = store.sha256_of(path)
    built = described(request, sha256=sha256, copy=copy)
    return Artifact(path=path, sha256=sha256, built=built, seconds=time.monotonic() - started, cached=cached)


def described(request: BuildRequest, *, sha256: str, copy: SourceCopy | None) -> BuiltSide:
    """What a manifest says of a build, made of `copy` where it was made of source."""
    return BuiltSide(
        label=request.label,
        kind=request.kind.value,
        value=request.value,
        commit=copy.commit if copy else None,
        artifact_sha256=sha256,
        patch=_shortened(copy.patch) if copy and copy.patch is not None else None,
        jvm_args=hidden.arguments(request.jvm_args),
        env=hidden.values(request.env),
        profiler=request.profiler,
        spans=request.spans,
        java=str(request.java) if request.java is not None else None,
    )


def _shortened(patch: str) -> str:
    # Counted in bytes, as a reader of the manifest would.
    encoded = patch.encode()
    if len(encoded) <= RECORDED_PATCH_BYTES:
        return patch
    return encoded[:RECORDED_PATCH_BYTES].decode("utf-8", "ignore")
