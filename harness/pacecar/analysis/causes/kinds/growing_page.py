"""A metric, and the label of it, that makes the service's metrics page longer, or shorter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pacecar.analysis.causes.explains import MEAN_LATENCY, is_time_of_requests, one_of
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.metrics.reading import ALL
from pacecar.analysis.quantities import pages
from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.quantities.of_endpoint import of_no_other
from pacecar.analysis.quantities.page_writing import writing
from pacecar.analysis.quantities.quantity import Moved, Quantity
from pacecar.model.causes import Fact, Scope
from pacecar.model.comparison import Judgement
from pacecar.model.profiles import ProfileKind

#: Metric -> what it is made of.
_MADE_OF = {"metrics.series": pages.SERIES, "metrics.page": pages.PAGE_BYTES}
#: What writing the page takes, and of which metric that is a part.
_COSTS = {"cpu": ProfileKind.CPU, "allocation": ProfileKind.ALLOCATION}
_WORDS = {ProfileKind.CPU: "CPU time", ProfileKind.ALLOCATION: "allocation"}
#: Where samples do not tell what they serve, a page that costs by much more than requests took longer is another's.
_MOST = 2.0


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    if judgement.metric.name in _MADE_OF:
        yield from _of_the_page(judgement, quantities)
    else:
        yield from _of_writing(judgement, quantities)


def _of_the_page(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    series = {moved.scope.series: moved for moved in quantities.moved(pages.SERIES)}
    for moved in quantities.moved(_MADE_OF[judgement.metric.name]):
        counted = series.get(moved.scope.series)
        if counted is None:
            continue
        statement, scope, facts = _grown(quantities, counted)
        yield Claim(
            statement=f"{statement}.",
            scope=scope,
            facts=(moved.fact, *(fact for fact in facts if fact is not moved.fact)),
            each=moved.each,
            of=judgement.metric.name,
        )


def _of_writing(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    """What it costs more to write the longer page, by the metric that gained most series."""
    time, endpoint = is_time_of_requests(judgement), judgement.metric.endpoint
    metric = MEAN_LATENCY if time else judgement.metric.name
    event = ProfileKind.CPU if time else _COSTS[metric]
    told_apart = time or bool(quantities.labelled)
    family = writing(event, endpoint if told_apart else ALL)
    for moved in quantities.moved(family):
        grown = [each for each in quantities.moved(pages.SERIES) if each.fact.change * moved.fact.change > 0]
        claimed = _by_growth(quantities, moved, family)
        if claimed is not None and endpoint and not told_apart:
            claimed = of_no_other(quantities, claimed, metric=metric, endpoint=endpoint)
        if not grown or claimed is None:
            continue
        statement, scope, facts = _grown(quantities, grown[0])
        yield Claim(
            statement=f"{statement}; writing the page went from {told(moved.fact)} of {_WORDS[event]} per request.",
            scope=scope,
            facts=(moved.fact, *facts),
            each=claimed.each,
            of=metric,
            scatter=claimed.scatter,
            most=_MOST if time and not quantities.labelled else float("inf"),
        )


def _by_growth(quantities: Quantities, moved: Moved, family: Family) -> Moved | None:
    """As much of what writing costs more as the page is longer; None where either is not known."""
    cost, page = quantities.of(family), quantities.of(pages.PAGE_BYTES)
    if not isinstance(cost, Quantity) or not isinstance(page, Quantity):
        return None
    growth = page.candidate.sum(axis=1) / np.maximum(page.baseline.sum(axis=1), 1) - 1
    expected = cost.baseline[:, 0] * growth
    return replace(moved, each=np.clip(moved.each, np.minimum(expected, 0), np.maximum(expected, 0)))


def _grown(quantities: Quantities, series: Moved) -> tuple[str, Scope, tuple[Fact, ...]]:
    """A metric that has more series, or fewer: the beginning of a sentence, the place, what it rests on."""
    statement = f"The metric {series.scope.series} went from {told(series.fact)} series"
    label = _label(quantities, series)
    if label is None:
        return statement, series.scope, (series.fact,)
    statement += f"; its label {label.scope.label} from {told(label.fact)} values"
    return statement, label.scope, (series.fact, label.fact)


def _label(quantities: Quantities, series: Moved) -> Moved | None:
    """The label of a metric whose values moved most, the way its series did."""
    found = [
        moved
        for moved in quantities.moved(pages.LABELS)
        if moved.scope.series == series.scope.series and moved.fact.change * series.fact.change > 0
    ]
    return found[0] if found else None


_of_page_or_cost = one_of(*_MADE_OF, *_COSTS)

KIND = CauseKind(
    name="growing-page",
    title="Metrics page",
    layer=Layer.GATHERED,
    explains=lambda judgement: is_time_of_requests(judgement) or _of_page_or_cost(judgement),
    needs=(pages.SERIES,),
    claims=_claims,
    moves=frozenset({"heap", "page"}),
)
