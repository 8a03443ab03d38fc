"""What the user named as a build: prefixes, and what is meant without one.

    jar:build/orders.jar    ref:v1.4    patch:slow.patch    tree:../other-checkout    image:orders:1.4

Without a prefix: an existing `*.jar` or `*.war`, an existing `*.patch` or `*.diff`, `.` or `worktree` or an existing
directory (a tree), else a git ref.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.git import Repository
from pacecar.model.experiment import BuildKind, BuildRequest, SourceTree

#: Name, tag and digest, as the engine has them; it checks the details.
_IMAGE = re.compile(r"[A-Za-z0-9][\w.:/-]{0,254}(@sha256:[0-9a-f]{64})?", re.ASCII)
_JARS = (".jar", ".war")
_PATCHES = (".patch", ".diff")
_WORKING_TREE = (".", "worktree")


def parse_build(text: str, *, source: SourceTree | None, cwd: Path) -> BuildRequest:
    """The build called `text`. Paths in the result are absolute.

    Args:
        text: as typed or configured.
        source: how source becomes a jar; without it only jars and images can be named.
        cwd: what relative paths start from.

    Raises:
        BuildError: when there is no such build, or its kind needs a source; says what may have been meant.
    """
    kind, value = _kind(text.strip(), cwd)
    if kind is BuildKind.JAR:
        return _jar(value, cwd)
    if kind is BuildKind.IMAGE:
        return _image(value)
    if source is None:
        raise BuildError(
            f"The build {text!r} must be built, but no source is configured.",
            hint="Name a jar, or describe the source and its build in a [source] table of pacecar.toml.",
        )
    if kind is BuildKind.PATCH:
        return _patch(value, cwd)
    return _tree(value, source, cwd) if kind is BuildKind.TREE else _ref(value, source, cwd)


def _kind(text: str, cwd: Path) -> tuple[BuildKind, str]:
    prefix, colon, rest = text.partition(":")
    if colon and prefix in {kind.value for kind in BuildKind}:
        return BuildKind(prefix), rest
    path = cwd / text
    if text in _WORKING_TREE or (text and path.is_dir()):
        return BuildKind.TREE, text
    if path.suffix in _JARS and path.is_file():
        return BuildKind.JAR, text
    if path.suffix in _PATCHES and path.is_file():
        return BuildKind.PATCH, text
    return BuildKind.REF, text


def _jar(value: str, cwd: Path) -> BuildRequest:
    path = _existing_file(value, cwd, "jar", _JARS)
    return BuildRequest(kind=BuildKind.JAR, value=str(path), label=path.name)


def _image(value: str) -> BuildRequest:
    if not _IMAGE.fullmatch(value):
        raise BuildError(
            f"{value[:100]!r} is not the name of an image.", hint="Such as: image:registry.example/orders:1.4"
        )
    return BuildRequest(kind=BuildKind.IMAGE, value=value, label=value.rpartition("/")[2])


def _patch(value: str, cwd: Path) -> BuildRequest:
    path = _existing_file(value, cwd, "patch", _PATCHES)
    return BuildRequest(kind=BuildKind.PATCH, value=str(path), label=path.stem)


def _tree(value: str, source: SourceTree, cwd: Path) -> BuildRequest:
    if value in _WORKING_TREE:
        return BuildRequest(kind=BuildKind.TREE, value=str(source.root.resolve()), label="working tree")
    path = (cwd / value).resolve()
    if not path.is_dir():
        raise BuildError(f"There is no directory {path}.", hint='Name the working tree: "."')
    place = _same_place(path, source)
    label = "working tree" if place == source.root.resolve() else path.name
    return BuildRequest(kind=BuildKind.TREE, value=str(place), label=label)


def _same_place(checkout: Path, source: SourceTree) -> Path:
    # Another checkout of the same repository is named by its top; the build runs at the same place in it.
    repository = Repository.around(source.root)
    if repository is None:
        return checkout
    place = checkout / source.root.resolve().relative_to(repository.top)
    return place if place.is_dir() else checkout


def _ref(value: str, source: SourceTree, cwd: Path) -> BuildRequest:
    repository = Repository.around(source.root)
    if repository is not None and value and repository.commit(value) is not None:
        return BuildRequest(kind=BuildKind.REF, value=value, label=value)
    where = f"{repository.top} has no such git ref" if repository else f"{source.root} is not in a git repository"
    refs = repository.names() if repository else []
    hint = _suggestion(value, refs=refs, files=_files(cwd, (*_JARS, *_PATCHES)))
    raise BuildError(
        f"There is no build {value!r}: no such jar, patch or directory, and {where}.",
        hint=repository.unless_shallow(hint) if repository else hint,
    )


def _existing_file(value: str, cwd: Path, what: str, suffixes: tuple[str, ...]) -> Path:
    path = (cwd / value).resolve()
    if not path.is_file():
        files = _files(path.parent if path.parent.is_dir() else cwd, suffixes)
        raise BuildError(f"There is no {what} {path}.", hint=_suggestion(path.name, refs=[], files=files))
    return path


def _files(folder: Path, suffixes: tuple[str, ...]) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix in suffixes)


def _suggestion(value: str, *, refs: list[str], files: list[str]) -> str:
    known = [*refs, *files]
    if meant := get_close_matches(value, known, n=1):
        return f"Did you mean {meant[0]!r}?"
    if known:
        return f"There are: {', '.join(known[:8])}{', …' if len(known) > 8 else ''}."
    return 'Name a jar, a patch, or the working tree: "."'
