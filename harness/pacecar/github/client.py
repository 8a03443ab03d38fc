"""GitHub's REST API with patience, and its refusals as sentences."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Iterator
from dataclasses import dataclass

import github
from github.Repository import Repository

from pacecar import __version__
from pacecar.errors import PacecarError
from pacecar.github.job import Job
from pacecar.reporting.document.tidy import clean_text

_TIMEOUT_S = 30
_PER_PAGE = 100
_PERMISSIONS = (
    "Give the job that comments, and no other, `permissions: pull-requests: write`. A fork's token never has it: "
    "for forks, copy ci/workflows/forks-measure.yml and forks-comment.yml."
)


class GitHubError(PacecarError):
    """GitHub refused, or could not be reached."""


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long a passing failure is waited for.

    Attributes:
        retries: after the first try, of each request.
        backoff_s: wait before the first retry; it doubles.
        longest_s: of one wait. A rate limit that ends later is told at once.
    """

    retries: int = 4
    backoff_s: float = 2.0
    longest_s: float = 120.0

    def wait_s(self, retry: int) -> float:
        """Seconds before the retry of this number, from 0."""
        return min(self.longest_s, self.backoff_s * 2.0**retry)


#: As long as a person would wait for a job.
PATIENCE = Patience()


@dataclass(frozen=True, kw_only=True)
class Client:
    """A repository as the job's token sees it."""

    api: github.Github
    repository: Repository
    patience: Patience


@contextlib.contextmanager
def client_of(job: Job, *, patience: Patience = PATIENCE) -> Iterator[Client]:
    """A client for the job's own repository; asks nothing yet.

    Raises:
        GitHubError: when the job was given no token.
    """
    if not job.token:
        raise GitHubError(
            "There is no GITHUB_TOKEN to write a comment with.",
            hint="Give the step one: env: GITHUB_TOKEN: ${{ github.token }}",
        )
    # What it logs is said better by `refusals`, and a log would go past the stream that takes commands out.
    logging.getLogger("github").setLevel(logging.CRITICAL)
    # Creating a comment is not repeated blindly: one that was answered by a 502 may stand there all the same.
    retry = github.GithubRetry(
        total=patience.retries,
        backoff_factor=patience.backoff_s / 2,
        backoff_max=patience.longest_s,
        secondary_rate_wait=patience.longest_s / 2,
        max_rate_limit_wait=patience.longest_s,
        retry_after_max=math.ceil(patience.longest_s),
        allowed_methods={"GET", "PATCH"},
    )
    api = github.Github(
        auth=github.Auth.Token(job.token),
        base_url=job.api_url,
        timeout=_TIMEOUT_S,
        per_page=_PER_PAGE,
        retry=retry,
        seconds_between_requests=None,  # reading; between two that write it waits the second that GitHub asks for
        user_agent=f"pacecar/{__version__}",
        lazy=True,
    )
    try:
        yield Client(api=api, repository=api.get_repo(job.repository), patience=patience)
    finally:
        api.close()


@contextlib.contextmanager
def refusals(doing: str) -> Iterator[None]:
    """Turn what the library raises within into a sentence about `doing`, as in "to comment on #5".

    Raises:
        GitHubError: in place of it.
    """
    try:
        yield
    except github.GithubException as error:
        raise _refusal(error, doing) from error
    except (OSError, AssertionError, ValueError, TypeError) as error:
        # What requests raises is an OSError; the library asserts that answers have their shape and lead nowhere else.
        reason = clean_text(str(error) or type(error).__name__, limit=200)
        raise GitHubError(
            f"GitHub could not be asked {doing}: {reason}",
            hint="Check GITHUB_API_URL; if it is right, run the job again.",
        ) from error


def _refusal(error: github.GithubException, doing: str) -> GitHubError:
    told = clean_text(str(error.message or "no reason given"), limit=200)
    if isinstance(error, github.RateLimitExceededException) or error.status == 429:
        return GitHubError(
            f"GitHub's rate limit does not allow {doing} for now: {told}",
            hint="Run the job again later; every token has a limit of its own.",
        )
    if error.status == 401:
        return GitHubError(
            f"GitHub does not accept the token {doing}: {told}", hint="Replace it: it may have expired or been revoked."
        )
    if error.status == 403:
        return GitHubError(f"The token has no right {doing}: {told}", hint=_PERMISSIONS)
    if error.status in (404, 410):
        return GitHubError(
            f"GitHub finds nothing {doing} ({error.status}).",
            hint="It is gone, or the token may not see it: check that the token is this repository's.",
        )
    return GitHubError(
        f"GitHub answered {error.status} {doing}: {told}", hint="If it is at fault, run the job again later."
    )
