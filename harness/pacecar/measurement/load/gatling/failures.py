"""Why requests failed, in the words of HTTP instead of Gatling's."""

from __future__ import annotations

import re

import pandas as pd

#: Of a check of the status: `status.find.is(200), but actually found 404`, or, from this version's own scenarios,
#: `status.find.lessThanOrEqual(399), 500 is not less than or equal to 399`.
_STATUS = re.compile(
    r"status\.find\.\w+\([^()]*\), (?:but actually found |unexpectedly found |found )?(?P<status>\d{3})\b.*", re.DOTALL
)


def in_words(messages: pd.Series[str]) -> pd.Series[str]:
    """`answered with status 404` for each message of a check of the status; any other message as it is."""
    return messages.map({message: _in_words(message) for message in messages.unique()})


def _in_words(message: str) -> str:
    checked = _STATUS.fullmatch(message)
    return f"answered with status {checked['status']}" if checked else message
