"""A server on this machine that implements the part of GitHub's REST API that Pacecar uses.

It has pull requests and comments, knows tokens and what each may do, and fails on request. It checks each request and
each answer against GitHub's own description: `violations` must be empty at the end.
"""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from aiohttp import web
from openapi_core.contrib.aiohttp import AIOHTTPOpenAPIWebRequest, AIOHTTPOpenAPIWebResponse

from support.github_api.description import checker, example

PREFIX = "/api/v3"
REPOSITORY = "shop/orders"
BOT = "github-actions[bot]"
_COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments"
_PULLS = "/repos/{owner}/{repo}/pulls"
_LOGIN = web.RequestKey("login", str)
_DESCRIBED = web.RequestKey("described", web.Response)
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"


@dataclass(frozen=True, kw_only=True)
class Token:
    """Whose it is ("" for a job's own, which may not ask), and whether it may write."""

    login: str = ""
    writes: bool = True


@dataclass(kw_only=True)
class Pull:
    """A pull request; `repository` is None once its fork was deleted."""

    number: int
    sha: str
    branch: str = "faster"
    repository: str | None = REPOSITORY
    state: str = "open"


@dataclass(kw_only=True)
class Comment:
    """A comment; `login` is None once its author's account was deleted."""

    id: int
    issue: int
    login: str | None
    body: str


@dataclass(kw_only=True)
class Failure:
    """The answer to the next `times` requests of `method`; with `after`, the request is carried out all the same."""

    method: str
    status: int
    message: str = "Server Error"
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    after: bool = False


class Server:
    """The server, in a thread of its own. Use as a context manager."""

    def __init__(self) -> None:
        self.tokens = {"secret-of-the-job": Token()}
        self.pulls: list[Pull] = []
        self.comments: list[Comment] = []
        self.failures: list[Failure] = []
        self.requests: list[tuple[str, str]] = []
        self.violations: list[str] = []
        self.vanishing: set[int] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self.url = ""

    def __enter__(self) -> Server:
        self._api = checker(f"http://127.0.0.1{PREFIX}")
        self._thread.start()
        self._runner, port = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        self.url = f"http://127.0.0.1:{port}{PREFIX}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if kind is None:
            assert self.violations == [], self.violations

    def comment(self, body: str, *, issue: int = 1, login: str | None = BOT) -> Comment:
        """Somebody comments."""
        made = Comment(id=1000 + len(self.comments), issue=issue, login=login, body=body)
        self.comments.append(made)
        return made

    def bodies(self, issue: int = 1) -> list[str]:
        """What stands under an issue, the oldest first."""
        return [comment.body for comment in self.comments if comment.issue == issue]

    async def _start(self) -> tuple[web.AppRunner, int]:
        app = web.Application(middlewares=[self._checked])
        app.router.add_get(f"{PREFIX}/user", self._user)
        app.router.add_get(PREFIX + _PULLS, self._list_pulls)
        app.router.add_get(PREFIX + _COMMENTS, self._list_comments)
        app.router.add_post(PREFIX + _COMMENTS, self._create_comment)
        app.router.add_patch(PREFIX + _COMMENT, self._edit_comment)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner, runner.addresses[0][1]

    @web.middleware
    async def _checked(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.requests.append((request.method, request.path_qs.removeprefix(PREFIX)))
        asked = AIOHTTPOpenAPIWebRequest(request, body=await request.read() or None)
        try:
            self._api.validate_request(asked)
        except Exception as error:
            self.violations.append(f"{request.method} {request.path_qs}: {error!r}")
        response = await self._answer(request, handler)
        if response.status < 400:
            try:
                self._api.validate_response(asked, AIOHTTPOpenAPIWebResponse(request.get(_DESCRIBED, response)))
            except Exception as error:
                reasons = getattr(error.__cause__, "schema_errors", error)
                self.violations.append(f"answer to {request.method} {request.path_qs}: {reasons}")
        return response

    async def _answer(self, request: web.Request, handler: Any) -> web.Response:
        failure = next((each for each in self.failures if each.method == request.method and each.times), None)
        if failure is not None:
            failure.times -= 1
            if failure.after:
                await handler(request)
            return _refused(failure.status, failure.message, failure.headers)
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        token = self.tokens.get(given) if scheme in ("Bearer", "token") else None
        if token is None:
            return _refused(401, "Bad credentials")
        if request.method != "GET" and not token.writes:
            return _refused(403, "Resource not accessible by integration")
        request[_LOGIN] = token.login
        response: web.Response = await handler(request)
        return response

    async def _user(self, request: web.Request) -> web.Response:
        if not request[_LOGIN]:
            return _refused(403, "Resource not accessible by integration")
        # The example lacks the key by which the description tells its two kinds of answers apart.
        told = {"login": request[_LOGIN], "user_view_type": "private"}
        return web.json_response(example("get", "/user", 200) | told)

    async def _list_pulls(self, request: web.Request) -> web.Response:
        state, head = request.query.get("state", "open"), request.query.get("head", "")
        # GitHub finds nothing by a head whose fork is gone, and everything when `head` is not given.
        found = [pull for pull in self.pulls if state in ("all", pull.state)]
        if head:
            owner, _, branch = head.partition(":")
            found = [
                pull
                for pull in found
                if pull.repository and pull.repository.partition("/")[0] == owner and pull.branch == branch
            ]
        # The description forgets that the repository of a head is null once the fork is deleted.
        request[_DESCRIBED] = web.json_response([_plain_pull(pull) for pull in found if pull.repository])
        return self._paged(request, [_plain_pull(pull) for pull in found])

    async def _list_comments(self, request: web.Request) -> web.Response:
        issue = int(request.match_info["issue_number"])
        if all(pull.number != issue for pull in self.pulls):
            return _refused(404, "Not Found")
        return self._paged(request, [self._plain(each) for each in self.comments if each.issue == issue])

    async def _create_comment(self, request: web.Request) -> web.Response:
        issue = int(request.match_info["issue_number"])
        made = self.comment((await request.json())["body"], issue=issue, login=request.get(_LOGIN) or BOT)
        return web.json_response(self._plain(made), status=201)

    async def _edit_comment(self, request: web.Request) -> web.Response:
        number = int(request.match_info["comment_id"])
        if number in self.vanishing:
            self.comments = [each for each in self.comments if each.id != number]
        found = next((each for each in self.comments if each.id == number), None)
        if found is None:
            return web.json_response({"message": "Not Found"}, status=404)
        found.body = (await request.json())["body"]
        return web.json_response(self._plain(found))

    def _paged(self, request: web.Request, rows: list[Any]) -> web.Response:
        size, page = int(request.query.get("per_page", 30)), int(request.query.get("page", 1))
        headers = {}
        if len(rows) > page * size:
            following = str(request.url.update_query(page=page + 1))
            headers["Link"] = f'<{following}>; rel="next"'
        return web.json_response(rows[(page - 1) * size : page * size], headers=headers)

    def _plain(self, comment: Comment) -> dict[str, Any]:
        plain = example("post", _COMMENTS, 201)
        user = None if comment.login is None else plain["user"] | {"login": comment.login}
        here = f"{self.url}/repos/{REPOSITORY}/issues"
        return dict(plain) | {
            "id": comment.id,
            "url": f"{here}/comments/{comment.id}",
            "issue_url": f"{here}/{comment.issue}",
            "html_url": f"https://github.example/{REPOSITORY}/pull/{comment.issue}#issuecomment-{comment.id}",
            "body": comment.body,
            "user": user,
        }


def _plain_pull(pull: Pull) -> dict[str, Any]:
    plain = json.loads(json.dumps(example("get", _PULLS, 200)))
    # The team in the example lacks a key that the description requires.
    plain |= {"number": pull.number, "state": pull.state, "requested_teams": []}
    plain["head"] |= {"ref": pull.branch, "sha": pull.sha}
    if pull.repository is None:
        plain["head"]["repo"] = None
    else:
        plain["head"]["repo"] |= {"full_name": pull.repository}
    return dict(plain)


def _refused(status: int, message: str, headers: dict[str, str] | None = None) -> web.Response:
    body = {"message": message, "documentation_url": "https://docs.github.com/rest", "status": str(status)}
    return web.json_response(body, status=status, headers=headers)
