"""Requests that fail on both sides: no change of the build, but a scenario that asks for what is not there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.verdicts.evidence import ERRORS
from pacecar.model.caution import Caution, CautionKind
from pacecar.model.comparison import Judgement, Role, Verdict

#: Share of an endpoint's requests from which on, failing on either side, it is worth a sentence.
WORTH_SAYING = 0.05
#: Share of all requests from which on, failing on both sides, nothing else that was measured is worth a verdict.
_MOST = 0.5
#: Pairs after which more of them would show the same again.
_ENOUGH = 2
_NAMED = 3
_LONGEST_MESSAGE = 120
#: Characters of each message where several endpoints are told of in one line.
_SHORT_MESSAGE = 40
_CORRECT = "path, data or headers, or leave"
_WHY = "out of the scenario: a request that fails exercises other code."


def failing(baseline: Sequence[MeasuredFork], candidate: Sequence[MeasuredFork]) -> list[Caution]:
    """One caution that names the worst endpoints whose requests fail on both sides, with what the generator noted; none
    where there are none.
    """
    shares = [_shares(baseline), _shares(candidate)]
    both = {name: min(share[name] for share in shares) for name in shares[0].keys() & shares[1].keys()}
    worst = sorted((name for name in both if both[name] >= WORTH_SAYING), key=lambda name: (-both[name], name))
    if not worst:
        return []
    if len(worst) == 1:
        return [
            Caution.of(
                CautionKind.FAILING_REQUESTS,
                "{told} failed on both sides ({message})",
                told=f"{100 * both[worst[0]]:.0f}% of the requests to {worst[0]}",
                message=_message(baseline, worst[0]),
                remedy=f"Correct its {_CORRECT} it {_WHY}",
            )
        ]
    told = [
        f"{100 * both[name]:.0f}% of those to {name} ({_message(baseline, name)[:_SHORT_MESSAGE]})"
        for name in worst[:_NAMED]
    ]
    more = len(worst) - _NAMED
    others = [f"those to {more} more endpoint{'s' if more > 1 else ''}"] if more > 0 else []
    *first, last = [*told, *others]
    return [
        Caution.of(
            CautionKind.FAILING_REQUESTS,
            "Requests failed on both sides: {told}",
            told=f"{', '.join(first)} and {last}",
            remedy=f"Correct their {_CORRECT} them {_WHY}",
        )
    ]


def with_failures(
    judgements: Sequence[Judgement], baseline: Sequence[MeasuredFork], candidate: Sequence[MeasuredFork]
) -> tuple[Judgement, ...]:
    """The judgements; that on all errors is guaranteed and `invalid` where most requests fail on both sides.

    What was measured then is how fast a service refuses. More errors than before stay a regression.
    """
    share = min(_share(baseline), _share(candidate))
    if share < _MOST:
        return tuple(judgements)
    reason = f"{share:.0%} of all requests failed on both sides, so how requests are served was not measured"
    return tuple(
        replace(each, verdict=Verdict.INVALID, reason=reason, role=Role.GUARANTEED, pairs_needed=None)
        if each.metric.key == (ERRORS, ALL) and each.verdict is not Verdict.REGRESSED
        else each
        for each in judgements
    )


def hopeless(baseline: Sequence[MeasuredFork], candidate: Sequence[MeasuredFork]) -> bool:
    """Whether most requests failed in every fork of pairs enough: a comparison that further ones will not save."""
    return len(baseline) >= _ENOUGH and all(_share([fork]) >= _MOST for fork in (*baseline, *candidate))


def _share(forks: Sequence[MeasuredFork]) -> float:
    """Share of all requests that failed, over all forks; 0 where there were none."""
    failed, requests = (sum(counts) for counts in zip(*(fork.outcomes[ALL] for fork in forks), strict=True))
    return failed / requests if requests else 0.0


def _shares(forks: Sequence[MeasuredFork]) -> dict[str, float]:
    """Endpoint -> share of its requests that failed, over all forks."""
    counts: dict[str, tuple[int, int]] = {}
    for fork in forks:
        for name, (failed, requests) in fork.outcomes.items():
            before = counts.get(name, (0, 0))
            counts[name] = (before[0] + failed, before[1] + requests)
    return {name: failed / requests for name, (failed, requests) in counts.items() if requests and name != ALL}


def _message(forks: Sequence[MeasuredFork], endpoint: str) -> str:
    """What most of the failures of an endpoint said."""
    requests = pd.concat([fork.requests[["endpoint", "ok", "message"]] for fork in forks])
    failed = requests[(requests["endpoint"] == endpoint) & ~requests["ok"].astype(bool)]
    said = failed["message"].fillna("").replace("", "no reason noted").mode()
    return str(said.iloc[0])[:_LONGEST_MESSAGE] if len(said) else "no reason noted"
