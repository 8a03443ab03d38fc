"""`pacecar` itself, without its commands."""

from __future__ import annotations

import typer

from pacecar import __version__
from pacecar.cli.printing import say


def root() -> typer.Typer:
    """A new application that knows its name and version, to which commands are added."""
    app = typer.Typer(
        name="pacecar",
        help="Decides whether a build of a JVM service is slower than another, and names the frame.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        add_completion=False,
    )
    app.callback()(_root)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        say(f"pacecar {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Decides whether a build of a JVM service is slower than another, and names the frame."""
