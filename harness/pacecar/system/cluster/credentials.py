"""Credentials that a program hands out, as kubectl has them: `user.exec` of its configuration (KEP 541).

Clusters of cloud providers are reached by such programs. The client library knows them, but not the version `v1` of
what they are asked and answer, nor what else may come of one.
"""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2

from pacecar.system import environment
from pacecar.system.cluster import ClusterError
from pacecar.system.cluster.errors import plain

if TYPE_CHECKING:
    from lightkube.config.kubeconfig import SingleConfig
    from lightkube.config.models import UserExec

_GROUP = "client.authentication.k8s.io"
_VERSIONS = tuple(f"{_GROUP}/{version}" for version in ("v1", "v1beta1", "v1alpha1"))
_UNAUTHORIZED = 401
#: Somebody may have to log in by a browser meanwhile.
_TIMEOUT_S = 120.0
_MOST_TOKEN = 64 << 10


class HandedOut(httpx2.Auth):
    """The token that the program of `config` hands out. It is asked at first, and once a token is not taken any more.

    Requests raise ClusterError when there is no such program, or it fails, or hands out something else.
    """

    def __init__(self, config: SingleConfig) -> None:
        assert config.user is not None
        assert config.user.exec is not None
        self._program: UserExec = config.user.exec
        self._config = config
        self._token: str | None = None

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        """See `httpx2.Auth`."""
        if self._token is not None:
            request.headers["Authorization"] = f"Bearer {self._token}"
            response = yield request
            if response.status_code != _UNAUTHORIZED:
                return
        self._token = self._asked()
        request.headers["Authorization"] = f"Bearer {self._token}"
        yield request

    def _asked(self) -> str:
        program = self._program
        if program.apiVersion not in _VERSIONS:
            raise self._wrong(f"uses version {plain(program.apiVersion)}, which Pacecar does not know")
        own = {each.name: each.value for each in program.env or ()}
        told = {"KUBERNETES_EXEC_INFO": json.dumps(self._question())}
        try:
            done = subprocess.run(
                [self._command, *(program.args or ())],
                env={**environment.of_credentials(), **own, **told},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except (FileNotFoundError, PermissionError) as error:
            hint = plain(program.installHint) or f"Install it where Pacecar runs: {plain(program.command)}"
            raise self._wrong(f"cannot be run: {plain(error.strerror)}", hint=hint) from error
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            raise self._wrong(f"cannot be asked: {plain(error)}") from error
        if done.returncode != 0:
            said = plain(done.stderr.decode("utf-8", "replace")) or "nothing"
            raise self._wrong(f"ended with status {done.returncode}; it said: {said.rstrip('.')}")
        return self._token_in(done.stdout)

    @property
    def _command(self) -> str:
        """As kubectl finds it: on the PATH, or by a path that is meant from the folder of the configuration."""
        command, file = self._program.command, self._config.fname
        return str(file.absolute().parent / command) if "/" in command and file is not None else command

    def _question(self) -> dict[str, Any]:
        cluster = self._config.cluster
        authority = cluster.certificate_auth_data
        if cluster.certificate_auth is not None:
            content = Path(self._config.abs_file(cluster.certificate_auth)).read_bytes()
            authority = base64.b64encode(content).decode()
        about = {
            "server": cluster.server,
            "insecure-skip-tls-verify": cluster.insecure,
            **({} if authority is None else {"certificate-authority-data": authority}),
        }
        spec = {"interactive": False, "cluster": about}
        return {"apiVersion": self._program.apiVersion, "kind": "ExecCredential", "spec": spec}

    def _token_in(self, answer: bytes) -> str:
        try:
            status = json.loads(answer)["status"]
            token, certificate = status.get("token"), status.get("clientCertificateData")
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            raise self._wrong("did not answer with an ExecCredential") from error
        if not token and certificate:
            hint = "Use a context whose user has a token; a service account gets one by: kubectl create token ACCOUNT"
            raise self._wrong("hands out a certificate, but Pacecar takes only tokens", hint=hint)
        if (
            not isinstance(token, str)
            or not 0 < len(token) <= _MOST_TOKEN
            or not (token.isascii() and token.isprintable())
        ):
            raise self._wrong("hands out no token")
        return token

    def _wrong(self, what: str, *, hint: str | None = None) -> ClusterError:
        where = f" of {self._config.fname}" if self._config.fname is not None else ""
        return ClusterError(
            f"The program {plain(self._program.command)}, which hands out the credentials{where}, {what}.",
            hint=hint or "See whether kubectl gets them: kubectl auth whoami",
        )
