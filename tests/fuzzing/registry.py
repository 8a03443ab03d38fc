"""The readers by name, with their seeds."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fuzzing import readers
from fuzzing.limits import Limits

SEEDS = Path(__file__).parent / "seeds"
#: What is watched for coverage in every reader.
_OURS = ("pacecar",)


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A module of `readers`, as the package's docstring describes it."""

    name: str
    parse: Callable[[bytes], None]
    made: Callable[[], Iterable[bytes]]
    limits: Limits

    @property
    def folder(self) -> Path:
        """Where its seeds are kept."""
        return SEEDS / self.name

    def seeds(self) -> Iterator[tuple[str, bytes]]:
        """Every seed with a name: those kept as files, then those made by code."""
        for path in sorted(self.folder.glob("*")):
            yield path.name, path.read_bytes()
        for number, data in enumerate(self.made()):
            yield f"made-{number}", data


def names() -> list[str]:
    """All readers."""
    return sorted(module.name for module in pkgutil.iter_modules(readers.__path__))


def load(name: str) -> Reader:
    """The reader of that name; what it reads with is imported by this."""
    module = importlib.import_module(f"fuzzing.readers.{name}")
    return Reader(
        name=name,
        parse=module.parse,
        made=getattr(module, "seeds", tuple),
        limits=getattr(module, "LIMITS", Limits()),
    )


def watched(name: str) -> list[str]:
    """The packages whose coverage guides the fuzzer. Read, not imported: importing comes after instrumenting."""
    source = ast.parse((Path(readers.__path__[0]) / f"{name}.py").read_text())
    for statement in source.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "INSTRUMENT":
            return [*_OURS, *ast.literal_eval(statement.value)]
    return list(_OURS)
