"""The command that says what words mean."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pacecar.cli.explain import explain
from pacecar.errors import UsageError
from pacecar.reporting.words import WORDS


def test_a_word_with_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(["passed"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"passed: {WORDS['passed'].meaning}\n")
    assert said.endswith("More: docs/explanation/verdicts.md#passed-is-a-claim\n")


@pytest.mark.parametrize("asked", [["RULED", "OUT"], ["ruled-out"], ["ruled out"], ["Ruled_Out"]])
def test_however_it_is_written(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(asked) == 0
    assert capsys.readouterr().out.startswith("ruled out: ")


def test_a_metric_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    explain(["latency.tail"])
    assert capsys.readouterr().out.startswith("tail latency: ")


def test_all_words_without_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert explain([]) == 0
    assert capsys.readouterr().out.split("\n")[:-1] == list(WORDS)


def test_an_unknown_word_is_a_usage_error_with_a_suggestion() -> None:
    with pytest.raises(UsageError) as found:
        explain(["tripwhire"])
    assert found.value.message == 'No verdict uses the word "tripwhire"; did you mean "tripwire"?'
    assert found.value.hint == "List the words: pacecar explain"
    with pytest.raises(UsageError, match=r'^No verdict uses the word "\?zzz"\.$'):
        explain(["\x1bzzz"])


def test_it_loads_no_tables_and_no_statistics() -> None:
    script = (
        "import sys; sys.argv = ['pacecar', 'explain', 'weak']; from pacecar.cli import run; assert run() == 0; "
        "print(sorted({'pandas', 'numpy', 'scipy', 'jinja2'} & sys.modules.keys()))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"
