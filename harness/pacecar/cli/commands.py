"""Every command of `pacecar`: where it stands and what `--help` says of it. A command is loaded once it is called.

Loading all of them takes seconds, for they bring the libraries for statistics, for GitHub and for stores along.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import NamedTuple

import typer

from pacecar.cli.root import root


class Command(NamedTuple):
    """Where a command or a group of them stands: the module of `pacecar.cli`, its function or `app`, and its help."""

    module: str
    name: str
    help: str


COMMANDS = {
    "compare": Command("measure", "compare", "Measure two builds side by side and judge them."),
    "record": Command("measure", "record", "Measure one build by itself, to keep it as a baseline."),
    "resume": Command("measure", "resume", "Continue an interrupted run: only the missing pairs are measured."),
    "submit": Command("submit", "submit", "Have a cluster measure two builds; you need not stay connected."),
    "follow": Command("submit", "follow", "Show what a submitted run is doing, and its verdict once there is one."),
    "bisect": Command("bisect", "bisect", "Find the commit that made the service slower."),
    "noise": Command(
        "noise", "noise", "Measure a build against itself: how noisy is this machine, and what can it see?"
    ),
    "size": Command("size", "size", "Find a load that fits the service and this machine, before the first comparison."),
    "capacity": Command("capacity", "capacity", "Find the highest rate that a build can take, or each of two builds."),
    "judge": Command("results", "judge", "Judge a run again, by today's budgets, without measuring."),
    "report": Command("results", "report", "Render a run's document: the HTML report, or another format."),
    "open": Command(
        "results", "open_report", "Open the HTML report of a run in a browser; where there is none, print its path."
    ),
    "explain": Command("explain", "explain", "Explain a word that verdicts use, such as passed or tripwire."),
    "export": Command("exports", "export", "Write one side's stacks for other tools, such as speedscope."),
    "forward": Command(
        "forward", "forward", "Send a stored run's profiles to a Pyroscope server, except the windows it already has."
    ),
    "init": Command("machine", "init", "Look at the project and write a commented pacecar.toml."),
    "doctor": Command("machine", "doctor", "Check what this machine can do, and how to get whatever it lacks."),
    "clean": Command("machine", "clean", "Stop and remove whatever a killed Pacecar left behind."),
}
GROUPS = {
    "baseline": Command("baselines", "app", "Recordings kept as baselines of a branch."),
    "runs": Command("runs", "app", "Recorded runs: on this machine, and in the store it shares."),
    "cluster": Command("cluster", "app", "What a Kubernetes cluster needs for comparisons."),
    "github": Command("on_github", "app", "In GitHub Actions: verdict, summary, notes and comment of a pull request."),
}
_SECOND_STAGE = ("github", "comment")


def application(arguments: Sequence[str]) -> typer.Typer:
    """The application that carries out `arguments`; of all other commands it knows no more than their names."""
    asked = next((each for each in arguments if not each.startswith("-")), "")
    if tuple(arguments[: len(_SECOND_STAGE)]) == _SECOND_STAGE:
        return _second_stage()
    return _application({asked})


def complete() -> typer.Typer:
    """The application with every command loaded."""
    return _application({*COMMANDS, *GROUPS})


def _application(loaded: set[str]) -> typer.Typer:
    app = root()
    for name, command in COMMANDS.items():
        app.command(name, help=command.help)(_found(command) if name in loaded else _stub)
    for name, group in GROUPS.items():
        app.add_typer(_found(group) if name in loaded else typer.Typer(help=group.help), name=name)
    return app


def _found(command: Command) -> typer.Typer:
    module = importlib.import_module(f"pacecar.cli.{command.module}")
    found: typer.Typer = getattr(module, command.name)
    return found


def _stub() -> None:
    """In place of a command that is not called."""


def _second_stage() -> typer.Typer:
    """`pacecar github comment` alone: what is not loaded cannot be reached by what an artifact holds."""
    from pacecar.cli.second_stage import comment

    alone, github = root(), typer.Typer(no_args_is_help=True)
    github.command(_SECOND_STAGE[1])(comment)
    alone.add_typer(github, name=_SECOND_STAGE[0])
    return alone
