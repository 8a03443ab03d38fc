"""Exit codes: nothing but the documented ones."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pacecar.cli.exits import FailOn, exit_code
from pacecar.model.comparison import Verdict

EXPECTED = {
    (Verdict.REGRESSED, FailOn.NOTHING): 0,
    (Verdict.REGRESSED, FailOn.REGRESSION): 1,
    (Verdict.REGRESSED, FailOn.INCONCLUSIVE): 1,
    (Verdict.INCONCLUSIVE, FailOn.REGRESSION): 0,
    (Verdict.INCONCLUSIVE, FailOn.INCONCLUSIVE): 4,
    (Verdict.INVALID, FailOn.NOTHING): 3,
    (Verdict.UNCHANGED, FailOn.INCONCLUSIVE): 0,
    (Verdict.PASSED, FailOn.INCONCLUSIVE): 0,
    (Verdict.IMPROVED, FailOn.INCONCLUSIVE): 0,
}


@pytest.mark.parametrize(("case", "code"), EXPECTED.items())
def test_a_verdict_has_its_exit_code(case: tuple[Verdict, FailOn], code: int) -> None:
    assert exit_code(*case) == code


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare", "--bogus"], "error: No such option: --bogus\n  Try: pacecar compare --help\n"),
        (["compare", "--pairs", "many"], "  Try: pacecar compare --help\n"),
        (["compar"], "Did you mean 'compare'?\n  Try: pacecar --help\n"),
        (["baseline"], "error: A command is missing.\n  Try: pacecar baseline --help\n"),
    ],
)
def test_a_mistake_on_the_command_line_is_one_sentence(arguments: list[str], said: str) -> None:
    ended = subprocess.run([sys.executable, "-m", "pacecar", *arguments], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: ")
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
