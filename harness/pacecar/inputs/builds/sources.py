"""The copy of the source that a build runs in. The user's checkout is read, never written.

A ref becomes a git worktree of its own, a tree a copy of its files, a patch such a copy with the patch applied, or such
a worktree where it says on which commit. Where the source is part of a repository the whole repository is copied,
because a build may reach for its parent's files, and with it the submodules that are checked out.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from pacecar.inputs.builds import BuildError, git, worktrees
from pacecar.inputs.builds.build_folders import is_left_out
from pacecar.inputs.builds.git import Repository
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree
from pacecar.system import paths
from pacecar.system.resources import Resources

_MAX_FILES = 200_000
_MAX_BYTES = 8 * 1024**3
_MAX_PATCH_BYTES = 16 * 1024**2


@dataclass(frozen=True, kw_only=True)
class SourceCopy:
    """A copy of the source, to be built.

    Attributes:
        top: the copy; of a repository its top.
        root: the directory in it that the build runs in.
        commit: what it was made from, with `+dirty` for uncommitted changes; None outside git.
        patch: text of the patch applied to it; None without one.
        missing: submodules that the user's checkout does not have either, relative to `top`.
    """

    top: Path
    root: Path
    commit: str | None
    patch: str | None = None
    missing: tuple[Path, ...] = ()


@contextlib.contextmanager
def copied(request: BuildRequest, *, source: SourceTree, resources: Resources, log: Path) -> Iterator[SourceCopy]:
    """The source of `request`, in a place of its own that is gone on leaving.

    Raises:
        BuildError: when the ref or patch cannot be read or applied, or the source is too large.
    """
    ref = request.value if request.kind is BuildKind.REF else request.base
    if ref is not None:
        holder, copy = _worktree(ref, source=source, resources=resources, log=log)
    else:
        holder = resources.folder("source", place=paths.copies())
        root = Path(request.value) if request.kind is BuildKind.TREE else source.root
        copy = _copy(root.resolve(), holder.resolve())
    try:
        if request.kind is BuildKind.PATCH:
            copy = _patched(copy, Path(request.value), source.root)
        _drop_outward_links(copy.top)
        yield copy
    finally:
        shutil.rmtree(holder, ignore_errors=True)


def _worktree(ref: str, *, source: SourceTree, resources: Resources, log: Path) -> tuple[Path, SourceCopy]:
    repository = Repository.around(source.root)
    commit = repository.commit(ref) if repository else None
    if repository is None or commit is None:
        raise BuildError(f"There is no git ref {ref!r} in {source.root}.", hint="See what there is: git branch --all")
    place = paths.cache().resolve() / "worktrees"
    place.mkdir(exist_ok=True)
    holder = place / f"pacecar-{os.getpid()}-{time.monotonic_ns()}-worktree"
    top = holder / repository.top.name
    resources.worktree(repository.top, holder)
    missing = worktrees.check_out(repository, commit, top, what=ref, resources=resources, log=log)
    root = top / source.root.resolve().relative_to(repository.top)
    if not root.is_dir():
        raise BuildError(
            f"{ref} has no folder {root.relative_to(top)}, which is to be built.",
            hint="Name a commit that has it, or set source.root to a folder that both commits have.",
        )
    return holder, SourceCopy(top=top, root=root, commit=commit, missing=missing)


def _copy(root: Path, holder: Path) -> SourceCopy:
    repository = Repository.around(root)
    origin = repository.top if repository else root
    files, missing = _files_of(repository) if repository else (_files_below(root), [])
    top = holder / (origin.name or "source")
    top.mkdir()
    _copy_files(files, origin=origin, top=top)
    copy = top / root.relative_to(origin)
    copy.mkdir(parents=True, exist_ok=True)
    commit = repository.head() if repository else None
    return SourceCopy(top=top, root=copy, commit=commit, missing=tuple(missing))


def _files_of(repository: Repository) -> tuple[list[Path], list[Path]]:
    """Its files and those of its submodules, and the submodules that are not checked out."""
    files, missing = repository.files(), []
    for path in repository.submodules():
        submodule = repository.submodule(path)
        if submodule is None:
            missing.append(path)
            continue
        inner, lacking = _files_of(submodule)
        files += [path / each for each in inner]
        missing += [path / each for each in lacking]
    return files, missing


def _files_below(root: Path) -> list[Path]:
    found = []
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        links = [name for name in folders if (here / name).is_symlink()]
        around = here.relative_to(root)
        folders[:] = [name for name in folders if not is_left_out(around / name, top=root)]
        found += [around / name for name in (*files, *links)]
    return sorted(found)


def _copy_files(files: list[Path], *, origin: Path, top: Path) -> None:
    size = 0
    for file in files:
        source, destination = origin / file, top / file
        if source.parent.resolve() != source.parent:
            continue  # behind a link that took a folder's place: git counts such files as deleted, too
        try:
            status = source.lstat()
            if stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode):
                size += status.st_size
                _check_size(origin, files=len(files), size=size)
                destination.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, destination, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            continue  # deleted in the working tree, or while we copied
        except OSError as error:
            raise BuildError(f"{source} cannot be copied: {error.strerror}.") from error


def _check_size(origin: Path, *, files: int, size: int) -> None:
    if files > _MAX_FILES or size > _MAX_BYTES:
        raise BuildError(
            f"{origin} is too large to copy: {files} files, more than {size // 1024**2} MiB.",
            hint="List what is not source in .gitignore, or build the jar yourself and name it.",
        )


def _patched(copy: SourceCopy, patch: Path, root: Path) -> SourceCopy:
    try:
        if patch.stat().st_size > _MAX_PATCH_BYTES:
            raise BuildError(f"{patch} is larger than {_MAX_PATCH_BYTES // 1024**2} MiB.")
        text = patch.read_text("utf-8", "replace")
    except OSError as error:
        raise BuildError(f"{patch} cannot be read: {error.strerror}.") from error
    complaint = _apply(patch, copy)
    if complaint is not None:
        raise BuildError(
            f"The patch {patch} does not apply to {root}: {complaint}.",
            hint="Recreate it against the current source: git diff > " + patch.name,
        )
    return replace(copy, patch=text)


def _apply(patch: Path, copy: SourceCopy) -> str | None:
    # Names in a patch count from the source's root, or as `git diff` writes them, from the top of the repository.
    complaints = []
    for directory in dict.fromkeys((copy.root, copy.top)):
        complaint = git.apply(patch, directory)
        if complaint is None:
            return None
        complaints.append(complaint)
    return next((text for text in complaints if "No such file" not in text), complaints[0])


def _drop_outward_links(top: Path) -> None:
    # A build must not read or write anything of the user's through a link that leads out of its copy.
    for folder, folders, files in os.walk(top):
        for name in (*folders, *files):
            path = Path(folder) / name
            if path.is_symlink() and not _stays_inside(path, top):
                path.unlink()


def _stays_inside(link: Path, top: Path) -> bool:
    try:
        return not link.readlink().is_absolute() and link.resolve().is_relative_to(top)
    except (OSError, RuntimeError):  # a link that leads to itself
        return False
