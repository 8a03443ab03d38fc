"""The harness's own results for Prometheus: one text file, for the node exporter's textfile collector or a push."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from prometheus_client import CollectorRegistry, Enum, Gauge, Info, generate_latest

from pacecar.model.comparison import Role, Verdict
from pacecar.model.experiment import Side
from pacecar.reporting.document import Document
from pacecar.reporting.document.shapes import JudgedMetric
from pacecar.system.disk import durable
from pacecar.text.plain import cleaned

_VERDICTS = [verdict.value for verdict in Verdict]
_LABELS = ("metric", "endpoint")


def write_metrics(document: Document, path: Path) -> None:
    """Write `metrics_text` to `path`, whole or not at all: a scrape never sees half a file."""
    durable.write_text(path, metrics_text(document))


def metrics_text(document: Document) -> str:
    """The results in Prometheus' text format. A value that is not known has no sample."""
    registry = CollectorRegistry()
    _add_run(registry, document)
    _add_verdicts(registry, document)
    _add_estimates(registry, document.judgements)
    _add_bounds(registry, document.judgements)
    return generate_latest(registry).decode()


def _add_run(registry: CollectorRegistry, document: Document) -> None:
    builds = {side: document.build(side) for side in Side}
    labels = {side.value: build.label for side, build in builds.items() if build}
    labels |= {f"{side.value}_commit": build.commit or "" for side, build in builds.items() if build}
    Info("pacecar_run", "The comparison these results are from.", registry=registry).info(
        _labels({"run_id": document.run_id, "mode": document.mode, **labels})
    )
    figures = {
        "pacecar_run_duration_seconds": ("All phases together.", document.provenance.duration_s),
        "pacecar_harness_share_ratio": (
            "Share of the run that was the harness's own.",
            document.provenance.harness_share,
        ),
        "pacecar_pairs": ("Pairs that took part in the verdict.", document.pairs_judged),
        "pacecar_voided_pairs": ("Pairs left out.", sum(1 for pair in document.pairs if pair.voided)),
    }
    for name, (meaning, value) in figures.items():
        if value is not None:
            Gauge(name, meaning, registry=registry).set(value)
    phases = Gauge("pacecar_phase_seconds", "Seconds spent per phase.", ("phase",), registry=registry)
    for phase in document.provenance.phases:
        phases.labels(**_labels({"phase": phase.name})).set(phase.seconds)


def _add_verdicts(registry: CollectorRegistry, document: Document) -> None:
    overall = Enum("pacecar_overall_verdict", "Verdict of the comparison.", states=_VERDICTS, registry=registry)
    overall.state(document.verdict.value)
    verdict = Enum("pacecar_verdict", "Verdict of one metric.", _LABELS, states=_VERDICTS, registry=registry)
    guaranteed = Gauge(
        "pacecar_guaranteed", "1 when the metric must be shown to be no worse.", _LABELS, registry=registry
    )
    for metric in document.judgements:
        verdict.labels(**_names(metric)).state(metric.verdict.value)
        guaranteed.labels(**_names(metric)).set(metric.role is Role.GUARANTEED)


def _add_estimates(registry: CollectorRegistry, judgements: tuple[JudgedMetric, ...]) -> None:
    scale = "Fraction of the baseline, or difference in the metric's unit (label scale)."
    fields = {
        "change": ("pacecar_change", f"Candidate against baseline. {scale}"),
        "low": ("pacecar_change_low", f"Lower end of its 95% interval. {scale}"),
        "high": ("pacecar_change_high", f"Upper end of its 95% interval. {scale}"),
        "baseline": ("pacecar_baseline_value", "Mean over pairs, in the metric's unit."),
        "candidate": ("pacecar_candidate_value", "Mean over pairs, in the metric's unit."),
    }
    for field, (name, meaning) in fields.items():
        gauge = Gauge(name, meaning, (*_LABELS, "unit", "scale"), registry=registry)
        for metric in judgements:
            value = getattr(metric.estimate, field) if metric.estimate else None
            if value is not None:
                gauge.labels(**_names(metric), unit=metric.unit, scale=metric.scale.value).set(value)


def _add_bounds(registry: CollectorRegistry, judgements: tuple[JudgedMetric, ...]) -> None:
    scale = "Fraction of the baseline, or difference in the metric's unit (label scale); above zero is worse."
    fields = {
        "bound": ("pacecar_ruled_out", f"A worsening by more is ruled out, one-sided at 95%. {scale}"),
        "allowance": ("pacecar_allowance", f"What must be ruled out for a guaranteed metric to pass. {scale}"),
    }
    for field, (name, meaning) in fields.items():
        gauge = Gauge(name, meaning, (*_LABELS, "unit", "scale"), registry=registry)
        for metric in judgements:
            value = getattr(metric.ruled_out, field) if metric.ruled_out else None
            if value is not None:
                gauge.labels(**_names(metric), unit=metric.unit, scale=metric.scale.value).set(value)


def _names(metric: JudgedMetric) -> dict[str, str]:
    return _labels({"metric": metric.name, "endpoint": metric.endpoint})


def _labels(values: Mapping[str, str]) -> dict[str, str]:
    """The only way from text to a label. The text may be anybody's; the library escapes quotes."""
    return {name: cleaned(value) for name, value in values.items()}
