"""What GitHub says of the job that runs us, as variables of the environment, checked one by one."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pacecar.errors import UsageError

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}/[A-Za-z0-9._-]{1,100}")
_NUMBER = re.compile(r"[1-9][0-9]{0,19}")
_EVENT = re.compile(r"[a-z_]{1,60}")
_TOKEN = re.compile(r"[\x21-\x7e]{1,2000}")
_SHOWN = 80


class JobError(UsageError):
    """This is not a GitHub Actions job, or one that says strange things."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A job, as its variables describe it.

    Attributes:
        repository: `owner/name`.
        event: name of the event that started it, such as `pull_request`.
        event_path: the event's payload, a JSON file.
        run_id: of the workflow's run.
        api_url, server_url: of github.com or of an Enterprise server; without a slash at the end.
        workspace: the checkout.
        output, summary: files that the step appends to; None where the runner gives none.
        token: what the API is asked with; None when the job was given none.
    """

    repository: str
    event: str
    event_path: Path
    run_id: str
    api_url: str
    server_url: str
    workspace: Path
    output: Path | None
    summary: Path | None
    token: str | None = field(default=None, repr=False)

    @property
    def run_url(self) -> str:
        """The page of this run, where its artifacts are."""
        return self.url_of_run(self.run_id)

    def url_of_run(self, run_id: str) -> str:
        """The page of a run of this repository."""
        return f"{self.server_url}/{self.repository}/actions/runs/{run_id}"


def is_github(environ: Mapping[str, str]) -> bool:
    """Whether a runner of GitHub Actions reads what this process prints."""
    return environ.get("GITHUB_ACTIONS") == "true"


def job_of(environ: Mapping[str, str]) -> Job:
    """The job that `environ` describes.

    Raises:
        JobError: when a variable is missing or is not what GitHub would set it to.
    """
    if not is_github(environ):
        raise JobError(
            "This is not a GitHub Actions job: GITHUB_ACTIONS is not set.",
            hint="Elsewhere: pacecar compare, then pacecar report --format markdown or junit",
        )
    return Job(
        repository=_matching(environ, "GITHUB_REPOSITORY", _REPOSITORY, what="owner/name"),
        event=_matching(environ, "GITHUB_EVENT_NAME", _EVENT, what="the name of an event"),
        event_path=Path(_given(environ, "GITHUB_EVENT_PATH")),
        run_id=_matching(environ, "GITHUB_RUN_ID", _NUMBER, what="a number"),
        api_url=_url(environ, "GITHUB_API_URL"),
        server_url=_url(environ, "GITHUB_SERVER_URL"),
        workspace=Path(_given(environ, "GITHUB_WORKSPACE")),
        output=_file(environ, "GITHUB_OUTPUT"),
        summary=_file(environ, "GITHUB_STEP_SUMMARY"),
        token=_token(environ),
    )


def _given(environ: Mapping[str, str], name: str) -> str:
    value = environ.get(name, "")
    if not value:
        raise JobError(f"{name} is not set.", hint="A runner sets it; in a container of your own, pass it on.")
    return value


def _matching(environ: Mapping[str, str], name: str, pattern: re.Pattern[str], *, what: str) -> str:
    value = _given(environ, name)
    if not pattern.fullmatch(value):
        raise JobError(f"{name} is {value[:_SHOWN]!r}, which is not {what}.")
    return value


def _url(environ: Mapping[str, str], name: str) -> str:
    """An address that a token may be sent to: over TLS, or to this very machine."""
    value = _given(environ, name)
    try:
        parts = urlsplit(value)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_valid = urlsplit(""), False
    plain = parts.username is None and not parts.query and not parts.fragment and value.isprintable()
    safe = parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts.hostname))
    if not (parts.hostname and port_is_valid and plain and safe):
        raise JobError(
            f"{name} is {value[:_SHOWN]!r}, which is not an address to send a token to.",
            hint="It must begin with https:// and hold no name or password.",
        )
    return value.rstrip("/")


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def _file(environ: Mapping[str, str], name: str) -> Path | None:
    return Path(value) if (value := environ.get(name, "")) else None


def _token(environ: Mapping[str, str]) -> str | None:
    token = environ.get("GITHUB_TOKEN", "").strip()
    if token and not _TOKEN.fullmatch(token):
        raise JobError(
            "GITHUB_TOKEN holds characters that no token has.", hint="Was the secret pasted with a line end?"
        )
    return token or None
