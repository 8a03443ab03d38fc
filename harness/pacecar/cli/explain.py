"""The command that says what a word of a verdict means: explain."""

from __future__ import annotations

from typing import Annotated

import typer

from pacecar.cli.printing import say
from pacecar.errors import UsageError
from pacecar.inputs.config.suggestion import did_you_mean, quoted
from pacecar.reporting.words import WORDS


def explain(
    word: Annotated[
        list[str] | None,
        typer.Argument(metavar="[WORD]", help="Such as passed or tripwire; all words if omitted."),
    ] = None,
) -> int:
    """Explain a word that verdicts use, such as passed or tripwire."""
    asked = " ".join(word or ())
    if not asked:
        say("\n".join(WORDS))
        return 0
    found = WORDS.get(_plainly(asked))
    if found is None:
        raise UsageError(
            f"No verdict uses the word {quoted(asked)}{did_you_mean(_plainly(asked), WORDS) or '.'}",
            hint="List the words: pacecar explain",
        )
    say(f"{found.name}: {found.meaning}\nMore: {found.page}")
    return 0


def _plainly(asked: str) -> str:
    """`RULED-OUT` and `latency.tail` as the list has them."""
    plain = " ".join(asked.lower().replace("-", " ").replace("_", " ").split())
    return {"latency.typical": "typical latency", "latency.tail": "tail latency"}.get(plain, plain)
