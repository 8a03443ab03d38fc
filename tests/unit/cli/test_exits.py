"""Exit codes: nothing but the documented ones."""

from __future__ import annotations

import pytest

from pacecar.cli.exits import FailOn, exit_code
from pacecar.comparison import Verdict

EXPECTED = {
    (Verdict.REGRESSED, FailOn.NOTHING): 0,
    (Verdict.REGRESSED, FailOn.REGRESSION): 1,
    (Verdict.REGRESSED, FailOn.INCONCLUSIVE): 1,
    (Verdict.INCONCLUSIVE, FailOn.REGRESSION): 0,
    (Verdict.INCONCLUSIVE, FailOn.INCONCLUSIVE): 4,
    (Verdict.INVALID, FailOn.NOTHING): 3,
    (Verdict.UNCHANGED, FailOn.INCONCLUSIVE): 0,
    (Verdict.IMPROVED, FailOn.INCONCLUSIVE): 0,
}


@pytest.mark.parametrize(("case", "code"), EXPECTED.items())
def test_a_verdict_has_its_exit_code(case: tuple[Verdict, FailOn], code: int) -> None:
    assert exit_code(*case) == code
