"""Prometheus is asked for one number at the end of each window (`/api/v1/query`), once the windows are over.

An instant query takes samples of up to five minutes before. For a window of seconds that would be another one's, so
the window's length is given as `lookback_delta` (Prometheus 2.43 and later), and a server that says it scrapes the fork
less often than once in a window is not believed at all.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pacecar.errors import UsageError
from pacecar.integrations.exchange import Answer, HttpConnection, Server, Unanswered, plain, talk
from pacecar.model.experiment import QUERY_PLACEHOLDERS, Query
from pacecar.text.units import format_duration

_EACH_S = 5.0
#: All questions of one pair together.
_TOGETHER_S = 60.0
#: After so many failures in a row the server is left alone.
_PATIENCE = 3
_TARGETS_BYTES = 8 << 20
_WORD = re.compile(r"\{(" + "|".join(QUERY_PLACEHOLDERS) + r")\}")
_PARTS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_536_000.0}
_DURATION = re.compile(r"(?:[0-9]{1,9}(?:ms|[smhdwy])){1,7}")
_PART = re.compile(r"([0-9]+)(ms|[smhdwy])")
_MOST_TARGETS = 10_000
_MOST_RESULTS = 1_000


class QueryRefused(UsageError):
    """A query is none that Prometheus understands."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, and about which stretch of time: Unix time of its end, and seconds."""

    text: str
    end_s: float
    length_s: float


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A number; where there is none, `error` says why."""

    value: float
    error: str | None = None


def filled(text: str, *, instance: str, side: str, pair: int, start_ns: int, end_ns: int) -> str:
    """A query with its placeholders filled in for one window."""
    values = {
        "instance": instance,
        "port": instance.rpartition(":")[2],
        "side": side,
        "pair": str(pair),
        "start": f"{start_ns / 1e9:.3f}",
        "end": f"{end_ns / 1e9:.3f}",
        # PromQL knows whole milliseconds.
        "length": f"{max(1, round((end_ns - start_ns) / 1e6))}ms",
    }
    return _WORD.sub(lambda match: values[match.group(1)], text)


def require_understood(server: Server, queries: Sequence[Query]) -> None:
    """Have the server parse every query before anything is measured. One that cannot be reached is not complained of.

    Raises:
        QueryRefused: for the first query that is refused.
    """

    async def ask(connection: HttpConnection) -> tuple[str, str] | None:
        for query in queries:
            text = filled(query.text, instance="127.0.0.1:1", side="candidate", pair=1, start_ns=0, end_ns=10**9)
            answer = await connection.post_form("/api/v1/query", {"query": text})
            if answer.status == 400:
                return query.name, _complaint(answer)
        return None

    try:
        refused = talk(server, ask, each_s=_EACH_S)
    except Unanswered:
        return  # every window will say so
    if refused is not None:
        name, complaint = refused
        raise QueryRefused(
            f"metrics.{name}.query: Prometheus at {server.url} refuses it: {complaint}.",
            hint="See which placeholders a query may use: docs/how-to/prometheus-metrics.md",
        )


def replies(server: Server, questions: Sequence[Question]) -> list[Reply]:
    """A reply to each question, in order; never raises for what the server does."""

    async def ask(connection: HttpConnection) -> list[Reply]:
        found: list[Reply] = []
        deadline, failures, last = time.monotonic() + _TOGETHER_S, 0, "took too long over earlier queries"
        for question in questions:
            if failures >= _PATIENCE or time.monotonic() > deadline:
                found.append(_without(f"Prometheus {last}, and was not queried again"))
                continue
            try:
                found.append(_reply(await connection.post_form("/api/v1/query", _form(question))))
                failures = 0
            except Unanswered as why:
                found.append(_without(f"Prometheus {why}"))
                failures, last = failures + 1, str(why)
        return found

    return talk(server, ask, each_s=_EACH_S) if questions else []


def scrape_intervals_s(server: Server) -> dict[str, float]:
    """`host:port` -> seconds between two scrapes, of what the server scrapes now; empty where it does not say.

    What does not speak Prometheus' whole API (a query front end, for example) does not say.
    """

    async def ask(connection: HttpConnection) -> Answer:
        return await connection.get("/api/v1/targets", {"state": "active"}, limit=_TARGETS_BYTES)

    try:
        answer = talk(server, ask, each_s=_EACH_S)
        listed = _Targets.model_validate_json(answer.body) if answer.status == 200 else None
    except (Unanswered, ValidationError):
        return {}
    return dict(_intervals(listed)) if listed else {}


def _intervals(listed: _Targets) -> Iterator[tuple[str, float]]:
    for target in listed.data.active:
        parts = _PART.findall(target.interval) if target.interval and _DURATION.fullmatch(target.interval) else []
        try:
            instance = urlsplit(target.url).netloc
        except ValueError:
            continue
        if parts:
            yield instance, sum(int(number) * _PARTS[unit] for number, unit in parts)


def too_rare(interval_s: float | None, length_s: float) -> str | None:
    """Why a window of `length_s` says nothing, if it does not; `interval_s` is None where the server did not tell."""
    if interval_s is None or interval_s <= length_s:
        return None
    return (
        f"Prometheus scrapes the service every {format_duration(interval_s)}, and a window is {length_s:g} s; "
        "scrape more often, or make plan.slice longer"
    )


class _Loose(BaseModel):
    """Fields that are not named here may be there, too; those named have exactly their type."""

    model_config = ConfigDict(strict=True)


class _Target(_Loose):
    url: str = Field(alias="scrapeUrl")
    interval: str | None = Field(alias="scrapeInterval", default=None)


class _TargetList(_Loose):
    active: list[_Target] = Field(alias="activeTargets", max_length=_MOST_TARGETS)


class _Targets(_Loose):
    data: _TargetList


class _Sample(_Loose):
    value: tuple[float, str] | None = None


class _Vector(_Loose):
    kind: Literal["vector"] = Field(alias="resultType")
    result: list[_Sample] = Field(max_length=_MOST_RESULTS)


class _Scalar(_Loose):
    kind: Literal["scalar"] = Field(alias="resultType")
    result: tuple[float, str]


class _Success(_Loose):
    status: Literal["success"]
    data: _Vector | _Scalar


class _Failure(_Loose):
    status: Literal["error"]
    error: str


def _form(question: Question) -> Mapping[str, str]:
    return {
        "query": question.text,
        "time": f"{question.end_s:.3f}",
        "timeout": f"{_EACH_S:g}s",
        "lookback_delta": f"{max(1, round(1000 * question.length_s))}ms",
    }


def _reply(answer: Answer) -> Reply:
    if answer.status != 200:
        return _without(f"Prometheus answered {answer.status}: {_complaint(answer)}")
    try:
        data = _Success.model_validate_json(answer.body).data
    except ValidationError:
        return _without("Prometheus answered with neither a scalar nor a vector")
    if isinstance(data, _Scalar):
        return _number(data.result[1])
    if not data.result:
        return _without("the query gave no result")
    if len(data.result) > 1:
        return _without(f"the query gave {len(data.result)} results instead of one: add sum() or a label")
    sample = data.result[0].value
    return _number(sample[1]) if sample is not None else _without("the result is a histogram, not a number")


def _number(text: str) -> Reply:
    try:
        value = float(text)
    except ValueError:
        return _without("the result is not a number")
    if value != value:
        return _without("the result is NaN: perhaps nothing was counted in the window")
    if value in (float("inf"), float("-inf")):
        return _without("the result is infinite: perhaps it was divided by zero")
    return Reply(value=value)


def _complaint(answer: Answer) -> str:
    try:
        return plain(_Failure.model_validate_json(answer.body).error)
    except ValidationError:
        return "without saying why"


def _without(error: str) -> Reply:
    return Reply(value=float("nan"), error=error)
