from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pacecar.reporting.document import Document
from pacecar.reporting.metrics import metrics_text, write_metrics
from support.documents import HOSTILE


def samples(text: str, name: str) -> dict[tuple[str, ...], float]:
    """Samples of `name`: label values, ordered by label name -> value."""
    return {
        tuple(value for _, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name
    }


def test_verdicts_changes_and_values_are_told_per_metric(document: Document) -> None:
    text = metrics_text(document)

    assert samples(text, "pacecar_overall_verdict")[("regressed",)] == 1
    verdicts = samples(text, "pacecar_verdict")
    assert verdicts["GET /orders", "latency.p99", "regressed"] == 1
    assert verdicts["GET /orders", "latency.p99", "passed"] == 0
    place = ("GET /orders", "latency.p99", "ratio", "ms")
    assert samples(text, "pacecar_change")[place] == pytest.approx(0.124)
    assert samples(text, "pacecar_change_low")[place] == pytest.approx(0.08)
    assert samples(text, "pacecar_baseline_value")[place] == pytest.approx(18.3)
    assert samples(text, "pacecar_guaranteed")["GET /orders", "latency.p99"] == 1
    assert samples(text, "pacecar_guaranteed")["GET /search", "latency.p99"] == 0
    assert samples(text, "pacecar_ruled_out")[place] == pytest.approx(0.168)
    assert samples(text, "pacecar_allowance")[place] == pytest.approx(0.075)


def test_the_run_tells_its_duration_share_and_pairs(document: Document) -> None:
    text = metrics_text(document)

    assert samples(text, "pacecar_run_duration_seconds")[()] == pytest.approx(888.7)
    assert samples(text, "pacecar_harness_share_ratio")[()] == pytest.approx(0.0546, abs=1e-4)
    assert samples(text, "pacecar_pairs")[()] == 5
    assert samples(text, "pacecar_voided_pairs")[()] == 1
    assert samples(text, "pacecar_phase_seconds")[("load",)] == 576


def test_what_is_not_known_has_no_sample(document: Document) -> None:
    changes = samples(metrics_text(document), "pacecar_change")

    assert ("GET /search", "latency.p99.9", "ratio", "ms") not in changes
    assert len(changes) == sum(metric.estimate is not None for metric in document.judgements)


def test_hostile_labels_stay_labels(document: Document, tmp_path: Path) -> None:
    odd = replace(document.judgements[0], endpoint=f'{HOSTILE}"}} 1\\')
    path = tmp_path / "pacecar.prom"

    write_metrics(replace(document, judgements=(odd,)), path)

    assert samples(path.read_text(), "pacecar_guaranteed") == {(f'{HOSTILE}"}} 1\\', "latency.p99"): 1.0}
    assert [each.name for each in tmp_path.iterdir()] == ["pacecar.prom"]
