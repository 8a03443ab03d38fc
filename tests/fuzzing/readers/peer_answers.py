"""Answers of a Prometheus server, to a query and about its targets."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from pacecar.integrations import prometheus
from pacecar.integrations.exchange import Answer


def parse(data: bytes) -> None:
    for status in (200, 400):
        reply = prometheus._reply(Answer(status=status, body=data))
        assert (reply.error is not None) == (reply.value != reply.value)
        assert len(reply.error or "") < 500
    try:
        targets = prometheus._Targets.model_validate_json(data)
    except ValidationError:
        return
    dict(prometheus._intervals(targets))


def seeds() -> Iterator[bytes]:
    yield b'{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1.5,"2.5"]}]}}'
    yield b'{"status":"success","data":{"resultType":"scalar","result":[1.5,"NaN"]}}'
    yield b'{"status":"error","errorType":"bad_data","error":"parse error"}'
    yield b'{"data":{"activeTargets":[{"scrapeUrl":"http://127.0.0.1:1/metrics","scrapeInterval":"1m30s"}]}}'
