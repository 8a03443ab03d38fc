"""The build of a stored baseline, checked before anybody deploys it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pacecar.archive import RunError, advised, records
from pacecar.archive.baselines import Baseline
from pacecar.model.stored_builds import Origin, StoredBuild, StoredFile
from pacecar.system.disk import durable

#: An artifact may be as large as the cache of artifacts bears, a patch as a manifest does.
_MOST_BYTES = {Origin.COMMIT: 0, Origin.PATCH: 16 * 1024**2, Origin.ARTIFACT: 2 * 1024**3}


def checked_build(
    build: StoredBuild | None, *, baseline: Baseline, file: Callable[[StoredFile], Path]
) -> tuple[StoredBuild, Path | None]:
    """`build` and its file, whose size and digest are those that were promoted.

    Args:
        build: as read; None when it was not kept.
        baseline: which one's.
        file: where the patch or artifact is, once its name and size are known to be harmless.

    Raises:
        RunError: when there is none, or it is damaged.
    """
    with advised(f"Promote it again where it was recorded: pacecar baseline promote {baseline.run_id}"):
        return _checked(build, file, what=f"The build of baseline {baseline.branch}@{baseline.run_id}")


def _checked(
    build: StoredBuild | None, file: Callable[[StoredFile], Path], *, what: str
) -> tuple[StoredBuild, Path | None]:
    if build is None:
        raise RunError(f"{what} is not kept: an older Pacecar promoted it.")
    if build.origin is Origin.COMMIT:
        return build, None
    kept = build.file
    if kept is None or not records.is_plain_name(kept.name) or not 0 < kept.size <= _MOST_BYTES[build.origin]:
        name = "" if kept is None else kept.name
        raise RunError(f"{what} is damaged: no file {name[:80]!r} of {build.size} bytes can be one.")
    path = file(kept)
    try:
        sha256 = durable.sha256(path) if path.stat().st_size == kept.size else None
    except OSError as error:
        raise RunError(f"{what} is damaged: {path} cannot be read: {error.strerror}.") from error
    if sha256 != kept.sha256:
        raise RunError(f"{what} is damaged: {path} is not the file that was promoted.")
    return build, path
