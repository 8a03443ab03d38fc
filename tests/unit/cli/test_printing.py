"""What came from a build, a store or a log reaches the terminal as text."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import pacecar
from pacecar.cli.printing import cell, say, say_table
from pacecar.text.plain import plain

SOURCE = Path(pacecar.__file__).parent
HOSTILE = [
    "\x1b[2J\x1b]0;title\x07",
    "a\rb",
    "\x9b31m",
    "\u202egnp",
    "a\u200bb",
    "\ud800",
    "a\x08b",
    "\u2028::error::x",
]
_PRINTERS = {"print", "typer.echo", "typer.secho", "Console", "sys.stdout.write"}
#: Where marked text may be made of what is no literal: the doors themselves.
_DOORS = {"marked.py", "plain.py", "markdown.py", "job_log.py", "terminal.py", "html.py", "identity.py"}


@pytest.mark.hostile
@pytest.mark.parametrize("text", HOSTILE)
def test_lines_tables_and_errors_are_text(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    say(f"one {text}\ntwo")
    say(text, err=True)
    say_table((text, "b"), [(text, "[red]x[/blue]")])
    out, err = capsys.readouterr()
    assert all(line.isprintable() for line in (out + err).split("\n"))
    assert "\ntwo" in out
    assert "[red]x[/blue]" in out


_HEADINGS = ("run", "kind", "state", "pairs", "verdict", "builds", "where")
_RUN = ("20261127-084817-e108", "paired", "interrupted", "3", "inconclusive", "master, next-visit", "here")


def test_a_narrow_table_breaks_lists_and_keeps_words_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    say_table(_HEADINGS, [_RUN])
    shown = capsys.readouterr().out
    assert {"20261127-084817-e108", "interrupted", "inconclusive", "here"} <= set(shown.split())
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_row_in_a_pipe_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    say_table(_HEADINGS, [(*_RUN[:-1], "here and stored, " * 30)])
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.hostile
@pytest.mark.parametrize("text", ["[red]x", "[/]", "[link=https://evil.example]x[/link]"])
def test_markup_in_a_cell_is_shown(text: str) -> None:
    assert cell(text).plain == text


def test_nothing_prints_but_the_door() -> None:
    found = []
    for path in (SOURCE / "cli").glob("*.py"):
        names = {ast.unparse(each.func) for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, ast.Call)}
        if path.name not in {"printing.py", "live.py"} and names & _PRINTERS:
            found.append(path.name)
    assert found == []


def test_marked_text_is_made_of_literals_alone() -> None:
    nodes = [(path, each) for path in SOURCE.rglob("*.py") for each in ast.walk(ast.parse(path.read_text()))]
    # Read from the sources: `__subclasses__` knows only the modules another test happened to import.
    kinds = {"Marked", "Markup"} | {
        each.name for _, each in nodes if isinstance(each, ast.ClassDef) and "Marked" in map(ast.unparse, each.bases)
    }
    assert "Markdown" in kinds
    found = []
    for path, call in nodes:
        if isinstance(call, ast.Call):
            name, _, method = ast.unparse(call.func).partition(".")
            made = name in kinds and method in ("", "of", "joined")
            if made and path.name not in _DOORS and not isinstance(call.args[0], ast.Constant):
                found.append(f"{path.name}:{call.lineno}")
    assert found == []


@pytest.mark.hostile
def test_the_second_stage_loads_nothing_that_measures_or_counts() -> None:
    code = (
        "import json, sys; from pacecar.cli.commands import application; application(['github', 'comment']); "
        "print(json.dumps(sorted(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(ended.stdout)}
    assert not loaded & {"pandas", "numpy", "scipy", "pyarrow", "aiohttp", "fsspec", "jinja2"}
    assert "pacecar.system.resources" not in json.loads(ended.stdout)


@pytest.mark.parametrize("err", [False, True])
@pytest.mark.parametrize("text", ["one", "one\ntwo", plain("made"), plain("made\tclean"), 7, ""])
def test_what_is_said_ends_its_line(capsys: pytest.CaptureFixture[str], text: object, err: bool) -> None:
    say(text, err=err)
    say("next", err=err)
    printed = capsys.readouterr()
    assert (printed.err if err else printed.out) == f"{text}\nnext\n"
