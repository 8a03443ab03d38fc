"""Requests to a cluster's API with a kubeconfig; paths and objects are as Kubernetes documents them."""

from __future__ import annotations

import base64
import json
import ssl
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import urllib3

_POLL_S = 0.1


class Refused(Exception):
    """The API says no; `status` is HTTP's."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status


class Api:
    """The API that `kubeconfig` names, asked as its user, or as whoever has `token`."""

    def __init__(self, kubeconfig: Path, *, token: str | None = None) -> None:
        content = json.loads(kubeconfig.read_text())
        cluster, user = content["clusters"][0]["cluster"], content["users"][0]["user"]
        trusted = base64.b64decode(cluster["certificate-authority-data"]).decode()
        context = ssl.create_default_context(cadata=trusted)
        if token is None:
            _show(context, user)
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._server = cluster["server"]
        self._pool = urllib3.PoolManager(ssl_context=context, retries=False)

    def ask(self, method: str, path: str, content: Any = None, *, kind: str = "application/json") -> Any:
        """What it answers, read from JSON where it is.

        Raises:
            Refused: when it does not do what it is asked.
        """
        body = None if content is None else json.dumps(content).encode()
        headers = {**self._headers, "Accept": "application/json, text/plain, */*", "Content-Type": kind}
        answer = self._pool.request(method, self._server + path, body=body, headers=headers, timeout=30)
        text = answer.data.decode()
        if answer.status >= 300:
            raise Refused(answer.status, text)
        return json.loads(text) if answer.headers.get("Content-Type") == "application/json" else text

    def get(self, path: str) -> Any:
        return self.ask("GET", path)

    def create(self, path: str, content: Any) -> Any:
        return self.ask("POST", path, content)

    def delete(self, path: str) -> Any:
        return self.ask("DELETE", path)

    def answers(self) -> bool:
        """Whether it serves, all of its parts."""
        try:
            self.get("/readyz")
        except (Refused, urllib3.exceptions.HTTPError):
            return False
        return True

    def log(self, pod: str, container: str, *, namespace: str = "default") -> str:
        """What a container has said so far."""
        return str(self.get(f"/api/v1/namespaces/{namespace}/pods/{pod}/log?container={container}"))

    def wait(self, path: str, until: Callable[[Any], object], *, patience_s: float = 90) -> Any:
        """The object at `path`, once it is as wanted."""
        deadline = time.monotonic() + patience_s
        while not until(found := self.get(path)):
            assert time.monotonic() < deadline, json.dumps(found.get("status"), indent=1)
            time.sleep(_POLL_S)
        return found


def _show(context: ssl.SSLContext, user: dict[str, str]) -> None:
    """Have `context` show the certificate of `user`, which it reads from files alone."""
    with tempfile.NamedTemporaryFile(prefix="pacecar-client-") as file:
        for part in ("client-certificate-data", "client-key-data"):
            file.write(base64.b64decode(user[part]))
        file.flush()
        context.load_cert_chain(file.name)
