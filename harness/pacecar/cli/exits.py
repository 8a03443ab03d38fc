"""Exit codes of verdicts. Those of failures stand with their classes, those of all else in `ending`."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from pacecar.model.comparison import Verdict

#: What a script must not miss first: a regression is certain, whatever else failed.
_ORDER = (1, 2, 3, 4)


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


def gravest(codes: Iterable[int]) -> int:
    """The exit code of several comparisons together: 1 where anything regressed, else 2 where one failed, else 3, 4."""
    failing = set(codes) - {0}
    return min(failing, key=lambda code: _ORDER.index(code) if code in _ORDER else len(_ORDER), default=0)
