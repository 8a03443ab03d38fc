"""Whether a fork answers yet, past every proxy."""

from __future__ import annotations

import http.client
import time

from pacecar.system.foreign.timely import TimelyConnection

#: A page that takes longer counts as not answering.
ATTEMPT_S = 2.0
#: What `ask` says where a connection is refused.
REFUSED = "nothing listens there yet"
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
