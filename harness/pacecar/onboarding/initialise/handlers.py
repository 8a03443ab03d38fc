"""Paths that handlers are given, of Undertow and of the JDK's own server.

Undertow: `addPrefixPath("/orders", …)`, `addExactPath("/ping", …)`. The JDK: `createContext("/orders/", …)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from pacecar.onboarding.initialise.calls import arguments_of_calls
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, guessed
from pacecar.onboarding.initialise.known import NOTHING, Known
from pacecar.onboarding.initialise.source_text import SourceText

_CALLS = {
    "io.undertow.": re.compile(r"(?<![\w@$])(addPrefixPath|addExactPath)\s{0,9}+\("),
    "com.sun.net.httpserver.": re.compile(r"(?<![\w@$])(createContext)\s{0,9}+\("),
}
#: Handlers that do no work to measure, or have paths of their own.
_OTHER = re.compile(r"\b(?:resource|redirect|websocket|routing|path|serverSentEvents|ResourceHandler|start)\s{0,9}+\(")
_MOST = 300


def paths_of_handlers(source: str, known: Known = NOTHING) -> Iterator[GuessedEndpoint]:
    """The endpoints that the text of one Java or Kotlin file gives to handlers. Anything may be in it.

    Args:
        source: the file.
        known: what names in it may mean.
    """
    calls = [call for package, call in _CALLS.items() if package in source]
    if not calls:
        return
    text = SourceText.of(source)
    constants = Constants(constants_in(text), beyond=known.constants)
    for name, (first, *others) in islice(chain.from_iterable(arguments_of_calls(text, each) for each in calls), _MOST):
        path = constants.text(first.text.strip(), inside=None)
        if path is None or path in {"", "/"} or not others or _OTHER.search(others[0].masked):
            continue
        if name == "createContext" and path.endswith("/"):  # its handler reads what follows
            path += "{id}"
        if endpoint := guessed("GET", path if path.startswith("/") else f"/{path}"):
            yield endpoint
