"""A message with which more requests fail, or fewer."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import one_of
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.quantities.failures import failures
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.verdicts.evidence import ERRORS
from pacecar.model.causes import Scope
from pacecar.model.comparison import Judgement
from pacecar.text.units import format_share

_MESSAGE_LIMIT = 120


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    endpoint = judgement.metric.endpoint
    for moved in quantities.moved(failures(endpoint)):
        message = moved.scope.dependency or ""
        shown = message if len(message) <= _MESSAGE_LIMIT else message[:_MESSAGE_LIMIT] + "…"
        before, after = moved.fact.baseline, moved.fact.candidate
        yield Claim(
            statement=f'Failed with "{shown}": {format_share(before)} of requests before, {format_share(after)} now.',
            scope=Scope(endpoint=endpoint or None),
            facts=(moved.fact,),
            each=moved.each,
            of=ERRORS,
        )


KIND = CauseKind(
    name="failing-message",
    title="Failing requests",
    layer=Layer.SYMPTOM,
    explains=one_of(ERRORS),
    needs=(),
    claims=_claims,
)
