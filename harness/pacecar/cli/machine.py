"""The commands about this computer and project: init, doctor, clean."""

from __future__ import annotations

import dataclasses
import json as jsonlib
import shutil
from pathlib import Path
from typing import Annotated

import typer

from pacecar import doctor as examination
from pacecar import initialise, places
from pacecar.builds.image import forget_images
from pacecar.cli.experiments import ARCHIVE
from pacecar.cli.options import JsonOption
from pacecar.custody import sweep


def register(app: typer.Typer) -> None:
    """Add these commands to `app`."""
    app.command()(init)
    app.command()(doctor)
    app.command()(clean)


def init(
    directory: Annotated[Path, typer.Argument(help="The project.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    module: Annotated[str, typer.Option("--module", help="Folder of the service, in a project of several.")] = "",
) -> int:
    """Look at the project and write a commented pacecar.toml."""
    path = initialise.write(directory, force=force, module=module)
    guesses = sum("# GUESS" in line for line in path.read_text(encoding="utf-8").splitlines())
    typer.echo(f"wrote {path}, with {guesses} guess{'' if guesses == 1 else 'es'} marked GUESS")
    typer.echo("Next: read it, then pacecar compare --dry-run")
    return 0


def doctor(json: JsonOption = False) -> int:
    """Say what this machine can do, with a remedy for each lack."""
    checks = examination.examine(archive=Path(ARCHIVE))
    if json:
        typer.echo(jsonlib.dumps([dataclasses.asdict(check) for check in checks], indent=2))
    else:
        for check in checks:
            mark = "ok  " if check.ok else ("LACK" if check.required else "note")
            typer.echo(f"{mark} {check.name}: {check.found}")
            if not check.ok and check.remedy:
                typer.echo(f"       {check.remedy}")
    return 0 if all(check.ok or not check.required for check in checks) else 2


def clean(
    cache: Annotated[
        bool, typer.Option("--cache", help="Also forget built artifacts, images and resolved tools.")
    ] = False,
) -> int:
    """End and remove whatever a killed Pacecar left behind."""
    done = sweep()
    for line in done:
        typer.echo(line)
    if cache:
        for line in forget_images():
            typer.echo(line)
        shutil.rmtree(places.cache(), ignore_errors=True)
        typer.echo(f"removed {places.cache()}")
    if not done and not cache:
        typer.echo("nothing was left behind")
    return 0
