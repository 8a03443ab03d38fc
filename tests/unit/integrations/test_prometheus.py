"""Numbers, and everything else that Prometheus or something in its place may answer."""

from __future__ import annotations

import json
import math
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.integrations.exchange import Answer, Server
from pacecar.integrations.prometheus import (
    QueryRefused,
    Question,
    _reply,
    filled,
    replies,
    require_understood,
    scrape_intervals_s,
    too_rare,
)
from pacecar.measurement.deploy.ports import free_port
from pacecar.model.experiment import Query

QUESTION = Question(text="up", end_s=1_700_000_002.5, length_s=2.5)


def _answered(data: object) -> Answer:
    return Answer(status=200, body=json.dumps({"status": "success", "data": data}).encode())


def _vector(*values: object) -> Answer:
    return _answered({"resultType": "vector", "result": [{"metric": {}, "value": [1.5, value]} for value in values]})


def test_what_is_sent(scripted) -> None:
    scripted.answers = [(200, {}, _vector("7.25").body)]
    (reply,) = replies(scripted.server, [QUESTION])
    assert (reply.value, reply.error) == (7.25, None)
    method, path, _, body = scripted.asked[0]
    assert (method, path) == ("POST", "/api/v1/query")
    assert parse_qs(body.decode()) == {
        "query": ["up"],
        "time": ["1700000002.500"],
        "timeout": ["5s"],
        "lookback_delta": ["2500ms"],
    }


def test_placeholders() -> None:
    text = 'x{instance="{instance}",a=~"{2}"}[{length}] {port} {side} {pair} {start} {end} {{start}}'
    assert filled(
        text, instance="127.0.0.1:81", side="candidate", pair=3, start_ns=1_500_000_000, end_ns=4_000_000_000
    ) == ('x{instance="127.0.0.1:81",a=~"{2}"}[2500ms] 81 candidate 3 1.500 4.000 {1.500}')


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (_vector(), "the query gave no result"),
        (_vector("1", "2"), "the query gave 2 results instead of one: add sum() or a label"),
        (_vector("NaN"), "the result is NaN: perhaps nothing was counted in the window"),
        (_vector("+Inf"), "the result is infinite: perhaps it was divided by zero"),
        (_vector("seven"), "the result is not a number"),
        (_vector(7), "Prometheus answered with neither a scalar nor a vector"),
        (_answered({"resultType": "matrix", "result": []}), "neither a scalar nor a vector"),
        (_answered({"resultType": "vector", "result": [{"metric": {}, "histogram": [1, {}]}]}), "is a histogram"),
        (_answered(None), "neither a scalar nor a vector"),
        (Answer(status=200, body=b"<html>"), "neither a scalar nor a vector"),
        (Answer(status=200, body=b"[" * 100_000), "neither a scalar nor a vector"),
        (
            Answer(status=422, body=b'{"status":"error","error":"query\\ntimed out"}'),
            "Prometheus answered 422: query timed out",
        ),
        (Answer(status=503, body=b"\xff"), "Prometheus answered 503: without saying why"),
        (Answer(status=302, body=b""), "Prometheus answered 302"),
    ],
)
def test_what_is_no_number_has_a_reason(answer: Answer, error: str) -> None:
    reply = _reply(answer)
    assert reply.error is not None
    assert error in reply.error
    assert math.isnan(reply.value)


def test_a_scalar_is_a_number() -> None:
    assert _reply(_answered({"resultType": "scalar", "result": [1.0, "-3e2"]})).value == -300


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: json.dumps({"data": text}).encode()))
def test_any_bytes_make_a_reply(body: bytes) -> None:
    assert _reply(Answer(status=200, body=body)).error


def test_a_server_that_is_gone_is_not_asked_for_ever() -> None:
    found = replies(Server(url=f"http://127.0.0.1:{free_port()}"), [QUESTION] * 5)
    assert [reply.error.split(":")[0] for reply in found[:3]] == ["Prometheus cannot be reached"] * 3
    assert found[3].error == found[4].error
    assert found[4].error.endswith("and was not queried again")


def test_queries_are_read_by_the_server_before_anything_is_measured(scripted) -> None:
    queries = [Query(name="a", text="up"), Query(name="b", text="sum(")]
    scripted.answers = [
        (200, {}, _vector().body),
        (400, {}, b'{"status":"error","errorType":"bad_data","error":"parse error at char 5"}'),
    ]
    with pytest.raises(QueryRefused, match=r"metrics\.b\.query: Prometheus at .* refuses it: parse error at char 5\."):
        require_understood(scripted.server, queries)
    require_understood(Server(url=f"http://127.0.0.1:{free_port()}"), queries)


def test_how_often_it_scrapes(scripted) -> None:
    targets = [
        {"scrapeUrl": "http://127.0.0.1:81/metrics", "scrapeInterval": "15s", "labels": {}},
        {"scrapeUrl": "http://127.0.0.1:82/m", "scrapeInterval": "1m30s500ms"},
        {"scrapeUrl": "http://[", "scrapeInterval": "1s"},
        {"scrapeUrl": "http://127.0.0.1:83/m"},
    ]
    scripted.answers = [(200, {}, json.dumps({"status": "success", "data": {"activeTargets": targets}}).encode())]
    assert scrape_intervals_s(scripted.server) == {"127.0.0.1:81": 15.0, "127.0.0.1:82": 90.5}
    for body in (b"{}", b"not JSON", b'{"data":{"activeTargets":[1]}}'):
        scripted.answers = [(200, {}, body)]
        assert scrape_intervals_s(scripted.server) == {}
    scripted.answers = [(404, {}, b"")]
    assert scrape_intervals_s(scripted.server) == {}


def test_scrapes_that_are_too_rare_for_a_window() -> None:
    assert too_rare(None, 2.5) is None
    assert too_rare(2.5, 2.5) is None
    assert (too_rare(15.0, 2.5) or "").startswith("Prometheus scrapes the service every 15 s, and a window is 2.5 s")
