"""Counts of calls in the answer of a counter agent, and in answers of no kind."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.measurement.probes.calls import CallCounts, CallsMissing, Method, parsed, read_calls
from pacecar.model.calls import CallKind

SOCKET = Path("counters.sock")
CALLS: dict[str, Any] = {
    "failed": 2,
    "unknown": [4, 0, 0],
    "others": [0, 0, 9],
    "callers": [["shop.Orders", "page", 101, 7, 0], ["shop.Mail", "send", 0, 0, 3]],
}


def answer(**changed: Any) -> bytes:
    return json.dumps({"uptimeMs": 1, "calls": CALLS | changed}).encode()


def test_every_count_has_its_caller() -> None:
    page, send = Method(type_name="shop.Orders", name="page"), Method(type_name="shop.Mail", name="send")
    assert parsed(answer(), SOCKET) == CallCounts(
        counts={
            (CallKind.STATEMENTS, None): 4,
            (CallKind.CALLS, Method()): 9,
            (CallKind.STATEMENTS, page): 101,
            (CallKind.BATCHED, page): 7,
            (CallKind.CALLS, send): 3,
        },
        failed=2,
    )


@pytest.mark.hostile
@pytest.mark.parametrize(
    "changed",
    [
        {"failed": -1},
        {"failed": None},
        {"unknown": [1, 2]},
        {"others": [1, 2, 3.5]},
        {"others": [1, 2, True]},
        {"others": [1, 2, 2**53]},
        {"callers": None},
        {"callers": {}},
        {"callers": ["shop.Orders"]},
        {"callers": [["shop.Orders", "page", 1, 2]]},
        {"callers": [["shop.Orders", "", 1, 2, 3]]},
        {"callers": [["s" * 301, "page", 1, 2, 3]]},
        {"callers": [[["shop"], "page", 1, 2, 3]]},
        {"callers": [["shop.Orders", "page", 1, 2, float("nan")]]},
        {"callers": [["shop.Orders", f"page{number}", 1, 0, 0] for number in range(1001)]},
    ],
)
def test_counts_that_are_none(changed: dict[str, Any]) -> None:
    with pytest.raises(CallsMissing, match="something other than counts of calls"):
        parsed(answer(**changed), SOCKET)


@pytest.mark.parametrize("content", [b"{}", b'{"calls": null}', b"[]", b"7"])
def test_an_agent_that_counts_none_says_so(content: bytes) -> None:
    with pytest.raises(CallsMissing, match=r"counts no calls\.") as error:
        parsed(content, SOCKET)
    assert "target.calls" in str(error.value.hint)


@pytest.mark.hostile
def test_half_a_character_in_a_name_can_be_kept() -> None:
    found = parsed(answer(callers=[["shop.\ud800", "\udfffpage", 1, 0, 0]]), SOCKET)
    (method,) = (method for _, method in found.counts if method is not None and method.name is not None)
    assert (method.type_name, method.name) == ("shop.?", "?page")


@given(st.binary(max_size=500))
@pytest.mark.hostile
def test_garbage(content: bytes) -> None:
    with pytest.raises(CallsMissing):
        parsed(content, SOCKET)


@contextlib.contextmanager
def _agent(path: Path, content: bytes) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen(1)

        def serve() -> None:
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError):
                connection.sendall(content)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            thread.join()


def test_counts_of_many_callers_come_over_the_socket(tmp_path: Path) -> None:
    callers = [["shop." + "x" * 250, f"page{number}", number, 0, 0] for number in range(200)]
    with _agent(tmp_path / "agent.calls", answer(callers=callers)):
        found = read_calls(tmp_path / "agent")
    assert sum(found.counts.values()) == 4 + 9 + sum(range(200))


def test_no_agent(tmp_path: Path) -> None:
    with pytest.raises(CallsMissing, match="No such file"):
        read_calls(tmp_path / "agent")
