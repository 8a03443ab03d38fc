"""A frame that uses more, or less: CPU time or allocation per request."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import of_frame
from pacecar.analysis.quantities import frames
from pacecar.analysis.quantities.hand_offs import HAND_OFFS, HANDING
from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.quantities.of_endpoint import of_no_other
from pacecar.analysis.quantities.page_writing import only_writes
from pacecar.analysis.quantities.quantity import Moved
from pacecar.analysis.quantities.serving import Aside, aside
from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import Judgement
from pacecar.model.frames import FrameChange
from pacecar.model.profiles import ProfileKind

#: Where samples do not tell what they serve: a frame that grew by much more than the requests did is another
#: endpoint's, or a background thread's.
_MOST = 2.0
#: The metric that a kind of profile is made of.
_WHOLE = {ProfileKind.CPU: "cpu", ProfileKind.ALLOCATION: "allocation"}
#: Metrics that grow as that one does, where nothing else changes: a frame that allocates a percent more makes for a
#: percent more collections, however many more there are.
_IN_PROPORTION = frozenset({"gc.count", "gc.pause", "cpu.limit"})


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    event = _profile_of(judgement)
    if event is None:
        return
    time, endpoint = is_time_of_requests(judgement), judgement.metric.endpoint
    told = time or bool(quantities.labelled)
    of, factor = _part_of(judgement, event, quantities)
    for frame, moved in frames.blamed(quantities, event, endpoint if told else ""):
        beside = aside(quantities, frame.pool or "", amount=frame.self_change) if time else Aside.NO
        if beside is Aside.YES or _hands_over(quantities, frame):
            continue
        claimed: Moved | None = moved
        if endpoint and quantities.labelled:
            claimed = moved.per_request_to(endpoint)
        elif endpoint and not told:
            claimed = of_no_other(quantities, moved, metric=_WHOLE[event], endpoint=endpoint)
        if claimed is None:
            continue
        of_page = only_writes(quantities, frame, endpoint if told else "")
        yield Claim(
            statement=of_frame(frame, claimed.fact, endpoint),
            scope=claimed.scope,
            facts=(claimed.fact,),
            each=claimed.each * factor,
            of=of,
            scatter=None if claimed.scatter is None else claimed.scatter.scaled(factor),
            proved=beside is Aside.NO,
            most=_MOST if time and not quantities.labelled else float("inf"),
            follows_from=frozenset({"page"}) if of_page else frozenset(),
        )


def _part_of(judgement: Judgement, event: ProfileKind, quantities: Quantities) -> tuple[str, float]:
    """The metric that a frame's cost is a part of, and how much of it one unit of that cost makes."""
    name = judgement.metric.name
    if is_time_of_requests(judgement):
        return MEAN_LATENCY, 1.0
    if name not in _IN_PROPORTION:
        return _WHOLE[event], 1.0
    cost, followed = (float(np.nansum(quantities.level(each))) for each in (_WHOLE[event], name))
    return name, followed / cost if cost > 0 else 0.0


def _hands_over(quantities: Quantities, frame: FrameChange) -> bool:
    """Whether it does nothing else, in a pool of which that is told as a cause of its own."""
    if frame.event != ProfileKind.CPU or not frame.frame.startswith(HANDING):
        return False
    return frame.pool in {moved.scope.pool for moved in quantities.moved(HAND_OFFS)}


def _profile_of(judgement: Judgement) -> ProfileKind | None:
    """The kind of profile that says where the change comes from."""
    if is_time_of_requests(judgement):
        return ProfileKind.CPU
    known = METRICS.get(judgement.metric.name)
    return known.profile if known is not None and known.profile in _WHOLE else None


def _profile_needed(judgement: Judgement) -> tuple[Family, ...]:
    event = _profile_of(judgement)
    return (frames.PROFILES[event],) if event is not None else ()


KIND = CauseKind(
    name="hot-frame",
    title="Hot frame",
    layer=Layer.DEMAND,
    explains=lambda judgement: _profile_of(judgement) is not None,
    needs=(),
    claims=_claims,
    moves=frozenset({"cpu", "allocation"}),
    needs_for=_profile_needed,
)
