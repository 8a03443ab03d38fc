"""Two real HTTP servers, one a side, and what they are asked by the kit."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from pacecar.model.experiment import Plan, Side
from pacecar.model.scenario import Endpoint, LoadModel, Scenario

ORDER = (Side.BASELINE, Side.CANDIDATE, Side.CANDIDATE, Side.BASELINE)
PLAN = Plan(pairs=1, side_s=2, slice_s=1, gap_s=0.5, warmup_s=1, burst_s=0.0, burst_users=2, seed=1)
SCENARIO = Scenario(
    simulation="dev.pacecar.scenarios.EndpointMix",
    module=None,
    jar=None,
    sliced=True,
    model=LoadModel.OPEN,
    rate_per_s=40,
    users=1,
    think_time_s=0.02,
    endpoints=(
        Endpoint(name="GET /orders", method="GET", path="/orders?page=${int(0,1000)}", weight=3),
        Endpoint(
            name="POST /orders, #{x}",
            method="POST",
            path="/orders",
            weight=1,
            body='{"id": ${int(0,1000)}, "kind": "${pick(a,b)}"}',
            headers={"X-Kind": "#{x}"},
        ),
    ),
)


@dataclass(frozen=True)
class Seen:
    """One request as the server saw it."""

    time_ns: int
    side: Side
    what: tuple[str, str, str]
    kind: str | None
    connection: tuple[str, int]
    trace: str | None = None


@dataclass
class Servers:
    """A server per side, with a list of all that both have seen."""

    urls: dict[Side, str] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    side: Side
    seen: list[Seen]

    def answer(self) -> None:
        now = time.time_ns()
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        what = (self.command, self.path, body)
        self.seen.append(
            Seen(now, self.side, what, self.headers.get("X-Kind"), self.client_address, self.headers.get("traceparent"))
        )
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_GET = do_POST = answer  # noqa: N815

    def log_message(self, *arguments: object) -> None:
        pass
