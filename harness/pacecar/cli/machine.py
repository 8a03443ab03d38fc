"""The commands about this computer and project: init, doctor, clean."""

from __future__ import annotations

import dataclasses
import json as jsonlib
import shutil
from pathlib import Path
from typing import Annotated

import typer

from pacecar.archive import ARCHIVE
from pacecar.cli.options import ConfigOption, JsonOption, SetOption
from pacecar.cli.printing import say
from pacecar.errors import UsageError
from pacecar.inputs.builds.image import forget_images
from pacecar.onboarding import doctor as examination
from pacecar.onboarding import initialise
from pacecar.system import paths
from pacecar.system.resources import lone, sweep
from pacecar.workflow.experiments import overrides_of


def init(
    directory: Annotated[Path, typer.Argument(help="The project.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    module: Annotated[
        str | None, typer.Option("--module", help="Folder of the service, in a project with several.")
    ] = None,
) -> int:
    """Look at the project and write a commented pacecar.toml."""
    path = initialise.write(directory, force=force, module=module)
    text = path.read_text(encoding="utf-8")
    guesses = sum("# GUESS" in line for line in text.splitlines())
    say(f"wrote {path}, with {guesses} guess{'' if guesses == 1 else 'es'} marked GUESS")
    for remark in initialise.remarks_in(text):
        say(f"  {remark}")
    say("Next: read it, then find a load that fits: pacecar size")
    say("      what a comparison takes: pacecar compare --dry-run")
    return 0


def doctor(
    config_path: ConfigOption = Path("pacecar.toml"), settings: SetOption = None, json: JsonOption = False
) -> int:
    """Check what this machine can do, and how to get whatever it lacks."""
    overrides = overrides_of(settings or ())
    checks = examination.examine(archive=Path(ARCHIVE), configuration=config_path, overrides=overrides)
    if json:
        say(jsonlib.dumps([dataclasses.asdict(check) for check in checks], indent=2))
    else:
        for check in checks:
            mark = "ok  " if check.ok else ("LACK" if check.required else "note")
            say(f"{mark} {check.name}: {check.found}")
            if not check.ok and check.remedy:
                say(f"       {check.remedy}")
    return 0 if all(check.ok or not check.required for check in checks) else 2


def clean(
    cache: Annotated[
        bool, typer.Option("--cache", help="Also forget built artifacts, images and resolved tools.")
    ] = False,
) -> int:
    """Stop and remove whatever a killed Pacecar left behind."""
    done = sweep()
    for line in done:
        say(line)
    if cache:
        _require_unused()
        for line in forget_images():
            say(line)
        say(f"removed {_emptied()}")
    if not done and not cache:
        say("nothing was left behind")
    return 0


def _emptied() -> Path:
    """Remove the cache, which nobody can begin to use meanwhile."""
    cache = paths.cache()
    with lone(cache) as alone:
        if not alone:
            raise _in_use(cache)
        shutil.rmtree(cache, ignore_errors=True)
    return cache


def _require_unused() -> None:
    with lone(paths.cache()) as alone:
        if not alone:
            raise _in_use(paths.cache())


def _in_use(cache: Path) -> UsageError:
    return UsageError(
        f"A running Pacecar is using the cache {cache}.", hint="Wait until it ends, then: pacecar clean --cache"
    )
