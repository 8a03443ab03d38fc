"""What it costs to add something, as CONTRIBUTING.md says: how many files name what is already there."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import pytest

from pacecar.analysis.criteria import Criteria
from pacecar.analysis.metrics import readers
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import Reading, Value
from pacecar.analysis.paired import compare_pairs
from pacecar.cli import exports, results
from pacecar.cli.commands import COMMANDS
from pacecar.inputs import config
from pacecar.inputs.config import ConfigError
from pacecar.measurement.probes.registry import PROBES
from pacecar.model import catalogue
from pacecar.model.catalogue import METRICS, MetricKind
from pacecar.model.comparison import Verdict
from pacecar.model.deployment import ComposeDeployment, KubernetesDeployment, ProcessDeployment
from pacecar.model.experiment import Budget
from pacecar.model.scenario import GeneratorKind
from pacecar.reporting.document.build import build_document
from pacecar.reporting.terminal import summary
from support.checkout import CHECKOUT
from support.documents import run

PACKAGE = CHECKOUT / "harness" / "pacecar"


@dataclass(frozen=True, kw_only=True)
class _Source:
    """What a module says, as far as these tests ask."""

    names: frozenset[str]
    classes: frozenset[str]
    constants: frozenset[str]
    imported: frozenset[str]


@cache
def _source(path: Path) -> _Source:
    """Of the module at `path`, which is parsed once: every test looks at most modules, some more than once."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    return _Source(
        names=frozenset(node.id for node in nodes if isinstance(node, ast.Name)),
        classes=frozenset(node.name for node in nodes if isinstance(node, ast.ClassDef)),
        constants=frozenset(
            node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ),
        imported=frozenset(f"{node.module}." for node in nodes if isinstance(node, ast.ImportFrom)),
    )


def _sources(*, outside: str) -> dict[str, _Source]:
    """Every module that lies outside that folder, by its path in the package."""
    paths = [path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(PACKAGE / outside)]
    return {str(path.relative_to(PACKAGE)): _source(path) for path in paths}


def _importing(module: str, *, outside: str) -> set[str]:
    """Who imports `module` or something below it."""
    return {
        path
        for path, source in _sources(outside=outside).items()
        if any(name.startswith(f"{module}.") for name in source.imported)
    }


def _naming(name: str, *, outside: str) -> set[str]:
    """Who uses something called `name`."""
    return {path for path, source in _sources(outside=outside).items() if name in source.names | source.classes}


def _below_package(module: str) -> str:
    """The path in the package of a module by its name."""
    return f"{module.removeprefix('pacecar.').replace('.', '/')}.py"


def _contributing(heading: str) -> list[str]:
    """Rows of the first table below a heading of CONTRIBUTING.md, without its head."""
    part = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(f"## {heading}\n")[2]
    return [line for line in part.partition("\n## ")[0].splitlines() if line.startswith("| ")][1:]


def test_the_table_of_wings_has_each_wing_and_no_other() -> None:
    rows = _contributing("The wings of `harness/pacecar`")
    named = {name for row in rows for name in re.findall(r"`(\w+)/`", row.split("|")[1])}
    assert named == {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


@pytest.mark.parametrize(
    "wing", sorted(path.parent for path in PACKAGE.glob("*/__init__.py")), ids=lambda wing: wing.name
)
def test_each_wing_says_what_enters_and_what_leaves(wing: Path) -> None:
    said = ast.get_docstring(ast.parse((wing / "__init__.py").read_text(encoding="utf-8")))
    assert said is not None
    assert re.search(r"^In: .+?\. Out: .+?\.$", said, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("row", _contributing("Where a change goes"), ids=lambda row: row.split("|")[1].strip())
def test_where_a_change_goes_there_is_something(row: str) -> None:
    """A name without a folder lies in one that the row has named before."""
    places = [CHECKOUT, PACKAGE]
    for name in re.findall(r"`([\w./]+)`", row.split("|")[2]):
        path = next((place / name for place in places if (place / name).exists()), None)
        assert path is not None, name
        places.append(path if path.is_dir() else path.parent)


def test_a_metric_is_a_row_of_the_catalogue_and_a_reader(make_pairs, truth, monkeypatch: pytest.MonkeyPatch) -> None:
    row = MetricKind(name="threads.born", unit="1", title="threads born", budget=0.05)

    def born(fork: MeasuredFork, endpoint: str) -> Reading:
        return Value(amount=20.0 if fork.data.record.side.value == "baseline" else 30.0, requests=len(fork.requests))

    assert row.name not in METRICS
    monkeypatch.setitem(catalogue.METRICS, row.name, row)
    monkeypatch.setattr(readers, "READERS", {**readers.READERS, row.name: born})

    comparison = compare_pairs(make_pairs(4), Criteria(gate=("cpu", "threads.born")))
    (judgement,) = (each for each in comparison.judgements if each.metric.name == row.name)
    assert judgement.verdict is Verdict.REGRESSED
    assert judgement.budget == Budget(metric="threads.born", relative=0.05)
    text = summary(build_document(comparison, run().manifest, None, ()), colour=False)
    assert text.startswith("REGRESSED  50% more threads born, 30 instead of 20\n")


def test_names_of_metrics_stand_in_the_catalogue_and_among_the_readers_alone() -> None:
    """But for those that kinds of causes explain, each in its own module, and the few that a default has to name."""
    counted = {"gc.count", "jit", "rss", "throttled", "memory.limit", "oom.kills", "metrics.series", "generator.lag"}
    assert counted <= METRICS.keys()
    named = {(path, name) for path, source in _sources(outside="cli").items() for name in source.constants & counted}
    allowed = {"model/catalogue.py", "analysis/metrics/readers.py", "analysis/metrics/counted.py"}
    elsewhere = {(path, name) for path, name in named if path not in allowed}
    assert {(path, name) for path, name in elsewhere if not path.startswith("analysis/causes/kinds/")} == set()


def test_an_output_format_is_a_module_and_a_row_of_the_command_that_writes_it() -> None:
    assert _importing("pacecar.reporting.junit", outside="reporting") == {"cli/results.py"}
    assert _importing("pacecar.reporting.export.folded", outside="reporting") == {"cli/exports.py"}


@pytest.mark.parametrize(("command", "formats"), [("report", results.ReportFormat), ("export", exports.ExportFormat)])
def test_the_list_of_commands_names_no_format_but_the_first(command: str, formats: type[StrEnum]) -> None:
    """A list of them there would be one more place to change."""
    _, *others = (each.value for each in formats)
    assert others
    assert [each for each in others if each in COMMANDS[command].help.lower()] == []


@pytest.mark.parametrize(
    ("deployment", "way"),
    [
        (ProcessDeployment, "process"),
        (ComposeDeployment, "compose"),
        (KubernetesDeployment, "kubernetes"),
    ],
)
def test_a_way_to_deploy_is_a_folder_and_three_others(deployment: type, way: str) -> None:
    others = {"model/deployment.py", "inputs/config/deployment.py", "measurement/deploy/deployers.py"}
    assert _naming(deployment.__name__, outside=f"measurement/deploy/{way}") == others
    importing = _importing(f"pacecar.measurement.deploy.{way}", outside=f"measurement/deploy/{way}")
    assert importing == {"measurement/deploy/deployers.py"}


def test_a_counter_is_a_module_and_its_columns() -> None:
    """The archive and the analysis read columns and may not know probes, so a column stands in `model.tables`, too."""
    for probe in PROBES:
        name = type(probe).__name__
        assert _naming(name, outside=_below_package(type(probe).__module__)) == set(), name
    unread = {"load1", "context_switches"}
    named = {path for path, source in _sources(outside="cli").items() if (source.constants | source.names) & unread}
    assert named == {"measurement/probes/host.py", "model/tables.py"}


def test_a_load_generator_is_a_folder_and_two_others() -> None:
    """Its name in `model.scenario`, where the configuration has its choices from, and its case in `generators`."""
    importing = _importing("pacecar.measurement.load.gatling", outside="measurement/load/gatling")
    assert importing == {"measurement/load/generators.py"}
    table = '[target]\nname = "orders"\nready = "/"\ncommand = ["{artifact}", "{port}"]\n[scenario]\ngenerator = "%s"\n'
    for kind in GeneratorKind:
        assert config.parse(table % kind.value, Path("pacecar.toml")).scenario.generator is kind
    with pytest.raises(ConfigError, match=r'scenario\.generator: expected "gatling".*; did you mean "gatling"\?'):
        config.parse(table % "gatlin", Path("pacecar.toml"))
