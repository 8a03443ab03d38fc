"""The page on Python says what can be called, and nothing else."""

from __future__ import annotations

import ast
import importlib
import inspect
import re

import pytest

from pacecar import workflow
from support.checkout import CHECKOUT

PAGE = (CHECKOUT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
CALLS = re.findall(r"^\| `(\w+)\((.*?)\)` \|", PAGE, re.MULTILINE)
#: What one block leaves for the next, and what stands for a reader's own.
LEFT = {"run", "document", "publish", "evaluate", "Path", "chat"}


@pytest.mark.parametrize("block", BLOCKS)
def test_what_is_imported_is_there_and_what_is_used_is_imported(block: str) -> None:
    tree = ast.parse(block)
    nodes = list(ast.walk(tree))
    imported = {each.name: node.module for node in nodes if isinstance(node, ast.ImportFrom) for each in node.names}
    for name, module in imported.items():
        assert module is not None
        assert hasattr(importlib.import_module(module), name)
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {argument.arg for node in nodes if isinstance(node, ast.arguments) for argument in node.args}
    used = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    assert used - imported.keys() - bound - LEFT - {"print"} == set()


def test_the_first_block_stands_alone_and_in_the_package_itself() -> None:
    assert {"comparison", "measure", "evaluate", "publish"} <= set(re.findall(r"\w+", BLOCKS[0]))
    assert workflow.__doc__ is not None
    said = {line.strip() for line in workflow.__doc__.splitlines()}
    assert {line for line in BLOCKS[0].splitlines() if line} <= said


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_calls_take_the_arguments_that_are_named(name: str, arguments: str) -> None:
    assert name in workflow.__all__
    parameters = inspect.signature(getattr(workflow, name)).parameters
    named = [each.strip() for each in arguments.split(",")]
    assert {each.removesuffix("=…") for each in named if each.endswith("=…")} <= parameters.keys()
    assert len([each for each in named if not each.endswith("=…")]) <= len(parameters)


def test_every_public_name_is_there_and_every_call_is_told() -> None:
    assert {name for name, _ in CALLS} == {
        name for name in workflow.__all__ if inspect.isfunction(getattr(workflow, name))
    }
