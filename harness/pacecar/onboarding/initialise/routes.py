"""Endpoints as calls tell them: `app.get("/orders/{id}", …)`, for services without annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from pacecar.onboarding.initialise.guesses import GuessedEndpoint, guessed, joined
from pacecar.onboarding.initialise.source_text import without_comments

#: More calls in one file are left unread.
_MOST_IN_A_FILE = 300
_ROUTE = re.compile(r"\b(get|post|put|patch|delete)\s{0,5}\(\s{0,20}\"(/[^\"\n]{0,150})\"\s{0,20}[,)]")
_VARIABLE = re.compile(r":(\w+)|<(\w+)>", re.ASCII)


def routes_in_source(source: str) -> Iterator[GuessedEndpoint]:
    """Endpoints that calls in the text of one Java or Kotlin file seem to add. Anything may be in it."""
    for match in islice(_ROUTE.finditer(without_comments(source)), _MOST_IN_A_FILE):
        route = _VARIABLE.sub(lambda found: f"{{{found[1] or found[2]}}}", match[2])
        if endpoint := guessed(match[1].upper(), joined(route)):
            yield endpoint
