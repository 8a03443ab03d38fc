"""Exit codes of verdicts. Those of failures stand with their classes, those of all else in `ending`."""

from __future__ import annotations

from enum import StrEnum

from pacecar.model.comparison import Verdict


class FailOn(StrEnum):
    """Which verdicts make the command fail. `invalid` always does."""

    NOTHING = "nothing"
    REGRESSION = "regression"
    INCONCLUSIVE = "inconclusive"


def exit_code(verdict: Verdict, fail_on: FailOn) -> int:
    """The exit code of a comparison whose verdict, what is accepted left aside, is `verdict`."""
    if verdict is Verdict.INVALID:
        return 3
    if verdict is Verdict.REGRESSED and fail_on is not FailOn.NOTHING:
        return 1
    if verdict is Verdict.INCONCLUSIVE and fail_on is FailOn.INCONCLUSIVE:
        return 4
    return 0
