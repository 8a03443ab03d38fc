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
a `PacecarError` with a sentence and a hint. A signal is `Interrupted`, which has both, too. Like `KeyboardInterrupt` it
is no `Exception`.

`compare` does all three. The searches are built from them: `search` and `search_of` find the commit that made a service
slower, `against_itself` and `visible_on_this_machine` what a machine can see. `share` puts a run into the store that
machines share, `forward` sends its profiles to a server.

Beside these, for the commands: `sizing` finds a load that fits before anything is compared, `capacity` the highest one
that builds bear, and `planning` says what a plan takes. `escalation` decides whether the full tier follows a quick one,
`affected` compares every service of a repository, and `cluster` has another machine measure. `stores` knows where a
project keeps its runs, `history` brings what other machines know of the noise, `experiments` puts a configuration and
the options of a command together.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pacecar.measurement.session.progress import Progress
    from pacecar.measurement.session.request import Request
    from pacecar.workflow.comparing import compare
    from pacecar.workflow.evaluating import evaluate
    from pacecar.workflow.forwarding import forward
    from pacecar.workflow.measuring import Observer, measure
    from pacecar.workflow.noise import visible_on_this_machine
    from pacecar.workflow.publishing import FILES, Sink, publish, share
    from pacecar.workflow.requests import MetricChoice, against_itself, comparison, recording, search
    from pacecar.workflow.searching import Search, search_of

__all__ = [
    "FILES",
    "MetricChoice",
    "Observer",
    "Progress",
    "Request",
    "Search",
    "Sink",
    "against_itself",
    "compare",
    "comparison",
    "evaluate",
    "forward",
    "measure",
    "publish",
    "recording",
    "search",
    "search_of",
    "share",
    "visible_on_this_machine",
]

_ROOMS = {
    "measurement.session.progress": ("Progress",),
    "measurement.session.request": ("Request",),
    "workflow.comparing": ("compare",),
    "workflow.evaluating": ("evaluate",),
    "workflow.forwarding": ("forward",),
    "workflow.measuring": ("Observer", "measure"),
    "workflow.noise": ("visible_on_this_machine",),
    "workflow.publishing": ("FILES", "Sink", "publish", "share"),
    "workflow.requests": ("MetricChoice", "against_itself", "comparison", "recording", "search"),
    "workflow.searching": ("Search", "search_of"),
}


def __getattr__(name: str) -> Any:
    """The public names, each loaded once it is asked for: a command that lists runs loads nothing that measures."""
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(importlib.import_module(f"pacecar.{room}"), name)
    raise AttributeError(name)
