"""What commands print: the only place that writes to a terminal, and what it writes moves no cursor and is no markup.

Lines, tables and errors hold words of builds, services, servers and archives. They are cleaned here, so that no command
has to remember to.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import typer

from pacecar.text.plain import Plain, plain, plain_lines

if TYPE_CHECKING:  # loaded once something is drawn
    from rich.table import Table
    from rich.text import Text

#: Columns of a pipe: whoever reads it looks for whole lines.
_NO_END = 10_000


def say(text: object, *, err: bool = False) -> None:
    """Print `text`, which is anybody's unless it is `Plain`; its lines are kept.

    Args:
        text: a sentence, a path, lines of a table or JSON.
        err: on stderr.
    """
    shown = text if isinstance(text, Plain) else plain_lines(str(text))
    # A bare `str`: the end of the line that echo appends would be cleaned away from a `Plain`.
    typer.echo(str.__str__(shown), err=err)


def say_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table without lines, as wide as the terminal; through a pipe as wide as it is.

    Single words stay whole, because ids are typed again and searched for; columns of several words are broken.
    """
    from rich.table import Table

    table, told = Table(box=None), [tuple(row) for row in rows]
    for place, heading in enumerate(headings):
        words = all(" " not in row[place] for row in told)
        table.add_column(cell(heading), no_wrap=words, overflow="fold")
    for row in told:
        table.add_row(*map(cell, row))
    show(table)


def cell(text: str) -> Text:
    """`text`, which is anybody's, in a table: what looks like markup is shown as it is."""
    from rich.text import Text

    return Text(plain(text))


def show(table: Table) -> None:
    """Print a table whose texts are made by `cell`, or ours."""
    from rich.console import Console

    # `COLUMNS` counts in a pipe, too.
    fits = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    Console(width=None if fits else _NO_END).print(table)


def colours() -> bool:
    """Whether stdout is a terminal that shows colours."""
    from rich.console import Console

    return Console(file=sys.stdout).color_system is not None
