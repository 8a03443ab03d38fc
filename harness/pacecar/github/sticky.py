"""The one comment of a comparison under a pull request: found again by its marker and its author, and edited in place.

The marker alone would not do, because anybody may write one; a job's token may edit anybody's comment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import github
from github.Issue import Issue
from github.IssueComment import IssueComment

from pacecar.errors import PacecarError
from pacecar.github.client import Client, refusals
from pacecar.github.identity import FAMILY
from pacecar.reporting.markdown import Markdown

#: Whom the token of a job comments as; that token may not ask who it is.
ACTIONS_BOT = "github-actions[bot]"
#: Comments of ours under one pull request; names come from whoever measures, who may think of new ones each time.
MOST = 20


class TooManyComments(PacecarError):
    """The pull request has as many comments of ours as it may have."""


@dataclass(frozen=True, kw_only=True)
class Posted:
    """A comment that stands: its address, and whether it stood there before."""

    url: str
    edited: bool


def put_comment(
    client: Client,
    number: int,
    body: Markdown,
    *,
    author: str | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Posted:
    """Make `body` the comment under the pull request `number` that begins with the same line.

    Args:
        client: whose token may comment.
        number: of the pull request.
        body: Markdown; its first line is an `identity.marker`.
        author: login that the token comments as; None asks GitHub.
        sleep: waits for so many seconds.

    Raises:
        client.GitHubError: when it cannot be posted.
        TooManyComments: when it would be one more than `MOST`.
    """
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


def _put(issue: Issue, body: Markdown, login: str) -> Posted:
    marker = body.partition("\n")[0]
    ours = _ours(issue, login)
    own = next((comment for comment in ours if comment.body.startswith(marker)), None)
    if own is not None and _edited(own, body):
        return Posted(url=own.html_url, edited=True)
    if own is None and len(ours) >= MOST:
        raise TooManyComments(
            f"Pull request {issue.number} has {len(ours)} comments by Pacecar already, so it gets no more.",
            hint="Delete the outdated ones, or use fewer names for comparisons.",
        )
    return Posted(url=issue.create_comment(body).html_url, edited=False)


def _edited(own: IssueComment, body: Markdown) -> bool:
    """Whether there was still something to edit."""
    try:
        own.edit(body)
    except github.GithubException as error:
        if error.status in (404, 410):  # deleted since it was found
            return False
        raise
    return True


def _ours(issue: Issue, login: str) -> list[IssueComment]:
    """Comments of ours, the oldest first."""
    return [
        comment
        for comment in issue.get_comments()
        if (comment.body or "").startswith(FAMILY) and comment.user is not None and comment.user.login == login
    ]


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
