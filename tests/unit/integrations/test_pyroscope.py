"""Deliveries to servers that take them, are busy, refuse, or are gone."""

from __future__ import annotations

import base64
import json
import threading

from pacecar.integrations.exchange import Server
from pacecar.integrations.pyroscope import Delivery, deliver
from pacecar.measurement.deploy.ports import free_port
from pacecar.model.profiles import ProfileKind

LABELS = {"service_name": "orders", "build": "a,b}\nc" + "x" * 300, "window": "3"}


def _deliveries(count: int) -> list[Delivery]:
    return [
        Delivery(key=key, labels=LABELS, profiles={ProfileKind.CPU: b"c", ProfileKind.LOCK: b"l"})
        for key in range(count)
    ]


def test_what_is_sent(scripted) -> None:
    receipt = deliver(scripted.server, _deliveries(2), seconds=10)
    assert (receipt.taken, receipt.problem) == ([0, 1], None)
    method, path, headers, body = scripted.asked[0]
    assert (method, path, headers["Content-Type"]) == ("POST", "/push.v1.PusherService/Push", "application/json")
    cpu, lock = json.loads(body)["series"]
    labels = {pair["name"]: pair["value"] for pair in cpu["labels"]}
    assert labels.pop("build") == "a,b}?c" + "x" * 194
    assert labels == {
        "__name__": "process_cpu",
        "__delta__": "false",
        "pyroscope_spy": "javaspy",
        "service_name": "orders",
        "window": "3",
    }
    assert {"name": "__name__", "value": "mutex"} in lock["labels"]
    assert base64.b64decode(lock["samples"][0]["rawProfile"]) == b"l"


def test_a_busy_server_is_asked_again(scripted) -> None:
    scripted.answers = [(429, {}, b'{"message":"rate limit"}'), (200, {}, b"{}")]
    assert deliver(scripted.server, _deliveries(1), seconds=10).taken == [0]
    assert len(scripted.asked) == 2


def test_one_that_stays_busy_is_left(scripted) -> None:
    scripted.answers = [(429, {}, b'{"code":"resource_exhausted","message":"rate limit\\nof 4 MB"}')]
    receipt = deliver(scripted.server, _deliveries(2), seconds=0.5)
    assert (receipt.taken, receipt.problem) == ([], "it answered 429: rate limit of 4 MB")


def test_a_refusal_ends_it_and_what_was_taken_is_known(scripted) -> None:
    scripted.answers = [
        (200, {}, b"{}"),
        (400, {}, b'{"code":"invalid_argument","message":"profile is too old"}'),
    ]
    receipt = deliver(scripted.server, _deliveries(5), seconds=10)
    assert (receipt.taken, receipt.problem) == ([0], "it answered 400: profile is too old")
    assert len(scripted.asked) == 2


def test_redirects_and_nonsense(scripted) -> None:
    scripted.answers = [(307, {"Location": "http://127.0.0.1:1/"}, b"")]
    assert deliver(scripted.server, _deliveries(1), seconds=5).problem == "it answered 307: redirects are not followed"
    scripted.answers = [(500, {}, b"\xff\xfe")]
    assert deliver(scripted.server, _deliveries(1), seconds=5).problem == "it answered 500: without saying why"


def test_slow_and_gone(scripted) -> None:
    silent = threading.Event()
    scripted.answers = [lambda handler: silent.wait(30)]
    assert deliver(scripted.server, _deliveries(3), seconds=0.3).problem == "it did not answer in time"
    assert len(scripted.asked) == 1
    silent.set()
    gone = deliver(Server(url=f"http://127.0.0.1:{free_port()}"), _deliveries(3), seconds=5)
    assert gone.problem.startswith("it cannot be reached")


def test_a_window_beyond_what_servers_take_is_left_out(scripted) -> None:
    huge = Delivery(key=9, labels=LABELS, profiles={ProfileKind.CPU: b"x" * (5 << 20)})
    receipt = deliver(scripted.server, [huge, *_deliveries(1)], seconds=10)
    assert receipt.taken == [0]
    assert receipt.problem == "5242880 bytes of profiles in one window are more than a server takes"
