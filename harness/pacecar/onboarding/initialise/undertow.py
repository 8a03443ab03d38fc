"""Paths that handlers of Undertow are given: `addPrefixPath("/orders", …)`, `addExactPath("/ping", …)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pacecar.onboarding.initialise.calls import arguments_of_calls
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, guessed
from pacecar.onboarding.initialise.known import NOTHING, Known
from pacecar.onboarding.initialise.source_text import SourceText

_FRAMEWORK = "io.undertow."
_CALL = re.compile(r"(?<![\w@$])(addPrefixPath|addExactPath)\s{0,9}+\(")
#: Handlers that do no work to measure, or have paths of their own.
_OTHER = re.compile(r"\b(?:resource|redirect|websocket|routing|path|serverSentEvents|ResourceHandler|start)\s{0,9}+\(")
_MOST = 300


def paths_of_undertow(source: str, known: Known = NOTHING) -> Iterator[GuessedEndpoint]:
    """The endpoints that the text of one Java or Kotlin file gives to handlers. Anything may be in it.

    Args:
        source: the file.
        known: what names in it may mean.
    """
    if _FRAMEWORK not in source or "Path(" not in source:
        return
    text = SourceText.of(source)
    constants = Constants(constants_in(text), beyond=known.constants)
    for _, (first, *others) in islice(arguments_of_calls(text, _CALL), _MOST):
        path = constants.text(first.text.strip(), inside=None)
        if path is None or path in {"", "/"} or not others or _OTHER.search(others[0].masked):
            continue
        if endpoint := guessed("GET", path if path.startswith("/") else f"/{path}"):
            yield endpoint
