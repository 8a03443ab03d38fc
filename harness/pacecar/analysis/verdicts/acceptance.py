"""Regressions that somebody has decided to live with: the verdict stays what the data say, but stops nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pacecar.model.caution import Caution, CautionKind
from pacecar.model.comparison import Comparison, Judgement, MetricKey, Verdict
from pacecar.model.experiment import Acceptance


def with_acceptances(comparison: Comparison, accepted: Sequence[Acceptance]) -> Comparison:
    """`comparison` with every regressed metric marked that is accepted, and a caution for what nobody had to accept."""
    known: dict[MetricKey, Acceptance] = {each.key: each for each in accepted}

    def marked(judgement: Judgement) -> Judgement:
        applies = judgement.verdict is Verdict.REGRESSED
        return replace(judgement, accepted=known.get(judgement.metric.key)) if applies else judgement

    judgements = tuple(map(marked, comparison.judgements))
    used = {judgement.metric.key for judgement in judgements if judgement.accepted}
    needless = [
        Caution.of(
            CautionKind.NEEDLESS_ACCEPTANCE,
            "{metric} is accepted until {until}, but has not regressed",
            metric=f"{endpoint} {name}".strip(),
            until=known[name, endpoint].until,
            remedy="Remove it from [[accepted]].",
        )
        for name, endpoint in known
        if (name, endpoint) not in used
    ]
    return replace(
        comparison,
        judgements=judgements,
        findings=tuple(replace(each, judgement=marked(each.judgement)) for each in comparison.findings),
        cautions=(*comparison.cautions, *needless),
    )
