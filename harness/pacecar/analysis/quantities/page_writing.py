"""What it costs to write the service's metrics page."""

from __future__ import annotations

import numpy as np

from pacecar.analysis.profiles.entries import marked
from pacecar.analysis.profiles.sampled import NONE, Sampled
from pacecar.analysis.quantities.frames import rows_of
from pacecar.analysis.quantities.measured import Family, Quantities
from pacecar.analysis.quantities.quantity import Lacking, Quantity
from pacecar.analysis.quantities.rows import added, chosen, kin, lacking
from pacecar.analysis.stats.arrays import Mask
from pacecar.model.causes import Scope
from pacecar.model.frames import FrameChange
from pacecar.model.profiles import ProfileKind
from pacecar.text.units import unit_of

#: Beginnings of the frames below which a page is written: Micrometer with either client of Prometheus, these clients
#: themselves, Spring Boot, Quarkus, OpenTelemetry.
_WRITERS = (
    "io.micrometer.prometheus.PrometheusMeterRegistry.scrape",
    "io.micrometer.prometheusmetrics.PrometheusMeterRegistry.scrape",
    "io.prometheus.client.exporter.",
    "io.prometheus.client.servlet.",
    "io.prometheus.metrics.exporter.",
    "io.prometheus.metrics.expositionformats.",
    "org.springframework.boot.actuate.metrics.export.prometheus.PrometheusScrapeEndpoint.",
    "org.springframework.boot.micrometer.metrics.export.prometheus.PrometheusScrapeEndpoint.",
    "io.quarkus.micrometer.runtime.export.handlers.PrometheusHandler.",
    "io.opentelemetry.exporter.prometheus.",
)
_NEARLY_ALL = 0.8


def writing(event: ProfileKind, endpoint: str) -> Family:
    """CPU time or allocation below what writes the page, per request to `endpoint`, under one key.

    Where samples do not tell what they serve, that is all of it, as if all of it had been for them.
    """

    def read(quantities: Quantities) -> Quantity | Lacking:
        missing, sampled = lacking(quantities, event), quantities.sampled
        if missing is not None or sampled is None:
            return missing or Lacking(reason=f"a {event.label} profile")
        of_event = chosen(quantities, sampled, event, endpoint=endpoint, states=(NONE,))
        rows = of_event[_writes(sampled)[of_event["stack"].to_numpy(dtype=np.intp)]]
        before, after, poisson = added(quantities, rows, np.zeros(len(rows), dtype=np.intp), 1, endpoint=endpoint)
        return Quantity(
            name=f"{event.quantity}, writing the metrics page",
            unit=unit_of(event.unit),
            keys=(Scope(),),
            baseline=before,
            candidate=after,
            poisson=poisson,
            kin=kin(quantities, sampled, of_event, endpoint=endpoint),
        )

    return Family(name=f"page-writing {event} {endpoint}", read=read)


def only_writes(quantities: Quantities, frame: FrameChange, endpoint: str) -> bool:
    """Whether nearly all by which a frame changed is spent on writing the page."""
    sampled = quantities.sampled
    if sampled is None:
        return False
    rows = rows_of(quantities, sampled, frame, endpoint)
    within = _writes(sampled)[rows["stack"].to_numpy(dtype=np.intp)].astype(np.intp)
    before, after, _ = added(quantities, rows, within, 2, endpoint=endpoint)
    elsewhere, of_page = np.abs((after - before).mean(axis=0))
    return bool(of_page > 0 and of_page >= _NEARLY_ALL * (elsewhere + of_page))


def _writes(sampled: Sampled) -> Mask:
    """(stacks,) whether a page is being written."""
    stacks = sampled.stacks.whole
    found: Mask = np.zeros(len(stacks.lengths), dtype=bool)
    found[stacks.path[marked(sampled.stacks.names, _WRITERS)[stacks.steps]]] = True
    return found
