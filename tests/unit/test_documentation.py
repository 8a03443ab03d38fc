"""What the pages name exists, and what exists is named: commands, options, exit codes, keys, links, configurations."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest
import typer
from markdown_it import MarkdownIt
from markdown_it.token import Token

import pacecar
from pacecar.cli import app
from pacecar.cli.exits import FailOn, exit_code
from pacecar.errors import Ending
from pacecar.inputs import config
from pacecar.inputs.config import schema
from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import Verdict
from support.checkout import CHECKOUT

COMMANDS = CHECKOUT / "docs" / "reference" / "commands.md"
#: Enough for a part of a configuration to stand on.
SMALLEST = """
[target]
name = "orders"
command = ["{java}", "-jar", "{artifact}", "--server.port={port}"]
ready = "/ready"
metrics = "/metrics"
"""


class Line(NamedTuple):
    """A command line of a page: where it stands, and its words."""

    page: Path
    words: tuple[str, ...]


def _pages() -> list[Path]:
    listed = subprocess.run(
        ["git", "-C", CHECKOUT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.md"],
        check=True,
        capture_output=True,
        text=True,
    )
    return [CHECKOUT / name for name in listed.stdout.split("\0") if name and (CHECKOUT / name).exists()]


PAGES = _pages()


def _tokens(page: Path) -> Iterator[Token]:
    for token in MarkdownIt("commonmark").enable("table").parse(page.read_text()):
        yield token
        yield from token.children or ()


def _commands() -> dict[str, set[str]]:
    """`baseline promote` -> its long options; groups are there too."""

    def walk(command: Any, name: tuple[str, ...]) -> Iterator[tuple[str, set[str]]]:
        options = [option for each in command.params for option in (*each.opts, *each.secondary_opts)]
        yield " ".join(name), {option for option in options if option.startswith("--")}
        for inner, found in getattr(command, "commands", {}).items():
            yield from walk(found, (*name, inner))

    return dict(walk(typer.main.get_command(app), ()))


KNOWN_COMMANDS = _commands()
GROUPS = {name for name in KNOWN_COMMANDS if any(other.startswith(f"{name} ") for other in KNOWN_COMMANDS)} | {""}


def _lines() -> Iterator[Line]:
    """Every `pacecar …` of every page, in code of any kind."""
    for page in PAGES:
        for token in _tokens(page):
            if token.type in {"code_inline", "code_block", "fence"}:
                for line in token.content.splitlines():
                    for found in re.findall(r"(?<![\w./-])pacecar (?![|:])([^|&;#`]*)", line):
                        yield Line(page=page, words=tuple(_split(found)))


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # an apostrophe of prose
        return text.split()


def _named(words: tuple[str, ...]) -> str:
    """The command that `words` begin with: the longest there is."""
    names = [" ".join(words[:count]) for count in (2, 1) if len(words) >= count]
    return next((name for name in names if name in KNOWN_COMMANDS), "")


def test_pages_name_commands_and_options_that_there_are() -> None:
    lines = list(_lines())
    assert len(lines) > 30
    for page, words in lines:
        if words[:1] in {("COMMAND",), ("…",)} or not words:
            continue
        name = _named(words)
        assert name or words[0].startswith("--"), f"{page}: pacecar {' '.join(words)}"
        assert name not in GROUPS - {""}, f"{page}: pacecar {' '.join(words)} lacks a command"
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert options <= KNOWN_COMMANDS[name] | {"--help"}, f"{page}: pacecar {' '.join(words)}"


def test_settings_on_command_lines_are_keys() -> None:
    settings = [
        (page, setting)
        for page, words in _lines()
        for option, setting in itertools.pairwise(words)
        if option == "--set" and setting not in {"KEY=VALUE", "…"}
    ]
    assert settings
    for page, setting in settings:
        assert schema.type_at(tuple(setting.partition("=")[0].split("."))) is not None, f"{page}: --set {setting}"


def _rows(heading: str) -> list[list[str]]:
    """Cells of the table below a heading of the commands' page."""
    part = COMMANDS.read_text().partition(f"{heading}\n")[2].partition("\n## ")[0]
    table = [line for line in part.splitlines() if line.startswith("| ") and set(line) - set("| -")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table[1:]]


def _documented() -> dict[str, set[str]]:
    """Command -> options that its own rows name, and those of the table of shared ones."""
    found: dict[str, set[str]] = {}
    for command, meaning in _rows("# Commands and exit codes"):
        codes = re.findall(r"`([^`]*)`", f"{command} {meaning}")
        name = _named(tuple(codes[0].split()[1:]))
        assert name, command
        options = {option for code in codes for option in re.findall(r"(?<!\S)--[a-z-]+", code)}
        found.setdefault(name, set()).update(options)
    for option, of, _ in _rows("## Options of several commands"):
        named = set(re.findall(r"`([^`]*)`", of))
        assert named <= KNOWN_COMMANDS.keys(), of
        for name in (KNOWN_COMMANDS.keys() - GROUPS - named) if of.startswith("all but") else named:
            found.setdefault(name, set()).update(re.findall(r"--[a-z-]+", option))
    return found


@pytest.mark.parametrize("name", sorted(KNOWN_COMMANDS.keys() - GROUPS))
def test_every_command_is_documented_with_its_options_and_no_others(name: str) -> None:
    documented = _documented()
    assert name in documented
    assert documented[name] == KNOWN_COMMANDS[name]


def _exit_codes() -> set[int]:
    """Those of every verdict, and of every error that any module defines, the one for faults of our own among them."""
    for module in pkgutil.walk_packages(pacecar.__path__, "pacecar."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)

    def below(kind: type[Ending]) -> Iterator[type[Ending]]:
        yield kind
        for inner in kind.__subclasses__():
            yield from below(inner)

    errors = {kind.exit_code for kind in below(Ending) if kind.__module__.startswith("pacecar.")}
    return errors | {exit_code(verdict, fail_on) for verdict in Verdict for fail_on in FailOn}


def test_every_exit_code_is_documented_and_no_other() -> None:
    assert [int(code) for code, _ in _rows("## Exit codes")] == sorted(_exit_codes())


def test_keys_in_the_text_are_keys() -> None:
    tables = {key.rpartition(".")[0] for key in schema.every_key()} - {""}
    tops = {name.partition(".")[0] for name in tables}
    keys = schema.every_key().keys() | tables
    checked = 0
    for page in PAGES:
        for token in _tokens(page):
            named = re.fullmatch(r"([a-z_]+)((?:\.(?:[a-z_]+|NAME))+)(?: = .*)?", token.content)
            if token.type != "code_inline" or named is None or named[1] not in tops:
                continue
            key = re.sub(r"(?<=builds\.named\.)[^.]+", "NAME", f"{named[1]}{named[2]}")
            assert key in keys or key in METRICS or key in {"builds.named", "metrics.prom"}, f"{page}: {token.content}"
            checked += 1
    assert checked > 20


def _links() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        for token in _tokens(page):
            target = token.attrs.get("href") or token.attrs.get("src")
            if isinstance(target, str) and not re.match(r"[a-z]+:", target):
                yield page, target


def test_links_lead_somewhere() -> None:
    links = list(_links())
    assert len(links) > 20
    for page, target in links:
        path, _, anchor = unquote(target).partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page}: {target}"
        assert file.is_relative_to(CHECKOUT), f"{page}: {target}"
        if anchor:
            assert anchor in _anchors(file), f"{page}: {target}"


def _anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _configurations() -> list[Any]:
    """Blocks of TOML: fenced ones, and indented ones that begin with a table."""
    return [
        pytest.param(token.content, id=f"{page.relative_to(CHECKOUT)}:{token.map[0] + 1 if token.map else 0}")
        for page in PAGES
        for token in _tokens(page)
        if (token.type == "fence" and token.info.strip() == "toml")
        or (token.type == "code_block" and re.match(r"\s*\[\[?[a-z]", token.content))
    ]


@pytest.mark.parametrize("block", _configurations())
def test_a_configuration_that_is_shown_can_be_read(block: str) -> None:
    assert config.parse(_completed(block), Path("pacecar.toml")).target.name


def _completed(block: str) -> str:
    """A whole configuration of which `block` is a part."""
    found = tomllib.loads(block)
    lacking = [line for line in SMALLEST.strip().splitlines()[1:] if line.split()[0] not in found.get("target", {})]
    target = "\n".join(["[target]", *lacking])
    whole, replaced = re.subn(r"^\s*\[target\]", lambda _: target, block, count=1, flags=re.MULTILINE)
    if not replaced:
        whole = f"{target}\n{block}"
    if "metrics" in found and "prometheus" not in found:
        whole += '\n[prometheus]\nurl = "http://127.0.0.1:9090"\n'
    return whole
