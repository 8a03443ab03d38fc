"""Profiles for a Pyroscope server, by its push API, a request for each window.

The server's own reader of JFR knows one sampling rate for CPU and wall-clock time, and no windows; profiles that were
cut and weighed here keep both right.
"""

from __future__ import annotations

import asyncio
import base64
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, ValidationError

from pacecar.integrations.exchange import Answer, HttpConnection, Server, Unanswered, plain, talk
from pacecar.model.profiles import ProfileKind

_PATH = "/push.v1.PusherService/Push"
#: Kind of profile -> name of the profile, as the server's own readers call it.
_NAMES = {
    ProfileKind.CPU: "process_cpu",
    ProfileKind.WALL: "wall",
    ProfileKind.ALLOCATION: "memory",
    ProfileKind.LOCK: "mutex",
}
_EACH_S = 10.0
_AGAIN_S = 1.0
#: Of one window, packed; servers take 2 to 4 MB.
_MOST_BYTES = 4 << 20
_LABEL = 200
_BUSY = (429, 503)


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """What is sent in one request, whole or not at all: the profiles of one window.

    Attributes:
        key: what the sender calls it.
        labels: of all its profiles.
        profiles: kind -> pprof, gzipped.
    """

    key: int
    labels: Mapping[str, str]
    profiles: Mapping[ProfileKind, bytes]


@dataclass(kw_only=True)
class Receipt:
    """What became of deliveries: keys of those taken, and why the first of the others was not (None when all were)."""

    taken: list[int] = field(default_factory=list)
    problem: str | None = None


def deliver(server: Server, deliveries: Sequence[Delivery], *, seconds: float) -> Receipt:
    """Send `deliveries` for at most about `seconds`. Never raises for what the server does.

    One that the server refuses ends it, since the next would fare no better; a busy server is asked again.
    """
    receipt = Receipt()
    deadline = time.monotonic() + seconds

    async def send(connection: HttpConnection) -> None:
        for delivery in deliveries:
            if size := _too_large(delivery):
                receipt.problem = f"{size} bytes of profiles in one window are more than a server takes"
                continue
            await _sent(connection, delivery, deadline)
            receipt.taken.append(delivery.key)

    try:
        talk(server, send, each_s=min(_EACH_S, max(seconds, 0.1)))
    except Unanswered as why:
        receipt.problem = f"it {why}"
    return receipt


async def _sent(connection: HttpConnection, delivery: Delivery, deadline: float) -> None:
    content = _content(delivery)
    while True:
        if time.monotonic() > deadline:
            raise Unanswered("took too long")
        answer = await connection.post_json(_PATH, content)
        if answer.status == 200:
            return
        if answer.status not in _BUSY or time.monotonic() + _AGAIN_S > deadline:
            raise Unanswered(f"answered {answer.status}: {_complaint(answer)}")
        await asyncio.sleep(_AGAIN_S)


def _content(delivery: Delivery) -> dict[str, object]:
    return {
        "series": [
            {
                "labels": _labels({**delivery.labels, "__name__": _NAMES[event]}),
                "samples": [{"rawProfile": base64.b64encode(profile).decode(), "ID": str(uuid.uuid4())}],
            }
            for event, profile in delivery.profiles.items()
        ]
    }


def _labels(labels: Mapping[str, str]) -> list[dict[str, str]]:
    # What a window holds is its own, not a counter that goes on: __delta__ says so.
    fixed = {"__delta__": "false", "pyroscope_spy": "javaspy"}
    return [{"name": name, "value": _plain(value)} for name, value in (fixed | dict(labels)).items()]


def _plain(value: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in value[:_LABEL])


def _too_large(delivery: Delivery) -> int:
    size = sum(map(len, delivery.profiles.values()))
    return size if size > _MOST_BYTES else 0


class _Failure(BaseModel):
    """What the server says of a request that it does not carry out; other fields may be there, too."""

    model_config = ConfigDict(strict=True)
    message: str


def _complaint(answer: Answer) -> str:
    if 300 <= answer.status < 400:
        return "redirects are not followed"
    try:
        return plain(_Failure.model_validate_json(answer.body).message)
    except ValidationError:
        return "without saying why"
