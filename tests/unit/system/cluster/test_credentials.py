"""Programs that hand out credentials, as kubectl runs them: real ones, and an API that takes one token."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pacecar.system.cluster import ClusterError
from pacecar.system.cluster.connection import Connection
from pacecar.system.cluster.place import Place

V1 = "client.authentication.k8s.io/v1"
HANDS_OUT = """echo run >> runs; printf '%s' "$KUBERNETES_EXEC_INFO" > asked
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' "$(cat token)"
"""


@dataclass
class Api:
    """Knows no object, and tells that to whoever has the token."""

    folder: Path
    port: int = 0
    takes: str = "Bearer first"
    asked: list[str] = field(default_factory=list)

    def connect(self, script: str, **changes: Any) -> Connection:
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\ncd '{self.folder}'\n{script}\n")
        program.chmod(0o755)
        user = {"exec": {"apiVersion": V1, "command": "./program", "interactiveMode": "Never", **changes}}
        configuration = {
            "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{self.port}"}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "users": [{"name": "u", "user": user}],
            "current-context": "x",
        }
        (self.folder / "config").write_text(json.dumps(configuration))
        return Connection(Place())


@pytest.fixture
def api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    (tmp_path / "token").write_text("first")
    known = Api(tmp_path)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.headers.get("Authorization", "")
            known.asked.append(sent)
            code = 404 if sent == known.takes else 401
            body = json.dumps({"kind": "Status", "apiVersion": "v1", "code": code, "message": "no"}).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        known.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield known
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("version", [V1, "client.authentication.k8s.io/v1beta1"])
def test_every_version_is_asked_as_it_wants(api: Api, version: str) -> None:
    connection = api.connect(HANDS_OUT, apiVersion=version, args=["get-token"], env=[{"name": "A", "value": "b"}])
    assert connection.pod("a") is None
    connection.close()
    asked = json.loads((api.folder / "asked").read_text())
    assert (asked["apiVersion"], asked["kind"]) == (version, "ExecCredential")
    assert asked["spec"]["interactive"] is False
    assert asked["spec"]["cluster"]["server"] == f"http://127.0.0.1:{api.port}"


def test_a_token_is_kept_until_it_is_not_taken_any_more(api: Api) -> None:
    connection = api.connect(HANDS_OUT)
    for _ in range(3):
        assert connection.pod("a") is None
    api.takes = "Bearer second"
    (api.folder / "token").write_text("second")
    assert connection.pod("a") is None
    connection.close()
    assert (api.folder / "runs").read_text().split() == ["run", "run"]
    assert api.asked == [*["Bearer first"] * 4, "Bearer second"]


@pytest.mark.parametrize(
    ("script", "changes", "said", "hint"),
    [
        ("", {"command": "no-such-plugin"}, "program no-such-plugin, which .* cannot be run", "no-such-plugin"),
        ("", {"command": "no-such-plugin", "installHint": "get it there"}, "cannot be run", "get it there"),
        ("echo 'log in first' >&2; exit 3", {}, "ended with status 3; it said: log in first", "kubectl auth whoami"),
        ("", {"apiVersion": f"{V1}gamma9"}, "uses version .*gamma9, which Pacecar does not know", "kubectl"),
        ('echo \'{"status": {"clientCertificateData": "x"}}\'', {}, "hands out a certificate", "create token"),
    ],
    ids=["missing", "missing, with a hint", "fails", "unknown version", "certificate"],
)
def test_one_that_hands_out_nothing_is_a_sentence(
    api: Api, script: str, changes: dict[str, Any], said: str, hint: str
) -> None:
    connection = api.connect(script, **changes)
    with pytest.raises(ClusterError, match=said) as caught:
        connection.pod("a")
    assert str(api.folder / "config") in caught.value.message
    assert hint in (caught.value.hint or "")
    connection.close()


@pytest.mark.hostile
@pytest.mark.parametrize(
    "answer",
    ["", "[]", "3", "{}", '{"status": 3}', '{"status": {}}', '{"status": {"token": "a\\nb"}}', "[" * 9000],
    ids=range(8),
)
def test_an_answer_that_is_none(api: Api, answer: str) -> None:
    (api.folder / "answer").write_text(answer)
    connection = api.connect("cat answer")
    with pytest.raises(ClusterError, match=r"not answer with an ExecCredential|no token"):
        connection.pod("a")
    connection.close()
    assert api.asked == []
