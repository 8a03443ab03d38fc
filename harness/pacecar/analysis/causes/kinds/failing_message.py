"""A message with which more requests fail, or fewer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from pacecar.analysis.causes.kind import CauseKind, Claim, Evidence
from pacecar.analysis.metrics.measured import MeasuredFork
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.verdicts.evidence import ERRORS
from pacecar.model.comparison import Amount, CauseScope, Judgement, Verdict

_MESSAGE_LIMIT = 120


def _claims(judgement: Judgement, evidence: Evidence) -> Iterator[Claim]:
    """What the failures say of which the candidate has most more (or fewer) per request."""
    if judgement.metric.name != ERRORS:
        return
    endpoint = judgement.metric.endpoint
    before, after = (_failures(side, endpoint) for side in (evidence.baseline, evidence.candidate))
    grown = after.sub(before, fill_value=0.0)
    if judgement.verdict is Verdict.IMPROVED:
        grown = -grown
    if grown.empty or grown.max() <= 0:
        return
    message = str(grown.idxmax())
    shares = [100 * float(side.get(message, 0.0)) for side in (before, after)]
    shown = message if len(message) <= _MESSAGE_LIMIT else message[:_MESSAGE_LIMIT] + "…"
    yield Claim(
        statement=f'Failed with "{shown}": {shares[0]:.2g}% of requests before, {shares[1]:.2g}% now.',
        scope=CauseScope(endpoint=endpoint or None),
        amounts=(_share(*shares),),
        weight=abs(shares[1] - shares[0]),
    )


def _share(before: float, after: float) -> Amount:
    return Amount(
        quantity="Share of requests that failed with it",
        unit="%",
        baseline=before,
        candidate=after,
        change=after - before,
    )


def _failures(forks: Sequence[MeasuredFork], endpoint: str) -> pd.Series[float]:
    """Message -> share of the requests to `endpoint` that failed with it, over all forks of a side."""
    requests = pd.concat([fork.requests for fork in forks])
    if endpoint != ALL:
        requests = requests[requests["endpoint"] == endpoint]
    messages = requests.loc[~requests["ok"].astype(bool), "message"]
    return messages.value_counts() / max(1, len(requests))


KIND = CauseKind(name="failing-message", title="Failing requests", claims=_claims)
