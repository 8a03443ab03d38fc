"""What makes the build of a recording again, on another machine and another day.

A commit is enough where the build came from nothing else: a ref, or a working tree without changes. A patch on such a
tree needs its text, too. Everything else is only in the artifact: a jar, changes that were not committed, a source
outside git.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from pacecar.inputs.builds import BuildError, store
from pacecar.inputs.builds.artifact import RECORDED_PATCH_BYTES
from pacecar.inputs.builds.git import Repository
from pacecar.inputs.builds.java_home import runtime_at
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.model.recording import BuiltSide
from pacecar.model.stored_builds import Origin, StoredBuild
from pacecar.system.environment import is_never_passed
from pacecar.system.resources import Resources
from pacecar.text import hidden

#: A commit in full, by SHA-1 or SHA-256.
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_PATCH_NAME = "build.patch"
_ANEW = "Record it again, then promote the new recording: pacecar record"


def stored(built: BuiltSide, *, source: SourceTree | None, artifact: bool) -> StoredBuild:
    """What deploys `built` again, by the least that does.

    Args:
        built: of a recording made on this machine.
        source: where its source lies.
        artifact: the artifact itself, even where a commit would do.
    """
    origin = Origin.ARTIFACT if artifact else _least(built, source)
    patch = _patch_of(built) if origin is Origin.PATCH else b""
    return StoredBuild(
        origin=origin,
        label=built.label,
        commit=built.commit or "",
        file_name={
            Origin.COMMIT: None,
            Origin.PATCH: _PATCH_NAME,
            Origin.ARTIFACT: f"{_plain(built.label)}{store.ending_of(built.artifact_sha256)}",
        }[origin],
        sha256={
            Origin.COMMIT: None,
            Origin.PATCH: hashlib.sha256(patch).hexdigest(),
            Origin.ARTIFACT: built.artifact_sha256,
        }[origin],
        size=len(patch),
        jvm_args=built.jvm_args,
        env=dict(built.env),
        profiler=built.profiler,
        spans=built.spans,
        java=built.java,
    )


def content(build: StoredBuild, built: BuiltSide, *, resources: Resources) -> Path | None:
    """The file that `build` needs beside a commit; None when it needs none. Good until `resources` ends.

    Raises:
        BuildError: when the artifact has been removed from the cache since.
    """
    if build.origin is Origin.COMMIT:
        return None
    if build.origin is Origin.PATCH:
        path = resources.folder("patch") / _PATCH_NAME
        path.write_bytes(_patch_of(built))
        return path
    jar = store.held(build.file.sha256, resources=resources) if build.file is not None else None
    if jar is None:
        raise BuildError(
            f"The artifact of {built.label} is no longer in the cache, and nothing else can make that build again.",
            hint=_ANEW,
        )
    if not store.is_one_jar(jar):
        raise BuildError(
            f"{built.label} is more than one jar, and a baseline can keep only one.",
            hint="Record a build of a commit, which needs no artifact: pacecar record --build HEAD",
        )
    return jar


def request(build: StoredBuild, *, file: Path | None, branch: str, source: SourceTree | None) -> BuildRequest:
    """`build`, kept for `branch`, as one to be made here. What it says is not taken on trust.

    Args:
        build: as stored.
        file: its patch or artifact.
        branch: what reports call it.
        source: where the source lies on this machine.

    Raises:
        BuildError: when this clone lacks its commit, this machine its JDK, or the environment a value not kept.
    """
    kinds = {Origin.COMMIT: BuildKind.REF, Origin.PATCH: BuildKind.PATCH, Origin.ARTIFACT: BuildKind.JAR}
    if build.origin is not Origin.ARTIFACT:
        _check_commit(build.commit, branch=branch, source=source)
    return BuildRequest(
        kind=kinds[build.origin],
        value=build.commit if build.origin is Origin.COMMIT else str(file),
        label=branch,
        jvm_args=build.jvm_args,
        env=_variables(build, branch=branch),
        profiler=build.profiler,
        spans=build.spans,
        java=_runtime(build, branch=branch),
        base=build.commit if build.origin is Origin.PATCH else None,
    )


def _runtime(build: StoredBuild, *, branch: str) -> Path | None:
    if build.java is None:
        return None
    home = Path(build.java)
    if not home.is_absolute():
        raise BuildError(
            f"The baseline of {branch} is damaged: {build.java[:80]!r} is not the home of a JDK.", hint=_ANEW
        )
    runtime_at(home)
    return home


def _variables(build: StoredBuild, *, branch: str) -> dict[str, str]:
    """The environment of a stored build; values that were not kept come from our own."""
    if any(hidden.MARK in argument for argument in build.jvm_args):
        raise BuildError(
            f"The baseline of {branch} was recorded with a JVM argument that looks like a credential, and is not kept.",
            hint="Put the secret into a variable and name that under [target.secrets]; then record it once more.",
        )
    wanted = [name for name, value in build.env.items() if value == hidden.MARK]
    missing = [name for name in wanted if name not in os.environ or is_never_passed(name)]
    if missing:
        raise BuildError(
            f"The baseline of {branch} was recorded with the variable {missing[0]}, whose value is not kept.",
            hint=f"export {missing[0]}=…",
        )
    return {**build.env, **{name: os.environ[name] for name in wanted}}


def _least(built: BuiltSide, source: SourceTree | None) -> Origin:
    if source is None or built.commit is None or not _COMMIT.fullmatch(built.commit):
        return Origin.ARTIFACT
    if built.kind == BuildKind.REF:
        return Origin.COMMIT
    if built.kind == BuildKind.TREE and Path(built.value) == source.root.resolve():
        return Origin.COMMIT
    return Origin.PATCH if built.kind == BuildKind.PATCH and _is_whole(built.patch) else Origin.ARTIFACT


def _is_whole(patch: str | None) -> bool:
    """Whether a patch was recorded, neither shortened nor with letters that could not be read."""
    if not patch:
        return False
    return len(patch.encode()) < RECORDED_PATCH_BYTES - 4 and "\N{REPLACEMENT CHARACTER}" not in patch


def _patch_of(built: BuiltSide) -> bytes:
    """The text of the patch of a build that is kept as one. Raises BuildError where there is none."""
    if built.patch is None:
        raise BuildError(f"The recording of {built.label} is damaged: it has no patch.", hint=_ANEW)
    return built.patch.encode()


def _check_commit(commit: str, *, branch: str, source: SourceTree | None) -> None:
    if not _COMMIT.fullmatch(commit):
        raise BuildError(f"The baseline of {branch} is damaged: {commit[:80]!r} is no commit.", hint=_ANEW)
    repository = Repository.around(source.root) if source else None
    if repository is None:
        where = f"{source.root} is not in a git repository" if source else "no source is configured"
        raise BuildError(
            f"The baseline of {branch} is built from commit {commit[:10]}, and {where}.",
            hint="Promote it with its artifact: pacecar baseline promote --artifact",
        )
    if repository.commit(commit) is None:
        raise BuildError(
            f"The baseline of {branch} is built from commit {commit[:10]}, which this clone does not have.",
            hint="Fetch the history (git fetch --unshallow), or promote with --artifact, so that no commit is needed.",
        )


def _plain(label: str) -> str:
    stem = label.removesuffix(".jar").removesuffix(".war")
    return re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-")[:60] or "build"
