"""Running the build command in a copy of the source, and finding what it leaves: a jar, or a folder."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePath

from pacecar.inputs.builds import BuildError, git
from pacecar.inputs.builds.libraries import manifest_of
from pacecar.inputs.builds.sources import SourceCopy
from pacecar.model.experiment import SourceTree
from pacecar.system import environment
from pacecar.system.resources import Child, Resources
from pacecar.text import hidden
from pacecar.text.hidden import Struck
from pacecar.text.units import format_duration

#: Maven's and Gradle's way to say it, and javac's.
_COMPLAINT = re.compile(r"^(?:\[ERROR\] .*\S|\S.*: error: .*|error: .*|FAILURE: .*)", re.MULTILINE)
#: One that says where: `Orders.java:[12,5]`, `Orders.java:12:`.
_PLACE = re.compile(r"\.\w+:\[?\d")
#: Beside the jar that runs, builds leave these.
_BYSTANDER = re.compile(r"^original-|-(sources|javadoc|tests|test-sources|plain)\.[jw]ar$")
#: What plugins and scripts say that ask git for the commit they build.
_NO_GIT = re.compile(r"\.git directory is not found|not a git repository|RepositoryNotFoundException")
_SCANNED_LINES = 2_000
_SHOWN_LINES = 8


def built_artifact(copy: SourceCopy, *, source: SourceTree, label: str, resources: Resources, log: Path) -> Path:
    """Build `copy` and return the jar or folder to deploy, which lies inside it.

    Raises:
        BuildError: when the command fails, takes too long, or leaves none or several; names the log.
    """
    if not source.command:
        raise BuildError(
            f"Build {label!r} cannot be built: there is no build command.",
            hint="Set source.command in pacecar.toml, or name a jar.",
        )
    _check_pattern(source.artifact)
    for stale in copy.root.glob(source.artifact):
        if stale.is_file():
            stale.unlink()  # or a build that leaves nothing would seem to have left this
        elif stale.is_dir() and not stale.is_symlink():
            shutil.rmtree(stale)
    env = environment.of_build(source.inherit) | git.ceiling(copy.top.parent)
    with Struck.of({}, env, hidden.among(source.command)).out_of_log(log):
        status, child = resources.run(
            source.command, name=f"build {label!r}", log=log, timeout_s=source.timeout_s, cwd=copy.root, env=env
        )
    if status != 0:
        raise _failure(copy, source, label, status, child)
    return _the_artifact(copy, source, label, log)


def _check_pattern(pattern: str) -> None:
    path = PurePath(pattern)
    if not path.parts or path.is_absolute() or ".." in path.parts:
        raise BuildError(
            f"The artifact {pattern!r} is not a path below the source's root.",
            hint='Write source.artifact relative to source.root: "target/orders-*.jar"',
        )


def _failure(copy: SourceCopy, source: SourceTree, label: str, status: int | None, child: Child) -> BuildError:
    command = shlex.join(hidden.arguments(source.command))
    if status is None:
        ended = f"took longer than {format_duration(source.timeout_s)}"
    elif status < 0:
        ended = f"was killed by signal {-status}"
    else:
        ended = f"ended with status {status}"
    printed = child.tail(_SCANNED_LINES)
    complaint = hidden.text(_complaint(printed)).replace(f"{copy.root}/", "")
    why = f": {complaint}" if complaint else "."
    last = hidden.text(child.tail(_SHOWN_LINES)) or "(nothing)"
    hint = "\n".join((*_advice(copy, printed), f"The log is {child.log}; it ends with:\n{last}"))
    return BuildError(f"Build {label!r} failed: `{command}` {ended}{why}", hint=hint)


def _advice(copy: SourceCopy, printed: str) -> Iterator[str]:
    """What helps where the copy lacks something that a checkout may have."""
    if copy.missing:
        more = f" and {len(copy.missing) - 1} more" if len(copy.missing) > 1 else ""
        yield (
            f"Your checkout does not have the submodule {copy.missing[0]}{more} at that commit, so the build had none "
            "either; fetch it: git submodule update --init --recursive"
        )
    if not (copy.top / ".git").exists() and _NO_GIT.search(printed):
        yield (
            "The copy of a working tree has no .git folder: switch off what asks for it, as with "
            "-Dmaven.gitcommitid.skip=true in source.command, or name a commit as the build."
        )


def _complaint(log: str) -> str:
    # Maven opens with a banner, "COMPILATION ERROR :"; what helps is the first line that names a place.
    lines = [line.strip()[:300] for line in _COMPLAINT.findall(log)]
    return next((line for line in lines if _PLACE.search(line)), lines[0] if lines else "")


def _the_artifact(copy: SourceCopy, source: SourceTree, label: str, log: Path) -> Path:
    found = sorted(path for path in copy.root.glob(source.artifact) if _is_inside(path, copy))
    for narrowed in (_without_bystanders, _those_that_start):
        if len(found) > 1:
            found = narrowed(found) or found
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(path.name for path in found[:5])
        raise BuildError(
            f"Build {label!r} left {len(found)} files that match {source.artifact!r}: {names}.",
            hint="Name the one that runs: source.artifact in pacecar.toml",
        )
    jars = sorted(str(path.relative_to(copy.root)) for path in copy.root.rglob("*.[jw]ar") if path.is_file())
    said = (
        f"It left these jars: {', '.join(jars[:5])}. Name the one that runs in source.artifact."
        if jars
        else "It left no jar at all: correct source.command, or source.artifact if what runs is a folder."
    )
    raise BuildError(f"Build {label!r} left no {source.artifact!r}.", hint=f"{said} The log is {log}")


def _without_bystanders(found: list[Path]) -> list[Path]:
    return [path for path in found if not _BYSTANDER.search(path.name)]


def _those_that_start(found: list[Path]) -> list[Path]:
    return [path for path in found if path.is_file() and "Main-Class" in manifest_of(path)]


def _is_inside(path: Path, copy: SourceCopy) -> bool:
    return path.exists() and path.resolve().is_relative_to(copy.top)
