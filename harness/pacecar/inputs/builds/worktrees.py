"""A commit checked out beside the user's own checkout, with its submodules as far as that one has them.

Nothing is fetched for a submodule: where it comes from is a stranger's to say, and to have it there would mean to write
into the user's repository. What is missing is told to whoever's build fails for it.
"""

from __future__ import annotations

from pathlib import Path

from pacecar.inputs.builds import BuildError
from pacecar.inputs.builds.git import MODULES, Repository
from pacecar.inputs.builds.git_settings import harmless
from pacecar.system import environment
from pacecar.system.resources import Resources
from pacecar.text import hidden
from pacecar.text.hidden import Struck

_CHECKOUT_S = 600.0


def check_out(
    repository: Repository, commit: str, top: Path, *, what: str, resources: Resources, log: Path
) -> tuple[Path, ...]:
    """Check out `commit` at `top`, which is to be removed with what is around it.

    Args:
        repository: that has the commit.
        commit: in full.
        top: of the new worktree.
        what: is checked out, for messages.
        resources: by which git forgets the worktree in the end.
        log: for what git prints.

    Returns:
        Submodules that are missing, relative to `top`.

    Raises:
        BuildError: when git cannot check it out.
    """
    # In two steps: some settings count in the new worktree alone, and are seen from there alone.
    steps = (
        (repository.top, ("worktree", "add", "--no-checkout", "--detach", str(top), commit)),
        (top, ("reset", "--quiet", "--hard", "--no-recurse-submodules")),
    )
    for place, arguments in steps:
        complaint = _run(place, arguments, resources=resources, log=log)
        if complaint is not None:
            raise BuildError(f"git cannot check out {what}: {complaint}.", hint=f"The log is {log}")
    missing: list[Path] = []
    for path, wanted in repository.submodules(commit).items() if (top / MODULES).is_file() else ():
        submodule = repository.submodule(path)
        if submodule is None or submodule.commit(wanted) is None:
            missing.append(path)
            continue
        resources.worktree(submodule.top, top / path)
        inner = check_out(
            submodule, wanted, top / path, what=f"the submodule {path} of {what}", resources=resources, log=log
        )
        missing += [path / each for each in inner]
    return tuple(missing)


def _run(place: Path, arguments: tuple[str, ...], *, resources: Resources, log: Path) -> str | None:
    """Let git do something in `place` without the user's hooks, which are meant for the user's own checkout.

    Returns what it complained about last; None when it did not.
    """
    surroundings = environment.of_git(reading=False)  # of a partial clone, files may have to be fetched
    command = [*harmless(place), *arguments]
    with Struck.of({}, surroundings).out_of_log(log):
        status, child = resources.run(command, name="git", log=log, timeout_s=_CHECKOUT_S, cwd=place, env=surroundings)
    return None if status == 0 else hidden.text(child.tail(1))
