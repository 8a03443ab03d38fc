"""The sizes and names that CONTRIBUTING.md promises, and lists that name files."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import typer

from pacecar.cli.commands import complete
from support.checkout import CHECKOUT
from support.longest import LONG

PACKAGE = CHECKOUT / "harness" / "pacecar"
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_LINES, MOST_STATED, MOST_PARAMETERS = 350, 40, 6

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Size(NamedTuple):
    """Lines of a function without its heading and docstring, and its parameters without `self` or `cls`."""

    lines: int
    parameters: int


def functions(source: str) -> Iterator[tuple[str, Size]]:
    """Every function of a module, nested ones too, and how large it is."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function):
            yield node.name, Size(lines=_lines(node), parameters=_parameters(node.args))


def _lines(function: Function) -> int:
    stated = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    return (stated[-1].end_lineno or 0) - stated[0].lineno + 1 if stated else 0


def _parameters(arguments: ast.arguments) -> int:
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return sum(each is not None and each.arg not in ("self", "cls") for each in named)


def commands() -> set[tuple[Path, str]]:
    """File and name of every function that is a command: its parameters are the options that users type."""

    def of(app: typer.Typer) -> Iterator[tuple[Path, str]]:
        for command in app.registered_commands:
            assert command.callback is not None
            yield Path(inspect.getfile(command.callback)), command.callback.__name__
        for group in app.registered_groups:
            assert group.typer_instance is not None
            yield from of(group.typer_instance)

    return set(of(complete()))


def test_a_module_is_read_in_one_sitting() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {str(path): lines for path, lines in sizes.items() if lines > MOST_LINES} == {}


def test_a_function_has_one_thought() -> None:
    long = [
        f"{path}: {name} has {size.lines} lines"
        for path in MODULES
        for name, size in functions(path.read_text(encoding="utf-8"))
        if size.lines > MOST_STATED
    ]
    assert long == []


def test_a_function_is_told_few_things() -> None:
    typed = commands()
    assert len(typed) >= 20
    told = [
        f"{path}: {name} has {size.parameters} parameters"
        for path in MODULES
        for name, size in functions(path.read_text(encoding="utf-8"))
        if size.parameters > MOST_PARAMETERS and (path, name) not in typed
    ]
    assert told == []


@pytest.mark.parametrize(
    ("source", "size"),
    [
        ("def f(): pass", Size(lines=1, parameters=0)),
        ('def f(a, /, b, *c, d, **e):\n    """Doc.\n\n    Long.\n    """\n    b()\n\n    return d', Size(3, 5)),
        ('class C:\n    def f(self, a):\n        """Doc."""', Size(lines=0, parameters=1)),
        ("async def f(a):\n    if a:\n        return 1\n    return 2", Size(lines=3, parameters=1)),
    ],
)
def test_what_is_counted(source: str, size: Size) -> None:
    assert [found for _, found in functions(source)] == [size]


#: What the empty text has a meaning of its own for: all endpoints together, and a path that begins at the root.
EMPTY_TEXTS = {("Metric", "endpoint"), ("metric", "endpoint"), ("Service", "base"), ("contents", "inside")}


def empty_texts(source: str) -> Iterator[tuple[str, str]]:
    """Class and field, or function and parameter, of which "" is the default."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            yield from (
                (node.name, field.target.id)
                for field in node.body
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and _is_empty(field.value)
            )
        elif isinstance(node, Function):
            yield from ((node.name, name) for name, value in _defaults(node.args) if _is_empty(value))


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr | None]]:
    placed = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    if arguments.defaults:
        yield from zip(placed[-len(arguments.defaults) :], arguments.defaults, strict=True)
    yield from zip([each.arg for each in arguments.kwonlyargs], arguments.kw_defaults, strict=True)


def _is_empty(value: ast.expr | None) -> bool:
    """Whether it is "", by itself or as the `default` of a field."""
    if isinstance(value, ast.Call):
        return any(each.arg == "default" and _is_empty(each.value) for each in value.keywords)
    return isinstance(value, ast.Constant) and value.value == ""


def test_what_is_absent_is_none() -> None:
    found = {each for path in MODULES for each in empty_texts(path.read_text(encoding="utf-8"))}
    assert found == EMPTY_TEXTS


@pytest.mark.parametrize(
    "source",
    [
        'class C:\n    f: str = ""',
        'class C:\n    f: str = field(default="", repr=False)',
        'def C(a: int, f: str = "") -> None: ...',
        'class D:\n    def C(self, *, f: str = "", g: str | None = None) -> None: ...',
    ],
)
def test_an_empty_text_is_found(source: str) -> None:
    assert list(empty_texts(source)) == [("C", "f")]


#: Public names of classes that stand in several modules, and why that is right.
SHARED_NAMES: dict[str, str] = {}


class Named(NamedTuple):
    """The public names of a module: those of its classes, and of types that it gives a name."""

    classes: frozenset[str]
    types: frozenset[str]


def named(source: str) -> Named:
    """What a module names: classes, and types such as `Names = dict[str, int]`."""
    stated = ast.parse(source).body
    types = (each.targets[0] for each in stated if isinstance(each, ast.Assign))
    return Named(
        classes=frozenset(each.name for each in stated if isinstance(each, ast.ClassDef) and each.name[0] != "_"),
        types=frozenset(each.id for each in types if isinstance(each, ast.Name) and _is_of_a_type(each.id)),
    )


def _is_of_a_type(name: str) -> bool:
    return name[0].isupper() and not name.isupper()


def shared_names(modules: Iterable[Named]) -> set[str]:
    """Names of classes that another class, or a type of another module, has, too."""
    told = list(modules)
    classes = Counter(name for each in told for name in each.classes)
    types = {name for each in told for name in each.types}
    return {name for name, count in classes.items() if count > 1 or name in types}


def test_a_name_has_one_meaning() -> None:
    found = shared_names(named(path.read_text(encoding="utf-8")) for path in MODULES)
    assert found == set(SHARED_NAMES)


@pytest.mark.parametrize(
    ("sources", "shared"),
    [
        (("class Part: ...", "class Part: ..."), {"Part"}),
        (("class Part: ...", "Part = dict[str, int]"), {"Part"}),
        (("Part = dict[str, int]", "Part = dict[str, int]"), set()),
        (("class _Part: ...\nPART = 1", "class _Part: ..."), set()),
        (("class Part:\n    class Row: ...", "class Row: ..."), set()),
    ],
)
def test_a_shared_name_is_found(sources: tuple[str, str], shared: set[str]) -> None:
    assert shared_names(map(named, sources)) == shared


#: Of the lines that people wrap by hand: comments that fill a line. Ruff and mdformat wrap the others.
WIDTH = 120
WRAPPED = ("*.toml", ".pre-commit-config.yaml", ".github/**/*.yml", "ci/**/*.yml", "targets/*/**/*.toml")


def test_comments_are_no_wider_than_the_code() -> None:
    paths = {path for pattern in WRAPPED for path in CHECKOUT.glob(pattern) if "target" not in path.parts}
    assert len(paths) > 10
    wide = [
        f"{path}:{number}"
        for path in sorted(paths)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if line.lstrip().startswith("#") and len(line) > WIDTH
    ]
    assert wide == []


@pytest.mark.parametrize("place", LONG)
def test_what_lasts_long_is_still_there(place: str) -> None:
    path, _, name = place.partition("::")
    assert (CHECKOUT / "tests" / path).exists()
    assert not name or f"def {name}(" in (CHECKOUT / "tests" / path).read_text()
