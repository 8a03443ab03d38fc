"""Spans come beside profiles, by the same door and with the same token."""

from __future__ import annotations

import http.client
import urllib.parse
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pacecar.measurement.receiver.server import Receiver, UploadEndpoint
from pacecar.measurement.receiver.spool import SPANS_BYTES, Limits
from support.jfr_files import Sample, chunk

Post = Callable[..., int]
Make = Callable[[Mapping[str, bytes]], bytes]
TYPE = "application/x-protobuf"


def sent(endpoint: UploadEndpoint, body: bytes, *, token: str | None = None, content_type: str = TYPE) -> int:
    address = urllib.parse.urlsplit(endpoint.traces)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    headers = {"Content-Type": content_type, "Authorization": f"Bearer {token or endpoint.token}"}
    try:
        connection.request("POST", address.path, body=body, headers=headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_bodies_are_kept_as_they_come_apart_from_profiles(
    receiver: Receiver, multipart: Make, post: Post, tmp_path: Path
) -> None:
    endpoint, other = receiver.admit("1-baseline"), receiver.admit("1-candidate")
    jfr = chunk([Sample()], duration_ns=3_000_000_000)
    assert sent(endpoint, b"first") == 200
    assert post(endpoint, multipart({"jfr": jfr})) == 200
    assert sent(endpoint, b"second") == 200
    assert sent(other, b"other") == 200
    bodies = receiver.spans("1-baseline", tmp_path / "spans")
    assert [path.read_bytes() for path in bodies] == [b"first", b"second"]
    assert [path.read_bytes() for path in receiver.collect("1-baseline", tmp_path / "profile")] == [jfr]
    assert {path.name for path in Path(receiver._folder).iterdir()} == {"1-candidate", "1-candidate.spans"}


def test_what_comes_after_the_fork_was_collected_is_no_error_and_is_not_kept(
    receiver: Receiver, tmp_path: Path
) -> None:
    endpoint = receiver.admit("1-baseline")
    assert receiver.spans("1-baseline", tmp_path / "spans") == ()
    receiver.collect("1-baseline", tmp_path / "profile")
    assert sent(endpoint, b"late") == 200
    assert not list(Path(receiver._folder).iterdir())


@pytest.mark.hostile
def test_who_has_no_token_or_sends_something_else_is_refused(receiver: Receiver, tmp_path: Path) -> None:
    endpoint, other = receiver.admit("1-baseline"), receiver.admit("1-candidate")
    assert sent(endpoint, b"x", token="wrong") == 401
    assert sent(endpoint, b"x", token=other.token) == 401
    assert sent(endpoint, b"x", content_type="application/json") == 415
    assert sent(endpoint, b"x" * (SPANS_BYTES + 1)) == 413
    assert receiver.spans("1-baseline", tmp_path / "spans") == ()


@pytest.mark.hostile
def test_spans_count_among_what_a_run_may_send(tmp_path: Path) -> None:
    folder = tmp_path / "uploads"
    folder.mkdir()
    with Receiver(folder, limits=Limits(run_bytes=100)) as receiver:
        endpoint, other = receiver.admit("1-baseline"), receiver.admit("1-candidate")
        assert sent(endpoint, b"x" * 60) == 200
        assert sent(other, b"x" * 60) == 413
