"""Exchanges with servers that are slow, gone, endless, or would have us go elsewhere."""

from __future__ import annotations

import asyncio
import gzip
import shutil
import ssl
import subprocess
import threading
import time

import pytest

from pacecar.errors import Interrupted
from pacecar.integrations.exchange import Answer, HttpConnection, Server, Unanswered, plain, talk
from pacecar.measurement.deploy.ports import free_port


def _asked(server: Server, *, each_s: float = 5.0, limit: int = 1000) -> Answer:
    async def get(connection: HttpConnection) -> Answer:
        return await connection.get("/x", {"a": "b c"}, limit=limit)

    return talk(server, get, each_s=each_s)


def test_an_answer(scripted) -> None:
    scripted.answers = [(404, {}, b"nothing here")]
    assert _asked(Server(url=scripted.url, headers={"X-Scope-OrgID": "team"})) == Answer(
        status=404, body=b"nothing here"
    )
    method, path, headers, _ = scripted.asked[0]
    assert (method, path, headers["X-Scope-OrgID"]) == ("GET", "/x?a=b+c", "team")


def test_a_redirect_is_not_followed(scripted) -> None:
    scripted.answers = [(302, {"Location": f"{scripted.url}/elsewhere"}, b"")]
    assert _asked(scripted.server).status == 302
    assert len(scripted.asked) == 1


def test_proxies_of_the_environment_are_not_asked(scripted, monkeypatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    assert _asked(scripted.server).status == 200


def test_an_answer_without_end_is_cut(scripted) -> None:
    def endless(handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            handler.wfile.write(b"x" * 65_536)

    scripted.answers = [endless]
    with pytest.raises(Unanswered, match="answered with more than 1000 bytes"):
        _asked(scripted.server)


def test_what_is_packed_is_not_unpacked(scripted) -> None:
    packed = gzip.compress(b"x" * 1_000_000)
    scripted.answers = [(200, {"Content-Encoding": "gzip"}, packed)]
    assert _asked(scripted.server, limit=len(packed)).body == packed


def test_an_answer_that_does_not_come(scripted) -> None:
    silent = threading.Event()
    scripted.answers = [lambda handler: silent.wait(30)]
    with pytest.raises(Unanswered, match="did not answer in time"):
        _asked(scripted.server, each_s=0.2)
    silent.set()


def test_one_that_trickles(scripted) -> None:
    def trickle(handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(300):
            handler.wfile.write(b"x")
            time.sleep(0.1)

    scripted.answers = [trickle]
    with pytest.raises(Unanswered, match="did not answer in time"):
        _asked(scripted.server, each_s=0.5)


def test_nobody_there() -> None:
    with pytest.raises(Unanswered, match="cannot be reached"):
        _asked(Server(url=f"http://127.0.0.1:{free_port()}"))


def test_a_name_that_is_not_known() -> None:
    with pytest.raises(Unanswered, match="cannot be reached: its name is not known"):
        _asked(Server(url="http://no-such-host.invalid"))


def test_a_certificate_that_is_not_trusted(scripted, tmp_path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl: apt-get install openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ("-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *subject, "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    scripted.secure(context)
    with pytest.raises(Unanswered, match="presents a certificate that this machine does not trust"):
        _asked(Server(url=scripted.url.replace("http:", "https:")))


@pytest.mark.parametrize(
    "sent", [b"", b"\xff\x00 what", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", b"HTTP/1.1 9 x\r\n\r\n"]
)
def test_what_is_no_answer(scripted, sent: bytes) -> None:
    scripted.answers = [lambda handler: handler.wfile.write(sent)]
    with pytest.raises(Unanswered, match="broke off"):
        _asked(scripted.server)


def test_an_interruption_ends_the_talk(monkeypatch) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def long(connection: HttpConnection) -> None:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    def interrupted(outcome: object, timeout: float | None = None) -> None:
        begun.wait(10)
        raise Interrupted("Interrupted by SIGINT.")

    monkeypatch.setattr("concurrent.futures.Future.result", interrupted)
    with pytest.raises(Interrupted):
        talk(Server(url="http://127.0.0.1:1"), long, each_s=60)
    assert ended.wait(10)


def test_credentials_do_not_show_in_what_is_printed() -> None:
    assert "s3cret" not in repr(Server(url="http://x", headers={"Authorization": "Bearer s3cret"}))


def test_what_a_server_says_is_one_short_line() -> None:
    assert plain("a\nb\x1b[31m") == "a b [31m"
    assert plain("begins " + "x" * 10_000 + " ends").startswith("begins xx")
    assert plain("begins " + "x" * 10_000 + " ends").endswith("xx ends")
    assert len(plain("x" * 10_000)) < 300
