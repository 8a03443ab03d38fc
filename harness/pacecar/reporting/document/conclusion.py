"""A comparison's judgements, findings and frames as rows of a document."""

from __future__ import annotations

from dataclasses import asdict

from pacecar.model.comparison import Estimate, Finding, Judgement
from pacecar.model.experiment import Acceptance
from pacecar.model.frames import FrameChange
from pacecar.reporting.document.cause_rows import cause_row, not_looked_row
from pacecar.reporting.document.cause_shapes import AllCodeRow
from pacecar.reporting.document.profile_shapes import BelowRow, FrameRow
from pacecar.reporting.document.shapes import (
    EstimateRow,
    FindingRow,
    JudgedMetric,
    RuledOutRow,
)
from pacecar.text.units import unit_of

_PER_PAIR = 60
_ENDPOINTS = 8
_BELOW = 8
_CAUSES = 5
_NOT_LOOKED = 24


def judged_metric(judgement: Judgement) -> JudgedMetric:
    """The row of one judgement."""
    metric, budget = judgement.metric, judgement.budget
    return JudgedMetric(
        name=metric.name,
        endpoint=metric.endpoint,
        unit=unit_of(metric.unit),
        scale=metric.scale,
        lower_is_better=metric.lower_is_better,
        role=judgement.role,
        verdict=judgement.verdict,
        reason=judgement.reason,
        budget_relative=budget.relative if budget else None,
        budget_absolute=budget.absolute if budget else None,
        pairs_needed=judgement.pairs_needed,
        accepted=_accepted(judgement.accepted) if judgement.accepted else None,
        estimate=_estimate(judgement.estimate) if judgement.estimate else None,
        ruled_out=RuledOutRow(**asdict(judgement.ruled_out)) if judgement.ruled_out else None,
    )


def _accepted(accepted: Acceptance) -> str:
    return f"until {accepted.until} by {accepted.by}: {accepted.reason}"


def finding_row(finding: Finding) -> FindingRow:
    """The row of one finding."""
    return FindingRow(
        metric=judged_metric(finding.judgement),
        causes=tuple(map(cause_row, finding.causes[:_CAUSES])),
        not_looked=tuple(map(not_looked_row, finding.not_looked[:_NOT_LOOKED])),
        all_code=AllCodeRow(**asdict(finding.all_code)) if finding.all_code else None,
    )


def frame_row(frame: FrameChange) -> FrameRow:
    """The row of one changed frame."""
    return FrameRow(
        event=frame.event,
        frame=frame.frame,
        pool=frame.pool,
        application=frame.application,
        self_baseline=frame.self_baseline,
        self_candidate=frame.self_candidate,
        self_change=frame.self_change,
        low=frame.low,
        high=frame.high,
        total_baseline=frame.total_baseline,
        total_candidate=frame.total_candidate,
        endpoints=frame.endpoints[:_ENDPOINTS],
        blamed=frame.blamed,
        diffuse=frame.diffuse,
        touched=frame.touched,
        gone_to=frame.gone_to,
        come_from=frame.come_from,
        descriptive=frame.descriptive,
        below=tuple(BelowRow(frame=name, change=change) for name, change in frame.below[:_BELOW]),
    )


def _estimate(estimate: Estimate) -> EstimateRow:
    return EstimateRow(
        pairs=estimate.pairs,
        baseline=estimate.baseline,
        candidate=estimate.candidate,
        change=estimate.change,
        low=estimate.low,
        high=estimate.high,
        per_pair=estimate.per_pair[:_PER_PAIR],
        p_value=estimate.p_value,
        smallest_visible=estimate.smallest_visible,
    )
