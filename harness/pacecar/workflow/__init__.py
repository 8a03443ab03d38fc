"""The story of a comparison, callable from Python: `publish(evaluate(measure(request)))`.

In: a `pacecar.toml`, and what a user asks for beside it. Out: a run, the document of it, and files.

    from pathlib import Path
    from pacecar.workflow import comparison, evaluate, measure, publish

    request = comparison(Path("pacecar.toml"), baseline="origin/main", candidate=".")
    run = measure(request)
    document = evaluate(run)
    publish(document, run)
    print(document.verdict, document.reason)

`comparison` and `recording` find what a user names and return a `Request`; `measure` puts it under load and returns a
run, telling an `Observer` what goes on; `evaluate` judges a run, today's or last year's, and returns a `Document`;
`publish` hands that to sinks, which are functions. None of them prints, asks or returns an exit code. Whatever fails is
a `PacecarError` with a sentence and a hint.

`search` finds the commit that made a service slower with these three, `noise` what a machine can see, and `sizing` a
load that fits, before anything is compared. `escalation` decides whether the full tier follows a quick one, `affected`
compares every service of a repository. `stores` knows where a project keeps its runs, `history` brings what other
machines know of the noise, `forward` sends profiles to a server, `experiments` puts a configuration and the options of
a command together.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pacecar.workflow.evaluating import evaluate
    from pacecar.workflow.measuring import Observer, measure
    from pacecar.workflow.publishing import FILES, Sink, publish
    from pacecar.workflow.requests import comparison, recording

__all__ = ["FILES", "Observer", "Sink", "comparison", "evaluate", "measure", "publish", "recording"]

_ROOMS = {
    "requests": ("comparison", "recording"),
    "measuring": ("Observer", "measure"),
    "evaluating": ("evaluate",),
    "publishing": ("FILES", "Sink", "publish"),
}


def __getattr__(name: str) -> Any:
    """The public names, each loaded once it is asked for: a command that lists runs loads nothing that measures."""
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{room}"), name)
    raise AttributeError(name)
