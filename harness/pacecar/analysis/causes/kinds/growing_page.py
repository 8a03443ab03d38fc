"""A metric, and the label of it, that makes the service's metrics page longer, or shorter."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.analysis.causes.explains import one_of
from pacecar.analysis.causes.kind import CauseKind, Claim, Layer
from pacecar.analysis.causes.sentences import told
from pacecar.analysis.quantities import pages
from pacecar.analysis.quantities.measured import Quantities
from pacecar.analysis.quantities.quantity import Moved
from pacecar.model.comparison import Judgement

#: Metric -> what it is made of.
_MADE_OF = {"metrics.series": pages.SERIES, "metrics.page": pages.PAGE_BYTES}


def _claims(judgement: Judgement, quantities: Quantities) -> Iterator[Claim]:
    series = {moved.scope.series: moved for moved in quantities.moved(pages.SERIES)}
    for moved in quantities.moved(_MADE_OF[judgement.metric.name]):
        counted = series.get(moved.scope.series)
        if counted is None:
            continue
        label = _label(quantities, counted)
        statement = f"The metric {moved.scope.series} went from {told(counted.fact)} series"
        if label is not None:
            statement += f"; its label {label.scope.label} from {told(label.fact)} values"
        yield Claim(
            statement=statement + ".",
            scope=label.scope if label is not None else moved.scope,
            facts=(moved.fact, *([counted.fact] if counted is not moved else []), *([label.fact] if label else [])),
            each=moved.each,
            of=judgement.metric.name,
        )


def _label(quantities: Quantities, series: Moved) -> Moved | None:
    """The label of a metric whose values moved most, the way its series did."""
    found = [
        moved
        for moved in quantities.moved(pages.LABELS)
        if moved.scope.series == series.scope.series and moved.fact.change * series.fact.change > 0
    ]
    return found[0] if found else None


KIND = CauseKind(
    name="growing-page",
    title="Metrics page",
    layer=Layer.DEMAND,
    explains=one_of(*_MADE_OF),
    needs=(pages.SERIES,),
    claims=_claims,
    moves=frozenset({"heap"}),
)
