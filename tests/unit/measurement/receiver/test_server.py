from __future__ import annotations

import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pacecar.errors import MeasurementError
from pacecar.measurement.receiver import server
from pacecar.measurement.receiver.server import ProfileMissing, Receiver, UploadEndpoint
from pacecar.measurement.receiver.spool import Limits
from support.jfr_files import START_NS, Sample, chunk
from unit.measurement.receiver.requests import CHUNKED, raw, request

Make = Callable[[Mapping[str, bytes]], bytes]
Post = Callable[..., int]
JFR = chunk([Sample()], duration_ns=3_000_000_000)
#: Context 7 has the label 1 with value 2; string 1 is "endpoint", string 2 is "GET /a".
LABELS = (
    bytes.fromhex("0a0a 0807 1206 0a04 0801 1002")
    + bytes.fromhex("120c 0801 1208")
    + b"endpoint"
    + bytes.fromhex("120a 0802 1206")
    + b"GET /a"
)


def test_from_upload_to_file(receiver: Receiver, multipart: Make, post: Post, tmp_path: Path) -> None:
    address = receiver.admit("01-baseline")
    assert post(address, multipart({"jfr": JFR, "labels": LABELS})) == 200
    assert post(address, multipart({"jfr": JFR})) == 200
    chunks = receiver.collect("01-baseline", tmp_path / "profile")
    assert [path.name for path in chunks] == ["0001.jfr", "0002.jfr"]
    assert {path.read_bytes() for path in chunks} == {JFR}
    assert (tmp_path / "profile" / "0001.labels.json").read_text() == (
        '{"contexts": {"7": {"endpoint": "GET /a"}}, "strings": {"1": "endpoint", "2": "GET /a"}}'
    )
    assert not (tmp_path / "profile" / "0002.labels.json").exists()
    assert receiver.notes("01-baseline") == ()


def test_forks_are_told_apart_by_their_addresses(
    receiver: Receiver, multipart: Make, post: Post, tmp_path: Path
) -> None:
    baseline, candidate = receiver.admit("01-baseline"), receiver.admit("01-candidate")
    assert post(baseline, multipart({"jfr": JFR})) == 200
    assert len(receiver.collect("01-candidate", tmp_path / "c")) == 0
    assert len(receiver.collect("01-baseline", tmp_path / "b")) == 1
    assert candidate.url.startswith(receiver.url)


def test_what_another_jvm_of_the_fork_sends_is_dropped(
    receiver: Receiver, multipart: Make, post: Post, tmp_path: Path
) -> None:
    """A launcher, or what the service starts, has its agents from the same variables."""
    fork = receiver.admit("01-baseline")
    own, other, unknown = (replace(fork, url=f"{fork.url}/{jvm}") for jvm in ("12", "7", "{jvm}"))
    later = chunk([Sample()], duration_ns=9_000_000_000)
    assert post(own, multipart({"jfr": JFR})) == 200
    assert post(other, multipart({"jfr": later})) == 200
    assert receiver.wait_until("01-baseline", START_NS + 3_000_000_000, 0.0, jvm=12)
    assert not receiver.wait_until("01-baseline", START_NS + 9_000_000_000, 0.0, jvm=12)
    assert post(unknown, multipart({"jfr": JFR})) == 200
    chunks = receiver.collect("01-baseline", tmp_path / "b", jvm=12)
    assert [path.read_bytes() for path in chunks] == [JFR, JFR]
    assert receiver.notes("01-baseline") == ()


def test_an_upload_after_the_fork_was_collected_is_no_error_and_is_not_kept(
    receiver: Receiver, multipart: Make, post: Post, tmp_path: Path
) -> None:
    address = receiver.admit("01-baseline")
    receiver.collect("01-baseline", tmp_path / "b")
    assert post(address, multipart({"jfr": JFR})) == 200
    assert not (tmp_path / "uploads" / "01-baseline").exists()
    assert receiver.collect("01-baseline", tmp_path / "again") == ()


def test_nothing_is_opened_before_somebody_asks(
    receiver: Receiver, multipart: Make, post: Post, tmp_path: Path
) -> None:
    body = multipart({"jfr": JFR})
    assert post(receiver.admit("f"), body) == 200
    folder = tmp_path / "uploads" / "f"
    assert {path.name for path in folder.iterdir()} == {"00001.upload", "00001.json"}
    assert (folder / "00001.upload").read_bytes() == body


def test_waits_until_a_chunk_reaches_the_moment(receiver: Receiver, multipart: Make, post: Post) -> None:
    address = receiver.admit("f")
    end_ns = START_NS + 3_000_000_000
    assert not receiver.wait_until("f", end_ns, 0.0)
    post(address, multipart({"jfr": chunk([]) + JFR}))
    assert receiver.wait_until("f", end_ns, 0.0)
    assert not receiver.wait_until("f", end_ns + 1, 0.15)


def test_missing_profile_is_an_error_only_where_it_is_required(receiver: Receiver, tmp_path: Path) -> None:
    for fork in ("quiet", "required"):
        receiver.fork(fork)
    assert receiver.collect("quiet", tmp_path / "a") == ()
    with pytest.raises(ProfileMissing, match="required") as caught:
        receiver.collect("required", tmp_path / "b", required=True)
    assert caught.value.exit_code == 3
    assert caught.value.hint


def test_unreadable_upload_is_a_note(receiver: Receiver, multipart: Make, post: Post, tmp_path: Path) -> None:
    address = receiver.admit("f")
    assert post(address, b"not multipart at all") == 200
    assert post(address, multipart({"jfr": JFR})) == 200
    assert len(receiver.collect("f", tmp_path / "profile")) == 1
    (note,) = receiver.notes("f")
    assert note.startswith("Profile upload 1 could not be used: ")


@pytest.mark.parametrize(
    ("query", "content_type"),
    [
        ("", None),
        ("format=pprof", None),
        ("format=jfr&from=yesterday", None),
        ("format=jfr&name=" + "x" * 2000, None),
        (None, "application/octet-stream"),
        (None, "multipart/form-data; boundary=" + "x" * 500),
    ],
)
def test_what_no_agent_sends_is_refused(
    query: str | None, content_type: str | None, receiver: Receiver, post: Post
) -> None:
    changed = {"query": query, "content_type": content_type}
    assert post(receiver.admit("f"), b"x", **{key: value for key, value in changed.items() if value is not None}) == 400


def test_unknown_forks_and_paths(receiver: Receiver, post: Post) -> None:
    assert post(f"{receiver.url}/nobody", b"x") == 401
    assert post(f"{receiver.url}/nobody/7", b"x") == 401
    assert post(f"{receiver.url}/a/b/c", b"x") == 404
    for name in ("", "..", "a/b", "x" * 65, ".hidden"):
        with pytest.raises(ValueError, match="not a new fork"):
            receiver.fork(name)
    receiver.fork("once")
    with pytest.raises(ValueError, match="not a new fork"):
        receiver.fork("once")


class TestAdmitted:
    """Agents that reach this machine at an address of their own."""

    # Every address of 127.0.0.0/8 is this machine's on Linux; this one is not among those taken for loopback.
    HOST = "127.0.0.2"

    def test_each_has_a_token_that_opens_nothing_else(self, receiver: Receiver, multipart: Make, post: Post) -> None:
        one, two = (receiver.admit(fork, host=self.HOST) for fork in ("1-baseline", "1-candidate"))
        body = multipart({"jfr": JFR})
        assert one.token != two.token
        assert post(one.url, body) == 401
        assert post(one.url, body, headers={"Authorization": f"Bearer {two.token}"}) == 401
        assert post(one.url, body, headers={"Authorization": f"Bearer {one.token}"}) == 200
        # Nor does coming by another door help.
        assert post(f"{receiver.url}/1-candidate", body) == 401

    def test_nobody_listens_there_before_and_after(
        self, receiver: Receiver, multipart: Make, post: Post, tmp_path: Path
    ) -> None:
        upload_endpoint = receiver.admit("f", host=self.HOST)
        assert upload_endpoint.url.startswith(f"http://{self.HOST}:")
        assert (
            post(
                upload_endpoint.url,
                multipart({"jfr": JFR}),
                headers={"Authorization": f"Bearer {upload_endpoint.token}"},
            )
            == 200
        )
        assert len(receiver.collect("f", tmp_path / "profile")) == 1
        with pytest.raises(ConnectionRefusedError):
            post(upload_endpoint.url, b"x")

    def test_a_process_of_this_machine_needs_one_too(self, receiver: Receiver, multipart: Make, post: Post) -> None:
        upload_endpoint, other = receiver.admit("f"), receiver.admit("g")
        body = multipart({"jfr": JFR})
        for header in (
            "",
            "Bearer",
            "Bearer ",
            f"Bearer {other.token}",
            f"bearer {upload_endpoint.token}",
            f"Basic {upload_endpoint.token}",
        ):
            assert post(upload_endpoint.url, body, headers={"Authorization": header}) == 401
        assert post(upload_endpoint.url, body) == 401
        assert post(upload_endpoint, body) == 200
        assert upload_endpoint.token not in repr(upload_endpoint)

    def test_an_address_that_is_not_ours(self, receiver: Receiver) -> None:
        with pytest.raises(MeasurementError, match=r"cannot listen on 192\.0\.2\.1"):
            receiver.admit("f", host="192.0.2.1")


def test_limits(tmp_path: Path, multipart: Make, post: Post) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    limits = Limits(upload_bytes=20_000, fork_bytes=50_000, fork_uploads=6)
    with Receiver(folder, limits=limits) as receiver:
        address = receiver.admit("f")
        assert post(address, b"x" * 20_001) == 413
        assert [post(address, b"x" * 20_000) for _ in range(3)] == [200, 200, 413]
        assert post(address, b"x" * 10_000) == 200
        assert post(address, b"x") == 413
        assert post(address, b"") == 413
        assert post(receiver.admit("another"), b"x") == 200
        assert sum(path.stat().st_size for path in (folder / "f").glob("*.upload")) == 50_000
        assert not list((folder / "f").glob("*.part"))


def test_upload_that_never_ends(tmp_path: Path) -> None:
    folder = tmp_path / "slow"
    folder.mkdir()
    with Receiver(folder, limits=Limits(upload_s=0.2)) as receiver:
        upload_endpoint = receiver.admit("f")
        answer = raw(receiver, request(b"5\r\nhello\r\n", upload_endpoint=upload_endpoint))
        assert b" 408 " in answer.splitlines()[0]
        assert not list((folder / "f").iterdir())


@pytest.mark.hostile
@pytest.mark.parametrize("sent", [b"", b"P", b"POST /f/ingest", b"POST /f/ingest HTTP/1.1\r\nX: y\r\n"])
def test_a_head_that_never_comes_ends_the_connection(
    sent: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(server._CONNECTIONS, "keepalive_timeout", 0.2)
    with Receiver(tmp_path) as receiver:
        assert raw(receiver, sent) == b""


#: What a browser cannot leave out, or would send, beside a token that it should not have.


@pytest.mark.hostile
def test_all_forks_share_what_a_run_may_send(tmp_path: Path, post: Post) -> None:
    with Receiver(tmp_path, limits=Limits(run_bytes=50_000)) as receiver:
        one, two = receiver.admit("one"), receiver.admit("two")
        assert [post(each, b"x" * 20_000) for each in (one, two, two, one)] == [200, 200, 413, 413]
        assert post(two, b"x" * 10_000) == 200


def test_stops_and_frees_its_port(tmp_path: Path) -> None:
    receiver = Receiver(tmp_path)
    receiver.start()
    port = int(receiver.url.rpartition(":")[2])
    receiver.stop()
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))
    receiver.stop()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    headers=st.sampled_from([None, CHUNKED, b"Content-Length: 100\r\n", b"X: "]),
    noise=st.binary(min_size=1, max_size=300),
)
def test_server_survives_any_bytes(
    headers: bytes | None, noise: bytes, receiver: Receiver, multipart: Make, post: Post
) -> None:
    upload_endpoint = (
        receiver.admit("f")
        if "f" not in receiver._spools
        else UploadEndpoint(url=f"{receiver.url}/f", token=receiver.token("f"))
    )
    sent = noise if headers is None else request(noise, headers, upload_endpoint=upload_endpoint)
    with socket.create_connection(("127.0.0.1", int(receiver.url.rpartition(":")[2])), timeout=5) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65_536):
            pass
    fork = f"next-{time.monotonic_ns()}"
    assert post(receiver.admit(fork), multipart({"jfr": JFR})) == 200


def test_a_fork_that_is_forgotten_may_be_expected_anew(receiver: Receiver, multipart: Make, post: Post) -> None:
    receiver.forget("1-baseline")  # whoever was never expected is no trouble
    first = receiver.admit("1-baseline")
    assert post(first, multipart({"jfr": JFR})) == 200
    receiver.forget("1-baseline")
    second = receiver.admit("1-baseline")
    assert (second.url, second.token != first.token) == (first.url, True)
    assert post(first, multipart({"jfr": JFR})) == 401
