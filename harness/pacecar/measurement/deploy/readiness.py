"""Whether a fork answers yet, past every proxy."""

from __future__ import annotations

import http.client
import re
import time

from pacecar.system.foreign.timely import TimelyConnection

#: A page that takes longer counts as not answering.
ATTEMPT_S = 2.0
#: What `ask` says where a connection is refused.
REFUSED = "nothing listens there yet"
#: A service that starts may redirect or refuse for a moment. One that does so for this long needs another ready page.
LASTING_S = 20.0
_LASTING = re.compile(r"status (?:3\d\d|400|401|403|405)")
_BODY_BYTES = 65_536


def ask(port: int, path: str, *, host: str = "127.0.0.1") -> str | None:
    """GET `path` from the service at `host`. Returns None for a 2xx status, else in a few words what came instead."""
    connection = TimelyConnection(host, port, timeout=ATTEMPT_S)
    connection.until = time.monotonic() + ATTEMPT_S
    try:
        connection.request("GET", path, headers={"Connection": "close"})
        answer = connection.getresponse()
        answer.read(_BODY_BYTES)
    except ConnectionRefusedError:
        return REFUSED
    except TimeoutError:
        return f"no answer within {ATTEMPT_S:g} s"
    except http.client.HTTPException as error:
        return f"no valid HTTP answer ({type(error).__name__})"
    except (OSError, ValueError) as error:
        return f"no answer ({error})"
    finally:
        connection.close()
    return None if 200 <= answer.status < 300 else f"status {answer.status}"


class Answers:
    """What a fork that is not ready has answered so far, and whether waiting for another answer is of any use."""

    def __init__(self) -> None:
        self._last: str | None = None
        self._since = 0.0

    def lasts(self, answer: str) -> bool:
        """Whether `answer` (see `ask`) redirects or refuses the request, and nothing else came for `LASTING_S`."""
        now = time.monotonic()
        if answer != self._last:
            self._last, self._since = answer, now
        return _LASTING.fullmatch(answer) is not None and now - self._since > LASTING_S
