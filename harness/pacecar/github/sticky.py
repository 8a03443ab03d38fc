"""The one comment under a pull request: found again by its marker and its author, and edited in place.

The marker alone would not do, because anybody may write one; a job's token may edit anybody's comment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import github
from github.Issue import Issue
from github.IssueComment import IssueComment

from pacecar.github.client import Client, refusals
from pacecar.report.comment import MARKER

#: Whom the token of a job comments as; that token may not ask who it is.
ACTIONS_BOT = "github-actions[bot]"


@dataclass(frozen=True, kw_only=True)
class Posted:
    """A comment that stands: its address, and whether it stood there before."""

    url: str
    edited: bool


def put_comment(
    client: Client, number: int, body: str, *, author: str = "", sleep: Callable[[float], None] = time.sleep
) -> Posted:
    """Make `body` the comment of the pull request `number`.

    Args:
        client: whose token may comment.
        number: of the pull request.
        body: Markdown that begins with `MARKER`.
        author: login that the token comments as; "" asks GitHub.
        sleep: waits for so many seconds.

    Raises:
        client.GitHubError: when it cannot be posted.
    """
    assert body.startswith(MARKER)
    with refusals(f"to comment on pull request {number} of {client.repository.full_name}"):
        login = author or _login(client)
        issue = client.repository.get_issue(number)
        for retry in range(client.patience.retries):
            try:
                return _put(issue, body, login)
            except github.GithubException as error:
                if not _passes(error):
                    raise
                sleep(client.patience.wait_s(retry))
        return _put(issue, body, login)


def _put(issue: Issue, body: str, login: str) -> Posted:
    own = _own(issue, login)
    if own is not None and _edited(own, body):
        return Posted(url=own.html_url, edited=True)
    return Posted(url=issue.create_comment(body).html_url, edited=False)


def _edited(own: IssueComment, body: str) -> bool:
    """Whether there was still something to edit."""
    try:
        own.edit(body)
    except github.GithubException as error:
        if error.status in (404, 410):  # deleted since it was found
            return False
        raise
    return True


def _own(issue: Issue, login: str) -> IssueComment | None:
    """The oldest comment of ours."""
    for comment in issue.get_comments():
        if (comment.body or "").startswith(MARKER) and comment.user is not None and comment.user.login == login:
            return comment
    return None


def _passes(error: github.GithubException) -> bool:
    """Whether looking again may help: a failure of the server's, or a limit."""
    if isinstance(error, github.RateLimitExceededExceedsMaxWait):
        return False
    limited = isinstance(error, github.RateLimitExceededException) or error.status == 429
    return limited or error.status >= 500


def _login(client: Client) -> str:
    try:
        return client.api.get_user().login
    except github.GithubException as error:
        if error.status in (403, 404) and not isinstance(error, github.RateLimitExceededException):
            return ACTIONS_BOT
        raise
