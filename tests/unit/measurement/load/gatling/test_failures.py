import pandas as pd
import pytest

from pacecar.measurement.load.gatling.failures import in_words


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("status.find.is(200), but actually found 404", "answered with status 404"),
        ("status.find.in(200,304,201), but actually found 503", "answered with status 503"),
        ("status.find.not(500), unexpectedly found 500", "answered with status 500"),
        ("status.find.lessThanOrEqual(399), 500 is not less than or equal to 399", "answered with status 500"),
        ("status.find.is(200), found nothing", "status.find.is(200), found nothing"),
        ("jsonPath($.id).find.exists, found nothing", "jsonPath($.id).find.exists, found nothing"),
        ("j.n.ConnectException: Connection refused", "j.n.ConnectException: Connection refused"),
        ("", ""),
    ],
)
def test_a_status_is_told_without_the_words_of_a_check(message: str, said: str) -> None:
    assert list(in_words(pd.Series([message, "", message]))) == [said, "", said]


def test_no_requests_have_no_messages() -> None:
    assert in_words(pd.Series([], dtype="str")).empty
