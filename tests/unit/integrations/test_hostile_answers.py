"""Answers of a server that are larger inside than they look."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from pacecar.integrations import prometheus
from pacecar.integrations.exchange import Answer


@pytest.mark.hostile
@pytest.mark.parametrize(
    "interval",
    ["1" * 1_000_000, "9" * 5000 + "s", "1" * 400 + "y", "1s" * 500_000, "\u0661s", "-1s", "", "1s1", "s"],
    ids=lambda text: repr(text[:20]),
)
def test_an_interval_that_is_none(interval: str) -> None:
    listed = {"data": {"activeTargets": [{"scrapeUrl": "http://a:1/", "scrapeInterval": interval}]}}
    targets = prometheus._Targets.model_validate_json(json.dumps(listed))
    assert dict(prometheus._intervals(targets)) == {}


@pytest.mark.hostile
def test_more_targets_than_any_server() -> None:
    listed = {"data": {"activeTargets": [{"scrapeUrl": ""}] * 20_000}}
    with pytest.raises(ValidationError):
        prometheus._Targets.model_validate_json(json.dumps(listed))


@pytest.mark.hostile
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"",
        b"null",
        b'{"status":"success","data":{"resultType":"vector","result":[' + b"{}," * 5000 + b"{}]}}",
        b'{"status":"success","data":{"resultType":"scalar","result":[1,"' + b"9" * 100_000 + b'"]}}',
        b'{"status":"success","data":{"resultType":"scalar","result":[1e999,"x"]}}',
        b'{"status":"success","data":{"resultType":"vector","result":[{"value":[1,"nan"]}]}}',
        b'{"status":"success","data":{"resultType":"vector","result":[{"value":[1,"1"],"value":[1]}]}}',
        b"\xff\xfe",
    ],
    ids=lambda body: repr(body[:70]),
)
@pytest.mark.parametrize("status", [200, 400, 302])
def test_an_answer_that_is_no_number(body: bytes, status: int) -> None:
    reply = prometheus._reply(Answer(status=status, body=body))
    assert reply.error
    assert len(reply.error) < 400
