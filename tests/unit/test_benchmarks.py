"""Every benchmark is a program that can be started from the checkout and says what it is for."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from benchmarks.verdict import real, synthetic
from benchmarks.verdict.kept import kept
from pacecar.analysis.criteria import Criteria
from pacecar.analysis.paired import compare_pairs
from pacecar.model.comparison import Verdict
from support.checkout import CHECKOUT

_ROOT = CHECKOUT / "benchmarks"
PROGRAMS = sorted(
    ".".join(path.relative_to(CHECKOUT).with_suffix("").parts)
    for path in _ROOT.rglob("*.py")
    if '__name__ == "__main__"' in path.read_text()
)


def test_there_are_benchmarks() -> None:
    assert len(PROGRAMS) > 15
    assert all((path.parent / "__init__.py").exists() for path in _ROOT.rglob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_benchmark_answers_help(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [program, "--help"])
    monkeypatch.delitem(sys.modules, program, raising=False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    assert ended.value.code in (None, 0)
    assert "usage:" in capsys.readouterr().out


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_benchmark_names_the_command_that_starts_it(program: str) -> None:
    text = (CHECKOUT / program.replace(".", "/")).with_suffix(".py").read_text()
    started_by_another = program == "benchmarks.containers.owner"
    assert (f"python -m {program}" in text) is not started_by_another


def test_the_page_of_the_verdicts_shows_what_was_drawn() -> None:
    shown = (_ROOT / "verdict" / "README.md").read_text().splitlines()
    head, _, *rows = synthetic.table(json.loads(synthetic.RESULTS.read_text())["scenarios"]).splitlines()
    assert rows
    assert {head, *rows} <= set(shown)


def test_recorded_pairs_are_judged_like_any_run() -> None:
    """Five pairs of identical builds, recorded before some of today's columns were."""
    pairs = [each.pair for each in kept("longer-gaps")]
    found = compare_pairs(pairs, Criteria())
    assert (found.pairs, found.verdict) == (5, Verdict.PASSED), found.reason


def test_pairs_from_before_judges_were_noted_have_none() -> None:
    assert {each.judge for each in kept("longer-gaps")} == {None}


def test_a_service_is_asked_for_its_own_builds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("record", "--service", "orders", "p50-50", "--pairs", "1")
    monkeypatch.setattr(sys, "argv", ["real", *arguments])
    with pytest.raises(SystemExit) as ended:
        real.main()
    assert ended.value.code == 2
    assert "orders has no build p50-50; it has same, cpu-10, " in capsys.readouterr().err


def test_the_table_tells_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {"verdicts": {"inconclusive": 1, "regressed": 4}, "minutes": {"median": 7.25, "most": 12.0}}
    truth = {"metric": "cpu", "change": [0.0962, 0.081, 0.1113]}
    none = {"pairs": 0, "first run": {}, "with history": {}}
    builds = ("same", "cpu-10", "allocation-2", "latency-17", "tail-30", "p50-50")
    results = {**dict.fromkeys(builds, none), "all identical": {}}
    results["cpu-10"] = {"pairs": 15, "truth": truth, "first run": told, "with history": {}}
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "gazetteer.json").write_text(json.dumps(results))
    monkeypatch.setattr(real, "HERE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["real", "table", "--service", "gazetteer"])
    real.main()
    rows = capsys.readouterr().out.splitlines()
    assert rows[2] == "| `same` | 0 |  | none |  | none |  |"
    assert rows[3] == ("| `cpu-10` | 15 | cpu +9.6 % [8.1, 11.1] | 1 inconclusive, 4 regressed | 7.25, 12 | none |  |")
    assert len(rows) == 8
